/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers and warp-wide exchange.
 *
 * An instruction with a member mask runs when every live lane that its lanes name has arrived at it; lanes that come early wait as a
 * GROUP_SYNC group at the instruction and try again when others join them (turn.c merges equal pcs).  Lanes may name different masks in one
 * execution (tiles of a warp): each mask is served on its own.  Values of lanes that take no part are what their register holds. */
#include "emu/sync/sync.h"

#include <string.h>

#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/group.h"
#include "emu/core/notify.h"
#include "emu/sync/barrier.h"

static inline unsigned first_lane(uint32_t m)
{
    return (unsigned)__builtin_ctz(m);
}

/* ---- barriers ---- */

static void accumulate(const Warp *w, const Uop *u, Barrier *bar)
{
    uint32_t p = pred_get(w, u->c);
    p          = w->mask & (u->e ? ~p : p);
    bar->acc_or |= p != 0;
    bar->acc_and &= p == w->mask;
    bar->acc_popc += (unsigned)__builtin_popcount(p);
}

static const Uop *bad_barrier(Warp *w, const Uop *u, uint32_t id, uint32_t count)
{
    unsigned lane = first_lane(w->mask);
    if (id >= MAX_BARRIERS)
        return fault_raise(w, u, FAULT_BARRIER_COUNT, lane, w->mask, "barrier %u; a block has barriers 0 to 15", id);
    return fault_raise(w, u, FAULT_BARRIER_COUNT, lane, w->mask,
                       "barrier %u for %u threads; the count must be a positive multiple of 32", id, count);
}

/* Lanes whose next instruction ends them: those that branched around the rest of the kernel wait at its end. */
static uint32_t leaving(const Warp *w)
{
    const Launch *l     = w->block->launch;
    uint32_t      lanes = 0;
    for (uint32_t i = 0; i < w->ngroups; i++) {
        const Group *g = &w->group[i];
        const Uop   *u = g->pc;
        for (int hops = 0; hops < 16 && (uop_is(l, u, CTL_block) || uop_is(l, u, CTL_jump)); hops++)
            u = uop_is(l, u, CTL_jump) ? u->target : u + 1;
        if (g->state == GROUP_READY && (uop_is(l, u, CTL_exit) || (uop_is(l, u, CTL_ret) && !g->frame->parent)))
            lanes |= g->mask;
    }
    return lanes;
}

const Uop *ctl_bar(Warp *w, const Uop *u)
{
    Block   *b     = w->block;
    unsigned lane  = first_lane(w->mask);
    uint32_t id    = SLOT(w, uint32_t, u->a)[lane];
    uint32_t count = u->y ? SLOT(w, uint32_t, u->b)[lane] : 0;
    if (id >= MAX_BARRIERS || (u->y && (count == 0 || count % LANES)))
        return bad_barrier(w, u, id, count);
    Barrier *bar = &b->bar[id];
    if (!(b->pending >> id & 1)) {
        bar->arrived = bar->acc_or = bar->acc_popc = 0;
        bar->acc_and                               = 1;
        bar->expected                              = count;
        b->pending |= 1u << id;
    } else if (bar->expected != count) {
        return fault_raise(w, u, FAULT_BARRIER_COUNT, lane, w->mask,
                           "barrier %u is used for %u threads here and for %u elsewhere", id, count ? count : b->live,
                           bar->expected ? bar->expected : b->live);
    }
    if (u->x >= BAR_RED_POPC)
        accumulate(w, u, bar);
    NOTIFY_SYNC(w, u, .kind = SYNC_BAR, .id = id, .count = count, .mask = w->mask, .waits = u->x != BAR_ARRIVE,
                .leaving = leaving(w));
    /* with a count, a warp that arrives whole counts 32, as on the hardware, also when lanes are missing */
    bool     whole   = w->mask == UINT32_MAX || (count && w->mask == w->live);
    uint32_t arrived = bar->arrived + (whole ? (uint32_t)LANES : (uint32_t)__builtin_popcount(w->mask));
    bool     last    = arrived >= (bar->expected ? bar->expected : b->live);
    /* Who comes last goes on first where a seed decides the order, and in kernels with mbarriers: that shows who looks for a wrong phase. */
    bool ahead = b->nwarps == 1 || b->launch->random || b->launch->prog->has_mbarriers;
    if (u->x != BAR_ARRIVE && !(last && ahead)) {
        const Uop *next = barrier_wait(w, u, id, arrived);
        if (last) {
            /* it does not run ahead of those that waited: as on a card, they go on together, and here the first of them first */
            Worker *k = w->worker;
            k->met    = !bar->expected;
            k->follow = k->met ? 0 : k->follow;
            block_check_barriers(b);
        }
        return next;
    }
    bar->arrived = arrived;
    b->progress  = true;
    if (last)
        block_check_barriers(b);
    return u + 1;
}

