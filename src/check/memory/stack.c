/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses to the stack where nothing lies.
 *
 * Past the end of what alloca() gave: the emulator leaves bytes free behind each of these (StackGap) and says who touches them; so
 * nothing is asked of where an address came from, and who strays further than that is not seen.
 * Behind the variables of all functions that run (Access.top): that was a variable of one that has returned, whose address was kept.  Where
 * another function has its variables there by now, which begin at the same place, this is not seen; nor where a function that runs
 * uses alloca, because lanes that part have stacks of different heights then.
 * Only kernels that reach an alloca, or that make generic addresses of local variables, are watched. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/check.h"
#include "check/memory/generic.h"
#include "ptx/traits.h"

typedef struct Watch {
    Observer base;
    bool     gaps, left; /* as WatchState */
    Findings found;
} Watch;

static const char *verb(uint8_t op)
{
    return op == ACCESS_LD ? "read" : op == ACCESS_ST ? "write" : "access";
}

typedef struct WatchState {
    bool     gaps, left; /* rules that are on */
    Findings found;
} WatchState;

static void access_gap(Findings *found, const Access *a)
{
    const StackGap *g    = a->gap;
    unsigned        lane = (unsigned)__builtin_ctz(a->stray);
    Finding *f = findings_note(found, RULE_OUT_OF_BOUNDS, a->instr, g->instr, 0, a->block, a->warp * LANES + lane,
                               (unsigned)__builtin_popcount(a->stray));
    if (!f)
        return;
    f->address       = a->off[lane];
    f->other_block   = a->block;
    f->other_thread  = a->warp * LANES + lane;
    f->other_message = "allocated here";
    f->message       = findings_text(found, "%u-byte local %s %u bytes from the start of what alloca gave (%u bytes)",
                                     a->bytes, verb(a->op), a->off[lane] - g->at, g->from[lane] - g->at);
}

/* Lanes whose bytes reach behind all variables. */
static uint32_t behind(const Access *a)
{
    uint32_t lanes = 0;
    for (uint32_t m = a->topped ? a->mask : 0; m; m &= m - 1)
        lanes |= a->off[__builtin_ctz(m)] + a->bytes > a->top ? m & -m : 0;
    return lanes;
}

static void access_left(Findings *found, const Access *a, uint32_t lanes)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    Finding *f    = findings_note(found, RULE_USE_AFTER_FREE, a->instr, NO_INSTR, 0, a->block, a->warp * LANES + lane,
                                  (unsigned)__builtin_popcount(lanes));
    if (!f)
        return;
    f->address = a->off[lane];
    f->message = findings_text(found,
                               "%u-byte local %s of a variable whose function has returned: it lies behind those of "
                               "all functions that run",
                               a->bytes, verb(a->op));
}

static void on_access(void *state, const Access *a)
{
    WatchState *s     = state;
    uint32_t    lanes = s->left ? behind(a) : 0;
    if (s->gaps && a->gap)
        access_gap(&s->found, a);
    else if (lanes)
        access_left(&s->found, a, lanes);
}

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    const Watch *w = (Watch *)o;
    WatchState  *s = xcalloc(1, sizeof *s);
    (void)info, (void)worker;
    s->gaps = w->gaps;
    s->left = w->left;
    return s;
}

static void on_join(Observer *o, void *state)
{
    WatchState *s = state;
    findings_merge(&((Watch *)o)->found, &s->found);
    free(s);
}

static bool allocates(const Instr *in)
{
    return op_is(in, TRAIT_STACK);
}

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self;
    bool gaps = rules->on[RULE_OUT_OF_BOUNDS] && ptx_reaches(l->module, l->kernel, allocates);
    bool left = rules->on[RULE_USE_AFTER_FREE] && ptx_reaches(l->module, l->kernel, makes_generic);
    if (!gaps && !left)
        return NULL;
    Watch *w                    = xcalloc(1, sizeof *w);
    w->gaps                     = gaps;
    w->left                     = left;
    w->base.wants[ACCESS_LOCAL] = (1u << ACCESS_OPS) - 1;
    w->base.gaps                = gaps;
    w->base.tops                = left;
    w->base.fork                = on_fork;
    w->base.access              = on_access;
    w->base.join                = on_join;
    return &w->base;
}

static void end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    (void)self, (void)l;
    findings_merge(found, &((Watch *)o)->found);
    free(o);
}

const Checker checker_stack = {.name = "stack", .begin = begin, .end = end};
