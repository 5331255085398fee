/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said where the interpreter runs a kernel although native code was asked for: that it is too large, and that clang failed.  Results
 * are the same.  How much native code ran is told, too.  And the turns that warps take in native code, from barrier to barrier, functions that are too
 * large for it, whose registers share their places, atomics, and accesses without a pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/cache.h"
#include "base/str.h"
#include "emu/emu.h"
#include "ptx_text.h"

/* 2 * adds operations on %r0. */
static void write_adds(Str *text, unsigned adds)
{
    for (unsigned i = 0; i < adds; i++)
        str_add(text, "xor.b32 %r0, %r0, %r1; add.u32 %r0, %r0, 1;\n");
}

/* Stores what the operations made; before that it calls so many functions of 500 such pairs. */
static void write_kernel(Str *text, unsigned adds, unsigned functions)
{
    str_add(text, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (unsigned i = 0; i < functions; i++) {
        str_printf(text, ".func f%u()\n{\n.reg .b32 %%r<2>;\nmov.u32 %%r0, 0; mov.u32 %%r1, %%tid.x;\n", i);
        write_adds(text, 500);
        str_add(text, "ret;\n}\n");
    }
    str_add(text, ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %d;\n"
                  "ld.param.u64 %d, [p]; mov.u32 %r0, 0; mov.u32 %r1, %tid.x;\n");
    for (unsigned i = 0; i < functions; i++)
        str_printf(text, "call f%u;\n", i);
    write_adds(text, adds);
    str_add(text, "st.global.u32 [%d], %r0; ret;\n}\n");
}

typedef struct Ran {
    const char *why; /* the interpreter did; NULL: native code */
    uint32_t    stored;
    uint64_t    spent, compiled;
} Ran;

/* The kernel k of the text; stored: what each thread of a block has. */
static Ran launch_blocks(EmuEngine engine, const char *text, size_t len, uint32_t blocks, uint32_t threads,
                         uint32_t *stored)
{
    EmuDevice  *d   = NULL;
    EmuModule  *m   = NULL;
    const char *bad = NULL;
    EmuResult   r   = {0};
    uint64_t    p;
    assert_int_equal(emu_open(&(EmuOptions){.memory = 1 << 24, .threads = 1, .engine = engine}, &d), WW_OK);
    assert_int_equal(emu_module_load(d, text_parse(text, len, NULL), &m, &bad), WW_OK);
    assert_int_equal(emu_alloc(d, 4 * threads, 256, &p), WW_OK);
    memset(emu_host(d, p), 0, 4 * threads);
    EmuLaunch l = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = &p};
    assert_int_equal(emu_launch(d, m, "k", &l, &r), WW_OK);
    memcpy(stored, emu_host(d, p), 4 * threads);
    Ran ran = {r.left, stored[0], r.spent, r.compiled};
    emu_result_free(&r);
    emu_module_unload(d, m);
    emu_close(d);
    return ran;
}

static Ran launch(EmuEngine engine, const char *text, size_t len, uint32_t threads, uint32_t *stored)
{
    return launch_blocks(engine, text, len, 1, threads, stored);
}

/* 256 threads store the same by the interpreter and natively, most of it natively indeed. */
static void is_the_same_natively(const char *text, size_t len, uint32_t stored[256])
{
    uint32_t own[256];
    Ran interpreted = launch(EMU_INTERPRETER, text, len, 256, stored), native = launch(EMU_JIT, text, len, 256, own);
    assert_memory_equal(stored, own, sizeof own);
    assert_int_equal(native.spent, interpreted.spent);
    if (!emu_native_missing())
        assert_true(native.compiled > native.spent / 2);
}

static Ran run(EmuEngine engine, unsigned adds, unsigned functions)
{
    Str      text = {0};
    uint32_t stored[32];
    write_kernel(&text, adds, functions);
    Ran ran = launch(engine, str_text(&text), text.len, 32, stored);
    str_free(&text);
    return ran;
}

