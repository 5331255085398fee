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

enum { BASE = 1 << 20, MOST = 4096 };

typedef uint64_t Address(uint32_t x, uint32_t y, uint32_t round);

typedef struct Made {
    BlockAccess access[MOST];
    BlockUse    use;
} Made;

/* The accesses of a block of bx x by threads, `rounds` each; threads whose address is 0 are idle. */
static void make(Made *m, uint32_t bx, uint32_t by, uint32_t rounds, Address *at)
{
    memset(m, 0, sizeof *m);
    m->use = (BlockUse){.block = {bx, by, 1}, .op = ACCESS_LD, .bytes = 4, .access = m->access};
    for (uint32_t r = 0; r < rounds; r++)
        for (uint32_t w = 0; w * LANES < bx * by; w++) {
            BlockAccess *a = &m->access[m->use.n];
            a->warp        = w;
            for (uint32_t l = 0; l < LANES && w * LANES + l < bx * by; l++) {
                uint32_t t = w * LANES + l;
                a->addr[l] = at(t % bx, t / bx, r);
                a->mask |= a->addr[l] ? 1u << l : 0;
            }
            m->use.n += a->mask != 0;
        }
}

static LaneCost replay(const Made *m)
{
    LaneCost c;
    lanes_replay(profile_find("sm_90"), &m->use, &c);
    return c;
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

/* ---- the observer ---- */

static void observe(Observer *o, void *s, uint64_t block, const Made *m)
{
    for (size_t i = 0; i < m->use.n; i++) {
        Access a = {.instr = 1,
                    .space = ACCESS_GLOBAL,
                    .op    = ACCESS_LD,
                    .bytes = 4,
                    .mask  = m->access[i].mask,
                    .warp  = m->access[i].warp,
                    .block = block,
                    .addr  = m->access[i].addr};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swapping_is_what_the_swapped_kernel_moves),
        cmocka_unit_test(turning_the_loop_is_what_the_turned_kernel_moves),
        cmocka_unit_test(splitting_is_what_a_structure_of_arrays_moves),
        cmocka_unit_test(only_swaps_are_replayed_when_nothing_is_wasted),
        cmocka_unit_test(uneven_rounds_cannot_be_swapped),
        cmocka_unit_test(blocks_are_summed_whoever_ran_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
