/* SPDX-License-Identifier: Apache-2.0
 *
 * What the JIT believes of values (spread.h) against the rows themselves: sources that spread over the lanes in every way that kernels make,
 * each integer row that has a rule, and all lanes computed by its handler.  A spread that is predicted must be the result's, lane for lane,
 * wherever its guard holds; and rules must predict something, or they are of no use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/core/run.h"
#include "emu/jit/spread.h"
#include "ptx/op.h"

enum { SLOT_BYTES = 512, FRAME = SLOT_BYTES * (1 + ROW_SOURCES), TRIALS = 6000 };

static uint64_t seed = 1;

static uint64_t some(void)
{
    seed += 0x9e3779b97f4a7c15ull;
    uint64_t z = seed;
    z          = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z          = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static uint64_t cut(uint64_t x, unsigned bytes)
{
    return bytes >= 8 ? x : x & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Lane i's difference in one of the ways that thread indices make. */
static int64_t difference(unsigned way, int i)
{
    switch (way % 8) {
    case 0: return 0;
    case 1: return i;
    case 2: return i % 16;
    case 3: return i / 16;
    case 4: return 4 * i;
    case 5: return -i;
    case 6: return 64 * (i / 8);
    default: return i * 0x1000001;
    }
}

/* A source: its spread, and lanes that have it. */
static Spread make(SpreadPool *pool, unsigned bytes, uint64_t *lane)
{
    static const uint64_t numbers[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 64, 0x7fffffff, 0xfffffff0, UINT64_MAX};
    uint64_t r = some(), base = r >> 60 < 9 ? numbers[r >> 32 & 15] : r >> 60 < 12 ? some() : some() & 0xffff;
    unsigned align = r >> 8 & 7, way = r >> 16 & 1 ? 0 : (unsigned)(r >> 20);
    int64_t  at[LANES];
    bool     known = r & 1;
    base           = cut(known ? base : base << align, bytes);
    for (int i = 0; i < LANES; i++) {
        at[i]   = difference(way, i);
        lane[i] = cut(base + (uint64_t)at[i], bytes);
    }
    Spread s  = known ? spread_known(base) : spread_same();
    s.align   = known ? s.align : (uint8_t)align;
    s.pattern = pattern_of(pool, at, bytes);
    return s;
}

static void put(uint8_t *slot, unsigned bytes, const uint64_t *lane)
{
    for (int i = 0; i < LANES; i++)
        memcpy(slot + (size_t)i * bytes, &lane[i], bytes);
}

static uint64_t get(const uint8_t *slot, unsigned bytes, int i)
{
    uint64_t x = 0;
    memcpy(&x, slot + (size_t)i * bytes, bytes);
    return x;
}

/* Does no lane of x wrap round? */
static bool holds(Guard guard, const uint64_t *x, const int64_t *pattern, unsigned bytes)
{
    for (int i = 0; i < LANES && guard != GUARD_NONE; i++) {
        unsigned bits = 64 - 8 * bytes;
        __int128 base = guard == GUARD_SIGNED ? (__int128)((int64_t)(x[0] << bits) >> bits) : (__int128)x[0];
        __int128 here = guard == GUARD_SIGNED ? (__int128)((int64_t)(x[i] << bits) >> bits) : (__int128)x[i];
        if (base + pattern[i] != here)
            return false;
    }
    return true;
}

typedef struct Tried {
    unsigned predicted, trials;
} Tried;

/* One row with sources made up anew. */
static void try_row(SpreadPool *pool, Warp *w, What what, const RowShape *s, UopFn fn, Tried *tried)
{
    const Uop u = {.fn = fn, .d = 0, .a = SLOT_BYTES, .b = 2 * SLOT_BYTES, .c = 3 * SLOT_BYTES, .e = 4 * SLOT_BYTES};
    Spread    from[ROW_SOURCES]        = {0};
    uint64_t  lane[ROW_SOURCES][LANES] = {0};
    Guard     guard;
    for (unsigned k = 0; k < s->sources; k++) {
        if (s->bytes[1 + k]) {
            from[k] = make(pool, s->bytes[1 + k], lane[k]);
            put(w->r + (1 + k) * SLOT_BYTES, s->bytes[1 + k], lane[k]);
        } else { /* a predicate */
            uint32_t mask = some() & 1 ? UINT32_MAX : 0;
            from[k]       = spread_same();
            memcpy(w->r + (1 + k) * SLOT_BYTES, &mask, 4);
        }
    }
    Spread d = spread_of_row(pool, what, s, from, &guard);
    tried->trials++;
    unsigned asked = from[0].pattern ? 0 : 1; /* of the source that has a pattern */
    if (d.kind != SPREAD_LINEAR || !holds(guard, lane[asked], pool->lane[from[asked].pattern], s->bytes[1 + asked]))
        return;
    assert_ptr_equal(fn(w, &u), &u + 1);
    tried->predicted += d.pattern != 0;
    uint64_t first = get(w->r, s->bytes[0], 0);
    for (int i = 0; i < LANES; i++)
        if (get(w->r, s->bytes[0], i) != cut(first + (uint64_t)pool->lane[d.pattern][i], s->bytes[0]))
            fail_msg("%s, lane %d: %llx, predicted %llx + %lld", s->name, i,
                     (unsigned long long)get(w->r, s->bytes[0], i), (unsigned long long)first,
                     (long long)pool->lane[d.pattern][i]);
    if (d.known && d.value != first)
        fail_msg("%s: lane 0 has %llx, predicted %llx", s->name, (unsigned long long)first,
                 (unsigned long long)d.value);
    if (d.align < 8 * s->bytes[0] && first & ((UINT64_C(1) << d.align) - 1))
        fail_msg("%s: lane 0 has %llx, predicted a multiple of 2^%u", s->name, (unsigned long long)first, d.align);
}