static void what_is_too_large_is_told(void **state)
{
    (void)state;
    if (emu_native_missing())
        return; /* nothing is asked for, then */
    assert_null(run(EMU_JIT, 20, 2).why);
    Ran large = run(EMU_JIT, 1000, 0);
    assert_string_equal(large.why, "it is too large for native code");
    assert_null(run(EMU_AUTO, 1000, 0).why);
    Ran same = run(EMU_INTERPRETER, 1000, 0);
    assert_null(same.why);
    assert_int_equal(large.stored, same.stored);
    assert_string_equal(run(EMU_JIT, 20, 40).why, "its functions together are too large for native code");
}

static void how_much_ran_is_told(void **state)
{
    (void)state;
    Ran interpreted = run(EMU_INTERPRETER, 20, 0);
    assert_int_equal(interpreted.compiled, 0);
    assert_true(interpreted.spent > 40);
    if (emu_native_missing())
        return;
    Ran native = run(EMU_JIT, 20, 0);
    assert_int_equal(native.spent, interpreted.spent);
    assert_int_equal(native.compiled, native.spent);
    assert_int_equal(run(EMU_JIT, 1000, 0).compiled, 0);
}

/* Eight warps and many barriers: one warp has left, lanes of another part between two of them, and what was computed before the first one
 * is wanted behind the last. */
static void warps_take_turns_at_barriers(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q<3>; .reg .b32 %r<12>; .reg .b64 %d<4>;\n"
        ".shared .align 4 .b8 s[1024];\n"
        "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.u32 %r10, %r4, %r3;\n"
        "mul.lo.u32 %r5, %r1, 77; xor.b32 %r5, %r5, 23130; mov.u32 %r6, 0; mov.u32 %r7, 0;\n"
        "setp.eq.u32 %q0, %r2, 3; @%q0 bra END;\n"
        "LOOP: add.u32 %r8, %r6, %r1; st.shared.u32 [%r10], %r8; bar.sync 0;\n"
        "xor.b32 %r9, %r3, 128; add.u32 %r9, %r9, %r4; ld.shared.u32 %r8, [%r9]; bar.sync 0;\n"
        "add.u32 %r7, %r7, %r8; setp.lt.u32 %q1, %r1, 37; @%q1 bra ODD; mad.lo.u32 %r7, %r7, 3, %r6;\n"
        "ODD: bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %q2, %r6, 9; @%q2 bra LOOP;\n"
        "add.u32 %r7, %r7, %r5; ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;\n"
        "st.global.u32 [%d1], %r7;\nEND: ret;\n}\n";
    uint32_t stored[2][256], want[256];
    (void)state;
    for (uint32_t t = 0; t < 256; t++) {
        uint32_t sum = 0, other = (t ^ 32) / 32 == 3 ? 0 : t ^ 32;
        for (uint32_t i = 0; i < 9; i++) {
            sum += other ? other + i : 0;
            sum = t < 37 ? sum : sum * 3 + i;
        }
        want[t] = t / 32 == 3 ? 0 : sum + (t * 77 ^ 23130);
    }
    want[32] = 32 * 77 ^ 23130; /* its other is thread 0 */
    for (uint32_t i = 0; i < 9; i++)
        want[32] += i;
    Ran interpreted = launch(EMU_INTERPRETER, text, sizeof text - 1, 256, stored[0]);
    Ran native      = launch(EMU_JIT, text, sizeof text - 1, 256, stored[1]);
    assert_memory_equal(stored[0], want, sizeof want);
    assert_memory_equal(stored[1], want, sizeof want);
    assert_int_equal(native.spent, interpreted.spent);
    if (!emu_native_missing())
        assert_true(native.compiled > native.spent / 2);
}

/* Divisions and remainders of numbers that follow each other: by a number that the loop changes, by powers of two, of negative ones and
 * of long ones.  In most turns the lanes of some warps lie on both sides of a multiple. */
