/* SPDX-License-Identifier: Apache-2.0
 *
 * A group that has used an atomic, volatile or acquiring access in its quantum is looked at now and then: it runs block by block until it is
 * where the look began, its registers are copied, and when it is there again they are compared.  If they are as they were, and nothing in
 * between may have changed memory, completed a barrier or read a clock, then it will do the same again and again until somebody else
 * changes what it reads: its turn ends.  So a wait costs two rounds of its loop in each turn, and not the rest of a quantum; a card, which
 * has nothing better to do, looks more often.
 *
 * Looks stand farther and farther apart, because most loops with atomics compute.  What a block may do is known since lowering (Uop.x of its
 * head, for endless.c); atomics say themselves whether they left another value.
 *
 * Not found: loops that count their turns, that store or call, or that are longer than MOST_BLOCKS; they spend their quanta. */
#include "emu/run/poll.h"

#include <string.h>

#include "base/arena.h"
#include "base/stress.h"
#include "emu/core/ctl.h"
#include "emu/core/frame.h"

enum {
    FIRST       = STRESSED(64, 2), /* instructions before the first look */
    SOON        = STRESSED(8, 1),  /* of a warp that polled, or a cluster that only waited, when it last ran */
    MOST_BLOCKS = 32               /* of one round */
};

void poll_begin(Warp *w)
{
    w->worker->look.step = w->polls || w->block->cluster->spun ? SOON : FIRST;
    look_later(w);
}

void poll_switch(Warp *w)
{
    if (w->worker->look.on)
        look_later(w);
}

/* It does not poll, or not yet. */
static void give_up(Warp *w)
{
    w->polls = false;
    look_later(w);
}

static uint64_t changes(const Worker *k)
{
    return k->endless.atomics + k->clock_reads;
}

static void begin_look(Warp *w)
{
    Look *x    = &w->worker->look;
    x->on      = true;
    x->copied  = false;
    x->pc      = w->pc;
    x->frame   = w->frame;
    x->mask    = w->mask;
    x->blocks  = 0;
    x->changes = changes(w->worker);
    w->floor   = w->quantum; /* the next block's head */
}

static void copy_registers(Look *x)
{
    size_t n = frame_size(x->frame->code);
    if (n > x->room) {
        x->regs = xrealloc(x->regs, n);
        x->room = n;
    }
    memcpy(x->regs, x->frame->regs, n);
    x->copied = true;
}

bool poll_waits(Warp *w)
{
    Worker *k      = w->worker;
    Look   *x      = &k->look;
    bool    writes = w->pc->x; /* of the block that comes */
    if (!x->on) {
        if (k->sync_ops && !writes)
            begin_look(w);
        else
            give_up(w);
        return false;
    }
    w->floor = w->quantum;
    if (writes || changes(k) != x->changes || ++x->blocks > MOST_BLOCKS) {
        give_up(w);
    } else if (w->pc == x->pc && w->frame == x->frame && w->mask == x->mask) {
        w->polls = x->copied && !memcmp(x->regs, x->frame->regs, frame_size(x->frame->code));
        if (!x->copied)
            copy_registers(x);
        else if (!w->polls)
            look_later(w);
        return w->polls;
    }
    return false;
}
