/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarrier objects: 64 bits of shared memory, laid out our own way (the manual leaves it open):
 *
 *   63 62 | 61    | 60 ............. 40 | 39 ........ 20 | 19 ....... 0
 *   1  0  | phase | transactions, signed | expected count | pending count
 *
 * A phase completes when pending count and transactions are both zero: the phase bit turns, pending becomes expected again.
 * Lanes of one instruction act one after the other in ascending order.  The block's threads run on one host thread: no atomics.
 * A wait that is not over gives the rest of the quantum away, and lets deferred copies that the barrier counts on land (async.c). */
#include <string.h>

#include "emu/access.h"
#include "emu/async.h"
#include "emu/ctl.h"

enum { COUNT_MAX = (1 << 20) - 1 };

typedef struct Mbar {
    uint32_t pending, expected, phase;
    int32_t  tx;
    bool     valid;
} Mbar;

static Mbar mbar_load(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    int64_t tx = (int64_t)(x << 3) >> 43;
    return (Mbar){x & COUNT_MAX, x >> 20 & COUNT_MAX, x >> 61 & 1, (int32_t)tx, x >> 62 == 2};
}

static uint64_t mbar_word(Mbar b)
{
    return (uint64_t)b.pending | (uint64_t)b.expected << 20 | ((uint64_t)(uint32_t)b.tx & 0x1fffff) << 40 |
           (uint64_t)b.phase << 61 | UINT64_C(2) << 62;
}

static void mbar_store(uint8_t *p, Mbar b)
{
    uint64_t x = mbar_word(b);
    memcpy(p, &x, 8);
}

static void check_complete(Mbar *b)
{
    if (b->pending || b->tx)
        return;
    b->phase ^= 1;
    b->pending = b->expected;
}

void mbarrier_copy_arrives(Block *b, uint32_t offset)
{
    Mbar m = mbar_load(b->shared + offset);
    if (!m.valid || m.pending == 0)
        return;
    m.pending--;
    check_complete(&m);
    mbar_store(b->shared + offset, m);
    b->progress = true;
}

/* What is wrong with the operation, or NULL and *b changed. */
static const char *apply(Mbar *b, MbarOp op, uint32_t v)
{
    bool counts  = op >= MBAR_ARRIVE_TX && op <= MBAR_DROP,
         tx      = op == MBAR_ARRIVE_TX || op == MBAR_DROP_TX || op == MBAR_EXPECT_TX;
    uint32_t n   = !counts ? 0 : tx ? 1 : v;
    int64_t  sum = (int64_t)b->tx + (tx ? (int64_t)v : op == MBAR_COMPLETE_TX ? -(int64_t)v : 0);
    if (!b->valid)
        return "the mbarrier was not initialised";
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
    if (counts || op == MBAR_COMPLETE_TX)
        check_complete(b);
    return NULL;
}

static const Uop *bad(Warp *w, const Uop *u, unsigned lane, const char *why)
{
    return fault_raise(w, u, FAULT_MBARRIER, lane, UINT32_C(1) << lane, "%s", why);
}

/* One lane of init, inval, arrivals, transactions; NULL, or what is wrong. */
static const char *change(Warp *w, const Uop *u, unsigned lane, uint8_t *p)
{
    Mbar     b  = mbar_load(p);
    MbarOp   op = (MbarOp)u->x;
    uint32_t v  = u->b == NO_SLOT ? 1 : SLOT(w, uint32_t, u->b)[lane];
    if (op == MBAR_INIT) {
        if (v == 0 || v > COUNT_MAX)
            return "an mbarrier's count must be 1 to 1048575";
        mbar_store(p, (Mbar){v, v, 0, 0, true});
        return NULL;
    }
    if (op == MBAR_INVAL || op >= MBAR_COPIES) {
        if (!b.valid)
            return "the mbarrier was not initialised";
        if (op == MBAR_INVAL)
            memset(p, 0, 8);
        if (op == MBAR_COPIES) {
            b.pending++;
            mbar_store(p, b);
        }
        if (op >= MBAR_COPIES)
            async_arrive_later(w, lane, (uint32_t)(p - w->shared));
        return NULL;
    }
    uint64_t    before = mbar_word(b);
    const char *why    = apply(&b, op, v);
    if (!why && u->d != NO_SLOT)
        SLOT(w, uint64_t, u->d)[lane] = before;
    if (!why)
        mbar_store(p, b);
    return why;
}

static void notify(Warp *w, const Uop *u, uint8_t *const *p, uint32_t done)
{
    uint32_t off[LANES];
    uint64_t count[LANES];
    bool     copies = u->x >= MBAR_COPIES, counted = !copies && u->x < MBAR_TEST_PARITY && u->b != NO_SLOT;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        off[i]     = (uint32_t)(p[i] - w->shared);
        count[i]   = counted ? SLOT(w, uint32_t, u->b)[i] : 1;
    }
    sync_notify(w, u,
                (SyncEvent){.kind   = copies ? SYNC_COPY_ARRIVE : SYNC_MBARRIER,
                            .op     = (uint8_t)u->x,
                            .waits  = u->x == MBAR_COPIES_NOINC,
                            .mask   = w->mask,
                            .done   = done,
                            .off    = off,
                            .values = counted ? count : NULL});
}

const Uop *ctl_mbarrier(Warp *w, const Uop *u)
{
    const MemInfo *m = u->ptr;
    uint8_t       *p[LANES];
    if (!access_resolve(w, u, m, false, p))
        return STOP;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned    i   = (unsigned)__builtin_ctz(left);
        const char *why = change(w, u, i, p[i]);
        if (why)
            return bad(w, u, i, why);
    }
    if (w->block->launch->watches_sync)
        notify(w, u, p, 0);
    w->block->progress = true;
    return u + 1;
}

static bool is_over(const Warp *w, const Uop *u, unsigned lane, const Mbar *b)
{
    uint64_t phase = u->x == MBAR_TEST ? SLOT(w, uint64_t, u->b)[lane] >> 61 & 1 : SLOT(w, uint32_t, u->b)[lane] & 1;
    return b->phase != phase;
}

const Uop *ctl_mbarrier_test(Warp *w, const Uop *u)
{
    const MemInfo *m = u->ptr;
    uint8_t       *p[LANES];
    uint32_t       over = 0, old = pred_get(w, u->d);
    if (!access_resolve(w, u, m, false, p))
        return STOP;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        Mbar     b = mbar_load(p[i]);
        if (!b.valid)
            return bad(w, u, i, "the mbarrier was not initialised");
        if (!is_over(w, u, i, &b)) {
            async_settle(w->block, (uint32_t)(p[i] - w->shared));
            b = mbar_load(p[i]);
        }
        over |= (uint32_t)is_over(w, u, i, &b) << i;
    }
    if (w->block->launch->watches_sync)
        notify(w, u, p, over);
    if (over != w->mask) {
        w->worker->sync_ops = true;
        w->quantum          = w->quantum > 0 ? 0 : w->quantum;
    }
    old = (old & ~w->mask) | over;
    memcpy(w->r + u->d, &old, 4);
    return u + 1;
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
