/* SPDX-License-Identifier: Apache-2.0
 *
 * An instruction of which nothing is known: each check that looks at a program's text takes it for one that may do anything.  Every
 * question is asked twice of one kernel, with `not` at a place and with a new instruction there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/origin.h"
#include "check/perf/adjacent.h"
#include "check/race/race.h"
#include "ptx/merge.h"
#include "ptx/op.h"
#include "ptx/traits.h"
#include "ptx/unset.h"
#include "ptx_text.h"

static const char text[] = ".version 8.5\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p)\n{\n"
                           ".reg .b32 a, b, c, d, e, v;\n.reg .b64 x, y;\n.shared .align 16 .b8 s[64];\n"
                           "ld.param.u64 x, [p];\n"
                           "mov.u32 c, s;\n"
                           "ld.global.u32 a, [x];\n"
                           "ld.shared.u32 d, [c];\n"
                           "ld.volatile.global.u32 v, [x+64];\n"
                           "not.b32 e, v;\n"
                           "ld.global.u32 b, [x+4];\n"
                           "ld.shared.u32 e, [c+4];\n"
                           "st.global.u32 [x+16], v;\n"
                           "not.b64 y, y;\n"
                           "add.u64 y, x, 8;\n"
                           "ld.global.u32 a, [y];\n"
                           "ret;\n}\n";
enum { VOLATILE = 4, NOT32 = 5, LOAD_SHARED = 7, NOT64 = 9, LAST_LOAD = 11 };

static const Opcode unknown = {.text = "novel.b32", .op = OP_NONE, .ntypes = 1, .types = {TY_B32}};

static bool is_pointer(void *user, uint32_t offset)
{
    (void)user;
    return offset == 0;
}

static size_t runs_of_two(const Func *f)
{
    AdjacentRuns *r = adjacent_runs(f);
    size_t        n = r->nruns;
    adjacent_free(r);
    return n;
}

static uint32_t nowhere(const void *user, const Var *v)
{
    (void)user, (void)v;
    return 0;
}

static bool merged(const Func *f)
{
    uint32_t role[32];
    Arena   *a = arena_new();
    merge_plan(f, cfg_build(a, f), nowhere, NULL, role);
    arena_free(a);
    return role[LOAD_SHARED] & MERGE_PAIR;
}

static uint32_t unset(const Func *f)
{
    Arena   *a = arena_new();
    uint32_t n;
    ptx_unset(a, f, cfg_build(a, f), &n);
    arena_free(a);
    return n;
}

static OriginKind origin(const Func *f)
{
    Arena     *a    = arena_new();
    OriginKind kind = origins_of(a, f, is_pointer, NULL)[LAST_LOAD].kind;
    arena_free(a);
    return kind;
}

static void test_new_row(void **state)
{
    (void)state;
    Str     first = {0};
    Module *m     = text_parse(text, sizeof text - 1, &first);
    if (!m)
        fail_msg("%s", str_text(&first));
    Func  *f  = m->funcs[0];
    Instr *in = f->instrs;
    assert_int_equal(runs_of_two(f), 1);
    assert_true(merged(f));
    assert_true(op_only_looks(&in[NOT32]));
    assert_false(race_has_flags(m, f));
    assert_true(race_is_payload(f, &in[VOLATILE])); /* it is stored and decides nothing */
    const Opcode *not32 = in[NOT32].op;
    in[NOT32].op        = &unknown;
    assert_int_equal(runs_of_two(f), 0); /* it may wait for somebody who writes */
    assert_false(merged(f));
    assert_false(op_only_looks(&in[NOT32]));
    assert_true(race_has_flags(m, f));
    assert_false(race_is_payload(f, &in[VOLATILE])); /* it may jump where the value says */

    in[NOT32].op = not32;
    assert_int_equal(unset(f), 1);                           /* y */
    in[NOT64].opd[1].reg = in[NOT64 - 1].opd[0].elem[0].reg; /* not.b64 y, x */
    assert_int_equal(unset(f), 0);
    assert_int_equal(origin(f), ORIGIN_MANY);
    in[NOT64].op = in[1].op; /* mov */
    assert_int_equal(origin(f), ORIGIN_PARAM);
    in[NOT64].op = &unknown;
    assert_int_equal(unset(f), 1); /* it may read what y held */
    assert_int_equal(origin(f), ORIGIN_MANY);
    in[NOT64].opd[1].reg = in[NOT32].opd[0].reg; /* even if no address goes in */
    assert_int_equal(origin(f), ORIGIN_MANY);
    ptx_module_free(m);
    str_free(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_new_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
