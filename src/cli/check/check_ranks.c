/* SPDX-License-Identifier: Apache-2.0
 *
 * A check whose grids are spread over the ranks of one start (mpirun -n 4 warpwright check ...): every rank does what the command says, each with its
 * stretch of every grid, and gives the others what its blocks did (device/emulator_share.c).  Rank 0 has the whole then: it alone tells and
 * writes, what a check by one process would, and its exit code is that of all.
 *
 * Findings outside launches are told by rank 0 from the memory that all have, but for values that nobody wrote and that blocks of one rank
 * have stored: that rank alone knows where they come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "check/finding.h"
#include "cli/check/check.h"
#include "device/emulator.h"

static Status exchange(void *user, const Parcel *mine, Parcel *theirs, Str *why)
{
    return ranks_exchange(((CheckRanks *)user)->ranks, mine, theirs, why);
}

/* The command as it was given, but for the program's own name. */
static void command_of(Str *out)
{
    int     fd = file_open("/proc/self/cmdline");
    char    part[4096];
    ssize_t n;
    Str     all = {0};
    while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0)
        str_addn(&all, part, (size_t)n);
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < all.len; i++)
        if ((unsigned char)all.s[i] < ' ')
            all.s[i] = ' ';
    str_add(out, all.s ? all.s + strcspn(all.s, " ") : "");
    str_free(&all);
}

bool check_ranks_begin(CheckRanks *k, const CliArgs *a, const volatile int *stop)
{
    static const char *const alone[] = {"blocks", "time", "schedules", "async"};
    const char              *folder  = cli_text(a, "ranks", NULL);
    Str                      what = {0}, why = {0};
    if ((folder && !strcmp(folder, "off")) || !ranks_who(&k->who))
        return true;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (cli_has(a, alone[i])) {
            cli_error("check",
                      "--%s goes with all blocks in one process; with --ranks=off each of the %u ranks checks alone",
                      alone[i], k->who.ranks);
            return false;
        }
    command_of(&what);
    RanksAsk ask = {.folder = folder && *folder ? folder : NULL, .what = what.s ? what.s : "check", .stop = stop};
    Status   s   = ranks_open(&k->who, &ask, &why, &k->ranks);
    if (s != WW_OK)
        cli_error("check", "rank %u of %u: %s", k->who.rank, k->who.ranks, str_text(&why));
    k->share = (DeviceShare){.rank = k->who.rank, .ranks = k->who.ranks, .exchange = exchange, .user = k};
    str_free(&what);
    str_free(&why);
    return s == WW_OK;
}

bool check_ranks_other(const CheckRanks *k)
{
    return k->ranks && k->who.rank;
}

/* ---- findings outside launches ----------------------------------------------------------------------------------- */

typedef struct Gathered {
    Report    *report;
    WwFinding *list; /* rank 0: told so far; texts live as long as device and parcels */
    size_t     n;
    Parcel    *put; /* elsewhere */
} Gathered;

static void put_finding(const WwFinding *f, Parcel *p)
{
    parcel_put_number(p, 1);
    parcel_put(p, f, sizeof *f);
    parcel_put_text(p, f->rule);
    parcel_put_text(p, f->category);
    parcel_put_text(p, f->severity);
    parcel_put_text(p, f->kernel);
    parcel_put_text(p, f->file);
    parcel_put_text(p, f->message);
    parcel_put_text(p, f->snippet);
}

static WwFinding take_finding(Parcel *p)
{
    WwFinding f;
    parcel_take(p, &f, sizeof f);
    f.rule     = parcel_text(p);
    f.category = parcel_text(p);
    f.severity = parcel_text(p);
    f.kernel   = parcel_text(p);
    f.file     = parcel_text(p);
    f.message  = parcel_text(p);
    f.snippet  = parcel_text(p);
    f.inlined  = NULL;
    f.ninlined = 0;
    f.other    = NULL;
    f.mend     = NULL;
    f.host     = NULL;
    f.nhost    = 0;
    return f;
}

static void tell(Gathered *g, const WwFinding *f)
{
    g->list         = xrealloc(g->list, (g->n + 1) * sizeof *g->list);
    g->list[g->n++] = *f;
    report_add_finding(g->report, f, f->kernel, -1);
}

static void add(void *user, const WwFinding *f)
{
    Gathered *g = user;
    if (!g->put)
        tell(g, f);
    else if (f->kernel)
        put_finding(f, g->put);
}

/* One origin is told once, whichever ranks' blocks stored it. */
static void add_other(Gathered *g, const WwFinding *f)
{
    for (size_t i = 0; i < g->n; i++)
        if (finding_compare(&g->list[i], f) == 0)
            return;
    tell(g, f);
}

bool check_ranks_pending(CheckRanks *k, WwDevice *d, Report *r)
{
    Parcel   mine = {0}, *theirs = NULL;
    Str      why = {0};
    Gathered g   = {.report = r, .put = check_ranks_other(k) ? &mine : NULL};
    Status   s   = WW_OK;
    emulator_pending(d, add, &g);
    if (k->ranks) {
        parcel_put_number(&mine, 0);
        theirs = xcalloc(k->who.ranks, sizeof *theirs);
        s      = ranks_exchange(k->ranks, &mine, theirs, &why);
        if (s != WW_OK)
            cli_error("check", "rank %u of %u: %s", k->who.rank, k->who.ranks, str_text(&why));
    }
    for (unsigned i = 1; k->ranks && i < k->who.ranks && !k->who.rank; i++)
        while (s == WW_OK && parcel_number(&theirs[i])) {
            WwFinding f = take_finding(&theirs[i]);
            if (!theirs[i].bad)
                add_other(&g, &f);
        }
    for (unsigned i = 0; k->ranks && i < k->who.ranks; i++)
        parcel_free(&theirs[i]);
    free(theirs);
    free(g.list);
    parcel_free(&mine);
    str_free(&why);
    return s == WW_OK;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

int check_ranks_end(CheckRanks *k, int code)
{
    Parcel mine = {0}, *theirs = NULL;
    Str    why = {0};
    if (!k->ranks)
        return code;
    if (check_ranks_other(k) && code != CLI_OK) {
        ranks_fail(k->ranks, k->share.broken ? k->share.refused.s : "its command failed");
    } else {
        parcel_put_number(&mine, (uint64_t)code);
        theirs   = xcalloc(k->who.ranks, sizeof *theirs);
        Status s = ranks_exchange(k->ranks, &mine, theirs, &why);
        if (check_ranks_other(k) && s == WW_OK)
            code = (int)parcel_number(&theirs[0]);
        else if (s != WW_OK && !code) { /* else it has said something already */
            code = CLI_USAGE;
            fprintf(stderr, "warpwright check: rank %u of %u: %s\n", k->who.rank, k->who.ranks, str_text(&why));
        }
        for (unsigned i = 0; i < k->who.ranks; i++)
            parcel_free(&theirs[i]);
        free(theirs);
    }
    ranks_close(k->ranks);
    k->ranks = NULL;
    parcel_free(&mine);
    str_free(&why);
    str_free(&k->share.refused);
    return code;
}
