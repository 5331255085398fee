/* SPDX-License-Identifier: Apache-2.0
 *
 * A group that has used an atomic, volatile or acquiring access in its quantum is looked at now and then: it runs block by block until it is
 * where it stood before, its registers are copied, and when it is there again they are compared.  If they are as they were, and nothing in
 * between may have changed memory, completed a barrier or read a clock, then it will do the same again and again until somebody else
 * changes what it reads: its turn ends, and it sleeps if what the round read could be noted (doze.c).  A card, which has nothing better to do,
 * looks more often.
 *
 * The first block of a look is run by whoever runs the warp, and all values are in the frame behind it; the rest is the interpreter's, so
 * looks and counters are the same with native code.
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
#include "emu/run/doze.h"

enum {
    FIRST = STRESSED(64, 2), /* instructions before the first look */
    SOON  = STRESSED(8, 1),  /* of a warp that has slept (doze.c), or a cluster that only waited when it last ran */
    AGAIN = STRESSED(6, 1),  /* looks so far apart of such a warp */
    MOST_BLOCKS = 32         /* of one round */
};

void poll_begin(Warp *w)
{
    w->worker->look.step  = w->polls || w->doze || w->block->cluster->spun ? SOON : FIRST;
    w->worker->look.again = w->doze ? AGAIN : 0;
    look_later(w);
}

void poll_switch(Warp *w)
{
    if (w->worker->look.on && !w->worker->look.whole)
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

/* Is the group to come back to here? */
static void stand_here(Warp *w)
{
    Look *x   = &w->worker->look;
    x->copied = false;
    x->noting = false;
    x->whole  = w->ngroups == 0;
    x->pc     = w->pc;
    x->frame  = w->frame;
    x->mask   = w->mask;
}

static void begin_look(Warp *w)
{
    Look *x    = &w->worker->look;
    x->on      = true;
    x->blocks  = 0;
    x->changes = changes(w->worker);
    x->pc      = NULL; /* at the next head it stands: there every value is in the frame, whoever runs the warp */
    x->whole   = false;
    x->copied  = false;
    x->noting  = false;
    w->floor   = w->quantum;
}

/* Where it stood may lie before the loop: by powers of two of blocks it stands elsewhere. */
static bool is_elsewhere(const Warp *w, const Look *x)
{
    return !x->copied && (w->ngroups == 0 || !x->whole) && ((x->blocks & (x->blocks - 1)) == 0 || doze_knows(w));
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
        if (!x->copied) {
            copy_registers(x);
            x->noting = doze_begin(w);
        } else if (!w->polls) {
            look_later(w);
        } else if (x->noting) {
            doze_end(w);
        }
        return w->polls;
    } else if (is_elsewhere(w, x)) {
        stand_here(w);
    }
    return false;
}
