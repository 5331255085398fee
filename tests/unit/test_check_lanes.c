/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of a block replayed under other orders of its threads.  What an order is promised to move is compared with what the
 * accesses of the mended kernel move, written down by hand the way that kernel would make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "check/perf/trace.h"
#include "model/model.h"

enum { BASE = 1 << 20, MOST = 4096 };

typedef uint64_t Address(uint32_t x, uint32_t y, uint32_t round);

typedef struct Lanes {
    uint32_t warp, mask;
    uint64_t addr[LANES];
} Lanes;

typedef struct Made {
    Lanes       lanes[MOST]; /* of access */
    BlockAccess access[MOST];
    BlockUse    use;
} Made;

static Shapes *shapes;

static int shapes_begin(void **state)
{
    (void)state;
    shapes = shapes_new();
    return 0;
}

static int shapes_end(void **state)
{
    (void)state;
    shapes_free(shapes);
    return 0;
}

static void add(Made *m, const Lanes *a)
{
    if (!a->mask)
        return;
    m->lanes[m->use.n]    = *a;
    m->access[m->use.n++] = (BlockAccess){
        .first = a->addr[__builtin_ctz(a->mask)], .warp = a->warp, .shape = shapes_find(shapes, 0, a->mask, a->addr)};
}

/* The accesses of a block of bx x by threads, `rounds` each; threads whose address is 0 are idle. */
static void make(Made *m, uint32_t bx, uint32_t by, uint32_t rounds, Address *at)
{
    memset(m, 0, sizeof *m);
    m->use = (BlockUse){.block = {bx, by, 1}, .op = ACCESS_LD, .bytes = 4, .access = m->access};
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t w = 0; w * LANES < bx * by; w++) {
            Lanes a = {.warp = w};
            for (uint32_t l = 0; l < LANES && w * LANES + l < bx * by; l++) {
                uint32_t t = w * LANES + l;
                a.addr[l]  = at(t % bx, t / bx, r);
                a.mask |= a.addr[l] ? 1u << l : 0;
            }
            add(m, &a);
        }
}

static LaneCost replay_on(const Profile *p, const Made *m)
{
    LaneCost c;
    BlockUse use = m->use;
    use.shape    = shapes_all(shapes);
    lanes_replay(p, &use, &c);
    return c;
}

static LaneCost replay(const Made *m)
{
    return replay_on(profile_find("sm_90"), m);
}

static uint64_t column(uint32_t x, uint32_t y, uint32_t r)
{
    return BASE + x * 4096 + y * 4 + r * 128;
}

static uint64_t column_mended(uint32_t x, uint32_t y, uint32_t r)
{
    return column(y, x, r);
}

static uint64_t own_row(uint32_t x, uint32_t y, uint32_t r)
{
    (void)y;
    return BASE + x * 1024 + r * 4;
}

/* A warp for 32 rows: round r of the mended kernel reads 32 elements of row r. */
static uint64_t own_row_mended(uint32_t x, uint32_t y, uint32_t r)
{
    (void)y;
    return BASE + (x / 32 * 32 + r % 32) * 1024 + (r / 32 * 32 + x % 32) * 4;
}

static uint64_t rows(uint32_t x, uint32_t y, uint32_t r)
{
    return BASE + y * 4096 + x * 4 + r * 128;
}

/* Only the first ten columns. */
static uint64_t column_cut(uint32_t x, uint32_t y, uint32_t r)
{
    return x < 10 ? column(x, y, r) : 0;
}

static uint64_t column_cut_mended(uint32_t x, uint32_t y, uint32_t r)
{
    return column_cut(y, x, r);
}

/* The later warps leave early. */
static uint64_t uneven(uint32_t x, uint32_t y, uint32_t r)
{
    return y < 8 || r == 0 ? column(x, y, r) : 0;
}

static void swapping_is_what_the_swapped_kernel_moves(void **state)
{
    (void)state;
    static Made made, mended;
    const struct {
        uint32_t bx, by;
        Address *at, *then;
    } cases[] = {
        {16, 16, column, column_mended}, {32, 8, column, column_mended}, {16, 16, column_cut, column_cut_mended}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(&made, cases[i].bx, cases[i].by, 3, cases[i].at);
        make(&mended, cases[i].by, cases[i].bx, 3, cases[i].then);
        LaneCost c = replay(&made);
        assert_true(c.valid[LANES_SWAP_XY]);
        assert_int_equal(c.sectors[LANES_SWAP_XY], replay(&mended).sectors[LANES_AS_IS]);
        assert_true(c.sectors[LANES_SWAP_XY] < c.sectors[LANES_AS_IS]);
    }
}

