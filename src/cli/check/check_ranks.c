/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings outside launches of a check whose grids are spread over ranks (cli/spread.h): they are told by rank 0 from the memory that all have, but
 * for values that nobody wrote and that blocks of one rank have stored: that rank alone knows where they come from. */
#include <stdlib.h>

#include "check/finding.h"
#include "cli/check/check.h"
#include "device/emulator.h"
#include "report/rows.h"

/* ---- findings outside launches ----------------------------------------------------------------------------------- */

typedef struct Gathered {
    Report    *report;
    WwFinding *list; /* rank 0: told so far; texts live as long as device and parcels, parts as the arena */
    size_t     n;
    Parcel    *put; /* elsewhere */
} Gathered;

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
    else if (f->kernel) {
        parcel_put_number(g->put, 1);
        report_put_finding(g->put, f, f->kernel, -1);
    }
}

/* One origin is told once, whichever ranks' blocks stored it. */
static void add_other(Gathered *g, const WwFinding *f)
{
    for (size_t i = 0; i < g->n; i++)
        if (finding_compare(&g->list[i], f) == 0)
            return;
    tell(g, f);
}

bool check_ranks_pending(Spread *k, WwDevice *d, Report *r)
{
    Parcel   mine = {0}, *theirs = NULL;
    Str      why   = {0};
    Gathered g     = {.report = r, .put = spread_other(k) ? &mine : NULL};
    Status   s     = WW_OK;
    Arena   *parts = arena_new();
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
            const char *kernel;
            int64_t     launch;
            WwFinding   f = report_read_finding(parts, &theirs[i], &kernel, &launch);
            if (!theirs[i].bad)
                add_other(&g, &f);
        }
    for (unsigned i = 0; k->ranks && i < k->who.ranks; i++)
        parcel_free(&theirs[i]);
    free(theirs);
    free(g.list);
    parcel_free(&mine);
    arena_free(parts);
    str_free(&why);
    return s == WW_OK;
}
