/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarrier objects: 64 bits of shared memory, laid out our own way (the manual leaves it open):
 *
 *   63 | 62    | 61    | 60 ............. 40 | 39 ........ 20 | 19 ....... 0
 *   1  | ended | phase | transactions, signed | expected count | pending count
 *
 * A phase completes when pending count and transactions are both zero: the phase bit turns, pending becomes expected again.
 * Lanes of one instruction act one after the other in ascending order.  A cluster's threads run on one host thread: no atomics.
 * Arrivals and transactions may come from other blocks of the cluster; init, inval and the looks are the owner's.
 * A look at a phase that is not over lets deferred copies that the barrier counts on land (async.c, bulk.c).  If that does not help, its
 * lanes rest until an mbarrier of the block completes a phase or nobody in the cluster can run: try_wait may wait, and test_wait comes back
 * soon enough.  Lanes whose phase it is have then seen its end, as on a card, which wakes them: what a thread ahead of them does to the mbarrier
 * next does not send them back.  With a seed they look again, and may be late.
 * mbarrier.inval leaves the state where it is, as on a card, where those who are late go on with it: under `run` that is a warning. */
#include <string.h>

#include "emu/access/access.h"
#include "emu/async/async.h"
#include "emu/async/bulk.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/group.h"
#include "emu/core/notify.h"

enum { COUNT_MAX = (1 << 20) - 1 };

typedef struct Mbar {
    uint32_t pending, expected, phase;
    int32_t  tx;
    bool     valid, ended;
} Mbar;

static Mbar mbar_load(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    int64_t tx = (int64_t)(x << 3) >> 43;
    return (Mbar){x & COUNT_MAX, x >> 20 & COUNT_MAX, x >> 61 & 1, (int32_t)tx, x >> 62 == 2, x >> 62 == 3};
}

static uint64_t mbar_word(Mbar b)
{
    return (uint64_t)b.pending | (uint64_t)b.expected << 20 | ((uint64_t)(uint32_t)b.tx & 0x1fffff) << 40 |
           (uint64_t)b.phase << 61 | (uint64_t)b.ended << 62 | UINT64_C(1) << 63;
}

static void mbar_store(uint8_t *p, Mbar b)
{
    uint64_t x = mbar_word(b);
    memcpy(p, &x, 8);
}

static uint32_t waited_parity(const Warp *w, const Uop *u, unsigned lane)
{
    return u->x == MBAR_TEST ? SLOT(w, uint64_t, u->b)[lane] >> 61 & 1 : SLOT(w, uint32_t, u->b)[lane] & 1;
}

/* off: offsets in the owners' windows */
static void notify(Warp *w, const Uop *u, Block *const *owner, const uint32_t *off, uint32_t done)
{
    uint64_t count[LANES];
    uint32_t at[LANES];
    bool     copies = u->x >= MBAR_COPIES, counted = !copies && u->x < MBAR_TEST_PARITY && u->b != NO_SLOT;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        at[i]      = off[i] | (owner[i] == w->block ? 0 : (owner[i]->rank + 1) << CLUSTER_SHIFT);
        count[i]   = counted ? SLOT(w, uint32_t, u->b)[i] : 1;
    }
    sync_notify(w, u,
                (SyncEvent){.kind   = copies ? SYNC_COPY_ARRIVE : SYNC_MBARRIER,
                            .op     = (uint8_t)u->x,
                            .sem    = ((const MemInfo *)u->ptr)->seen.sem,
                            .waits  = u->x == MBAR_COPIES_NOINC,
                            .mask   = w->mask,
                            .done   = done,
                            .off    = at,
                            .values = counted ? count : NULL});
}

/* Lanes of a group that rest at an mbarrier, with the places of all of them; has there been one? */
typedef struct Resting {
    Block   *owner[LANES];
    uint32_t offset[LANES], lanes, even; /* even: those that wait for the phase of parity 0 */
} Resting;