const Uop *ctl_bar_result(Warp *w, const Uop *u)
{
    const Barrier *bar = &w->block->bar[SLOT(w, uint32_t, u->a)[first_lane(w->mask)] % MAX_BARRIERS];
    if (u->x == BAR_RED_POPC) {
        uint32_t *d = SLOT(w, uint32_t, u->d);
        for (unsigned i = 0; i < LANES; i++)
            d[i] = w->mask >> i & 1 ? bar->res_popc : d[i];
    } else {
        pred_set(w, u->d, (u->x == BAR_RED_AND ? bar->res_and : bar->res_or) ? UINT32_MAX : 0);
    }
    return u + 1;
}

/* ---- member masks ---- */

const uint32_t lane_bit[LANES] = {1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                                  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
                                  1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
                                  1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Lanes of w->mask whose members have all arrived; *need collects the members that the others miss. */
static uint32_t arrived_lanes(const Warp *w, Slot members, uint32_t *need)
{
    const uint32_t *m     = SLOT(w, uint32_t, members);
    uint32_t        ready = 0;
    *need                 = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i = first_lane(left);
        if ((m[i] & w->live & ~w->mask) == 0)
            ready |= UINT32_C(1) << i;
        else
            *need |= m[i] & w->live;
    }
    return ready;
}

/* The running lanes go on together. */
static void notify_together(Warp *w, const Uop *u, SyncKind kind, Slot members)
{
    NOTIFY_SYNC(w, u, .kind = (uint8_t)kind, .mask = w->mask,
                .members = members == NO_SLOT ? NULL : SLOT(w, uint32_t, members));
}

static void wait_here(Warp *w, const Uop *u, uint32_t lanes, uint32_t need)
{
    warp_put(w, u, w->frame, lanes);
    w->group[w->ngroups - 1].state = GROUP_SYNC;
    w->group[w->ngroups - 1].need  = need;
}

bool sync_members_ready(Warp *w, const Uop *u, Slot members)
{
    uint32_t need, ready;
    if (members == NO_SLOT || !(w->live & ~w->mask))
        return true; /* nobody is missing */
    ready = arrived_lanes(w, members, &need);
    if (ready == w->mask)
        return true;
    wait_here(w, u, w->mask & ~ready, need);
    w->mask = ready;
    if (ready)
        return true;
    w->worker->event = EVENT_SYNC;
    return false;
}

bool sync_whole_warp(Warp *w, const Uop *u)
{
    if (w->mask == UINT32_MAX)
        return true;
    if (w->live != UINT32_MAX) {
        fault_raise(w, u, FAULT_SYNC_MASK, first_lane(w->mask), w->mask,
                    "all 32 threads of a warp run this instruction together; lanes 0x%08x have exited or do not exist",
                    ~w->live);
        return false;
    }
    wait_here(w, u, w->mask, w->live);
    w->worker->event = EVENT_SYNC;
    return false;
}

/* All lanes run, and each named all. */
static bool is_everybody(const Warp *w, Slot members)
{
    uint32_t all = w->mask;
    for (unsigned i = 0; i < LANES && members != NO_SLOT; i++)
        all &= SLOT(w, uint32_t, members)[i];
    return all == UINT32_MAX;
}

/* The lanes that run together with lane i: those that named the same mask. */
static uint32_t company(const Warp *w, Slot members, unsigned i)
{
    if (members == NO_SLOT)
        return w->mask;
    return SLOT(w, uint32_t, members)[i] & w->mask;
}

/* The lanes that run it with lane i's mask, whether that names them or not. */
static uint32_t with_same_mask(const Warp *w, Slot members, unsigned i)
{
    uint32_t same = 0;
    if (members == NO_SLOT)
        return w->mask;
    for (unsigned j = 0; j < LANES; j++)
        same |= (uint32_t)(SLOT(w, uint32_t, members)[j] == SLOT(w, uint32_t, members)[i]) << j;
    return same & w->mask;
}

const Uop *ctl_syncwarp(Warp *w, const Uop *u)
{
    if (!sync_members_ready(w, u, u->a))
        return STOP;
    notify_together(w, u, SYNC_WARP, u->a);
    return u + 1;
}

