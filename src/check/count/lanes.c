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
 * What accesses cost is asked of the model once for each shape and each place of its first lane in a line, as all that the model counts lies
 * on boundaries of at most a line (model_period); a swap's rounds likewise, of which the same warps have the same shapes equally far apart.
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

/* ---- what is known of alike accesses --------------------------------------------------------------------------------- */

enum { PLACES = MODEL_LINE, SLOTS = 64, ROUND_SLOTS = 16 };
#define FAR (UINT64_C(1) << 60) /* a line's beginning, so far from 0 that no lane's address is below it */

typedef struct Known {        /* by the first address's place in a line */
    uint64_t is[PLACES / 64]; /* a bit for each place: is it known? */
    uint16_t sectors[PLACES], ideal[PLACES];
} Known;

static bool known_at(const Known *k, uint64_t at)
{
    unsigned place = at % PLACES;
    return k->is[place / 64] >> place % 64 & 1;
}

static void known_set(Known *k, uint64_t at, uint64_t sectors, uint64_t ideal)
{
    unsigned place    = at % PLACES;
    k->sectors[place] = (uint16_t)sectors;
    k->ideal[place]   = (uint16_t)ideal;
    k->is[place / 64] |= UINT64_C(1) << place % 64;
}

static void known_forget(Known *k)
{
    memset(k->is, 0, sizeof k->is);
}

/* The cost of an access whose lanes stand delta from `first`.  k: what is known of such. */
static uint64_t cost_at(Model p, const BlockUse *u, Known *k, uint32_t mask, const uint64_t *delta, uint64_t first,
                        uint64_t *ideal)
{
    unsigned place = first % PLACES;
    if (!known_at(k, place)) {
        uint64_t addr[LANES], packed = 0;
        for (unsigned i = 0; i < LANES; i++)
            addr[i] = FAR + place + delta[i];
        uint64_t sectors = cost(p, u, mask, addr, &packed);
        known_set(k, place, sectors, packed);
    }
    *ideal += k->ideal[place];
    return k->sectors[place];
}

static const Shape *shape_of(const BlockUse *u, const BlockAccess *a)
{
    return &u->shape[a->shape];
}

typedef struct Slot { /* of the shape whose number modulo SLOTS is this one's */
    uint32_t whose;   /* number + 1; 0: nobody's */
    Known    known;
} Slot;

static uint64_t cost_as_is(Model p, const BlockUse *u, uint64_t *ideal)
{
    Slot    *slots = xcalloc(SLOTS, sizeof *slots);
    uint64_t sum   = 0;
    for (size_t i = 0; i < u->n; i++) {
        const BlockAccess *a = &u->access[i];
        const Shape       *t = shape_of(u, a);
        Slot              *s = &slots[a->shape % SLOTS];
        if (s->whose != a->shape + 1) {
            s->whose = a->shape + 1;
            known_forget(&s->known);
        }
        sum += cost_at(p, u, &s->known, t->mask, t->delta, a->first, ideal);
    }
    free(slots);
    return sum;
}

/* ---- orders ---------------------------------------------------------------------------------------------------------- */

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

typedef struct Swap {       /* of components i and j */
    size_t    threads, *to; /* by thread: its place in the swapped block */
    uint64_t *addr;         /* of one round, swapped */
    uint32_t *mask;         /* by warp */
    Known     known[ROUND_SLOTS];
    uint64_t *key[ROUND_SLOTS]; /* by warp: how far it is from the first one, and its shape */
} Swap;

static void swap_open(Swap *s, const BlockUse *u, const Grid *g, unsigned i, unsigned j)
{
    *s      = (Swap){.threads = (size_t)u->block[0] * u->block[1] * u->block[2]};
    s->to   = xcalloc(s->threads, sizeof *s->to);
    s->addr = xcalloc(g->warps * LANES, sizeof *s->addr);
    s->mask = xcalloc(g->warps, sizeof *s->mask);
    for (size_t k = 0; k < ROUND_SLOTS; k++)
        s->key[k] = xcalloc(2 * g->warps, sizeof *s->key[k]);
    for (size_t t = 0; t < s->threads; t++)
        s->to[t] = swapped(u->block, t, i, j);
}

static void swap_close(Swap *s)
{
    for (size_t k = 0; k < ROUND_SLOTS; k++)
        free(s->key[k]);
    free(s->to);
    free(s->addr);
    free(s->mask);
}

/* What is known of rounds like this one. */
static Known *swap_known(Swap *s, const Grid *g, const BlockAccess *const *round)
{
    uint64_t hash = 0, other = 0, first = round[0]->first;
    for (size_t w = 0; w < g->warps; w++)
        hash = (hash ^ (round[w]->first - first) ^ (uint64_t)round[w]->shape << 40) * 0x9e3779b97f4a7c15u;
    size_t    slot = hash >> 32 & (ROUND_SLOTS - 1);
    uint64_t *key  = s->key[slot];
    for (size_t w = 0; w < g->warps; w++)
        other |= (key[2 * w] ^ (round[w]->first - first)) | (key[2 * w + 1] ^ (round[w]->shape + UINT64_C(1)));
    if (!other)
        return &s->known[slot];
    for (size_t w = 0; w < g->warps; w++) {
        key[2 * w]     = round[w]->first - first;
        key[2 * w + 1] = round[w]->shape + UINT64_C(1);
    }
    known_forget(&s->known[slot]);
    return &s->known[slot];
}