static bool rests_at(Warp *w, const Group *g, uint32_t offset, Resting *out)
{
    const Uop *u    = g->pc - 1;
    uint8_t   *r    = w->r, *p[LANES];
    uint32_t   mask = w->mask;
    if (g->state != GROUP_MBARRIER)
        return false;
    w->r       = g->frame->regs;
    w->mask    = g->mask;
    out->lanes = out->even = 0;
    bool resolved          = access_resolve_shared(w, u, u->ptr, p, out->owner, out->offset);
    for (uint32_t left = w->mask; resolved && left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        out->lanes |= (uint32_t)(out->offset[i] == offset) << i;
        out->even |= (uint32_t)(waited_parity(w, u, i) == 0) << i;
    }
    w->r    = r;
    w->mask = mask;
    return out->lanes != 0;
}

/* Lanes of the group that rest there for the phase of this parity have seen its end. */
static void pass(Warp *w, const Group *g, uint32_t offset, uint32_t parity)
{
    uint8_t *r    = w->r;
    uint32_t mask = w->mask;
    Resting  at;
    if (!rests_at(w, g, offset, &at))
        return;
    const Uop *u    = g->pc - 1;
    uint32_t   over = at.lanes & (parity ? ~at.even : at.even);
    w->r            = g->frame->regs;
    w->mask         = g->mask;
    if (over && w->block->launch->watches_sync)
        notify(w, u, at.owner, at.offset, over);
    pred_set(w, u->d, over | pred_get(w, u->d));
    w->r    = r;
    w->mask = mask;
}

static void phase_ends(Block *b, uint32_t offset, uint32_t parity)
{
    NOTIFY_SYNC(&b->warp[0], NULL, .kind = SYNC_MBARRIER_DONE, .off = &offset);
    for (uint32_t i = 0; !b->launch->random && i < b->nwarps; i++)
        for (uint32_t j = 0; j < b->warp[i].ngroups; j++)
            pass(&b->warp[i], &b->warp[i].group[j], offset, parity);
    block_wake_mbarrier(b);
}

/* Does a thread of the owner rest at it, or a copy that has not landed count on it? */
static bool is_in_use(Block *owner, uint32_t offset)
{
    Resting at;
    for (uint32_t i = 0; i < owner->nwarps; i++)
        for (uint32_t j = 0; j < owner->warp[i].ngroups; j++)
            if (rests_at(&owner->warp[i], &owner->warp[i].group[j], offset, &at))
                return true;
    return bulk_counts_on(owner, offset);
}

/* Stores b; if its phase is complete, begins the next one and lets those who wait look again. */
static void settle(Block *owner, uint8_t *p, Mbar *b)
{
    if (b->pending == 0 && b->tx == 0) {
        phase_ends(owner, (uint32_t)(p - owner->shared), b->phase);
        b->phase ^= 1;
        b->pending = b->expected;
    }
    mbar_store(p, *b);
    owner->progress = true;
}

void mbarrier_copy_arrives(Block *b, uint32_t offset)
{
    Mbar m = mbar_load(b->shared + offset);
    if ((!m.valid && !m.ended) || m.pending == 0)
        return;
    m.pending--;
    settle(b, b->shared + offset, &m);
}

const char *mbarrier_copy_completes(Block *b, uint32_t offset, uint32_t bytes)
{
    Mbar m = mbar_load(b->shared + offset);
    if (!m.valid && !m.ended)
        return "the mbarrier is not initialised";
    if ((int64_t)m.tx - bytes < -COUNT_MAX)
        return "the mbarrier's transaction count leaves its range";
    m.tx -= (int32_t)bytes;
    settle(b, b->shared + offset, &m);
    return NULL;
}

/* What is wrong with the operation, or NULL and *b changed. */
static const char *apply(Mbar *b, MbarOp op, uint32_t v)
{
    bool counts  = op >= MBAR_ARRIVE_TX && op <= MBAR_DROP,
         tx      = op == MBAR_ARRIVE_TX || op == MBAR_DROP_TX || op == MBAR_EXPECT_TX;
    uint32_t n   = !counts ? 0 : tx ? 1 : v;
    int64_t  sum = (int64_t)b->tx + (tx ? (int64_t)v : op == MBAR_COMPLETE_TX ? -(int64_t)v : 0);
    if (counts && (n == 0 || n > b->pending))
        return "more arrivals than the mbarrier's phase expects (or none)";
    if ((op == MBAR_ARRIVE_NC || op == MBAR_DROP_NC) && n == b->pending)
        return "an arrival with .noComplete would complete the phase";
    if (sum > COUNT_MAX || sum < -COUNT_MAX)
        return "the transaction count leaves its range";
    b->tx = (int32_t)sum;
    b->pending -= n;
    if (op == MBAR_DROP || op == MBAR_DROP_TX || op == MBAR_DROP_NC)
        b->expected -= n;
    return NULL;
}

