/* SPDX-License-Identifier: Apache-2.0
 *
 * Where wmma fragments lie in memory: address and leading dimension (CUDA C++ programming guide, warp matrix functions; PTX, matrix
 * fragments).  Of the address the PTX manual's rule is asked, which is the weaker one for bytes as elements; of the leading dimension that of CUDA
 * C++, which is the weaker one for halves. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "check/check.h"
#include "ptx/op.h"
#include "ptx/traits.h"

enum { ALIGN_ADDRESS = 32, ALIGN_ROW = 16 };

typedef struct Watch {
    Observer base;
    Findings found;
} Watch;

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static unsigned first_other(const uint64_t *x)
{
    unsigned lane = 1;
    while (lane < LANES && x[lane] == x[0])
        lane++;
    return lane;
}

static Finding *note(Findings *found, const SyncEvent *e, uint32_t what, unsigned lane)
{
    Finding *f =
        findings_note(found, RULE_WMMA_ALIGNMENT, e->instr, NO_INSTR, what, e->block, e->warp * LANES + lane, 1);
    if (f)
        f->address = e->addr[lane];
    return f;
}

static void on_sync(void *state, const SyncEvent *e)
{
    Findings *found = state;
    Finding  *f;
    if (e->kind != SYNC_WMMA)
        return;
    uint64_t at = e->addr[0], row = e->values[0] / 8, place = smaller(e->count, ALIGN_ADDRESS),
             pitch = smaller(e->count, ALIGN_ROW);
    unsigned other = first_other(e->addr), other_row = first_other(e->values);
    if (at % place && (f = note(found, e, 0, 0)))
        f->message = findings_text(found, "the fragment begins %" PRIu64 " bytes behind a multiple of %" PRIu64,
                                   at % place, place);
    if ((row % pitch || e->values[0] % 8) && (f = note(found, e, 1, 0)))
        f->message = findings_text(
            found, "the leading dimension is %" PRIu64 " bytes, which is no multiple of %" PRIu64, row, pitch);
    if (other < LANES && (f = note(found, e, 2, other)))
        f->message = findings_text(found, "lanes give different addresses: lane %u another one than lane 0", other);
    if (other_row < LANES && (f = note(found, e, 3, other_row)))
        f->message =
            findings_text(found, "lanes give different leading dimensions: lane %u another one than lane 0", other_row);
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

static bool moves_fragment(const Instr *in)
{
    return in->op->op == OP_wmma_load || in->op->op == OP_wmma_store;
}

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self;
    if (!rules->on[RULE_WMMA_ALIGNMENT] || !ptx_reaches(l->module, l->kernel, moves_fragment))
        return NULL;
    Watch *w     = xcalloc(1, sizeof *w);
    w->base.fork = on_fork;
    w->base.sync = on_sync;
    w->base.join = on_join;
    return &w->base;
}

static void end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    (void)self, (void)l;
    findings_merge(found, &((Watch *)o)->found);
    free(o);
}

const Checker checker_wmma = {.name = "wmma", .begin = begin, .end = end};
