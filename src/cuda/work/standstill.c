/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that wait in loops for memory which nobody is left to change.  The emulator finds that a launch never ends by itself
 * (emu/run/endless.c); it ends with the finding `endless-wait` only when nobody else can change memory either:
 *   - every thread of the process that is not ours waits for streams in a call, and has done so since the emulator began to look;
 *   - what is first in each queue waits for other queues, for a value in memory, or is a kernel that goes round for ever as well;
 *   - no other process has memory of this one (nothing is mapped for writing and shared: IPC, files, rings of the kernel, devices), and
 *     where the host may write what kernels see, the program catches no signals.
 * Of several such kernels the first launch ends.  Where somebody is left, a note says once where the kernel has waited for a while.
 *
 * A rest is a time without events that may change memory: its number, which every event changes.
 * Not ended though it could be: kernels inside graphs' conditional bodies; programs with threads that only sleep. */
#include "cuda/work/standstill.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cuda/memory/devmem.h"
#include "cuda/process/signals.h"

enum { NOTE_AFTER = 5 }; /* seconds */

StandstillQueues standstill_queues;

static uint64_t           events = 1;
static unsigned           waiting;
static _Thread_local bool ours;

void standstill_stirred(void)
{
    events++;
}

void standstill_ours(void)
{
    ours = true;
}

void standstill_waits(bool begins)
{
    if (ours)
        return;
    waiting += begins ? 1 : -1u;
    standstill_stirred();
}

void standstill_forget(void)
{
    waiting = 0;
    ours    = false;
    standstill_stirred();
}

/* ---- who is left ---- */

static bool count_threads(const Standstill *s, void *sum)
{
    *(unsigned *)sum += s->threads;
    return true;
}

/* Threads of this process; 0: not known. */
static unsigned all_threads(void)
{
    unsigned n    = 0;
    DIR     *list = opendir("/proc/self/task");
    for (const struct dirent *e; list && (e = readdir(list)) != NULL;)
        n += e->d_name[0] != '.';
    if (list)
        closedir(list);
    return n;
}

/* Who is left that can change memory, in words; NULL: nobody but kernels that have begun. */
static const char *who_is_left(void)
{
    unsigned known = waiting + signals_threads();
    if (!waiting)
        return "no thread of the program waits for the device";
    if (!standstill_queues(count_threads, &known))
        return "other work goes on";
    if (all_threads() != known)
        return "a thread of the program does not wait for the device";
    return NULL;
}

static bool mapped_by_others(void)
{
    char  line[512];
    bool  any  = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !any && fgets(line, sizeof line, maps)) {
        char perms[5] = "";
        any           = sscanf(line, "%*s %4s", perms) == 1 && perms[1] == 'w' && perms[3] == 's';
    }
    if (maps)
        fclose(maps);
    return any || !maps;
}

/* The same for those who are not seen in threads and queues. */
static const char *who_is_behind(void)
{
    static uint64_t    when; /* nothing changes while the process rests */
    static const char *who;
    if (when == events)
        return who;
    when = events;
    who  = mapped_by_others()                                 ? "memory is shared with others than this process"
           : devmem_host_writes() && signals_of_the_program() ? "the program handles signals"
                                                              : NULL;
    return who;
}

static uint64_t rest(void)
{
    return who_is_left() ? 0 : events;
}

/* ---- pauses ---- */

static bool stands(const Standstill *s, void *user)
{
    uint64_t *first = user;
    if (*first > s->launch)
        *first = s->launch;
    return s->stands == events;
}

static const char *why_not_ended(Standstill *s)
{
    uint64_t    first = s->launch;
    const char *why   = who_is_left();
    if (!why && !s->stands)
        why = "it has just been seen";
    if (!why && !standstill_queues(stands, &first))
        why = "another kernel goes on";
    if (!why)
        why = who_is_behind();
    return why || first == s->launch ? why : "another kernel ends first";
}

/* Once, when it has waited for a while. */
static void note(Standstill *s, const char *kernel, const WwPause *p, const char *why)
{
    struct timespec now;
    char            where[400];
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (p->changed || !s->waits)
        s->since = now;
    s->waits = true;
    if (s->noted || now.tv_sec - s->since.tv_sec - (now.tv_nsec < s->since.tv_nsec) < NOTE_AFTER)
        return;
    s->noted = true;
    ww_pause_where(p, where, sizeof where);
    state_say(
        "note: %s (launch %llu) has waited in loops for %d s and changes nothing itself: %s; it goes on waiting, as %s",
        kernel, (unsigned long long)s->launch, NOTE_AFTER, where, why);
}

void standstill_pause(Standstill *s, const char *kernel, WwPause *p)
{
    if (p->changed)
        standstill_stirred();
    uint64_t now = p->stands ? rest() : 0;
    s->threads   = p->threads;
    s->stands    = now == s->rest ? now : 0;
    if (!p->stands) {
        s->waits &= p->waits && !p->changed;
        return;
    }
    const char *why = why_not_ended(s);
    p->end          = !why;
    if (why)
        note(s, kernel, p, why);
}

void standstill_resume(Standstill *s, WwPause *p)
{
    uint64_t now = rest();
    p->still     = now && now == s->rest;
    s->rest      = now;
}
