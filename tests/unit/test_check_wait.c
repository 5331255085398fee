/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that wait for the clock: for how many clocks, as far as it can be seen, and which ones do not wait for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "check/time/wait.h"
#include "ptx_text.h"

#define HEAD                                                                                                           \
    ".version 8.5\n.target sm_90\n.entry k(.param .u64 n, .param .s32 m)\n{\n.reg .pred p, q;\n.reg .b32 r<9>;\n"      \
    ".reg .b64 d<9>;\nld.param.u64 d0, [n];\nld.param.s32 r0, [m];\nmov.u64 d1, %clock64;\n"

static const int64_t n = 5000;
static const int32_t m = -7;

/* Of the only loop of the kernel. */
static int waits(const char *body, bool known)
{
    const void *args[] = {&n, &m};
    Str         text = {0}, first = {0};
    Arena      *a = arena_new();
    double      clocks[4];
    str_printf(&text, "%s%s}\n", HEAD, body);
    Module *mod = text_parse(text.s, text.len, &first);
    if (!mod)
        print_error("%s\n", str_text(&first));
    assert_non_null(mod);
    Cfg *c = cfg_build(a, mod->funcs[0]);
    assert_int_equal(c->nloops, 1);
    wait_clocks(&(WaitInput){mod->funcs[0], c, known ? args : NULL, 2000}, clocks);
    ptx_module_free(mod);
    arena_free(a);
    str_free(&text);
    str_free(&first);
    return (int)clocks[0];
}

#define SPAN "l: mov.u64 d2, %clock64; sub.s64 d3, d2, d1;\n"

static void spans(void **state)
{
    (void)state;
    assert_int_equal(waits(SPAN "setp.lt.s64 p, d3, 300; @p bra l; ret;\n", true), 300);
    assert_int_equal(waits(SPAN "setp.lt.s64 p, d3, d0; @p bra l; ret;\n", true), n);
    assert_int_equal(waits(SPAN "setp.le.s64 p, d0, d3; @!p bra l; ret;\n", true), n);
    assert_int_equal(waits(SPAN "add.s64 d3, d3, 100; setp.lt.s64 p, d3, d0; @p bra l; ret;\n", true), n - 100);
    assert_int_equal(
        waits(SPAN "cvt.s64.s32 d4, r0; add.s64 d5, d4, d0; setp.lt.s64 p, d3, d5; @p bra l; ret;\n", true), n + m);
    assert_int_equal(waits(SPAN "and.b64 d4, d3, 4294967295; setp.lt.s64 p, d4, d0; @p bra l; ret;\n", true), n);
    assert_int_equal(
        waits("mov.u32 r1, %clock; l: mov.u32 r2, %clock; sub.s32 r3, r2, r1; setp.lt.u32 p, r3, 70; @p bra l; ret;\n",
              true),
        70);
}

static void moments(void **state)
{
    (void)state;
    assert_int_equal(
        waits("add.s64 d3, d1, d0; l: mov.u64 d2, %clock64; setp.lt.s64 p, d2, d3; @p bra l; ret;\n", true), n);
    assert_int_equal(waits("mov.u64 d4, %globaltimer; add.s64 d3, d4, 1000;\n"
                           "l: mov.u64 d2, %globaltimer; setp.lt.s64 p, d2, d3; @p bra l; ret;\n",
                           true),
                     2000);
    assert_int_equal(
        waits("add.s64 d3, d1, 9; l: mov.u64 d2, %globaltimer; setp.lt.s64 p, d2, d3; @p bra l; ret;\n", true), 0);
}

/* Other ways out, bounds that nobody knows, and loops that only look at the clock. */
static void others(void **state)
{
    (void)state;
    assert_int_equal(waits(SPAN "setp.lt.s64 p, d3, d0; @p bra l; ret;\n", false), 0);
    assert_int_equal(waits(SPAN "setp.lt.s64 p, d3, 0; @p bra l; ret;\n", true), 0);
    assert_int_equal(waits(SPAN "ld.global.u64 d4, [d0]; setp.lt.s64 p, d3, d4; @p bra l; ret;\n", true), 0);
    assert_int_equal(
        waits(SPAN
              "ld.global.u32 r1, [d0]; setp.eq.s32 q, r1, 0; @q bra e; setp.lt.s64 p, d3, 300; @p bra l;\ne: ret;\n",
              true),
        0);
    assert_int_equal(
        waits(SPAN "ld.global.u32 r1, [d0]; setp.eq.s32 q, r1, 0; @q ret; setp.lt.s64 p, d3, 300; @p bra l; ret;\n",
              true),
        0);
    assert_int_equal(waits("mov.u32 r1, 0; l: mov.u64 d2, %clock64; st.global.u64 [d0], d2; add.s32 r1, r1, 1; "
                           "setp.lt.s32 p, r1, 9; @p bra l; ret;\n",
                           true),
                     0);
    assert_int_equal(
        waits("sub.s64 d3, d1, d1; l: mov.u64 d2, %clock64; setp.lt.s64 p, d3, 300; @p bra l; ret;\n", true), 0);
    assert_int_equal(
        waits("mov.u64 d2, 5; l: @q mov.u64 d2, %clock64; sub.s64 d3, d2, d1; setp.lt.s64 p, d3, 300; @p bra l; ret;\n",
              true),
        0);
    assert_int_equal(waits("l: mov.u64 d2, %clock64; sub.s64 d3, d2, d1; mov.b64 {r1, r2}, d3; mov.b64 d4, {r1, r2};\n"
                           "setp.lt.s64 p, d4, 300; @p bra l; ret;\n",
                           true),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spans), cmocka_unit_test(moments), cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
