/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of the older profiles as their manuals state them, the edges every rule must survive (no lane, one lane, the end of the
 * address space, misaligned addresses), and what the source counters of the seed kernels say per access. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

typedef uint64_t (*OffsetFn)(unsigned lane);

static ModelCost cost_of(const char *profile, ModelSpace space, ModelOp op, unsigned bytes, uint32_t mask, ModelL1 l1,
                         OffsetFn f)
{
    uint64_t addr[MODEL_LANES];
    for (unsigned i = 0; i < MODEL_LANES; i++)
        addr[i] = mask >> i & 1 ? f(i) : 0xdeadbeefdeadbeefu;
    const Profile *p = profile_find(profile);
    assert_non_null(p);
    ModelAccess a = {space, op, l1, bytes, mask, addr};
    ModelCost   c;
    model_access(p, &a, &c);
    return c;
}

static ModelCost shared(const char *profile, unsigned bytes, OffsetFn f)
{
    return cost_of(profile, MODEL_SHARED, MODEL_LD, bytes, UINT32_MAX, MODEL_L1_AUTO, f);
}

static ModelCost global(const char *profile, ModelL1 l1, unsigned bytes, OffsetFn f)
{
    return cost_of(profile, MODEL_GLOBAL, MODEL_LD, bytes, UINT32_MAX, l1, f);
}

static uint64_t zero(unsigned lane)
{
    (void)lane;
    return 0;
}
static uint64_t bytes_1(unsigned lane)
{
    return lane;
}
static uint64_t words(unsigned lane)
{
    return lane * 4u;
}
static uint64_t words_off_1(unsigned lane)
{
    return lane * 4u + 4;
}
static uint64_t words_stride_2(unsigned lane)
{
    return lane * 8u;
}
static uint64_t words_stride_32(unsigned lane)
{
    return lane * 128u;
}
static uint64_t words_swapped(unsigned lane)
{
    return (lane ^ 1) * 4u;
}
static uint64_t doubles(unsigned lane)
{
    return lane * 8u;
}
static uint64_t doubles_off_1(unsigned lane)
{
    return lane * 8u + 8;
}
static uint64_t doubles_off_8(unsigned lane)
{
    return lane * 8u + 64;
}
static uint64_t quads(unsigned lane)
{
    return lane * 16u;
}
static uint64_t tile16_linear(unsigned lane)
{
    return (lane / 16 * 16 + lane % 16) * 4u;
}
static uint64_t tile16_transposed(unsigned lane)
{
    return (lane % 16 * 16 + lane / 16) * 4u;
}
static uint64_t two_words(unsigned lane)
{
    return lane % 16 < 8 ? 0 : 4;
}
static uint64_t row_pair(unsigned lane)
{
    return (lane & 1) * 128u;
}
static uint64_t pairs_at_2(unsigned lane)
{
    return ((lane & 1) | (lane >> 2 << 1)) * 8u;
}
static uint64_t top(unsigned lane)
{
    return UINT64_MAX - 127 + lane * 4u;
}
static uint64_t over_the_top(unsigned lane)
{
    return UINT64_MAX - 7 + lane * 4u;
}

/* The experiment of 2008: 256 threads on a 16x16 tile of float. */
static void cc1_banks(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *p = i ? "sm_13" : "sm_10";
        ModelCost   c = shared(p, 4, tile16_linear);
        assert_int_equal(c.wavefronts, 2);
        assert_int_equal(c.conflicts, 0);
        c = shared(p, 4, tile16_transposed);
        assert_int_equal(c.wavefronts, 32);
        assert_int_equal(c.conflicts, 30);
        assert_int_equal(shared(p, 4, zero).conflicts, 0);      /* broadcast */
        assert_int_equal(shared(p, 4, two_words).conflicts, 2); /* one broadcast word a pass */
        assert_int_equal(shared(p, 4, words_stride_2).conflicts, 2);
        assert_int_equal(shared(p, 8, doubles).conflicts, 4); /* two requests with a stride of two words */
        assert_int_equal(shared(p, 1, bytes_1).conflicts, 6); /* four bytes of one word */
    }
}

static void cc1_strict_coalescing(void **state)
{
    (void)state;
    ModelCost c = global("sm_10", MODEL_L1_AUTO, 4, words);
    assert_int_equal(c.transactions, 2);
    assert_int_equal(c.moved_bytes, 128);
    assert_int_equal(global("sm_10", MODEL_L1_AUTO, 8, doubles).transactions, 2);
    assert_int_equal(global("sm_10", MODEL_L1_AUTO, 8, doubles_off_8).transactions, 32); /* not at a multiple of 128 */
    assert_int_equal(global("sm_10", MODEL_L1_AUTO, 16, quads).transactions, 4);
    c = global("sm_10", MODEL_L1_AUTO, 4, words_off_1);
    assert_int_equal(c.transactions, 32);
    assert_int_equal(c.sectors, 32);
    assert_int_equal(global("sm_10", MODEL_L1_AUTO, 4, words_swapped).transactions, 32);
    assert_int_equal(global("sm_10", MODEL_L1_AUTO, 1, bytes_1).transactions, 32);
    /* idle lanes leave no gap in the sequence */
    assert_int_equal(cost_of("sm_10", MODEL_GLOBAL, MODEL_LD, 4, 0xfffefff0, MODEL_L1_AUTO, words).transactions, 2);
}

