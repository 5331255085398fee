/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands in for machine code where there is no assembler: words, their order and their waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "check/time/order.h"
#include "check/time/pressure.h"
#include "check/time/standin.h"
#include "ptx_text.h"

enum { MOST = 128, DEPENDENT = 4, NEAR = 20, SHARED = 30, GLOBAL = 300 };

static bool none_gone(void *user, uint32_t id)
{
    (void)user;
    (void)id;
    return false;
}

static bool fourth_gone(void *user, uint32_t id)
{
    (void)user;
    return id == 3;
}

/* Words of the kernel, in order: "LDG LDG IADD3"; a jump with its distance. */
static void words_of(const char *text, bool (*gone)(void *, uint32_t), Str *got)
{
    Arena      *a = arena_new();
    Module     *m;
    StandIn     s;
    const Func *f = text_function(text, &m);
    assert_non_null(f);
    EmuInstr *instr = ARENA_ARRAY(a, EmuInstr, f->ninstrs + 1);
    for (uint32_t i = 0; i < f->ninstrs; i++)
        instr[i] = (EmuInstr){.func = f, .in = &f->instrs[i]};
    StandInInput in = {instr, (uint32_t)f->ninstrs, {DEPENDENT, NEAR, SHARED, GLOBAL}, gone, NULL};
    standin_make(a, &in, &s);
    for (size_t i = 0; i < s.words; i++) {
        str_printf(got, "%s%s", i ? " " : "", s.word[i].name);
        if (s.word[i].jump)
            str_printf(got, "%+d", (int)s.word[i].jump);
    }
    arena_free(a);
    ptx_module_free(m);
}

static void expect(const char *text, const char *want)
{
    Str got = {0};
    words_of(text, none_gone, &got);
    assert_string_equal(str_text(&got), want);
    str_free(&got);
}

#define HEAD                                                                                                           \
    ".entry k(.param .u64 q)\n{\n.reg .pred p, s;\n.reg .b32 a, b, c, d;\n.reg .f32 f, g, h;\n.reg .f64 u, v;\n.reg "  \
    ".b64 "                                                                                                            \
    "x, y, z;\n.shared .align 8 .f64 w[4];\n"
#define KERNEL(body, want) expect(HEAD body "}\n", want)

static void one_by_one(void **state)
{
    (void)state;
    KERNEL("ret;", "EXIT");
    KERNEL("add.u32 a, b, c; st.global.u32 [x], a; ret;", "IADD3 STG EXIT");
    KERNEL("add.u64 y, x, z; st.global.u64 [y], x; ret;", "IADD3 IADD3 STG EXIT");
    KERNEL("fma.rn.f32 f, g, h, f; st.shared.f32 [a], f; ret;", "FFMA STS EXIT");
    KERNEL("ex2.approx.ftz.f32 f, g; cvt.rzi.s32.f32 a, f; st.global.u32 [x], a; ret;", "MUFU F2I STG EXIT");
    KERNEL("mov.u32 a, %tid.x; st.global.u32 [x], a; ret;", "S2R STG EXIT");
    KERNEL("ld.global.v4.f32 {f, g, h, f}, [x]; st.global.f32 [y], f; ret;", "LDG STG EXIT");
    KERNEL("bar.sync 0; ret;", "BAR EXIT");
}

/* What an assembler makes one instruction. */
static void together(void **state)
{
    (void)state;
    KERNEL("ld.param.u64 x, [q]; cvta.to.global.u64 y, x; add.s64 z, y, 16; st.global.u32 [z], a; ret;",
           "LDC STG EXIT");
    KERNEL("mul.wide.s32 y, a, 4; add.s64 z, x, y; st.global.u32 [z], a; ret;", "IMAD STG EXIT");
    KERNEL("cvt.u64.u32 y, a; shl.b64 z, y, 2; add.s64 x, x, z; st.global.u32 [x], a; ret;", "IMAD STG EXIT");
    KERNEL("shl.b32 b, a, 2; add.s32 c, b, d; st.shared.u32 [c], a; ret;", "IADD3 STS EXIT");
    KERNEL("mov.u32 a, 1; st.global.u32 [x], a; ret;", "STG EXIT");
    Str got = {0};
    words_of(
        HEAD
        "ld.shared.f32 f, [a]; ld.shared.f32 g, [a + 4]; add.f32 h, f, g; ld.shared.f32 f, [a + 8]; add.f32 h, h, f; "
        "st.global.f32 [x], h; ret;\n}\n",
        fourth_gone, &got); /* another load brings it */
    assert_string_equal(str_text(&got), "LDS LDS FFMA FFMA STG EXIT");
    str_free(&got);
}

/* Loads go first, but not before a store that may be to the same place, nor across a barrier or a branch around a routine. */
static void order(void **state)
{
    (void)state;
    KERNEL("add.f32 f, g, h; ld.global.f32 g, [x]; add.f32 f, f, g; ld.global.f32 h, [y]; add.f32 f, f, h; "
           "st.global.f32 [z], f; ret;",
           "LDG LDG FFMA FFMA FFMA STG EXIT");
    KERNEL("st.global.f32 [x], f; ld.global.f32 g, [y]; st.global.f32 [z], g; ret;", "STG LDG STG EXIT");
    KERNEL("add.f32 f, f, f; st.global.f32 [x], f; ld.global.nc.f32 g, [y]; st.global.f32 [z], g; ret;",
           "LDG FFMA STG STG EXIT");
    KERNEL("st.shared.f32 [a], f; bar.sync 0; ld.shared.f32 g, [b]; st.global.f32 [z], g; ret;",
           "STS BAR LDS STG EXIT");
    KERNEL("div.rn.f32 f, g, h; ld.global.f32 g, [x]; add.f32 f, f, g; st.global.f32 [x], f; ret;",
           "MUFU BSSY FFMA FFMA FFMA FFMA FFMA FFMA FCHK BRA LDG BSYNC FFMA STG EXIT");
}