static void turning_the_loop_is_what_the_turned_kernel_moves(void **state)
{
    (void)state;
    static Made made, mended;
    make(&made, 64, 1, 64, own_row);
    make(&mended, 64, 1, 64, own_row_mended);
    LaneCost c = replay(&made);
    assert_true(c.valid[LANES_LOOP]);
    assert_int_equal(c.sectors[LANES_AS_IS], 64 * 64);
    assert_int_equal(c.sectors[LANES_LOOP], 64 * 64 / 8);
    assert_int_equal(c.sectors[LANES_LOOP], replay(&mended).sectors[LANES_AS_IS]);
}

static uint64_t member(uint32_t x, uint32_t y, uint32_t r)
{
    return BASE + (r * 256 + y * 16 + x) * 12 + 8;
}

static uint64_t member_mended(uint32_t x, uint32_t y, uint32_t r)
{
    return BASE + (r * 256 + y * 16 + x) * 4;
}

static void splitting_is_what_a_structure_of_arrays_moves(void **state)
{
    (void)state;
    static Made made, mended;
    make(&made, 16, 16, 2, member);
    make(&mended, 16, 16, 2, member_mended);
    assert_false(replay(&made).valid[LANES_SPLIT]); /* the allocation is not known */
    made.use.base = BASE;
    made.use.room = 512 * 12;
    LaneCost c    = replay(&made);
    assert_true(c.valid[LANES_SPLIT]);
    assert_int_equal(c.stride, 12);
    assert_int_equal(c.sectors[LANES_SPLIT], replay(&mended).sectors[LANES_AS_IS]);
    made.use.room = 512 * 12 - 12; /* the last lies behind its end */
    assert_false(replay(&made).valid[LANES_SPLIT]);
    made.use.base = 0;
    make(&made, 16, 16, 3, column); /* 4096 bytes apart is not a structure */
    made.use.base = BASE;
    made.use.room = UINT64_C(1) << 32;
    assert_false(replay(&made).valid[LANES_SPLIT]);
}

static void only_swaps_are_replayed_when_nothing_is_wasted(void **state)
{
    (void)state;
    static Made made;
    make(&made, 32, 8, 4, rows);
    LaneCost c = replay(&made);
    assert_int_equal(c.sectors[LANES_AS_IS], c.ideal);
    assert_true(c.valid[LANES_SWAP_XY]); /* another access of the line may want it */
    assert_true(c.sectors[LANES_SWAP_XY] > c.sectors[LANES_AS_IS]);
    assert_false(c.valid[LANES_LOOP]);
    assert_false(c.valid[LANES_SPLIT]);
}

static void uneven_rounds_cannot_be_swapped(void **state)
{
    (void)state;
    static Made made;
    make(&made, 16, 16, 3, uneven);
    assert_false(replay(&made).valid[LANES_SWAP_XY]);
}

/* ---- what alike accesses cost is asked once: beside a replay that asks the model of each ---- */

enum { PLAIN_X = 16, PLAIN_Y = 8, PLAIN_WARPS = PLAIN_X * PLAIN_Y / LANES, PLAIN_ROUNDS = 70 };

