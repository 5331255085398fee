/* SPDX-License-Identifier: Apache-2.0
 *
 * Replays a block's accesses under other orders of its threads.
 *
 * The n-th access of each warp makes round n.  A swap of two components is replayed round by round: thread (x, y, z) stands in the
 * linear order of the swapped block, which is cut into warps anew; it needs every warp of the block in every round.  The loop order
 * takes, warp by warp, 32 rounds at a time: access j of the 32 is what lane j did in them, now one round a lane; it needs more than one
 * round.  Idle threads stay idle.
 * The split takes the greatest stride that divides the distances between the lanes of every access; place o of element i goes to place i of
 * array o, which begins on a boundary as allocations do.
 * Not modelled: where the values go afterwards; they have to be handed to the threads that want them, mostly through shared memory. */
#include "check/count/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/count/scatter.h"
#include "model/model.h"

enum { MOST_STRIDE = 256 }; /* bytes of a structure */

typedef struct Grid { /* rounds x warps, NULL where a warp has no such round */
    const BlockAccess **at;
    size_t              rounds, warps, least; /* most and fewest rounds of a warp */
} Grid;

typedef struct Model { /* what answers */
    const Profile *profile;
    Scatter       *scatter; /* or NULL */
} Model;

static uint64_t cost(Model p, const BlockUse *u, uint32_t mask, const uint64_t *addr, uint64_t *ideal)
{
    ModelCost   c;
    Access      s  = {.space = ACCESS_GLOBAL, .bytes = u->bytes, .mask = mask, .addr = addr};
    ModelL1     l1 = u->cache == CACHE_CG || u->cache == CACHE_CV ? MODEL_L1_OFF
                     : u->cache == CACHE_CA                       ? MODEL_L1_ON
                                                                  : MODEL_L1_AUTO;
    ModelAccess a  = {MODEL_GLOBAL, u->op == ACCESS_COPY ? MODEL_LD : (ModelOp)u->op, l1, u->bytes, mask, addr};
    if (!mask)
        return 0;
    if (!p.scatter || !p.scatter(p.profile, &s, a.op, &c))
        model_access(p.profile, &a, &c);
    if (ideal)
        *ideal += c.ideal;
    return c.sectors;
}

static Grid grid_of(const BlockUse *u)
{
    size_t  threads = (size_t)u->block[0] * u->block[1] * u->block[2];
    Grid    g       = {.warps = (threads + LANES - 1) / LANES};
    size_t *count   = xcalloc(g.warps + 1, sizeof *count);
    for (size_t i = 0; i < u->n; i++)
        if (++count[u->access[i].warp] > g.rounds)
            g.rounds = count[u->access[i].warp];
    g.least = g.rounds;
    for (size_t w = 0; w < g.warps; w++)
        if (count[w] < g.least)
            g.least = count[w];
    g.at = xcalloc(g.rounds * g.warps + 1, sizeof *g.at);
    memset(count, 0, g.warps * sizeof *count);
    for (size_t i = 0; i < u->n; i++) {
        uint32_t w                     = u->access[i].warp;
        g.at[count[w]++ * g.warps + w] = &u->access[i];
    }
    free(count);
    return g;
}

/* Place of linear thread t when components i and j of its index have changed places. */
static size_t swapped(const uint32_t *block, size_t t, unsigned i, unsigned j)
{
    uint32_t side[3] = {block[0], block[1], block[2]};
    size_t   id[3] = {t % block[0], t / block[0] % block[1], t / block[0] / block[1]}, k = id[i];
    id[i]      = id[j];
    id[j]      = k;
    uint32_t s = side[i];
    side[i]    = side[j];
    side[j]    = s;
    return id[0] + side[0] * (id[1] + side[1] * id[2]);
}

static uint64_t swap_cost(Model p, const BlockUse *u, const Grid *g, unsigned i, unsigned j)
{
    size_t    threads = (size_t)u->block[0] * u->block[1] * u->block[2];
    size_t   *to      = xcalloc(threads, sizeof *to);
    uint64_t *addr = xcalloc(g->warps * LANES, sizeof *addr), sum = 0;
    uint32_t *mask = xcalloc(g->warps, sizeof *mask);
    for (size_t t = 0; t < threads; t++)
        to[t] = swapped(u->block, t, i, j);
    for (size_t r = 0; r < g->rounds; r++) {
        memset(mask, 0, g->warps * sizeof *mask);
        for (size_t t = 0; t < threads; t++) {
            const BlockAccess *a = g->at[r * g->warps + t / LANES];
            if (!(a->mask >> t % LANES & 1))
                continue;
            addr[to[t]] = a->addr[t % LANES];
            mask[to[t] / LANES] |= 1u << to[t] % LANES;
        }
        for (size_t w = 0; w < g->warps; w++)
            sum += cost(p, u, mask[w], addr + w * LANES, NULL);
    }
    free(to);
    free(addr);
    free(mask);
    return sum;
}

/* 32 rounds of one warp, turned: lane k of access j is round k of lane j. */
static uint64_t turn_cost(Model p, const BlockUse *u, const Grid *g, size_t warp, size_t first)
{
    uint64_t sum = 0, addr[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t mask = 0;
        for (size_t k = 0; k < LANES && first + k < g->rounds; k++) {
            const BlockAccess *a = g->at[(first + k) * g->warps + warp];
            if (!a || !(a->mask >> lane & 1))
                continue;
            addr[k] = a->addr[lane];
            mask |= 1u << k;
        }
        sum += cost(p, u, mask, addr, NULL);
    }
    return sum;
}

