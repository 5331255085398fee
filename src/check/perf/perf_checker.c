/* SPDX-License-Identifier: Apache-2.0
 *
 * The performance checker: traces some blocks, while the device counts every access and keeps their patterns; after the launch gathers the
 * instructions of each source line and asks every rule (perf_*.c).
 *
 * Performance findings never stop anything and are at most warnings.  A launch that failed is judged by what ran until then. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/count/count.h"
#include "check/perf/perf.h"
#include "check/placed.h"

typedef struct PerfState { /* of the device: several launches may be under way */
    const RuleSet *rules;
} PerfState;

static void *perf_open(const RuleSet *rules)
{
    PerfState *s = xcalloc(1, sizeof *s);
    s->rules     = rules;
    return s;
}

static Observer *perf_begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self, (void)rules;
    return trace_new(l);
}

/* ---- spots ----------------------------------------------------------------------------------------------------------- */

static bool was_counted(void *user, uint32_t id)
{
    return count_instr(user, id) != NULL;
}

/* Fills p->spot; ids and spots live in the arena. */
static void gather(Perf *p, Arena *a)
{
    const CheckLaunch *l    = p->launch;
    Placed            *list = NULL;
    uint32_t          *ids  = ARENA_ARRAY(a, uint32_t, l->ninstr + 1u);
    size_t             n    = placed_by_line(l->module, l->instr, l->ninstr, was_counted, l->count, &list);
    p->spot                 = ARENA_ARRAY(a, Spot, n + 1);
    for (size_t i = 0; i < n; i++) {
        ids[i] = list[i].id;
        if (!i || !placed_together(&list[i], &list[i - 1]))
            p->spot[p->nspots++].id = &ids[i];
        Spot *s = &p->spot[p->nspots - 1];
        s->n++;
        counters_add(&s->sum, count_instr(l->count, ids[i]));
    }
    free(list);
}

static uint32_t first_of_kernel(const CheckLaunch *l)
{
    for (uint32_t i = 0; i < l->ninstr; i++)
        if (l->instr[i].in && l->instr[i].func == l->kernel && l->instr[i].in->srcloc)
            return i;
    return 0;
}

static void judge(const PerfState *s, Observer *trace, const CheckLaunch *l, Findings *found)
{
    Arena *a = arena_new();
    Perf   p = {.launch   = l,
                .rules    = s->rules,
                .profile  = l->profile,
                .patterns = l->patterns,
                .trace    = trace,
                .head     = first_of_kernel(l),
                .threads  = l->block[0] * l->block[1] * l->block[2],
                .found    = found};
    p.warps  = (p.threads + LANES - 1) / LANES;
    if (perf_on(&p, RULE_LOCAL_MEMORY) || perf_on(&p, RULE_LOW_OCCUPANCY))
        p.known = l->resources && l->resources(l->user, l->module, l->kernel, &p.resources);
    gather(&p, a);
#define X(name) perf_##name(&p);
    PERF_RULES(X)
#undef X
    arena_free(a);
}

static void perf_end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    if (l->ninstr && trace_info(o)->instrs) /* else it never began */
        judge(self, o, l, found);
    trace_free(o);
}

const Checker checker_perf = {.name   = "perf",
                              .counts = true,
                              .open   = perf_open,
                              .close  = free,
                              .begin  = perf_begin,
                              .end    = perf_end,
                              .put    = trace_put,
                              .add    = trace_add};