static void cc13_segments(void **state)
{
    (void)state;
    ModelCost c = global("sm_13", MODEL_L1_AUTO, 4, words);
    assert_int_equal(c.transactions, 2);
    assert_int_equal(c.moved_bytes, 128);
    c = global("sm_13", MODEL_L1_AUTO, 4, words_swapped);
    assert_int_equal(c.transactions, 2);
    c = global("sm_13", MODEL_L1_AUTO, 4, words_off_1); /* 4..67 in one segment; 68..127 and 128..131 in two */
    assert_int_equal(c.transactions, 3);
    assert_int_equal(c.moved_bytes, 128 + 64 + 32);
    assert_int_equal(global("sm_13", MODEL_L1_AUTO, 4, zero).moved_bytes, 64);
    assert_int_equal(global("sm_13", MODEL_L1_AUTO, 4, words_stride_32).moved_bytes, 32 * 32);
    assert_int_equal(global("sm_13", MODEL_L1_AUTO, 2, doubles).transactions, 4); /* segments of 64 bytes */
    assert_int_equal(global("sm_13", MODEL_L1_AUTO, 1, bytes_1).moved_bytes,
                     64); /* a 32-byte segment for each half-warp */
}

static void cc20_lines(void **state)
{
    (void)state;
    ModelCost c = global("sm_20", MODEL_L1_AUTO, 4, words_off_1);
    assert_int_equal(c.lines_128, 2);
    assert_int_equal(c.moved_bytes, 256);
    c = global("sm_20", MODEL_L1_ON, 4, words_off_1);
    assert_int_equal(c.lines_128, 2);
    c = global("sm_20", MODEL_L1_OFF, 4, words_off_1);
    assert_int_equal(c.lines_128, 0);
    assert_int_equal(c.sectors, 5);
    assert_int_equal(global("sm_20", MODEL_L1_ON, 4, words).lines_128, 1);
    assert_int_equal(global("sm_20", MODEL_L1_OFF, 4, words).sectors, 4);
    assert_int_equal(global("sm_20", MODEL_L1_OFF, 8, doubles_off_1).transactions, 10);      /* two requests of five */
    c = cost_of("sm_20", MODEL_GLOBAL, MODEL_ST, 4, UINT32_MAX, MODEL_L1_AUTO, words_off_1); /* stores pass L1 by */
    assert_int_equal(c.lines_128, 0);
    assert_int_equal(c.sectors, 5);
    assert_int_equal(shared("sm_20", 4, row_pair).wavefronts, 2);
    assert_int_equal(shared("sm_20", 8, doubles).conflicts, 0);
    assert_int_equal(shared("sm_20", 16, quads).conflicts, 4);
}

static void cc35_banks(void **state)
{
    (void)state;
    assert_int_equal(shared("sm_35", 4, row_pair).wavefronts, 1); /* words 0 and 32 share a bank's 8 bytes */
    assert_int_equal(shared("sm_20", 4, row_pair).wavefronts, 2);
    assert_int_equal(shared("sm_35", 8, doubles).wavefronts, 1);
    assert_int_equal(shared("sm_35_bank8", 8, doubles).wavefronts, 1);
    assert_int_equal(shared("sm_35_bank8", 4, words_stride_2).wavefronts, 1);
    assert_int_equal(shared("sm_35", 4, words_stride_32).wavefronts, 16);
    assert_int_equal(shared("sm_35_bank8", 4, words_stride_32).wavefronts, 16);
    assert_int_equal(global("sm_35", MODEL_L1_AUTO, 4, words_off_1).sectors, 5); /* L1 is for local memory */
}

/* Wide loads of equal lanes join their parts; stores and ldmatrix do not. */
static void cc90_pairs(void **state)
{
    (void)state;
    assert_int_equal(shared("sm_90", 8, zero).wavefronts, 1);
    assert_int_equal(shared("sm_90", 16, zero).wavefronts, 2);
    assert_int_equal(shared("sm_90", 16, zero).ideal_wavefronts, 2);
    assert_int_equal(shared("sm_90", 8, pairs_at_2).wavefronts, 1);
    assert_int_equal(cost_of("sm_90", MODEL_SHARED, MODEL_ST, 8, UINT32_MAX, MODEL_L1_AUTO, zero).wavefronts, 2);
    assert_int_equal(cost_of("sm_90", MODEL_SHARED, MODEL_LDSM, 16, UINT32_MAX, MODEL_L1_AUTO, zero).wavefronts, 4);
    /* one group of lanes that neither pairs nor rests keeps all parts apart */
    ModelCost apart  = cost_of("sm_90", MODEL_SHARED, MODEL_LD, 16, 0x55550003, MODEL_L1_AUTO, quads);
    ModelCost joined = cost_of("sm_90", MODEL_SHARED, MODEL_LD, 16, 0x55550001, MODEL_L1_AUTO, quads);
    assert_int_equal(apart.wavefronts - apart.conflicts, 3);
    assert_int_equal(joined.wavefronts - joined.conflicts, 2);
    assert_int_equal(apart.ideal_wavefronts, 2); /* ten lanes' 160 bytes, were they side by side */
    /* eight lanes of 8 bytes in both half-warps: two parts, but one line's bytes */
    ModelCost thin = cost_of("sm_90", MODEL_SHARED, MODEL_ST, 8, 0x000f000f, MODEL_L1_AUTO, pairs_at_2);
    assert_int_equal(thin.wavefronts - thin.conflicts, 2);
    assert_int_equal(thin.ideal_wavefronts, 1);
}

