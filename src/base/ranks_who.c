/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rank this process is, out of its environment (ranks.def), and which build it runs.
 *
 * What one start has in common is the launcher's number of the job, where it tells one.  Else it is our parent, the launcher's own process on this
 * machine: ranks of several machines then need a number in WARPWRIGHT_RANK_JOB.
 *
 * The build is the linker's number of it (a note in every object that ld makes with --build-id, which Linux distributions' compilers ask for), and the
 * version alone where there is none. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/content.h"
#include "base/ranks.h"
#include "base/value.h"
#include "warpwright/version.h"

static bool number_of(const char *variable, uint64_t most, uint64_t *out)
{
    const char *s    = *variable ? getenv(variable) : NULL;
    Str         why  = {0};
    bool        good = s && *s && value_number(s, "", out, &why) && *out <= most;
    str_free(&why);
    return good;
}

/* Our parent, by its number and when it began: numbers come again. */
static void parent_name(char *out, size_t n)
{
    char name[64];
    Str  text = {0};
    snprintf(name, sizeof name, "/proc/%ld/stat", (long)getppid());
    FILE *f = fopen(name, "re");
    for (int c; f && (c = fgetc(f)) != EOF;)
        str_addc(&text, (char)c);
    if (f)
        fclose(f);
    const char *p = text.s ? strrchr(text.s, ')') : NULL; /* fields from the third on */
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    snprintf(out, n, "p%ld-%.*s", (long)getppid(), p ? (int)strcspn(p + 1, " \n") : 0, p ? p + 1 : "");
    str_free(&text);
}

static void job_name(RanksWho *w, const char *job, const char *step)
{
    const char *name = *job ? getenv(job) : NULL, *part = *step ? getenv(step) : NULL;
    if (name && *name)
        snprintf(w->job, sizeof w->job, "%.90s%s%.30s", name, part ? "." : "", part ? part : "");
    else
        parent_name(w->job, sizeof w->job);
    for (char *p = w->job; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *p))
            *p = '_';
}

bool ranks_who(RanksWho *out)
{
    static const struct Launcher {
        const char *by, *rank, *ranks, *local, *job, *step;
    } launcher[] = {
#define RANKS(by, rank, ranks, local, job, step) {by, rank, ranks, local, job, step},
#include "base/ranks.def"
#undef RANKS
    };
    for (size_t i = 0; i < sizeof launcher / sizeof *launcher; i++) {
        const struct Launcher *l = &launcher[i];
        uint64_t               rank, ranks, local = 0;
        if (!number_of(l->ranks, RANKS_MOST, &ranks) || ranks < 2 || !number_of(l->rank, ranks - 1, &rank))
            continue;
        if (!number_of(l->local, ranks, &local))
            local = 0;
        *out = (RanksWho){.rank = (unsigned)rank, .ranks = (unsigned)ranks, .local = (unsigned)local, .by = l->by};
        job_name(out, l->job, l->step);
        return true;
    }
    return false;
}

/* The linker's own number of the object that this function is in. */
static int add_build(struct dl_phdr_info *o, size_t size, void *user)
{
    const uintptr_t me   = (uintptr_t)&ranks_build;
    bool            ours = false;
    (void)size;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        ours |= p->p_type == PT_LOAD && me - (o->dlpi_addr + p->p_vaddr) < p->p_memsz;
    }
    for (int i = 0; ours && i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        if (p->p_type != PT_NOTE)
            continue;
        Content c = content_of((const void *)(o->dlpi_addr + p->p_vaddr), p->p_memsz);
        str_printf(user, "-%016" PRIx64, c.word[0]);
    }
    return ours;
}

void ranks_build(Str *out)
{
    str_add(out, "warpwright " WW_VERSION_STRING);
    dl_iterate_phdr(add_build, out);
}