static void lanes_divide_between_multiples(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q; .reg .b32 %r<14>; .reg .b64 %d<6>;\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
        "LOOP: mul.lo.u32 %r4, %r2, 7; add.u32 %r4, %r4, %r1; add.u32 %r5, %r2, 60;\n"
        "rem.u32 %r6, %r4, %r5; div.u32 %r7, %r4, %r5; mad.lo.u32 %r3, %r3, 31, %r6; mad.lo.u32 %r3, %r3, 31, %r7;\n"
        "sub.u32 %r8, %r4, 200; rem.s32 %r9, %r8, %r5; div.s32 %r10, %r8, 96; shr.s32 %r11, %r8, 6; and.b32 %r12, %r8, "
        "63;\n"
        "mad.lo.u32 %r3, %r3, 31, %r9; mad.lo.u32 %r3, %r3, 31, %r10; mad.lo.u32 %r3, %r3, 31, %r11;\n"
        "mad.lo.u32 %r3, %r3, 31, %r12; rem.u32 %r6, %r6, 50; add.u32 %r3, %r3, %r6;\n"
        "cvt.u64.u32 %d1, %r4; cvt.u64.u32 %d2, %r5; shl.b64 %d1, %d1, 33; shl.b64 %d2, %d2, 33; div.u64 %d3, %d1, "
        "%d2;\n"
        "rem.u64 %d4, %d1, %d2; shr.u64 %d4, %d4, 33; cvt.u32.u64 %r6, %d3; cvt.u32.u64 %r7, %d4;\n"
        "mad.lo.u32 %r3, %r3, 31, %r6; mad.lo.u32 %r3, %r3, 31, %r7;\n"
        "add.u32 %r2, %r2, 1; setp.lt.u32 %q, %r2, 40; @%q bra LOOP;\n"
        "ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r3; ret;\n}\n";
    uint32_t stored[2][256], want[256];
    (void)state;
    for (uint32_t t = 0; t < 256; t++) {
        uint32_t h = 0;
        for (uint32_t i = 0; i < 40; i++) {
            uint32_t x = i * 7 + t, y = i + 60;
            int32_t  s = (int32_t)x - 200;
            h          = (h * 31 + x % y) * 31 + x / y;
            h          = (h * 31 + (uint32_t)(s % (int32_t)y)) * 31 + (uint32_t)(s / 96);
            h          = (h * 31 + (uint32_t)(s >> 6)) * 31 + ((uint32_t)s & 63) + x % y % 50;
            h          = (h * 31 + x / y) * 31 + x % y;
        }
        want[t] = h;
    }
    Ran interpreted = launch(EMU_INTERPRETER, text, sizeof text - 1, 256, stored[0]);
    Ran native      = launch(EMU_JIT, text, sizeof text - 1, 256, stored[1]);
    assert_memory_equal(stored[0], want, sizeof want);
    assert_memory_equal(stored[1], want, sizeof want);
    assert_int_equal(native.spent, interpreted.spent);
    if (!emu_native_missing())
        assert_int_equal(native.compiled, native.spent);
}

/* Rows under other modes between plain ones, on values around zero and the smallest normal one: together, apart, for some lanes, in a loop; and
 * those that a compiler takes for copies.  The host's own mode, which flushes here, plays no part. */
