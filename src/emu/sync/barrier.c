/* SPDX-License-Identifier: Apache-2.0
 *
 * The completion of a block's barriers.
 *
 * Barriers count threads, as the hardware has done since Volta: bar.sync without a count completes when every thread that has not
 * exited has arrived, whichever instruction brought it there. */
#include "emu/sync/barrier.h"
#include "emu/core/notify.h"
#include "emu/core/run.h"

static void complete(Block *b, unsigned id)
{
    Barrier *bar  = &b->bar[id];
    bar->res_or   = bar->acc_or;
    bar->res_and  = bar->acc_and;
    bar->res_popc = bar->acc_popc;
    bar->arrived = bar->acc_or = bar->acc_popc = 0;
    bar->acc_and                               = 1;
    bar->expected                              = 0;
    b->pending &= ~(1u << id);
    b->progress             = true;
    const Program *prog     = b->launch->prog;
    bool           together = prog->reuses_shared && !prog->has_mbarriers && !b->launch->random;
    /* they go on together, so that nobody writes what the others are about to read where the program forgot to wait for that */
    for (uint32_t i = 0; together && i < b->nwarps; i++)
        b->warp[i].starts = 0;
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