static uint64_t swap_round(Model p, const BlockUse *u, const Grid *g, Swap *s, const BlockAccess *const *round)
{
    uint64_t sum = 0;
    memset(s->mask, 0, g->warps * sizeof *s->mask);
    for (size_t w = 0; w < g->warps; w++) {
        const Shape *a = shape_of(u, round[w]);
        for (uint32_t m = a->mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            size_t   to   = s->to[w * LANES + lane];
            s->addr[to]   = round[w]->first + a->delta[lane];
            s->mask[to / LANES] |= 1u << to % LANES;
        }
    }
    for (size_t w = 0; w < g->warps; w++)
        sum += cost(p, u, s->mask[w], s->addr + w * LANES, NULL);
    return sum;
}

static uint64_t swap_cost(Model p, const BlockUse *u, const Grid *g, unsigned i, unsigned j)
{
    uint64_t sum = 0;
    Swap     s;
    swap_open(&s, u, g, i, j);
    for (size_t r = 0; r < g->rounds; r++) {
        const BlockAccess *const *round = &g->at[r * g->warps];
        Known                    *k     = swap_known(&s, g, round);
        uint64_t                  at    = round[0]->first;
        if (!known_at(k, at))
            known_set(k, at, swap_round(p, u, g, &s, round), 0);
        sum += k->sectors[at % PLACES];
    }
    swap_close(&s);
    return sum;
}

typedef struct Turn { /* rounds of one warp, of one shape; what is known of a lane's accesses in them */
    uint32_t mask;
    uint64_t delta[LANES]; /* by round, from the first one */
    Known    known;
} Turn;

/* 32 rounds of one warp, turned: lane k of access j is round k of lane j. */
static uint64_t turn_any(Model p, const BlockUse *u, const Grid *g, const BlockAccess *const *round, size_t n)
{
    uint64_t sum = 0, addr[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t mask = 0;
        for (size_t k = 0; k < n; k++) {
            const BlockAccess *a = round[k * g->warps];
            if (!a || !(shape_of(u, a)->mask >> lane & 1))
                continue;
            addr[k] = a->first + shape_of(u, a)->delta[lane];
            mask |= 1u << k;
        }
        sum += cost(p, u, mask, addr, NULL);
    }
    return sum;
}

/* Where the rounds have one shape, all lanes make the same accesses, each from its own place. */
static uint64_t turn_cost(Model p, const BlockUse *u, const Grid *g, const BlockAccess *const *round, size_t n, Turn *t)
{
    uint64_t delta[LANES] = {0}, sum = 0, ideal = 0;
    uint32_t mask = 0;
    size_t   k    = 0;
    for (; k < n && round[k * g->warps] && round[k * g->warps]->shape == round[0]->shape; k++) {
        delta[k] = round[k * g->warps]->first - round[0]->first;
        mask |= 1u << k;
    }
    if (k < n)
        return turn_any(p, u, g, round, n);
    if (t->mask != mask || memcmp(t->delta, delta, sizeof delta) != 0) {
        t->mask = mask;
        memcpy(t->delta, delta, sizeof delta);
        known_forget(&t->known);
    }
    const Shape *s = shape_of(u, round[0]);
    for (uint32_t m = s->mask; m; m &= m - 1)
        sum += cost_at(p, u, &t->known, mask, delta, round[0]->first + s->delta[__builtin_ctz(m)], &ideal);
    return sum;
}

static uint64_t loop_cost(Model p, const BlockUse *u, const Grid *g)
{
    uint64_t sum = 0;
    Turn     t   = {0};
    for (size_t w = 0; w < g->warps; w++)
        for (size_t r = 0; r < g->rounds; r += LANES)
            sum += turn_cost(p, u, g, &g->at[r * g->warps + w], g->rounds - r < LANES ? g->rounds - r : LANES, &t);
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
    uint32_t before = UINT32_MAX;
    for (size_t i = 0; i < u->n && stride != u->bytes; i++) {
        const Shape *a = shape_of(u, &u->access[i]);
        for (uint32_t m = u->access[i].shape == before ? 0 : a->leaders; m; m &= m - 1) {
            int64_t d = (int64_t)a->delta[__builtin_ctz(m)];
            stride    = gcd((uint64_t)(d < 0 ? -d : d), stride);
        }
        before = u->access[i].shape;
    }
    return stride;
}

/* Place of offset `at` of an allocation whose structures of `stride` bytes are split. */
static uint64_t split_place(const BlockUse *u, uint64_t at, uint64_t stride)
{
    return (at % stride) << 40 | at / stride * u->bytes;
}