static void modes_of_rows_stay_theirs(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q<4>; .reg .b32 %r<9>; .reg .f32 %f<20>; .reg .f64 %g<6>; "
        ".reg "
        ".b64 %d<4>;\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0; shl.b32 %r4, %r1, 17; add.u32 %r4, %r4, 0x00080003;\n"
        "LOOP: mad.lo.u32 %r5, %r2, 0x7ff13, %r4; mov.b32 %f1, %r5; xor.b32 %r6, %r5, 0x80000000; mov.b32 %f2, %r6;\n"
        "mul.f32 %f3, %f1, 0f3f000000; mul.ftz.f32 %f4, %f1, 0f3f800000; mul.ftz.f32 %f5, %f1, 0fbf800000;\n"
        "add.ftz.f32 %f6, %f2, 0f80000000; mul.ftz.f32 %f7, %f3, 0f40000000; add.f32 %f8, %f3, %f7;\n"
        "add.rm.f32 %f9, %f3, 0f00000000; sub.rm.f32 %f10, %f1, %f1; add.rp.f32 %f11, %f8, 0f00000001;\n"
        "fma.rz.ftz.f32 %f12, %f1, 0f3f800001, %f3; cvt.f64.f32 %g1, %f1; add.rm.f64 %g2, %g1, 0d3ff0000000000000;\n"
        "add.rp.f64 %g3, %g1, 0d3ff0000000000000; sub.f64 %g4, %g3, %g2; cvt.rz.f32.f64 %f13, %g4;\n"
        "setp.eq.ftz.f32 %q1, %f1, 0f00000000; setp.eq.f32 %q2, %f3, 0f00000000; mov.f32 %f14, %f2;\n"
        "@%q1 mul.ftz.f32 %f14, %f2, %f3; @!%q1 add.f32 %f14, %f3, %f2; ex2.approx.ftz.f32 %f15, %f3;\n"
        "setp.lt.u32 %q3, %r1, 11; @%q3 bra ODD; mul.ftz.f32 %f14, %f14, 0f3f000000; mul.f32 %f15, %f14, %f3;\n"
        "ODD: selp.u32 %r7, 1, 2, %q1; selp.u32 %r8, 4, 8, %q2; add.u32 %r7, %r7, %r8; mad.lo.u32 %r3, %r3, 31, %r7;\n"
#define MIX(f) "mov.b32 %r7, %" #f "; mad.lo.u32 %r3, %r3, 31, %r7;\n"
        MIX(f4) MIX(f5) MIX(f6) MIX(f7) MIX(f8) MIX(f9) MIX(f10) MIX(f11) MIX(f12) MIX(f13) MIX(f14) MIX(f15)
#undef MIX
            "add.u32 %r2, %r2, 1; setp.lt.u32 %q3, %r2, 40; @%q3 bra LOOP;\n"
            "ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r3; "
            "ret;\n}\n";
    uint32_t stored[3][256];
    (void)state;
    is_the_same_natively(text, sizeof text - 1, stored[0]);
#if defined(__x86_64__)
    unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040);
    launch(EMU_INTERPRETER, text, sizeof text - 1, 256, stored[2]);
    assert_int_equal(_mm_getcsr() & 0xffc0, (mode | 0x8040) & 0xffc0);
    _mm_setcsr(mode);
    assert_memory_equal(stored[0], stored[2], sizeof stored[0]);
#endif
}

/* Doubles in a row, of which a lane's is a NaN with bits of its own in some turns of some warps: values that are overwritten meanwhile, read by
 * what shows a NaN and by what does not, and wanted afterwards. */
static void doubles_are_tried_without_nans(void **state)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q<4>; .reg .b32 %r<9>; .reg .f64 "
                               "%g<14>; .reg .b64 %d<5>;\n"
                               "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.b64 %d1, 0; mov.f64 %g5, 0d3ff0000000000000; "
                               "cvt.rn.f64.u32 %g2, "
                               "%r1;\n"
                               "setp.lt.u32 %q0, %r1, 64; mov.f64 %g3, 0d7ff8000000000123; selp.f64 %g2, %g3, %g2, "
                               "%q0;\n" /* two warps never do without */
                               "LOOP: cvt.rn.f64.u32 %g1, %r2; mad.lo.u32 %r3, %r2, 7, %r1; rem.u32 %r4, %r3, 997; "
                               "setp.eq.u32 %q1, %r4, 5;\n"
                               "cvt.u64.u32 %d2, %r3; or.b64 %d2, %d2, 0xfff4000000000000; mov.b64 %g3, %d2; selp.f64 "
                               "%g1, %g3, %g1, %q1;\n"
                               "xor.b64 %d2, %d2, 0xff0; mov.b64 %g11, %d2; selp.f64 %g11, %g11, %g2, %q1;\n"
                               "add.rn.f64 %g12, %g1, %g11; add.rn.f64 %g13, %g11, %g1;\n"
                               "fma.rn.f64 %g4, %g1, %g2, %g5; mul.rn.f64 %g6, %g4, 0d3fe0000000000000; neg.f64 %g6, "
                               "%g6;\n"
                               "fma.rn.f64 %g5, %g6, 0d3fd0000000000000, %g4; sub.rn.f64 %g7, %g5, %g1; add.rn.f64 "
                               "%g1, %g7, %g4;\n"
                               "add.rn.f64 %g9, %g1, %g3; abs.f64 %g9, %g9; add.rn.f64 %g9, %g2, %g2; add.rn.f64 %g10, "
                               "%g9, %g5;\n"
                               "min.f64 %g8, %g7, %g4; setp.nan.f64 %q2, %g5, %g5;\n"
#define MIX(g) "mov.b64 %d2, %" #g "; mad.lo.u64 %d1, %d1, 31, %d2;\n"
        MIX(g1) MIX(g4) MIX(g5) MIX(g6) MIX(g7) MIX(g8) MIX(g9) MIX(g10) MIX(g12) MIX(g13)