/* ---- exchange ---- */

const Uop *ctl_vote(Warp *w, const Uop *u)
{
    if (!sync_members_ready(w, u, u->e))
        return STOP;
    notify_together(w, u, SYNC_EXCHANGE, u->e);
    uint32_t p = pred_get(w, u->a), result = 0, ballot[LANES];
    p = u->x ? ~p : p;
    if (is_everybody(w, u->e)) {
        bool is = u->y == VOTE_ALL ? p == UINT32_MAX : u->y == VOTE_ANY ? p != 0 : p == UINT32_MAX || p == 0;
        if (u->y == VOTE_BALLOT)
            slot_broadcast32(w, u->d, p);
        else
            pred_set(w, u->d, is ? UINT32_MAX : 0);
        return u + 1;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i  = first_lane(m);
        uint32_t us = company(w, u->e, i), yes = p & us;
        bool     is = u->y == VOTE_ALL ? yes == us : u->y == VOTE_ANY ? yes != 0 : yes == us || yes == 0;
        ballot[i]   = yes;
        result |= (uint32_t)is << i;
    }
    if (u->y != VOTE_BALLOT) {
        pred_set(w, u->d, result);
        return u + 1;
    }
    uint32_t *d = SLOT(w, uint32_t, u->d);
    for (uint32_t m = w->mask; m; m &= m - 1)
        d[first_lane(m)] = ballot[first_lane(m)];
    return u + 1;
}

static uint64_t lane_value(const Warp *w, Slot s, unsigned bytes, unsigned i)
{
    return bytes == 8 ? SLOT(w, uint64_t, s)[i] : SLOT(w, uint32_t, s)[i];
}

/* The running lanes with that value, where all named the same ones. */
static uint32_t lanes_with(const Warp *w, const Uop *u, uint64_t mine)
{
    uint32_t same = 0;
    if (u->x == 8) {
        const uint64_t *x = SLOT(w, uint64_t, u->a);
        for (unsigned i = 0; i < LANES; i++)
            same |= (uint32_t)(x[i] == mine) << i;
        return same;
    }
    const uint32_t *x = SLOT(w, uint32_t, u->a), value = (uint32_t)mine;
    for (unsigned i = 0; i < LANES; i++) /* without branches and shifts: vectors at every level */
        same |= (0 - (uint32_t)(x[i] == value)) & lane_bit[i];
    return same;
}

/* Do all that run name those that run, and maybe others? */
static bool is_one_company(const Warp *w, Slot members)
{
    uint32_t missing = 0;
    for (unsigned i = 0; i < LANES && members != NO_SLOT; i++)
        missing |= ~SLOT(w, uint32_t, members)[i] & (0 - (w->mask >> i & 1));
    return !(missing & w->mask);
}

/* out: of the lanes that run; returns those that have the value of all. */
static uint32_t match_together(const Warp *w, const Uop *u, uint32_t *out)
{
    uint32_t all = 0;
    for (uint32_t m = w->mask, same; m; m &= ~same) {
        same          = lanes_with(w, u, lane_value(w, u->a, u->x, first_lane(m))) & w->mask;
        uint32_t told = u->y && same != w->mask ? 0 : same;
        for (uint32_t o = same; o; o &= o - 1)
            out[first_lane(o)] = told;
        all |= same == w->mask ? same : 0;
    }
    return all;
}

/* The same, where lanes named others. */
static uint32_t match_apart(const Warp *w, const Uop *u, uint32_t *out)
{
    uint32_t all = 0;
    for (uint32_t m = w->mask, told; m; m &= ~told) {
        unsigned i  = first_lane(m);
        uint32_t us = company(w, u->e, i), same = 0;
        uint64_t mine = lane_value(w, u->a, u->x, i);
        for (uint32_t o = us; o; o &= o - 1)
            same |= lane_value(w, u->a, u->x, first_lane(o)) == mine ? o & -o : 0;
        told = m & -m; /* and those of the same value and company, whose answer is the same */
        for (uint32_t o = same & m & (m - 1); o; o &= o - 1)
            told |= company(w, u->e, first_lane(o)) == us ? o & -o : 0;
        for (uint32_t o = told; o; o &= o - 1)
            out[first_lane(o)] = u->y ? (same == us ? us : 0) : same;
        all |= same == us ? told : 0;
    }
    return all;
}