/* Per access what golden/seeds_source_counters_h200.tsv sums. */
static void source_counters(void **state)
{
    (void)state;
    ModelCost c = global("sm_90", MODEL_L1_AUTO, 4, words_stride_32);
    assert_int_equal(c.sectors, 32);
    assert_int_equal(c.ideal, 4);
    assert_int_equal(c.tag_requests, 32);
    c = global("sm_90", MODEL_L1_AUTO, 4, zero);
    assert_int_equal(c.ideal, 1);
    assert_int_equal(c.useful_bytes, 4);
    assert_int_equal(c.moved_bytes, 32);
    c = global("sm_90", MODEL_L1_AUTO, 4, tile16_transposed);
    assert_int_equal(c.sectors, 16);
    assert_int_equal(c.tag_requests, 8);
    assert_int_equal(global("sm_90", MODEL_L1_AUTO, 4, words_off_1).ideal, 4);
}

static void local_words_interleave(void **state)
{
    (void)state;
    ModelCost c = cost_of("sm_90", MODEL_LOCAL, MODEL_LD, 4, UINT32_MAX, MODEL_L1_AUTO, zero);
    assert_int_equal(c.sectors, 4);
    assert_int_equal(c.tag_requests, 1);
    c = cost_of("sm_90", MODEL_LOCAL, MODEL_ST, 16, UINT32_MAX, MODEL_L1_AUTO, zero);
    assert_int_equal(c.sectors, 16);
    assert_int_equal(cost_of("sm_90", MODEL_LOCAL, MODEL_LD, 4, UINT32_MAX, MODEL_L1_AUTO, words).sectors, 32);
    assert_int_equal(cost_of("sm_20", MODEL_LOCAL, MODEL_LD, 4, UINT32_MAX, MODEL_L1_AUTO, zero).lines_128, 1);
}

static void edges(void **state)
{
    (void)state;
    const ModelCost nothing = {0};
    for (size_t i = 0; profile_at(i); i++) {
        const char *p = profile_at(i)->name;
        assert_ptr_equal(profile_find(p), profile_at(i));
        for (unsigned op = 0; op < MODEL_OPS; op++)
            for (unsigned bytes = 1; bytes <= MODEL_MAX_BYTES; bytes *= 2)
                for (unsigned space = 0; space < MODEL_SPACES; space++) {
                    ModelSpace s    = (ModelSpace)space;
                    ModelOp    o    = (ModelOp)op;
                    ModelCost  none = cost_of(p, s, o, bytes, 0, MODEL_L1_AUTO, words);
                    assert_memory_equal(&none, &nothing, sizeof none);
                    ModelCost one = cost_of(p, s, o, bytes, 1u << 13, MODEL_L1_AUTO, words);
                    assert_int_equal(one.requests, s != MODEL_SHARED);
                    if (s == MODEL_SHARED)
                        assert_true(one.wavefronts >= 1 && one.wavefronts >= one.ideal_wavefronts);
                    else
                        assert_true(one.sectors >= one.touched / 2 && one.useful_bytes == bytes);
                    ModelCost end = cost_of(p, s, o, bytes, UINT32_MAX, MODEL_L1_AUTO, over_the_top);
                    assert_true(end.wavefronts || end.sectors);
                }
    }
    assert_int_equal(global("sm_90", MODEL_L1_AUTO, 4, top).sectors, 4);
    assert_int_equal(global("sm_90", MODEL_L1_AUTO, 4, over_the_top).sectors, 5);
    assert_null(profile_find("sm_91"));
    assert_string_equal(profile_find(NULL)->name, "sm_90");
    assert_string_equal(profile_find("m2090")->arch->name, "sm_20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cc1_banks),
        cmocka_unit_test(cc1_strict_coalescing),
        cmocka_unit_test(cc13_segments),
        cmocka_unit_test(cc20_lines),
        cmocka_unit_test(cc35_banks),
        cmocka_unit_test(cc90_pairs),
        cmocka_unit_test(edges),
        cmocka_unit_test(source_counters),
        cmocka_unit_test(local_words_interleave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
