/* SPDX-License-Identifier: Apache-2.0
 *
 * The error log of both interfaces: what state_say tells on stderr is kept, handed to callbacks, and written where the program asks.
 * The last entries are kept, 100 of them as the driver does; an iterator is the number of the next entry. */
#include "cuda/process/logs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "cuda/process/state.h"

enum { KEPT = 100, LEVEL_ERROR = 0 };

typedef void (*LogFn)(void *user, int level, char *text, size_t bytes);
typedef struct Listener {
    LogFn            fn;
    void            *user;
    struct Listener *next;
} Listener;

static Str       entries[KEPT];
static unsigned  next_entry; /* numbers of entries wrap around like an unsigned, as CUlogIterator does */
static Listener *listeners;

void logs_add(const char *text)
{
    struct timespec t;
    struct tm       day;
    Str            *e = &entries[next_entry % KEPT];
    clock_gettime(CLOCK_REALTIME, &t);
    localtime_r(&t.tv_sec, &day);
    str_clear(e);
    str_printf(e, "[%02d:%02d:%02d.%03ld][%ld][CUDA][E] %s\n", day.tm_hour, day.tm_min, day.tm_sec, t.tv_nsec / 1000000,
               (long)syscall(SYS_gettid), text);
    next_entry++;
    for (Listener *l = listeners; l; l = l->next)
        l->fn(l->user, LEVEL_ERROR, e->s, e->len);
}

/* From the iterator on, or all that is kept. */
static void gather(const unsigned *from, Str *out)
{
    unsigned kept = next_entry < KEPT ? next_entry : KEPT,
             n    = from && next_entry - *from < kept ? next_entry - *from : kept;
    for (unsigned i = next_entry - n; i != next_entry; i++)
        str_add(out, str_text(&entries[i % KEPT]));
}

CuErr rt_cudaLogsRegisterCallback(LogFn fn, void *user, Listener **out)
{
    ENTER_ALWAYS();
    if (!fn)
        return LEAVE_BARE(cudaErrorInvalidValue);
    Listener *l = xcalloc(1, sizeof *l);
    *l          = (Listener){fn, user, listeners};
    listeners   = l;
    if (out)
        *out = l;
    return LEAVE_BARE(cudaSuccess);
}

CuErr rt_cudaLogsUnregisterCallback(Listener *l)
{
    ENTER_ALWAYS();
    for (Listener **at = &listeners; *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            free(l);
            return LEAVE_BARE(cudaSuccess);
        }
    return LEAVE_BARE(cudaErrorInvalidValue);
}

CuErr rt_cudaLogsCurrent(unsigned *out, unsigned flags)
{
    (void)flags; /* the driver does not look at them either */
    ENTER_ALWAYS();
    if (out)
        *out = next_entry;
    return LEAVE_BARE(out ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaLogsDumpToFile(unsigned *from, const char *path, unsigned flags)
{
    ENTER_ALWAYS();
    Str   all = {0};
    FILE *f   = path && !flags ? file_append(path) : NULL;
    if (!f)
        return LEAVE_BARE(cudaErrorInvalidValue);
    gather(from, &all);
    bool written = fwrite(str_text(&all), 1, all.len, f) == all.len;
    written &= fclose(f) == 0;
    str_free(&all);
    if (from && written)
        *from = next_entry;
    return LEAVE_BARE(written ? cudaSuccess : cudaErrorOperatingSystem);
}

/* The newest entries that fit. */
CuErr rt_cudaLogsDumpToMemory(unsigned *from, char *buffer, size_t *bytes, unsigned flags)
{
    ENTER_ALWAYS();
    Str all = {0};
    if (!buffer || !bytes || flags)
        return LEAVE_BARE(cudaErrorInvalidValue);
    gather(from, &all);
    const char *text = str_text(&all);
    size_t      room = *bytes ? *bytes - 1 : 0;
    while (all.len - (size_t)(text - str_text(&all)) > room) {
        const char *line = strchr(text, '\n');
        text             = line ? line + 1 : str_text(&all) + all.len;
    }
    size_t n = all.len - (size_t)(text - str_text(&all));
    if (*bytes) {
        memcpy(buffer, text, n);
        buffer[n] = 0;
    }
    *bytes = n;
    if (from)
        *from = next_entry;
    str_free(&all);
    return LEAVE_BARE(cudaSuccess);
}