const Uop *ctl_match(Warp *w, const Uop *u)
{
    if (!sync_members_ready(w, u, u->e))
        return STOP;
    notify_together(w, u, SYNC_EXCHANGE, u->e);
    uint32_t out[LANES], *d = SLOT(w, uint32_t, u->d);
    uint32_t all = is_one_company(w, u->e) ? match_together(w, u, out) : match_apart(w, u, out);
    for (uint32_t m = w->mask; m; m &= m - 1)
        d[first_lane(m)] = out[first_lane(m)];
    if (u->n != NO_SLOT)
        pred_set(w, u->n, all);
    return u + 1;
}

static inline __attribute__((always_inline)) uint32_t redux2(ReduxOp op, uint32_t a, uint32_t b)
{
    switch (op) {
    case REDUX_ADD: return a + b;
    case REDUX_MIN_U: return a < b ? a : b;
    case REDUX_MAX_U: return a > b ? a : b;
    case REDUX_MIN_S: return (int32_t)a < (int32_t)b ? a : b;
    case REDUX_MAX_S: return (int32_t)a > (int32_t)b ? a : b;
    case REDUX_AND: return a & b;
    case REDUX_OR: return a | b;
    default: return a ^ b;
    }
}

static inline __attribute__((always_inline)) uint32_t redux_halves(ReduxOp op, const uint32_t *a)
{
    uint32_t x[LANES];
    memcpy(x, a, sizeof x);
    for (unsigned n = LANES / 2; n; n /= 2)
        for (unsigned i = 0; i < n; i++)
            x[i] = redux2(op, x[i], x[i + n]);
    return x[0];
}

/* Of all lanes. */
static uint32_t redux_all(ReduxOp op, const uint32_t *a)
{
    switch (op) { /* loops for each, without branches */
    case REDUX_ADD: return redux_halves(REDUX_ADD, a);
    case REDUX_MIN_U: return redux_halves(REDUX_MIN_U, a);
    case REDUX_MAX_U: return redux_halves(REDUX_MAX_U, a);
    case REDUX_MIN_S: return redux_halves(REDUX_MIN_S, a);
    case REDUX_MAX_S: return redux_halves(REDUX_MAX_S, a);
    case REDUX_AND: return redux_halves(REDUX_AND, a);
    case REDUX_OR: return redux_halves(REDUX_OR, a);
    default: return redux_halves(REDUX_XOR, a);
    }
}

/* The machine's instruction has no mask: all lanes that run it with the same one are reduced, also those that it does not name, for which
 * the manual leaves the result undefined. */
const Uop *ctl_redux(Warp *w, const Uop *u)
{
    if (!sync_members_ready(w, u, u->e))
        return STOP;
    notify_together(w, u, SYNC_EXCHANGE, u->e);
    const uint32_t *a = SLOT(w, uint32_t, u->a);
    uint32_t        out[LANES], *d = SLOT(w, uint32_t, u->d);
    if (is_everybody(w, u->e)) {
        slot_broadcast32(w, u->d, redux_all((ReduxOp)u->x, a));
        return u + 1;
    }
    for (uint32_t m = w->mask, us; m; m &= ~us) {
        us           = with_same_mask(w, u->e, first_lane(m));
        uint32_t acc = a[first_lane(us)];
        for (uint32_t o = us & (us - 1); o; o &= o - 1)
            acc = redux2((ReduxOp)u->x, acc, a[first_lane(o)]);
        for (uint32_t o = us; o; o &= o - 1)
            out[first_lane(o)] = acc;
    }
    for (uint32_t m = w->mask; m; m &= m - 1)
        d[first_lane(m)] = out[first_lane(m)];
    return u + 1;
}

const Uop *ctl_activemask(Warp *w, const Uop *u)
{
    uint32_t *d = SLOT(w, uint32_t, u->d);
    for (uint32_t m = w->mask; m; m &= m - 1)
        d[first_lane(m)] = w->mask;
    return u + 1;
}

const Uop *ctl_elect(Warp *w, const Uop *u)
{
    if (!sync_members_ready(w, u, u->e))
        return STOP;
    notify_together(w, u, SYNC_EXCHANGE, u->e);
    uint32_t leaders = 0, *d = SLOT(w, uint32_t, u->d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = first_lane(m), leader = first_lane(company(w, u->e, i) | UINT32_C(1) << i);
        d[i] = leader;
        leaders |= (uint32_t)(leader == i) << i;
    }
    pred_set(w, u->n, leaders);
    return u + 1;
}