#undef MIX
            "selp.f64 %g5, 0d3ff0000000000000, %g5, %q2; add.u32 %r2, %r2, 1; setp.lt.u32 %q3, %r2, 40; @%q3 bra "
            "LOOP;\n"
            "shr.u64 %d2, %d1, 32; xor.b64 %d1, %d1, %d2; cvt.u32.u64 %r5, %d1;\n"
            "ld.param.u64 %d2, [p]; mul.wide.u32 %d3, %r1, 4; add.s64 %d2, %d2, %d3; st.global.u32 [%d2], %r5; "
            "ret;\n}\n";
    uint32_t stored[256];
    (void)state;
    is_the_same_natively(text, sizeof text - 1, stored);
}

/* A clang that fails, in a folder of its own; native code of earlier runs is not found either. */
/* Lane after lane at places of their warp that several have: %r5 is such a place's offset, of words; %d5, of eight bytes. */
static void write_atomics(Str *text, const char *space, const char *window32, const char *window64)
{
    static const char *const words[] = {"add.u32", "min.u32", "max.u32", "min.s32", "max.s32",  "inc.u32", "dec.u32",
                                        "and.b32", "or.b32",  "xor.b32", "add.f32", "exch.b32", "cas.b32"};
    static const char *const pairs[] = {"add.u64", "min.u64",  "max.u64", "min.s64", "max.s64", "and.b64",
                                        "or.b64",  "exch.b64", "xor.b64", "cas.b64", "add.f64"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *third = strncmp(words[i], "cas", 3) == 0 ? ", %r1" : "";
        str_printf(text, "mad.lo.u32 %%r6, %%r6, 69069, 12345; @%%q0 add.u32 %%r6, %%r6, %%r1;\n");
        str_printf(text, "atom.%s.%s %%r8, [%s], %%r6%s; add.u32 %%r7, %%r7, %%r8;\n", space, words[i], window32,
                   third);
        str_printf(text, "@%%q0 atom.%s.%s %%r8, [%s+4], %%r6%s; add.u32 %%r7, %%r7, %%r8;\n", space, words[i],
                   window32, third);
        if (!*third && strncmp(words[i], "exch", 4) != 0)
            str_printf(text, "red.%s.%s [%s], %%r6;\n", space, words[i], window32);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *third = strncmp(pairs[i], "cas", 3) == 0 ? ", %d7" : "";
        str_printf(text, "mad.lo.u32 %%r6, %%r6, 69069, 12345; mul.wide.u32 %%d7, %%r6, %%r6;\n");
        str_printf(text, "atom.%s.%s %%d8, [%s], %%d7%s; cvt.u32.u64 %%r8, %%d8; add.u32 %%r7, %%r7, %%r8;\n", space,
                   pairs[i], window64, third);
        str_printf(text,
                   "@!%%q0 atom.%s.%s %%d8, [%s], %%d7%s; shr.u64 %%d8, %%d8, 32; cvt.u32.u64 %%r8, %%d8; "
                   "xor.b32 %%r7, %%r7, %%r8;\n",
                   space, pairs[i], window64, third);
    }
}

static void atomics_go_lane_by_lane(void **state)
{
    (void)state;
    Str      text = {0};
    uint32_t stored[256];
    str_add(
        &text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 8 .b8 g[2080];\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q<2>; .reg .b32 %r<12>; .reg .b64 %d<12>;\n"
        ".shared .align 8 .b8 s[2080];\n"
        "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 5; setp.gt.u32 %q0, %r3, 1;\n"
        "mul.lo.u32 %r6, %r1, 2654435761; shr.u32 %r4, %r6, 28; shl.b32 %r4, %r4, 2; mad.lo.u32 %r5, %r2, 128, %r4;\n"
        "mov.u32 %r9, s; add.u32 %r9, %r9, %r5; mov.u64 %d1, g; cvt.u64.u32 %d2, %r5; add.u64 %d1, %d1, %d2;\n"
        "mov.u32 %r10, s; mad.lo.u32 %r10, %r5, 2, %r10; mov.u64 %d3, g; shl.b64 %d2, %d2, 1; "
        "add.u64 %d3, %d3, %d2; mov.u32 %r7, 0; mov.u32 %r8, 0;\n");
    write_atomics(&text, "shared", "%r9", "%r10");
    write_atomics(&text, "global", "%d1", "%d3");
    str_add(
        &text,
        "ld.param.u64 %d4, [p]; mul.wide.u32 %d5, %r1, 4; add.u64 %d4, %d4, %d5; st.global.u32 [%d4], %r7; ret;\n}\n");
    is_the_same_natively(str_text(&text), text.len, stored);
    str_free(&text);
}

