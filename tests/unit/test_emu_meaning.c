/* SPDX-License-Identifier: Apache-2.0
 *
 * What instructions mean: results worked out by hand from the PTX manual, independent of the rows' expressions.  All cases run
 * in one kernel, from PTX text through parser and lowering, so operands, modifiers and destinations are covered too.
 *
 * A case:  opcode, shape, inputs, expected result.  Shape "r=rr": letters of the destination and of the sources:
 *     h r d   register of 16, 32, 64 bits          p   predicate (1 or 0)
 *     i       the input as an immediate            2   d|q pair of predicates, result is p + 2 q
 * An opcode with a '%' in it is the code itself: sources are %r1 %d2 ..., the result is %r0 and so on.  */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "warpwright/warpwright.h"

typedef struct Case {
    const char *op, *shape;
    uint64_t    in[4], out;
} Case;

static const Case cases[] = {
#include "meaning_cases.def"
};

enum { COUNT = sizeof cases / sizeof *cases };

static const char *reg_name(char shape)
{
    switch (shape) {
    case 'h': return "h";
    case 'r': return "r";
    case 'd': return "d";
    default: return "p";
    }
}

static void put_operation(Str *t, const Case *c, const char *in)
{
    str_printf(t, "  %s ", c->op);
    if (c->shape[0] == '2')
        str_add(t, "%p0|%q0");
    else
        str_printf(t, "%%%s0", reg_name(c->shape[0]));
    for (unsigned k = 0; in[k]; k++)
        if (in[k] == 'i')
            str_printf(t, ", %lld", (long long)c->in[k]);
        else
            str_printf(t, ", %%%s%u", reg_name(in[k]), k + 1);
    str_add(t, ";\n");
}

static void put_case(Str *t, const Case *c, unsigned index)
{
    const char *in = c->shape + 2;
    for (unsigned k = 0; in[k]; k++) {
        unsigned long long v = c->in[k];
        if (in[k] == 'h')
            str_printf(t, "  mov.b16 %%h%u, %llu;\n", k + 1, v & 0xffff);
        else if (in[k] == 'r')
            str_printf(t, "  mov.b32 %%r%u, %llu;\n", k + 1, v & 0xffffffffu);
        else if (in[k] == 'd')
            str_printf(t, "  mov.b64 %%d%u, %llu;\n", k + 1, v);
        else if (in[k] == 'p')
            str_printf(t, "  setp.ne.u32 %%p%u, %u, 0;\n", k + 1, (unsigned)v);
    }
    if (strchr(c->op, '%'))
        str_printf(t, "  %s\n", c->op);
    else
        put_operation(t, c, in);
    switch (c->shape[0]) {
    case 'h': str_add(t, "  cvt.u64.u16 %x, %h0;\n"); break;
    case 'r': str_add(t, "  cvt.u64.u32 %x, %r0;\n"); break;
    case 'd': str_add(t, "  mov.b64 %x, %d0;\n"); break;
    case 'p': str_add(t, "  selp.b64 %x, 1, 0, %p0;\n"); break;
    default: str_add(t, "  selp.b64 %x, 1, 0, %p0;\n  selp.b64 %y, 2, 0, %q0;\n  or.b64 %x, %x, %y;\n"); break;
    }
    str_printf(t, "  st.global.u64 [%%out+%u], %%x;\n", 8 * index);
}

static void run_cases(const char *simd)
{
    Str t = {0};
    str_add(&t, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                "  .reg .b16 %h<6>;\n  .reg .b32 %r<6>;\n  .reg .b64 %d<6>, %x, %y, %out;\n  .reg .pred %p<6>, %q0;\n"
                "  ld.param.u64 %out, [out];\n");
    for (unsigned i = 0; i < COUNT; i++)
        put_case(&t, &cases[i], i);
    str_add(&t, "  ret;\n}\n");
    const WwDeviceOptions options = {.simd = simd, .threads = 1};
    WwDevice             *d;
    WwModule             *m;
    WwPtr                 out;
    const char           *why = NULL;
    uint64_t             *got = calloc(COUNT, 8);
    if (ww_device_open("emulator", &options, &d, &why) != WW_OK)
        fail_msg("%s", why);
    if (ww_module_load(d, "meaning.ptx", str_text(&t), t.len, &m) != WW_OK)
        fail_msg("%s", ww_device_error(d));
    assert_int_equal(ww_alloc(d, 8 * COUNT, &out), WW_OK);
    void    *args[] = {&out};
    WwLaunch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args, .arg_count = 1};
    if (ww_launch(d, m, "k", &launch, NULL) != WW_OK)
        fail_msg("%s", ww_device_error(d));
    assert_int_equal(ww_copy_out(d, got, out, 8 * COUNT), WW_OK);
    unsigned bad = 0;
    for (unsigned i = 0; i < COUNT; i++)
        if (got[i] != cases[i].out && ++bad)
            print_error("%s: %s (%s) of %llx %llx %llx %llx gave %llx, expected %llx\n", simd, cases[i].op,
                        cases[i].shape, (unsigned long long)cases[i].in[0], (unsigned long long)cases[i].in[1],
                        (unsigned long long)cases[i].in[2], (unsigned long long)cases[i].in[3],
                        (unsigned long long)got[i], (unsigned long long)cases[i].out);
    assert_int_equal(bad, 0);
    free(got);
    str_free(&t);
    ww_module_unload(d, m);
    ww_device_close(d);
}

static void test_meaning(void **state)
{
    (void)state;
    static const char *const levels[] = {"avx512", "avx2", "baseline"};
    unsigned                 ran      = 0;
    for (unsigned i = 0; i < 3; i++) {
        const WwDeviceOptions options = {.simd = levels[i]};
        WwDevice             *d;
        if (ww_device_open("emulator", &options, &d, NULL) != WW_OK)
            continue;
        ww_device_close(d);
        run_cases(levels[i]);
        ran++;
    }
    assert_true(ran > 0);
    assert_true(COUNT >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meaning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