static const Uop *bad(Warp *w, const Uop *u, unsigned lane, uint32_t offset, const char *why)
{
    Str name = {0};
    fault_shared_name(w, offset, &name);
    fault_raise(w, u, FAULT_MBARRIER, lane, UINT32_C(1) << lane, "mbarrier %s: %s", str_text(&name), why);
    str_free(&name);
    return STOP;
}

/* What a card lets pass where the program runs as on one. */
static const char *unless_passed(Warp *w, const Uop *u, unsigned lane, uint32_t offset, const char *why)
{
    Str text = {0};
    if (!w->block->launch->ask->granular)
        return why;
    str_add(&text, "mbarrier ");
    fault_shared_name(w, offset, &text);
    str_printf(&text, ": %s", why);
    fault_let_pass(w, u, FAULT_MBARRIER, lane, str_text(&text));
    str_free(&text);
    return NULL;
}

static const char not_initialised[] = "the mbarrier was not initialised", has_ended[] = "the mbarrier has ended";

/* NULL, or why nothing can be done with b. */
static const char *unusable(Warp *w, const Uop *u, unsigned lane, uint32_t offset, Mbar b)
{
    return b.valid ? NULL : b.ended ? unless_passed(w, u, lane, offset, has_ended) : not_initialised;
}

/* One lane of init, inval, arrivals, transactions; NULL, or what is wrong. */
static const char *change(Warp *w, const Uop *u, unsigned lane, Block *owner, uint32_t offset)
{
    uint8_t *p  = owner->shared + offset;
    Mbar     b  = mbar_load(p);
    MbarOp   op = (MbarOp)u->x;
    uint32_t v  = u->b == NO_SLOT ? 1 : SLOT(w, uint32_t, u->b)[lane];
    if (op == MBAR_INVAL && !b.valid) /* as when two destructors end it */
        return unless_passed(w, u, lane, offset, b.ended ? has_ended : not_initialised);
    const char *why = op == MBAR_INIT ? NULL : unusable(w, u, lane, offset, b);
    if ((op == MBAR_INIT || op == MBAR_INVAL) && b.valid && is_in_use(owner, offset))
        why = unless_passed(w, u, lane, offset,
                            op == MBAR_INIT ? "the mbarrier is initialised again while threads or copies wait at it"
                                            : "the mbarrier ends while threads or copies wait at it");
    if (why)
        return why;
    if (op == MBAR_INIT) {
        if (v == 0 || v > COUNT_MAX)
            return "an mbarrier's count must be 1 to 1048575";
        mbar_store(p, (Mbar){v, v, 0, 0, true, false});
        return NULL;
    }
    if (op == MBAR_INVAL || op >= MBAR_COPIES) {
        b.ended |= op == MBAR_INVAL;
        b.pending += op == MBAR_COPIES;
        mbar_store(p, b);
        if (op >= MBAR_COPIES)
            async_arrive_later(w, lane, offset);
        return NULL;
    }
    uint64_t before = mbar_word(b);
    why             = apply(&b, op, v);
    if (!why && u->d != NO_SLOT)
        SLOT(w, uint64_t, u->d)[lane] = before;
    if (!why && op == MBAR_EXPECT_TX)
        mbar_store(p, b); /* expecting bytes completes nothing */
    else if (!why)
        settle(owner, p, &b);
    return why;
}

/* The first of these lanes, up to the one with whose arrival a phase completes: what comes behind it arrives for the next phase. */
static uint32_t for_one_phase(Warp *w, const Uop *u, uint8_t *const *p, uint32_t lanes)
{
    uint32_t same = 0, part = 0;
    int64_t  left = 0;
    if (u->x != MBAR_ARRIVE && u->x != MBAR_DROP)
        return lanes;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        Mbar     b = mbar_load(p[i]);
        if (!part ||
            p[i] != p[__builtin_ctz(same)]) { /* another mbarrier: as if nobody had arrived there in this instruction */
            same = 0;
            left = b.pending;
        }
        same |= m & -m;
        part |= m & -m;
        left -= u->b == NO_SLOT ? 1 : SLOT(w, uint32_t, u->b)[i];
        if (left == 0 && b.tx == 0)
            return part;
    }
    return lanes;
}