/* Loads and stores of all widths, by all lanes and by some, at places that have no pattern; of lanes that store to one place the highest is
 * the last. */
static void lanes_lie_anywhere(void **state)
{
    (void)state;
    static const struct {
        const char *type, *reg;
        unsigned    bytes;
    } kinds[] = {{"u8", "%r8", 1},  {"s8", "%r8", 1},           {"u16", "%h1", 2},          {"b32", "%r8", 4},
                 {"b64", "%d8", 8}, {"v2.b32", "{%r8,%r6}", 8}, {"v2.b64", "{%d8,%d7}", 16}};
    const char *spaces[] = {"global", "shared", "local"};
    Str         text     = {0};
    uint32_t    stored[256];
    str_add(
        &text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 16 .b8 g[4096];\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q<2>; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .b64 %d<12>;\n"
        ".shared .align 16 .b8 s[4096]; .local .align 16 .b8 l[512];\n"
        "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 5; setp.gt.u32 %q0, %r3, 1;\n"
        "mov.u64 %d9, 0; mov.u64 %d8, 7; mov.u64 %d7, 9; mov.u32 %r8, 3; mov.u16 %h1, 2; mov.u32 %r6, %r1;\n");
    for (unsigned i = 0; i < 3; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            str_printf(&text,
                       "mad.lo.u32 %%r6, %%r6, 2654435761, 77; shr.u32 %%r4, %%r6, 27; mad.lo.u32 %%r4, %%r4, 16, 0;\n"
                       "%s mov.u64 %%d1, %s; cvt.u64.u32 %%d2, %%r4; add.u64 %%d1, %%d1, %%d2;\n"
                       "mov.b64 %%d7, {%%r6, %%r4}; xor.b64 %%d8, %%d7, %%d9; cvt.u16.u32 %%h1, %%r4; xor.b32 %%r8, "
                       "%%r8, %%r6;\n",
                       i < 2 ? "mad.lo.u32 %r4, %r2, 512, %r4;" : "",
                       i == 0   ? "g"
                       : i == 1 ? "s"
                                : "l");
            for (int some = 0; some < 2; some++)
                str_printf(&text,
                           "%s st.%s.%s [%%d1+%u], %s; %s ld.%s.%s %s, [%%d1+%u]; mad.lo.u64 %%d9, %%d9, 31, %%d8; "
                           "cvt.u64.u32 %%d2, %%r8; add.u64 %%d9, %%d9, %%d2; cvt.u64.u16 %%d2, %%h1; add.u64 %%d9, "
                           "%%d9, %%d2;\n",
                           some ? "@%q0" : "", spaces[i], kinds[k].type[0] == 's' ? "u8" : kinds[k].type,
                           some && kinds[k].bytes < 16 ? kinds[k].bytes : 0, kinds[k].reg, some ? "@!%q0" : "",
                           spaces[i], kinds[k].type, kinds[k].reg, 0u);
        }
    str_add(&text, "shr.u64 %d8, %d9, 32; xor.b64 %d9, %d9, %d8; cvt.u32.u64 %r7, %d9; ld.param.u64 %d4, [p]; "
                   "mul.wide.u32 %d5, %r1, 4; "
                   "add.u64 %d4, %d4, %d5; st.global.u32 [%d4], %r7; ret;\n}\n");
    is_the_same_natively(str_text(&text), text.len, stored);
    str_free(&text);
}