/* The same of a row that divides, whose lanes do not part. */
static void try_floor(SpreadPool *pool, Warp *w, What what, const RowShape *s, UopFn fn, Tried *tried)
{
    const Uop u = {.fn = fn, .d = 0, .a = SLOT_BYTES, .b = 2 * SLOT_BYTES};
    Spread    from[ROW_SOURCES];
    uint64_t  lane[2][LANES];
    for (unsigned k = 0; k < 2; k++) {
        from[k] = make(pool, s->bytes[1 + k], lane[k]);
        put(w->r + (1 + k) * SLOT_BYTES, s->bytes[1 + k], lane[k]);
    }
    Floor    f     = spread_floor(pool, what, s, from);
    unsigned bytes = s->bytes[0];
    uint64_t top   = f.by || bytes == 8 ? UINT64_MAX : UINT32_MAX;
    int64_t  least, most;
    tried->trials++;
    if (f.kind == FLOOR_NONE)
        return;
    assert_ptr_equal(fn(w, &u), &u + 1);
    uint64_t x = lane[f.x][0], y = f.by ? f.by : lane[1][0], first = get(w->r, bytes, 0);
    uint64_t z = f.by ? x & (y - 1) : f.kind == FLOOR_REMAINDER ? first : cut(x - first * y, bytes);
    if (!f.by && (what.lane == LT_s32 || what.lane == LT_s64))
        top >>= 1;
    pattern_ends(pool, from[f.x].pattern, &least, &most);
    if (spread_parts(x, y, z, top, least, most))
        return;
    tried->predicted++;
    for (int i = 0; i < LANES; i++)
        if (get(w->r, bytes, i) != cut(first + (uint64_t)pool->lane[f.result.pattern][i], bytes))
            fail_msg("%s of %llx, %llx, lane %d: %llx, predicted %llx + %lld", s->name, (unsigned long long)x,
                     (unsigned long long)y, i, (unsigned long long)get(w->r, bytes, i), (unsigned long long)first,
                     (long long)pool->lane[f.result.pattern][i]);
}

typedef void Try(SpreadPool *pool, Warp *w, What what, const RowShape *s, UopFn fn, Tried *tried);

/* Each of the rows, of every type that has a number; how many there were. */
static unsigned try_rows(const uint16_t *ops, size_t n, Try *one)
{
    static const uint8_t lanes[] = {LT_u32, LT_s32, LT_u64, LT_s64};
    const ExecTable     *exec    = emu_exec_table(NULL);
    uint8_t             *frame   = aligned_alloc(64, FRAME);
    Warp                *w       = aligned_alloc(64, (sizeof(Warp) + 63) / 64 * 64);
    SpreadPool           pool;
    unsigned             tried = 0;
    spread_pool_init(&pool);
    memset(w, 0, sizeof *w);
    w->r    = frame;
    w->mask = w->live = UINT32_MAX;
    for (size_t o = 0; o < n; o++)
        for (size_t t = 0; t < sizeof lanes; t++) {
            What     what = {WHAT_ROW, false, lanes[t], ops[o]};
            RowShape s;
            Tried    count = {0};
            UopFn    fn    = exec->lane[ops[o]][lanes[t]];
            if (!fn)
                continue;
            assert_true(what_shape(what, &s));
            for (int i = 0; i < TRIALS; i++)
                one(&pool, w, what, &s, fn, &count);
            tried++;
            if (ops[o] != OP_min && ops[o] != OP_max && ops[o] != OP_bfe_lane && ops[o] != OP_bfi_lane &&
                !count.predicted)
                fail_msg("%s: no pattern was predicted in %u trials", s.name, count.trials);
        }
    spread_pool_free(&pool);
    free(frame);
    free(w);
    return tried;
}

static void rows_spread_as_predicted(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_copy,     OP_add,      OP_sub,      OP_neg,      OP_not,     OP_mul_lo,
                                   OP_mad_lo,   OP_shl_lane, OP_shr_lane, OP_and,      OP_or,      OP_xor,
                                   OP_min,      OP_max,      OP_mul_wide, OP_mad_wide, OP_cvt_u32, OP_cvt_u64,
                                   OP_bfe_lane, OP_bfi_lane, OP_selp};
    assert_true(try_rows(ops, sizeof ops / sizeof *ops, try_row) > 40);
}

static void quotients_spread_between_multiples(void **state)
{
    (void)state;
    static const uint16_t ops[] = {OP_div, OP_rem, OP_shr_lane, OP_and};
    assert_int_equal(try_rows(ops, sizeof ops / sizeof *ops, try_floor), 14);
}

static void what_comes_from_two_paths(void **state)
{
    (void)state;
    Spread four = spread_known(4), six = spread_known(6), both = spread_meet(four, six);
    assert_int_equal(both.kind, SPREAD_LINEAR);
    assert_false(both.known);
    assert_int_equal(both.align, 1);
    assert_int_equal(spread_meet(four, spread_vector()).kind, SPREAD_VECTOR);
    assert_true(spread_equal(spread_meet((Spread){0}, six), six));
    Spread line  = four;
    line.pattern = 1;
    assert_int_equal(spread_meet(four, line).kind, SPREAD_VECTOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_spread_as_predicted),
        cmocka_unit_test(quotients_spread_between_multiples),
        cmocka_unit_test(what_comes_from_two_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
