/* SPDX-License-Identifier: Apache-2.0
 *
 * Every lane row of isa.def, at every SIMD level this CPU has, against the same row compiled here as plain scalar code: whole frames
 * are compared, so a stray write fails too.  Full and partial masks, edge values of every width and random ones, all rounding modes.
 * What the rows mean is the business of test_emu_meaning.c. */
#pragma GCC            optimize("O1", "no-tree-vectorize", "no-tree-slp-vectorize")
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define WW_SCALAR 1
#define WW_LEVEL  reference

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emu/exec/conv.c"
#include "emu/exec/lane1.c"
#include "emu/exec/lane2.c"
#include "emu/exec/lane3.c"
#include "emu/exec/lane_fill.c"
#include "emu/exec/lane_hand.c"
#include "emu/exec/pred.c"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { SLOT_BYTES = 512, SLOTS = 6, FRAME = SLOT_BYTES * SLOTS };

typedef struct Rng {
    uint64_t s;
} Rng;

static uint64_t rng_next(Rng *r)
{
    r->s += 0x9e3779b97f4a7c15ull;
    uint64_t z = r->s;
    z          = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z          = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    17,
    24,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7ffe,
    0x3c00,
    0xbc00,
    0x0400,
    0x03ff,
    0x7bff,
    0x7c00,
    0xfc00,
    0x7e00,
    0x8001, /* f16 */
    0x3f80,
    0x0080,
    0x007f,
    0x7f7f,
    0x7f80,
    0xff80,
    0x7fc0, /* bf16 */
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0xfffffffe,
    0x55555555,
    0xaaaaaaaa,
    0x10000,
    0xffffff,
    0x800000,
    0x3f800000,
    0xbf800000,
    0x00800000,
    0x007fffff,
    0x7f7fffff,
    0x7f800000,
    0xff800000,
    0x7fc00000,
    0x7f800001,
    0x4f000000,
    0x4f800000,
    0x5f000000,
    0xcf000000,
    0xcf000001,
    0x3f000000,
    0x40200000,
    0xc0200000,
    0x43000000, /* f32 */
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0x100000000,
    0xffffffff00000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x0010000000000000,
    0x000fffffffffffff,
    0x7fefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7ff0000000000001,
    0x41e0000000000000,
    0x41f0000000000000,
    0x43e0000000000000,
    0x43f0000000000000,
    0xc1e0000000200000,
    0x3fe0000000000000,
    0x4004000000000000,
    0x36a0000000000000,
    0x47efffffe0000000,
    0x47effffff0000000, /* f64: around the ends of f32 */
};

/* One element of `bytes` bytes: an edge value, a small number, a moderate float, or anything. */
static uint64_t pick(Rng *r, unsigned bytes)
{
    uint64_t x = rng_next(r), kind = rng_next(r) % 8;
    if (kind < 3)
        return edges[x % (sizeof edges / sizeof *edges)];
    if (kind == 3)
        return x % 70;
    if (kind == 4 && bytes == 4)
        return 0x3d800000u + (uint32_t)(x % 0x04000000u) + (uint32_t)(x >> 63 << 31);
    if (kind == 4 && bytes == 8)
        return 0x3f50000000000000ull + x % 0x01c0000000000000ull + (x & 1ull << 63);
    if (kind == 5)
        return 0 - x % 70;
    return x;
}

static void fill(Rng *r, uint8_t *p, unsigned bytes)
{
    for (unsigned i = 0; i < SLOT_BYTES; i += bytes) {
        uint64_t v = pick(r, bytes);
        memcpy(p + i, &v, bytes);
    }
}

static void set_mode(unsigned mode)
{
#if defined(__x86_64__)
    static const unsigned bits[] = {0x1f80, 0x1f80 | 0x2000, 0x1f80 | 0x4000, 0x1f80 | 0x6000, 0x1f80 | 0x8040};
    _mm_setcsr(bits[mode]);
#else
    (void)mode;
#endif
}

static uint8_t frame[2][FRAME] __attribute__((aligned(64)));

/* Runs fn on a copy of the inputs; returns the frame. */
static const uint8_t *run(UopFn fn, const uint8_t *input, unsigned which, uint32_t mask, uint32_t live, uint16_t x,
                          unsigned mode)
{
    static Warp w;
    memcpy(frame[which], input, FRAME);
    w.r    = frame[which];
    w.mask = mask;
    w.live = live;
    Uop u  = {.d = 0, .a = SLOT_BYTES, .b = 2 * SLOT_BYTES, .c = 3 * SLOT_BYTES, .e = 4 * SLOT_BYTES, .x = x};
    set_mode(mode);
    const Uop *next = fn(&w, &u);
    set_mode(0);
    assert_ptr_equal(next, &u + 1);
    return frame[which];
}

/* Rows that lowering runs under every rounding and flush mode; .approx forms know only .ftz, all others neither. */
static bool directed(Op op)
{
    switch (op) {
    case OP_fadd:
    case OP_fsub:
    case OP_fmul:
    case OP_ffma:
    case OP_fdiv:
    case OP_frcp:
    case OP_fsqrt:
    case OP_cvt_f32:
    case OP_cvt_f64: return true;
    default: return strncmp(op_form(op)->id, "fcmp_", 5) == 0;
    }
}