/* Lanes of every warp skip a loop, and its first turns are a block each: native code goes on with those that do not when the next turn begins. */
static void lanes_that_part_come_back(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q<3>; .reg .b32 %r<8>; .reg .b64 %d<3>;\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 7; and.b32 %r4, %r1, 3; ld.param.u64 %d1, [p];\n"
        "mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; setp.eq.u32 %q0, %r4, 0; @%q0 bra END;\n"
        "LOOP: mad.lo.u32 %r3, %r3, 31, %r1; setp.gt.u32 %q1, %r4, 1; @%q1 bra ODD; xor.b32 %r3, %r3, %r2;\n"
        "ODD: add.u32 %r2, %r2, 1; setp.lt.u32 %q2, %r2, 40; @%q2 bra LOOP;\n"
        "END: st.global.u32 [%d1], %r3; ret;\n}\n";
    uint32_t stored[2][256];
    (void)state;
    Ran interpreted = launch(EMU_INTERPRETER, text, sizeof text - 1, 256, stored[0]);
    Ran native      = launch(EMU_JIT, text, sizeof text - 1, 256, stored[1]);
    for (uint32_t t = 0; t < 256; t++) {
        uint32_t x = 7;
        for (uint32_t i = 0; i < 40 && t % 4; i++)
            x = (x * 31 + t) ^ (t % 4 > 1 ? 0 : i);
        assert_int_equal(stored[0][t], x);
        assert_int_equal(stored[1][t], x);
    }
    assert_int_equal(native.spent, interpreted.spent);
    if (!emu_native_missing())
        assert_true(native.compiled > native.spent / 10 * 9);
}

/* The same without a loop: what is left out at the end of most kernels. */
static void lanes_that_part_for_once_come_back(void **state)
{
    uint32_t stored[2][256];
    Str      text = {0};
    (void)state;
    str_add(&text, ".version 8.0\n.target sm_90\n.address_size 64\n"
                   ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q; .reg .b32 %r<5>; .reg .b64 %d<3>;\n"
                   "mov.u32 %r1, %tid.x; mov.u32 %r3, 7; and.b32 %r4, %r1, 31; ld.param.u64 %d1, [p];\n"
                   "mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; setp.gt.u32 %q, %r4, 20; @%q bra END;\n");
    for (int i = 0; i < 100; i++)
        str_add(&text, "mad.lo.u32 %r3, %r3, 31, %r1;\n");
    str_add(&text, "st.global.u32 [%d1], %r3; END: ret;\n}\n");
    Ran interpreted = launch(EMU_INTERPRETER, str_text(&text), text.len, 256, stored[0]);
    Ran native      = launch(EMU_JIT, str_text(&text), text.len, 256, stored[1]);
    for (uint32_t t = 0; t < 256; t++) {
        uint32_t x = 7;
        for (uint32_t i = 0; i < 100; i++)
            x = x * 31 + t;
        assert_int_equal(stored[0][t], t % 32 > 20 ? 0 : x);
        assert_int_equal(stored[1][t], stored[0][t]);
    }
    assert_int_equal(native.spent, interpreted.spent);
    if (!emu_native_missing())
        assert_true(native.compiled > native.spent / 10 * 9);
    str_free(&text);
}

/* A kernel that is much too short for clang runs the native code that an earlier process left in the cache; without that it does not. */
static void what_the_cache_has_is_found_soon(void **state)
{
    char     folder[] = "/tmp/warpwright-test-XXXXXX", remove[64];
    Str      text     = {0};
    uint32_t stored[32], blocks = 600; /* of a thousand instructions and more */
    (void)state;
    if (emu_native_missing())
        return;
    const char *was = getenv(CACHE_VARIABLE);
    char       *had = was ? strdup(was) : NULL;
    assert_non_null(mkdtemp(folder));
    setenv(CACHE_VARIABLE, folder, 1);
    str_add(&text, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                   ".reg .pred %q; .reg .b32 %r<4>; .reg .b64 %d;\n"
                   "ld.param.u64 %d, [p]; mov.u32 %r0, 0; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\nLOOP:\n");
    write_adds(&text, 50);
    str_add(&text, "add.u32 %r2, %r2, 1; setp.lt.u32 %q, %r2, 20; @%q bra LOOP; st.global.u32 [%d], %r0; ret;\n}\n");
    Ran before = launch_blocks(EMU_AUTO, str_text(&text), text.len, blocks, 32, stored);
    launch_blocks(EMU_JIT, str_text(&text), text.len, 1, 32, stored);
    Ran after = launch_blocks(EMU_AUTO, str_text(&text), text.len, blocks, 32, stored);
    assert_int_equal(before.compiled, 0);
    assert_true(after.compiled > after.spent / 4);
    assert_int_equal(before.spent, after.spent);
    assert_int_equal(before.stored, after.stored);
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    assert_int_equal(system(remove), 0);
    had ? setenv(CACHE_VARIABLE, had, 1) : unsetenv(CACHE_VARIABLE);
    free(had);
    str_free(&text);
}

