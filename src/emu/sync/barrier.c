/* SPDX-License-Identifier: Apache-2.0
 *
 * The completion of a block's barriers.
 *
 * Barriers count threads, as the hardware has done since Volta: bar.sync without a count completes when every thread that has not
 * exited has arrived, whichever instruction brought it there. */
#include "emu/sync/barrier.h"
#include "emu/core/notify.h"
#include "emu/core/run.h"

/* A barrier of the whole block, of a kernel that may forget to wait until all have read: nobody writes what others are about to read. */
static bool leave_together(const Block *b, const Barrier *bar)
{
    const Program *p = b->launch->prog;
    return p->reuses_shared && !p->has_mbarriers && !b->launch->random && !bar->expected;
}

static void complete(Block *b, unsigned id)
{
    Barrier *bar  = &b->bar[id];
    bar->res_or   = bar->acc_or;
    bar->res_and  = bar->acc_and;
    bar->res_popc = bar->acc_popc;
    for (uint32_t i = 0; leave_together(b, bar) && i < b->nwarps; i++)
        b->warp[i].starts = 0; /* turn.c */
    bar->arrived = bar->acc_or = bar->acc_popc = 0;
    bar->acc_and                               = 1;
    bar->expected                              = 0;
    b->pending &= ~(1u << id);
    b->progress = true;
    for (uint32_t i = 0; i < b->nwarps; i++)
        for (uint32_t j = 0; j < b->warp[i].ngroups; j++) {
            Group *g = &b->warp[i].group[j];
            if (g->state == GROUP_BARRIER && g->barrier == id)
                g->state = GROUP_READY;
        }
    NOTIFY_SYNC(&b->warp[0], NULL, .kind = SYNC_BAR_DONE, .id = id);
}

bool block_check_barriers(Block *b)
{
    bool any = false;
    for (uint32_t left = b->pending; left; left &= left - 1) {
        unsigned       id       = (unsigned)__builtin_ctz(left);
        const Barrier *bar      = &b->bar[id];
        uint32_t       expected = bar->expected ? bar->expected : b->live;
        if (bar->arrived >= expected) {
            complete(b, id);
            any = true;
        }
    }
    return any;
}
