/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses past the end of what alloca() gave.  The emulator leaves bytes free behind each of these (StackGap) and says who touches them; so
 * nothing is asked of where an address came from, and who strays further than that is not seen.
 * Only kernels that reach an alloca are watched. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/check.h"
#include "ptx/traits.h"

typedef struct Watch {
    Observer base;
    Findings found;
} Watch;

static const char *verb(uint8_t op)
{
    return op == ACCESS_LD ? "read" : op == ACCESS_ST ? "write" : "access";
}

static void on_access(void *state, const Access *a)
{
    Findings       *found = state;
    const StackGap *g     = a->gap;
    if (__builtin_expect(!g, 1))
        return;
    unsigned lane = (unsigned)__builtin_ctz(a->stray);
    Finding *f    = findings_note(found, RULE_OUT_OF_BOUNDS, a->instr, g->instr, 0, a->block, a->warp * LANES + lane,
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

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    (void)o, (void)info, (void)worker;
    return xcalloc(1, sizeof(Findings));
}

static void on_join(Observer *o, void *state)
{
    findings_merge(&((Watch *)o)->found, state);
    free(state);
}

static bool allocates(const Instr *in)
{
    return op_is(in, TRAIT_STACK);
}

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self;
    if (!rules->on[RULE_OUT_OF_BOUNDS] || !ptx_reaches(l->module, l->kernel, allocates))
        return NULL;
    Watch *w                    = xcalloc(1, sizeof *w);
    w->base.wants[ACCESS_LOCAL] = (1u << ACCESS_OPS) - 1;
    w->base.gaps                = true;
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