static void a_clang_that_fails_is_told(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpwright-test-XXXXXX", file[64];
    if (emu_native_missing())
        return;
    Ran native = run(EMU_JIT, 21, 0);
    assert_null(native.why);
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/clang", folder);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs("#!/bin/sh\nexit 1\n", f);
    assert_int_equal(fchmod(fileno(f), 0700), 0);
    fclose(f);
    setenv("PATH", folder, 1);
    setenv(CACHE_VARIABLE, "off", 1);
    Ran failed = run(EMU_JIT, 21, 0);
    assert_string_equal(failed.why, "clang failed at its native code");
    assert_int_equal(failed.stored, native.stored);
    assert_null(run(EMU_INTERPRETER, 21, 0).why);
    unlink(file);
    rmdir(folder);
}

/* Lanes 16 to 31 wait in the middle of a block, with values in registers, while the others go through its first half: what they write there must not be what
 * shares a place with those values.  Results are the same with and without operations that make the function large. */
static void what_waits_keeps_its_registers(void **state)
{
    static const char *const body =
        "mov.u32 %r2, %tid.x; setp.gt.u32 %p, %r2, 15; mov.u32 %r3, flag;\n"
        "@%p bra both;\n"
        "spin: ld.volatile.shared.u32 %r4, [%r3]; setp.eq.u32 %q, %r4, 0; @%q bra spin;\n"
        "both: cvt.u16.u32 %h0, %r2; add.u16 %h1, %h0, 1; cvt.u32.u16 %r5, %h1; mul.wide.u32 %d1, %r5, 3; cvt.u32.u64 "
        "%r6, %d1;\n"
        "cvt.u8.u32 %c0, 77; cvt.u16.u32 %h2, 500; add.u32 %r7, %r6, 1000; cvt.u64.u32 %d2, %r7;\n"
        "st.volatile.shared.u32 [%r3], 1; bar.warp.sync 0xffffffff;\n"
        "cvt.u32.u8 %r8, %c0; cvt.u32.u16 %r9, %h2; cvt.u32.u64 %r10, %d2; add.u32 %r11, %r8, %r9; add.u32 %r11, %r11, "
        "%r10;\n"
        "mad.wide.u32 %d3, %r2, 4, %d; st.global.u32 [%d3], %r11;\n";
    uint32_t stored[32];
    (void)state;
    for (unsigned adds = 0; adds <= 1000; adds += 1000) {
        Str text = {0};
        str_add(&text, ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .u32 flag;\n"
                       ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p, %q; .reg .b8 %c<4>; .reg .b16 %h<4>; .reg "
                       ".b32 %r<16>; .reg .b64 %d, %d<4>;\n"
                       "ld.param.u64 %d, [p]; mov.u32 %r0, 0; mov.u32 %r1, %tid.x;\n");
        write_adds(&text, adds);
        str_printf(&text, "%sret;\n}\n", body);
        launch(EMU_INTERPRETER, str_text(&text), text.len, 32, stored);
        str_free(&text);
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(stored[i], 77 + 500 + (i + 1) * 3 + 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_too_large_is_told),      cmocka_unit_test(how_much_ran_is_told),
        cmocka_unit_test(warps_take_turns_at_barriers),   cmocka_unit_test(lanes_divide_between_multiples),
        cmocka_unit_test(modes_of_rows_stay_theirs),      cmocka_unit_test(doubles_are_tried_without_nans),
        cmocka_unit_test(what_waits_keeps_its_registers), cmocka_unit_test(what_the_cache_has_is_found_soon),
        cmocka_unit_test(atomics_go_lane_by_lane),        cmocka_unit_test(lanes_lie_anywhere),
        cmocka_unit_test(lanes_that_part_come_back),      cmocka_unit_test(lanes_that_part_for_once_come_back),
        cmocka_unit_test(a_clang_that_fails_is_told)}; /* the last: nobody finds clang from then on */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