static uint32_t random_of(uint32_t n)
{
    static uint64_t seed = 17;
    seed                 = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static uint64_t plain_cost(const Profile *p, uint32_t mask, const uint64_t *addr, uint64_t *ideal)
{
    ModelCost   c;
    ModelAccess a = {MODEL_GLOBAL, MODEL_LD, MODEL_L1_AUTO, 4, mask, addr};
    model_access(p, &a, &c);
    *ideal += c.ideal;
    return c.sectors;
}

/* Access i as it is, with x and y swapped (of its round), and its lane's of 32 rounds. */
static LaneCost plain_replay(const Profile *p, const Made *m)
{
    LaneCost c    = {.ideal = 0};
    uint64_t none = 0, addr[PLAIN_WARPS][LANES] = {{0}};
    for (size_t i = 0; i < m->use.n; i++) {
        const Lanes *a = &m->lanes[i];
        uint64_t     s[LANES];
        c.sectors[LANES_AS_IS] += plain_cost(p, a->mask, a->addr, &c.ideal);
        for (uint32_t l = 0; l < LANES; l++)
            s[l] = (a->addr[l] - BASE) % 12 << 40 | (a->addr[l] - BASE) / 12 * 4;
        c.sectors[LANES_SPLIT] += plain_cost(p, a->mask, s, &none);
    }
    for (size_t r = 0; r < m->use.n / PLAIN_WARPS; r++) {
        uint32_t mask[PLAIN_WARPS] = {0};
        for (uint32_t t = 0; t < PLAIN_X * PLAIN_Y; t++) {
            const Lanes *a               = &m->lanes[r * PLAIN_WARPS + t / LANES];
            uint32_t     to              = t / PLAIN_X + PLAIN_Y * (t % PLAIN_X);
            addr[to / LANES][to % LANES] = a->addr[t % LANES];
            mask[to / LANES] |= (a->mask >> t % LANES & 1) << to % LANES;
        }
        for (size_t w = 0; w < PLAIN_WARPS; w++)
            c.sectors[LANES_SWAP_XY] += mask[w] ? plain_cost(p, mask[w], addr[w], &none) : 0;
    }
    for (size_t k = 0; k < (size_t)PLAIN_WARPS * LANES; k++)
        for (size_t r = 0; r < PLAIN_ROUNDS; r += LANES) {
            uint32_t mask = 0;
            for (size_t i = r; i < r + LANES && i < PLAIN_ROUNDS; i++) {
                const Lanes *a = &m->lanes[i * PLAIN_WARPS + k / LANES];
                addr[0][i - r] = a->addr[k % LANES];
                mask |= (a->mask >> k % LANES & 1) << (i - r);
            }
            c.sectors[LANES_LOOP] += mask ? plain_cost(p, mask, addr[0], &none) : 0;
        }
    return c;
}

/* `many` shapes of structures of 12 bytes, anywhere in the allocation; mixed: each access has any of them, else those of a round the same. */
static void make_random(Made *m, uint32_t many, bool mixed)
{
    static Lanes kind[MOST];
    for (uint32_t k = 0; k < many; k++) {
        uint32_t any = random_of(UINT32_MAX) | 1u << random_of(LANES);
        kind[k].mask = random_of(3) ? UINT32_MAX : any;
        for (uint32_t l = 0; l < LANES; l++)
            kind[k].addr[l] = (random_of(2) ? l : random_of(64)) * 12u;
    }
    memset(m, 0, sizeof *m);
    m->use = (BlockUse){.block  = {PLAIN_X, PLAIN_Y, 1},
                        .op     = ACCESS_LD,
                        .bytes  = 4,
                        .access = m->access,
                        .base   = BASE,
                        .room   = 1 << 20};
    for (uint32_t r = 0, which = 0, place = 0; r < PLAIN_ROUNDS; r++)
        for (uint32_t w = 0; w < PLAIN_WARPS; w++) {
            which   = mixed || w == 0 ? random_of(many) : which;
            place   = mixed || w == 0 ? random_of(1 << 12) : place + 40;
            Lanes a = kind[which];
            a.warp  = w;
            for (uint32_t l = 0; l < LANES; l++)
                a.addr[l] += BASE + place * 12u + 4;
            add(m, &a);
        }
}

static void remembered_costs_are_the_models(void **state)
{
    (void)state;
    static Made       made;
    const char *const cards[] = {"sm_90", "sm_35", "sm_20", "sm_13", "sm_10"};
    const uint32_t    many[]  = {1, 2, 7, 100, MOST};
    for (size_t i = 0; i < sizeof many / sizeof *many * 2; i++) {
        make_random(&made, many[i / 2], i % 2);
        for (size_t k = 0; k < sizeof cards / sizeof *cards; k++) {
            const Profile *p = profile_find(cards[k]);
            LaneCost       c = replay_on(p, &made), want = plain_replay(p, &made);
            assert_int_equal(c.ideal, want.ideal);
            assert_int_equal(c.sectors[LANES_AS_IS], want.sectors[LANES_AS_IS]);
            assert_true(c.valid[LANES_SWAP_XY] && c.valid[LANES_LOOP] && c.valid[LANES_SPLIT]);
            assert_int_equal(c.stride, 12);
            assert_int_equal(c.sectors[LANES_SWAP_XY], want.sectors[LANES_SWAP_XY]);
            assert_int_equal(c.sectors[LANES_LOOP], want.sectors[LANES_LOOP]);
            assert_int_equal(c.sectors[LANES_SPLIT], want.sectors[LANES_SPLIT]);
        }
    }
}

/* ---- the observer ---- */

static void observe(Observer *o, void *s, uint64_t block, const Made *m)
{
    for (size_t i = 0; i < m->use.n; i++) {
        Access a = {.instr = 1,
                    .space = ACCESS_GLOBAL,
                    .op    = ACCESS_LD,
                    .bytes = 4,
                    .mask  = m->lanes[i].mask,
                    .warp  = m->lanes[i].warp,
                    .block = block,
                    .addr  = m->lanes[i].addr};
        o->access(s, &a);
    }
}

static void blocks_are_summed_whoever_ran_them(void **state)
{
    (void)state;
    static Made made;
    make(&made, 16, 16, 3, column);
    LaneCost    one    = replay(&made);
    LaunchInfo  info   = {.grid = {40, 1, 1}, .block = {16, 16, 1}, .instrs = 2, .workers = 2};
    CheckLaunch launch = {.profile = profile_find("sm_90")};
    Observer   *o      = trace_new(&launch);
    void       *s[2]   = {o->fork(o, &info, 0), o->fork(o, &info, 1)};
    for (uint64_t b = 0; b < 40; b += 2) { /* both workers have two blocks open at a time */
        observe(o, s[b / 2 % 2], b, &made);
        observe(o, s[b / 2 % 2], b + 1, &made);
        o->block_end(s[b / 2 % 2], b + 1);
        o->block_end(s[b / 2 % 2], b);
    }
    o->join(o, s[0]);
    o->join(o, s[1]);
    uint64_t        of, looked = trace_blocks(o, &of);
    const TraceSum *t = trace_instr(o, 1);
    assert_int_equal(of, 40);
    assert_int_equal(looked, 14); /* every third */
    assert_non_null(t);
    assert_null(trace_instr(o, 0));
    assert_int_equal(t->accesses, looked * made.use.n);
    assert_int_equal(t->lanes.sectors[LANES_AS_IS], looked * one.sectors[LANES_AS_IS]);
    assert_int_equal(t->lanes.sectors[LANES_SWAP_XY], looked * one.sectors[LANES_SWAP_XY]);
    assert_int_equal(t->values, looked * 3 * 256); /* each value is loaded once */
    assert_int_equal(t->distinct, t->values);
    assert_true(t->lanes.valid[LANES_SWAP_XY]);
    trace_free(o);
}

/* Two loads at one place and one of shared memory, by each warp, at places of its own. */
static void a_sweep_is_the_accesses_in_it(void **state)
{
    (void)state;
    const Access seen[3]   = {{.instr = 1, .op = ACCESS_LD, .bytes = 4},
                              {.instr = 2, .op = ACCESS_LD, .bytes = 4},
                              {.instr = 3, .op = ACCESS_LD, .bytes = 4}};
    SweepParty   party[2]  = {{.space = ACCESS_GLOBAL, .bytes = 4096 * LANES}, {.space = ACCESS_SHARED, .bytes = 128}};
    SweepAccess  access[3] = {{.seen = &seen[0]}, {.seen = &seen[1]}, {.seen = &seen[2], .party = 1}};
    LaunchInfo   info      = {.grid = {1, 1, 1}, .block = {16, 16, 1}, .instrs = 4, .workers = 1};
    CheckLaunch  launch    = {.profile = profile_find("sm_90")};
    Observer    *o[2]      = {trace_new(&launch), trace_new(&launch)};
    void        *st[2]     = {o[0]->fork(o[0], &info, 0), o[1]->fork(o[1], &info, 0)};
    for (uint32_t l = 0; l < LANES; l++) {
        access[0].lane[l] = (LANES - 1 - l) * 4096; /* the first lane is the highest */
        access[1].lane[l] = l / 16 * 4096 + l % 16 * 4;
        access[2].lane[l] = l * 4;
    }
    for (uint32_t i = 0; i < 40; i++) {
        uint64_t  at[2] = {BASE + i / 8 * 32 + i % 8 * 4, 1024};
        Sweep     of    = {.party = party, .nparties = 2, .access = access, .naccesses = 3, .number = 5};
        SweepCall c     = {.of = &of, .warp = i % 8, .at = at};
        SweepRoom room;
        o[0]->sweep(st[0], &c);
        for (uint32_t k = 0; k < 2; k++) {
            Access a = sweep_access(&c, k, &room);
            o[1]->access(st[1], &a);
        }
    }
    for (int i = 0; i < 2; i++) {
        o[i]->block_end(st[i], 0);
        o[i]->join(o[i], st[i]);
    }
    assert_null(trace_instr(o[0], 3)); /* nobody asked for it */
    for (uint32_t id = 1; id <= 2; id++) {
        TraceSum a = *trace_instr(o[0], id), b = *trace_instr(o[1], id);
        assert_int_equal(a.accesses, 40);
        assert_true((a.show != NULL) == (b.show != NULL));
        if (a.show)
            assert_memory_equal(a.show, b.show, sizeof *a.show);
        a.show = b.show = NULL;
        assert_memory_equal(&a, &b, sizeof a);
    }
    trace_free(o[0]);
    trace_free(o[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swapping_is_what_the_swapped_kernel_moves),
        cmocka_unit_test(turning_the_loop_is_what_the_turned_kernel_moves),
        cmocka_unit_test(splitting_is_what_a_structure_of_arrays_moves),
        cmocka_unit_test(only_swaps_are_replayed_when_nothing_is_wasted),
        cmocka_unit_test(uneven_rounds_cannot_be_swapped),
        cmocka_unit_test(remembered_costs_are_the_models),
        cmocka_unit_test(blocks_are_summed_whoever_ran_them),
        cmocka_unit_test(a_sweep_is_the_accesses_in_it),
    };
    return cmocka_run_group_tests(tests, shapes_begin, shapes_end);
}