typedef struct SplitSlot { /* as Slot */
    uint32_t whose;
    uint64_t delta[LANES];
    Known    known;
} SplitSlot;

/* The slot of the access's shape, whose lanes are whole structures apart. */
static SplitSlot *split_slot(const BlockUse *u, SplitSlot *slots, const BlockAccess *a, uint64_t stride)
{
    SplitSlot   *s = &slots[a->shape % SLOTS];
    const Shape *t = shape_of(u, a);
    if (s->whose == a->shape + 1)
        return s;
    s->whose = a->shape + 1;
    known_forget(&s->known);
    for (uint32_t m = t->mask; m; m &= m - 1) {
        unsigned k  = (unsigned)__builtin_ctz(m);
        s->delta[k] = (uint64_t)((int64_t)t->delta[k] / (int64_t)stride) * u->bytes;
    }
    return s;
}

static bool in_room(const BlockUse *u, const BlockAccess *a)
{
    const Shape *t = shape_of(u, a);
    return a->first + t->low - u->base < u->room && a->first + t->high - u->base < u->room;
}

/* false: no stride that a structure could have, or not in one allocation. */
static bool split_cost(Model p, const BlockUse *u, LaneCost *out)
{
    uint64_t stride = stride_of(u), ideal = 0;
    bool     fits = true;
    out->stride   = stride;
    if (!u->room || stride > MOST_STRIDE || (stride && (stride <= u->bytes || stride % u->bytes)))
        return false;
    for (size_t i = 0; i < u->n && fits; i++)
        fits = in_room(u, &u->access[i]);
    if (!stride || !fits) { /* no lanes to bring nearer */
        out->sectors[LANES_SPLIT] = fits ? out->sectors[LANES_AS_IS] : 0;
        return fits;
    }
    SplitSlot *slots = xcalloc(SLOTS, sizeof *slots);
    for (size_t i = 0; i < u->n; i++) {
        const BlockAccess *a = &u->access[i];
        SplitSlot         *s = split_slot(u, slots, a, stride);
        out->sectors[LANES_SPLIT] += cost_at(p, u, &s->known, shape_of(u, a)->mask, s->delta,
                                             split_place(u, a->first - u->base, stride), &ideal);
    }
    free(slots);
    return true;
}

void lanes_replay(const Profile *profile, const BlockUse *u, LaneCost *out)
{
    const Model          p          = {profile, scatter_best()};
    static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}}; /* of LANES_SWAP_XY, .. */
    *out                            = (LaneCost){.valid = {[LANES_AS_IS] = true}};
    out->sectors[LANES_AS_IS]       = cost_as_is(p, u, &out->ideal);
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
        if (to >= LANES || !(shape_of(u, a)->mask >> t % LANES & 1))
            continue;
        out->addr[order][to] = a->first + shape_of(u, a)->delta[t % LANES];
        out->mask[order] |= 1u << to;
    }
}

static bool has_lane(const BlockUse *u, const BlockAccess *a, unsigned lane)
{
    return a && shape_of(u, a)->mask >> lane & 1;
}

static void show_turn(const BlockUse *u, const Grid *g, LaneShow *out)
{
    unsigned lane = 0;
    while (lane + 1 < LANES && !has_lane(u, g->at[0], lane))
        lane++;
    for (size_t k = 0; k < LANES && k < g->rounds; k++) {
        const BlockAccess *a = g->at[k * g->warps];
        if (!has_lane(u, a, lane))
            continue;
        out->addr[LANES_LOOP][k] = a->first + shape_of(u, a)->delta[lane];
        out->mask[LANES_LOOP] |= 1u << k;
    }
}

/* The first access, as it is or split. */
static void show_first(const BlockUse *u, uint64_t stride, LaneOrder order, LaneShow *out)
{
    const Shape *t   = shape_of(u, u->access);
    out->mask[order] = t->mask;
    for (uint32_t m = t->mask; m; m &= m - 1) {
        unsigned k          = (unsigned)__builtin_ctz(m);
        uint64_t at         = u->access->first + t->delta[k];
        out->addr[order][k] = stride ? split_place(u, at - u->base, stride) : at;
    }
}

void lanes_show(const BlockUse *u, const LaneCost *c, LaneShow *out)
{
    static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}};
    Grid                 g          = grid_of(u);
    *out                            = (LaneShow){.mask = {0}};
    show_first(u, 0, LANES_AS_IS, out);
    for (unsigned k = 0; k < 3; k++)
        if (c->valid[LANES_SWAP_XY + k])
            show_swap(u, &g, pairs[k][0], pairs[k][1], (LaneOrder)(LANES_SWAP_XY + k), out);
    if (c->valid[LANES_LOOP])
        show_turn(u, &g, out);
    if (c->valid[LANES_SPLIT])
        show_first(u, c->stride, LANES_SPLIT, out);
    free(g.at);
}