static void jumps(void **state)
{
    (void)state;
    /* lanes that part meet again; at the end they need not */
    KERNEL("ld.global.u32 a, [x]; setp.eq.u32 p, a, 1; @p bra l; bar.sync 0; l: st.global.u32 [x], c; ret;",
           "LDG BSSY ISETP BRA+1 BAR BSYNC STG EXIT");
    KERNEL("ld.global.u32 a, [x]; setp.eq.u32 p, a, 1; @p bra l; bar.sync 0; l: ret;", "LDG ISETP BRA+1 BAR EXIT");
    /* a few instructions are guarded, and what is behind them is not waited for */
    KERNEL(
        "ld.global.u32 a, [x]; setp.eq.u32 p, a, 1; @p bra l; add.u32 b, a, 1; l: ld.global.u32 c, [y]; st.global.u32 "
        "[x], c; ret;",
        "LDG LDG ISETP STG IADD3 EXIT");
    /* a loop that counts is written out four times, and once for the rest */
    KERNEL("mov.u32 a, 0; l: st.global.u32 [x], b; add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra l; ret;",
           "MOV IADD3 STG STG STG ISETP STG BRA-7 IADD3 STG ISETP BRA-4 EXIT");
    /* not one whose rounds it decides itself */
    KERNEL("l: ld.volatile.global.u32 a, [x]; setp.eq.u32 p, a, 1; @p bra l; ret;", "LDG ISETP BRA-3 EXIT");
}

static void swaps(void **state)
{
    (void)state;
    Str         got = {0};
    Arena      *a   = arena_new();
    Module     *m;
    StandIn     s;
    const Func *f = text_function(HEAD "red.shared.add.f64 [w], u; ret;\n}\n", &m);
    assert_non_null(f);
    EmuInstr instr[2] = {{.func = f, .in = &f->instrs[0], .merges = 0x400}, {.func = f, .in = &f->instrs[1]}};
    standin_make(a, &(StandInInput){instr, 2, {DEPENDENT, NEAR, SHARED, GLOBAL}, none_gone, NULL}, &s);
    for (size_t i = 0; i < s.words; i++)
        str_printf(&got, "%s ", s.word[i].name);
    assert_string_equal(str_text(&got), "LDS DADD ATOMS ISETP BRA EXIT ");
    assert_int_equal(s.word[4].jump, -4);
    str_free(&got);
    arena_free(a);
    ptx_module_free(m);
}

/* Two loads, a sum of both, a sum of that: fixed latencies become stalls, others barriers. */
static void waits(void **state)
{
    (void)state;
    OrderNode       n[4]   = {{.latency = GLOBAL, .tells = true, .barrier = 2},
                              {.latency = GLOBAL, .tells = true, .barrier = 3},
                              {.latency = DEPENDENT, .first = 0, .needs = 2},
                              {.latency = DEPENDENT, .first = 2, .needs = 1}};
    const OrderEdge edge[] = {{0, true}, {1, true}, {2, true}};
    SassWord        word[4];
    uint32_t        line[4];
    size_t          words = 0;
    for (unsigned i = 0; i < 4; i++) {
        assert_true(sass_named("FADD", 4, &n[i].word));
        n[i].line = i;
    }
    Arena *a = arena_new();
    order_block(a, n, 4, edge, word, line, &words);
    assert_int_equal(words, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(line[i], i);
    assert_int_equal(word[0].writes, 2);
    assert_int_equal(word[1].writes, 3);
    assert_int_equal(word[2].waits, 1 << 2 | 1 << 3);
    assert_int_equal(word[3].waits, 0);
    assert_int_equal(word[1].stall, 1);
    assert_int_equal(word[2].stall, DEPENDENT);
    arena_free(a);
}

static void pressure(void **state)
{
    (void)state;
    Module     *m;
    const Func *f =
        text_function(HEAD "ld.global.u32 a, [x]; ld.global.u32 b, [x]; add.u32 c, a, b; st.global.u32 [x], c; "
                           "ret;\n}\n",
                      &m);
    assert_int_equal(pressure_of(f), 4); /* x, a, b; then x, c */
    ptx_module_free(m);
    f = text_function(HEAD
                      "ld.global.f64 u, [x]; l: ld.global.f64 v, [y]; add.f64 v, v, u; st.global.f64 [y], v; bra l; "
                      "ret;\n}\n",
                      &m);
    assert_int_equal(pressure_of(f), 6); /* u lives as long as the loop */
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_by_one), cmocka_unit_test(together), cmocka_unit_test(order),   cmocka_unit_test(jumps),
        cmocka_unit_test(swaps),      cmocka_unit_test(waits),    cmocka_unit_test(pressure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