static uint64_t loop_cost(Model p, const BlockUse *u, const Grid *g)
{
    uint64_t sum = 0;
    for (size_t w = 0; w < g->warps; w++)
        for (size_t r = 0; r < g->rounds; r += LANES)
            sum += turn_cost(p, u, g, w, r);
    return sum;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a             = b;
        b             = rest;
    }
    return a;
}

static uint64_t stride_of(const BlockUse *u)
{
    uint64_t stride = 0;
    for (size_t i = 0; i < u->n && stride != u->bytes; i++) {
        const BlockAccess *a     = &u->access[i];
        uint64_t           first = a->addr[__builtin_ctz(a->mask)];
        for (uint32_t m = a->mask; m; m &= m - 1) {
            uint64_t at = a->addr[__builtin_ctz(m)];
            stride      = gcd(at > first ? at - first : first - at, stride);
        }
    }
    return stride;
}

/* false: no stride that a structure could have, or not in one allocation. */
static bool split_cost(Model p, const BlockUse *u, LaneCost *out)
{
    uint64_t stride = stride_of(u), addr[LANES];
    out->stride     = stride;
    if (!u->room || stride > MOST_STRIDE || (stride && (stride <= u->bytes || stride % u->bytes)))
        return false;
    for (size_t i = 0; i < u->n; i++) {
        const BlockAccess *a = &u->access[i];
        for (uint32_t m = a->mask; m; m &= m - 1) {
            unsigned k  = (unsigned)__builtin_ctz(m);
            uint64_t at = a->addr[k] - u->base;
            if (at >= u->room)
                return false;
            addr[k] = stride ? (at % stride) << 40 | at / stride * u->bytes : a->addr[k];
        }
        out->sectors[LANES_SPLIT] += cost(p, u, a->mask, addr, NULL);
    }
    return true;
}

void lanes_replay(const Profile *profile, const BlockUse *u, LaneCost *out)
{
    const Model          p          = {profile, scatter_best()};
    static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}}; /* of LANES_SWAP_XY, .. */
    *out                            = (LaneCost){.valid = {[LANES_AS_IS] = true}};
    for (size_t i = 0; i < u->n; i++)
        out->sectors[LANES_AS_IS] += cost(p, u, u->access[i].mask, u->access[i].addr, &out->ideal);
    bool fits = out->sectors[LANES_AS_IS] <= out->ideal; /* a swap for another's sake concerns it all the same */
    if (fits && u->block[1] == 1 && u->block[2] == 1)
        return;
    Grid g = grid_of(u);
    for (unsigned k = 0; k < 3; k++) {
        unsigned i = pairs[k][0], j = pairs[k][1];
        if (g.least != g.rounds || u->block[i] == 1 || u->block[j] == 1) /* nothing would change places */
            continue;
        out->valid[LANES_SWAP_XY + k]   = true;
        out->sectors[LANES_SWAP_XY + k] = swap_cost(p, u, &g, i, j);
    }
    if (!fits && g.rounds > 1) {
        out->valid[LANES_LOOP]   = true;
        out->sectors[LANES_LOOP] = loop_cost(p, u, &g);
    }
    out->valid[LANES_SPLIT] = !fits && split_cost(p, u, out);
    free(g.at);
}

/* ---- pictures -------------------------------------------------------------------------------------------------------- */

static void show_swap(const BlockUse *u, const Grid *g, unsigned i, unsigned j, LaneOrder order, LaneShow *out)
{
    size_t threads = (size_t)u->block[0] * u->block[1] * u->block[2];
    for (size_t t = 0; t < threads; t++) {
        size_t             to = swapped(u->block, t, i, j);
        const BlockAccess *a  = g->at[t / LANES];
        if (to >= LANES || !(a->mask >> t % LANES & 1))
            continue;
        out->addr[order][to] = a->addr[t % LANES];
        out->mask[order] |= 1u << to;
    }
}

static void show_turn(const Grid *g, LaneShow *out)
{
    unsigned lane = 0;
    while (lane + 1 < LANES && (!g->at[0] || !(g->at[0]->mask >> lane & 1)))
        lane++;
    for (size_t k = 0; k < LANES && k < g->rounds; k++) {
        const BlockAccess *a = g->at[k * g->warps];
        if (!a || !(a->mask >> lane & 1))
            continue;
        out->addr[LANES_LOOP][k] = a->addr[lane];
        out->mask[LANES_LOOP] |= 1u << k;
    }
}

static void show_split(const BlockUse *u, const LaneCost *c, LaneShow *out)
{
    const BlockAccess *a   = u->access;
    out->mask[LANES_SPLIT] = a->mask;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned k                = (unsigned)__builtin_ctz(m);
        uint64_t at               = a->addr[k] - u->base;
        out->addr[LANES_SPLIT][k] = c->stride ? (at % c->stride) << 40 | at / c->stride * u->bytes : a->addr[k];
    }
}

void lanes_show(const BlockUse *u, const LaneCost *c, LaneShow *out)
{
    static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}};
    Grid                 g          = grid_of(u);
    *out                            = (LaneShow){.mask = {[LANES_AS_IS] = u->access->mask}};
    memcpy(out->addr[LANES_AS_IS], u->access->addr, sizeof u->access->addr);
    for (unsigned k = 0; k < 3; k++)
        if (c->valid[LANES_SWAP_XY + k])
            show_swap(u, &g, pairs[k][0], pairs[k][1], (LaneOrder)(LANES_SWAP_XY + k), out);
    if (c->valid[LANES_LOOP])
        show_turn(&g, out);
    if (c->valid[LANES_SPLIT])
        show_split(u, c, out);
    free(g.at);
}