/* What is wrong with one of these lanes, which goes to *lane; NULL: they have done it. */
static const char *change_all(Warp *w, const Uop *u, uint32_t lanes, Block *const *owner, const uint32_t *offset,
                              unsigned *lane)
{
    const char *why = NULL;
    for (uint32_t left = lanes; left && !why; left &= left - 1) {
        *lane = (unsigned)__builtin_ctz(left);
        why   = change(w, u, *lane, owner[*lane], offset[*lane]);
    }
    return why;
}

const Uop *ctl_mbarrier(Warp *w, const Uop *u)
{
    uint8_t *p[LANES];
    Block   *owner[LANES];
    uint32_t offset[LANES], gone = access_drop_ended(w, u, u->ptr);
    if (gone) { /* their arrivals reach nobody */
        uint32_t mask    = w->mask;
        w->mask          = mask & ~gone;
        const Uop *after = w->mask ? ctl_mbarrier(w, u) : u + 1;
        w->mask          = mask;
        return after;
    }
    if (!access_resolve_shared(w, u, u->ptr, p, owner, offset))
        return STOP;
    uint32_t all = w->mask;
    for (uint32_t left = all; left;) {
        unsigned i    = 0;
        uint32_t part = left;
        if (w->block->launch->watches_sync) {
            part    = for_one_phase(w, u, p, left);
            w->mask = part;
            notify(w, u, owner, offset, 0);
            w->mask = all;
        }
        const char *why = change_all(w, u, part, owner, offset, &i);
        if (why)
            return bad(w, u, i, offset[i], why);
        left &= ~part;
    }
    w->block->progress = true;
    return u + 1;
}

bool mbarrier_waits(Warp *w, const Uop *u, MbarrierWait *out)
{
    uint8_t *p[LANES];
    Block   *owner[LANES];
    uint32_t offset[LANES];
    unsigned i = (unsigned)__builtin_ctz(w->mask);
    if (!access_resolve_shared(w, u, u->ptr, p, owner, offset))
        return false;
    Mbar b = mbar_load(p[i]);
    *out   = (MbarrierWait){owner[i], offset[i], waited_parity(w, u, i), b.phase, b.pending, b.tx};
    return true;
}

/* Lanes whose phase is over; a fault leaves fewer. */
static uint32_t look(Warp *w, const Uop *u, uint8_t *const *p, const uint32_t *offset)
{
    uint32_t over = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned    i      = (unsigned)__builtin_ctz(left);
        uint32_t    parity = waited_parity(w, u, i);
        Mbar        b      = mbar_load(p[i]);
        const char *why    = unusable(w, u, i, offset[i], b);
        if (why) {
            bad(w, u, i, offset[i], why);
            return over;
        }
        if (b.phase == parity) {
            async_settle(w->block, offset[i]);
            bulk_settle(w->block, offset[i]);
            b = mbar_load(p[i]);
        }
        over |= (uint32_t)(b.phase != parity) << i;
    }
    return over;
}

const Uop *ctl_mbarrier_test(Warp *w, const Uop *u)
{
    uint8_t *p[LANES];
    Block   *owner[LANES];
    uint32_t offset[LANES];
    if (!access_resolve_shared(w, u, u->ptr, p, owner, offset))
        return STOP;
    uint32_t over = look(w, u, p, offset);
    if (w->worker->faulted)
        return STOP;
    if (w->block->launch->watches_sync)
        notify(w, u, owner, offset, over);
    pred_set(w, u->d, over);
    if (over)
        return u + 1;
    warp_put(w, u + 1, w->frame, w->mask);
    w->group[w->ngroups - 1].state = GROUP_MBARRIER;
    w->worker->event               = EVENT_BARRIER;
    return STOP;
}

/* The state an arrival returned: how many arrivals were missing before it. */
const Uop *ctl_mbarrier_pending(Warp *w, const Uop *u)
{
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i                 = (unsigned)__builtin_ctz(left);
        SLOT(w, uint32_t, u->d)[i] = SLOT(w, uint64_t, u->a)[i] & COUNT_MAX;
    }
    return u + 1;
}