static void compare_rows(const ExecTable *level, const ExecTable *plain, unsigned rounds)
{
    static uint8_t       input[FRAME] __attribute__((aligned(64)));
    static const uint8_t widths[] = {4, 8, 2, 1, 16};
    Rng                  r        = {42};
    unsigned             rows     = 0;
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned t = 0; t < LT_COUNT; t++) {
            UopFn fast = level->lane[op][t], slow = plain->lane[op][t];
            assert_int_equal(fast != NULL, slow != NULL);
            if (!fast)
                continue;
            rows++;
            for (unsigned k = 0; k < rounds; k++) {
                for (unsigned s = 0; s < SLOTS; s++)
                    fill(&r, input + s * SLOT_BYTES, (k + s) % 3 ? widths[k % 4] : widths[(k / 3) % 5 % 4]);
                uint32_t live = k % 4 == 3 ? (uint32_t)rng_next(&r) | 1 : UINT32_MAX;
                uint32_t mask = k % 2 ? live : (uint32_t)rng_next(&r) & live;
                uint16_t x    = (uint16_t)(rng_next(&r) & 255);
                unsigned mode = directed((Op)op) ? k % 5 : op_form((Op)op)->exactness == APPROXIMATE ? k % 2 * 4 : 0;
                if (memcmp(run(fast, input, 0, mask, live, x, mode), run(slow, input, 1, mask, live, x, mode), FRAME) !=
                    0)
                    for (unsigned i = 0; i < FRAME; i++)
                        if (frame[0][i] != frame[1][i])
                            fail_msg("%s: row %s, lane type %u, round %u: byte %u is %02x, expected %02x", level->level,
                                     op_form((Op)op)->id, t, k, i, frame[0][i], frame[1][i]);
            }
        }
    assert_true(rows > 500);
}

static const ExecTable *reference(void)
{
    static ExecTable t;
    exec_fill_lane(&t);
    return &t;
}

/* Rows whose destination is as wide as their sources, with the number of sources. */
static const uint8_t sources[OP_COUNT] = {
#define ISA_ANY(id, exactness, pipe, traits, flow, form, note)      [OP_##id] = 0,
#define LANE1(id, lanes, exactness, pipe, traits, flow, form, expr) [OP_##id] = 1,
#define LANE2(id, lanes, exactness, pipe, traits, flow, form, expr) [OP_##id] = 2,
#define LANE3(id, lanes, exactness, pipe, traits, flow, form, expr) [OP_##id] = 3,
#include "ptx/isa.def"
#undef ISA_ANY
};

/* The destination may be any source: in place gives what out of place gives. */
static void compare_in_place(const ExecTable *level)
{
    static uint8_t input[FRAME] __attribute__((aligned(64))), apart[FRAME] __attribute__((aligned(64)));
    static Warp    w;
    Rng            r = {7};
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned t = 0; t < LT_COUNT; t++)
            for (unsigned k = 0; level->lane[op][t] && k < sources[op]; k++) {
                for (unsigned s = 0; s < SLOTS; s++)
                    fill(&r, input + s * SLOT_BYTES, k % 2 ? 8 : 4);
                uint32_t mask = (uint32_t)rng_next(&r);
                memcpy(input, input + (k + 1) * SLOT_BYTES, SLOT_BYTES); /* what inactive lanes of d keep */
                memcpy(apart, run(level->lane[op][t], input, 0, mask, UINT32_MAX, 0, 0), FRAME);
                memcpy(frame[1], input, FRAME);
                w     = (Warp){.r = frame[1], .mask = mask, .live = UINT32_MAX};
                Uop u = {.d = (k + 1) * SLOT_BYTES, .a = SLOT_BYTES, .b = 2 * SLOT_BYTES, .c = 3 * SLOT_BYTES};
                level->lane[op][t](&w, &u);
                if (memcmp(frame[1] + u.d, apart, SLOT_BYTES) != 0)
                    fail_msg("%s: row %s, lane type %u: wrong in place of source %u", level->level, op_form((Op)op)->id,
                             t, k);
            }
}

static void test_levels(void **state)
{
    (void)state;
    unsigned levels = 0;
    for (; emu_simd_level(levels); levels++)
        compare_rows(emu_exec_table(emu_simd_level(levels)), reference(), 60);
    assert_true(levels > 0);
}

/* Against the two registers side by side. */
static void test_funnel_shifts(void **state)
{
    (void)state;
    Rng r = {0};
    for (unsigned i = 0; i < 100000; i++) {
        uint32_t a = (uint32_t)rng_next(&r), b = (uint32_t)rng_next(&r), n = i % 33;
        uint64_t both = (uint64_t)b << 32 | a;
        assert_int_equal(shf_l(a, b, n), (uint32_t)(both << n >> 32));
        assert_int_equal(shf_r(a, b, n), (uint32_t)(both >> n));
    }
}

/* Against the host's division, most of all next to multiples. */
static void test_quotients(void **state)
{
    (void)state;
    Rng r = {0};
    for (unsigned i = 0; i < 2000000; i++) {
        uint32_t b = (uint32_t)rng_next(&r) >> rng_next(&r) % 32, k = (uint32_t)rng_next(&r) >> rng_next(&r) % 32;
        uint32_t a = b * k + (uint32_t)(rng_next(&r) % 3) - 1;
        b += b == 0;
        assert_int_equal(div_u32(a, b), a / b);
        assert_int_equal(div_u32(k, b), k / b);
        assert_int_equal(div_u32(UINT32_MAX - i % 3, b), (UINT32_MAX - i % 3) / b);
    }
    assert_int_equal(div_u32(1, 0), UINT32_MAX);
}

static void test_in_place(void **state)
{
    (void)state;
    for (unsigned i = 0; emu_simd_level(i); i++)
        compare_in_place(emu_exec_table(emu_simd_level(i)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels), cmocka_unit_test(test_funnel_shifts),
                                       cmocka_unit_test(test_quotients), cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
