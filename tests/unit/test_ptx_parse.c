/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parser makes of a text: constants, variables and their bytes, operands, scopes, labels, calls, places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx_text.h"

#define HEAD ".version 8.5\n.target sm_90a\n.address_size 64\n"

static Module *parse(const char *text)
{
    Str     first = {0};
    Module *m     = text_parse(text, strlen(text), &first);
    if (!m)
        print_error("%s\n", str_text(&first));
    assert_non_null(m);
    str_free(&first);
    return m;
}

static void header(void **state)
{
    (void)state;
    Module *m =
        parse(".version 7.10 // newer\n.target sm_75, debug, texmode_independent\n.file 3 \"a b.cu\", 12, 34\n");
    assert_int_equal(m->version_major, 7);
    assert_int_equal(m->version_minor, 10);
    assert_int_equal(m->sm, 75);
    assert_string_equal(m->target, "sm_75");
    assert_string_equal(m->target_options, ", debug, texmode_independent");
    assert_int_equal(m->address_size, 64);
    assert_int_equal(m->nfiles, 3);
    assert_null(m->files[0]);
    assert_string_equal(m->files[2], "a b.cu");
    assert_int_equal(m->file_time[2], 12);
    assert_int_equal(m->file_size[2], 34);
    ptx_module_free(m);
    m = parse(".version 99.9 .target sm_999f"); /* newer than anything known */
    assert_int_equal(m->sm, 999);
    ptx_module_free(m);
}

/* The value of a constant expression, as a .u64 variable gets it. */
static uint64_t eval(const char *expr)
{
    char     text[256];
    uint64_t v = 0;
    snprintf(text, sizeof text, HEAD ".global .u64 x = %s;", expr);
    Module *m = parse(text);
    memcpy(&v, m->vars[0]->init, 8);
    ptx_module_free(m);
    return v;
}

static void expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t     value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"7 - 2 - 1", 4},
        {"100 / 7 / 2", 7},
        {"-7 / 2", -3},
        {"-7 % 4", -3},
        {"7U / 2", 3},
        {"-1 / 2U", INT64_MAX},
        {"1 << 4 >> 1", 8},
        {"-16 >> 2", -4},
        {"(.u64) -16 >> 60", 15},
        {"1 << 64", 0},
        {"-1 >> 200", -1},
        {"~0", -1},
        {"!5", 0},
        {"!0", 1},
        {"-(-3)", 3},
        {"+4", 4},
        {"3 > 2", 1},
        {"3 < 2", 0},
        {"-1 < 0", 1},
        {"-1 < 0U", 0},
        {"2 <= 2", 1},
        {"2 >= 3", 0},
        {"2 == 2", 1},
        {"2 != 2", 0},
        {"6 & 3", 2},
        {"6 | 3", 7},
        {"6 ^ 3", 5},
        {"1 | 2 ^ 3 & 1", 3},
        {"1 && 0 || 1", 1},
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 0 ? 3 : 4", 4},
        {"0x10", 16},
        {"0X1F", 31},
        {"017", 15},
        {"0b101", 5},
        {"WARP_SZ / 2", 16},
        {"18446744073709551615", -1},
        {"-9223372036854775808", INT64_MIN},
        {"(.s64) 5U - 6 < 0", 1},
        {"1.5 > 1.0", 1},
        {"1.5 + 1.5 == 3.0", 1},
        {"-9223372036854775808 / -1", INT64_MIN},
        {"-9223372036854775808 % -1", 0},
        {"0U - 1 > 0", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t got = (int64_t)eval(cases[i].text);
        if (got != cases[i].value)
            print_error("%s: %lld\n", cases[i].text, (long long)got);
        assert_int_equal(got, cases[i].value);
    }
}

static void variables(void **state)
{
    (void)state;
    Module *m =
        parse(HEAD ".visible .global .align 32 .v2 .u16 a[2][3] = {{{1, 2}, {3, 4}}, {{5}}};\n"
                   ".extern .shared .align 16 .b8 dyn[];\n.const .f32 f[] = {1.0, 0f40000000, 0d4008000000000000};\n"
                   ".global .attribute(.managed) .f64 g = 0d3FF8000000000000;\n.global .b32 h, i[4];\n"
                   ".global .f16 j = 1.5;\n.global .bf16 k = 1.5;\n");
    const Var            *a      = ptx_find_var(m, "a");
    static const uint16_t want[] = {1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0}; /* a short row is not padded */
    assert_int_equal(a->bytes, 24);
    assert_int_equal(a->align, 32);
    assert_int_equal(a->ndim, 2);
    assert_int_equal(a->vec, 2);
    assert_int_equal(a->linkage, LINK_VISIBLE);
    assert_true(a->init_bytes <= 24);
    assert_memory_equal(a->init, want, a->init_bytes);
    assert_true(a->init_bytes >= 10);
    const Var *dyn = ptx_find_var(m, "dyn"), *f = ptx_find_var(m, "f");
    assert_int_equal(dyn->bytes, 0);
    assert_int_equal(dyn->space, SPACE_SHARED);
    assert_int_equal(dyn->linkage, LINK_EXTERN);
    static const float floats[] = {1, 2, 3};
    assert_int_equal(f->dim[0], 3);
    assert_int_equal(f->bytes, 12);
    assert_memory_equal(f->init, floats, 12);
    double g = 1.5;
    assert_true(ptx_find_var(m, "g")->managed);
    assert_memory_equal(ptx_find_var(m, "g")->init, &g, 8);
    assert_null(ptx_find_var(m, "h")->init);
    assert_int_equal(ptx_find_var(m, "i")->bytes, 16);
    assert_int_equal(ptx_find_var(m, "j")->init[1], 0x3e);
    assert_int_equal(ptx_find_var(m, "k")->init[1], 0x3f);
    assert_null(ptx_find_var(m, "nothing"));
    ptx_module_free(m);
}

static void addresses(void **state)
{
    (void)state;
    Module *m =
        parse(HEAD ".global .b32 b[8];\n.func f();\n"
                   ".global .u64 a[5] = {b, b+8, generic(b)+-4, f, 7};\n.global .u8 c[3] = {1, 0xff00(b+4), 2};\n");
    const Var *a = ptx_find_var(m, "a"), *c = ptx_find_var(m, "c");
    assert_int_equal(a->nrelocs, 4);
    assert_int_equal(a->relocs[1].offset, 8);
    assert_int_equal(a->relocs[1].addend, 8);
    assert_ptr_equal(a->relocs[1].var, ptx_find_var(m, "b"));
    assert_int_equal(a->relocs[2].addend, -4);
    assert_true(a->relocs[2].generic);
    assert_false(a->relocs[1].generic);
    assert_ptr_equal(a->relocs[3].func, ptx_find_func(m, "f"));
    assert_int_equal(a->init[32], 7);
    assert_int_equal(c->nrelocs, 1);
    assert_int_equal(c->relocs[0].bytes, 1);
    assert_int_equal(c->relocs[0].shift, 8);
    assert_int_equal(c->relocs[0].addend, 4);
    assert_int_equal(c->init[2], 2);
    ptx_module_free(m);
}

/* An .extern variable that is defined later is one variable. */
static void extern_then_defined(void **state)
{
    (void)state;
    Module *m = parse(HEAD ".extern .global .b32 x[];\n.global .u64 p = x;\n.visible .global .b32 x[2] = {1, 2};\n");
    assert_int_equal(m->nvars, 2);
    assert_int_equal(m->vars[0]->bytes, 8);
    assert_ptr_equal(m->vars[1]->relocs[0].var, m->vars[0]);
    ptx_module_free(m);
}

static void signatures(void **state)
{
    (void)state;
    Module *m = parse(
        HEAD ".func (.param .b32 r) f(.param .b64 a, .param .align 8 .b8 b[24]);\n"
             ".weak .entry k(.param .u64 .ptr .shared .align 16 p, .param .f32 q)\n.maxntid 64, 2\n.reqntid 8\n"
             ".minnctapersm 3\n.maxnreg 40\n.reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n"
             "{\nret;\n}\n.func (.param .b32 r) f(.param .b64 x, .param .align 8 .b8 y[24]) .noreturn { trap; }\n");
    assert_int_equal(m->nfuncs, 2);
    const Func *f = m->funcs[0], *k = m->funcs[1];
    assert_true(f->has_body);
    assert_true(f->noreturn);
    assert_int_equal(f->nrets, 1);
    assert_string_equal(f->params[1].name, "y");
    assert_int_equal(f->params[1].bytes, 24);
    assert_ptr_equal(f->params[1].func, f);
    assert_true(k->entry);
    assert_int_equal(k->linkage, LINK_WEAK);
    assert_true(k->params[0].is_ptr);
    assert_int_equal(k->params[0].ptr_space, SPACE_SHARED);
    assert_int_equal(k->params[0].ptr_align, 16);
    assert_int_equal(k->maxntid[0], 64);
    assert_int_equal(k->maxntid[1], 2);
    assert_int_equal(k->maxntid[2], 1);
    assert_int_equal(k->reqntid[0], 8);
    assert_int_equal(k->minnctapersm, 3);
    assert_int_equal(k->maxnreg, 40);
    assert_int_equal(k->reqnctapercluster[0], 2);
    assert_int_equal(k->maxclusterrank, 8);
    ptx_module_free(m);
}

#define REGS         ".reg .b32 %r<5>;\n.reg .b64 %rd<5>;\n.reg .f32 %f<5>;\n.reg .pred %p<5>;\n"
#define KERNEL(body) HEAD ".global .b32 g[4];\n.entry k(.param .u64 a)\n{\n" REGS body "\nret;\n}\n"

static void operands(void **state)
{
    (void)state;
    Module      *m  = parse(KERNEL("@!%p1 setp.eq.s32 %p2|_, %r1, -5;\n"
                                         "ld.global.v4.f32 {%f1, _, %f2, %f3}, [%rd1+-16];\n"
                                         "mov.u32 %r1, %tid.y;\nmov.u64 %rd1, g+8;\nst.global.u32 [g+4], 0xffffffff;\n"
                                         "fma.rn.f32 %f1, %f2, 0f3F800000, 2.5;\n.reg .v4 .f32 v;\nmov.f32 %f1, v.w;\n"
                                         "and.pred %p1, %p2, !%p3;\nld.global.u32 %r1, g[2];\n"));
    const Instr *in = m->funcs[0]->instrs;
    assert_string_equal(in[0].guard->name, "%p1");
    assert_true(in[0].guard_neg);
    assert_string_equal(in[0].op->text, "setp.eq.s32");
    assert_int_equal(in[0].line, 11);
    assert_int_equal(in[0].col, 1);
    assert_int_equal(in[0].nopd, 3);
    assert_int_equal(in[0].opd[0].kind, OPD_PAIR);
    assert_string_equal(in[0].opd[0].elem[0].reg->name, "%p2");
    assert_int_equal(in[0].opd[0].elem[1].kind, OPD_SINK);
    assert_int_equal(in[0].opd[2].ival, -5);
    assert_int_equal(in[0].opd[2].col, 31);
    assert_int_equal(in[1].opd[0].kind, OPD_VECTOR);
    assert_int_equal(in[1].opd[0].count, 4);
    assert_int_equal(in[1].opd[1].kind, OPD_MEM);
    assert_int_equal(in[1].opd[1].ival, -16);
    assert_string_equal(in[1].opd[1].elem[0].reg->name, "%rd1");
    assert_int_equal(in[2].opd[1].kind, OPD_SREG);
    assert_string_equal(in[2].opd[1].name, "tid.y");
    assert_int_equal(in[3].opd[1].kind, OPD_VAR);
    assert_int_equal(in[3].opd[1].ival, 8);
    assert_int_equal(in[4].opd[0].ival, 4);
    assert_int_equal(in[4].opd[0].elem[0].ival, 0);
    assert_int_equal(in[4].opd[1].ival, 0xffffffff);
    assert_false(in[4].opd[1].is_unsigned);
    assert_true(in[5].opd[2].is_f32);
    assert_int_equal(in[5].opd[2].fbits, 0x3f800000);
    assert_int_equal(in[5].opd[3].fbits, 0x4004000000000000);
    assert_int_equal(in[6].opd[1].part, 3);
    assert_true(in[7].opd[2].neg);
    assert_int_equal(in[8].opd[1].kind, OPD_MEM);
    assert_int_equal(in[8].opd[1].ival, 8);
    ptx_module_free(m);
}

/* Scopes give new registers of the same name, and give the old one back; the same opcode text is matched once. */
static void scopes(void **state)
{
    (void)state;
    Module *m = parse(KERNEL("mov.u32 %r1, 0;\n{ .reg .b32 %r<3>; mov.u32 %r1, 1; { .reg .b32 x; mov.u32 x, 2; } }\n"
                             "{ .reg .b32 x; mov.u32 x, 3; }\nmov.u32 %r1, 4;"));
    const Func *f = m->funcs[0];
    assert_int_equal(f->nregs, 25);
    assert_ptr_not_equal(f->instrs[0].opd[0].reg, f->instrs[1].opd[0].reg);
    assert_ptr_equal(f->instrs[0].opd[0].reg, f->instrs[4].opd[0].reg);
    assert_ptr_not_equal(f->instrs[2].opd[0].reg, f->instrs[3].opd[0].reg);
    assert_ptr_equal(f->instrs[0].op, f->instrs[3].op);
    for (uint32_t i = 0; i < f->nregs; i++)
        assert_int_equal(f->regs[i]->index, i);
    ptx_module_free(m);
}

/* The innermost label that is defined anywhere in its scope wins. */
static void labels(void **state)
{
    (void)state;
    Module      *m  = parse(KERNEL("bra L;\n{\nbra L;\nbra M;\nL: mov.u32 %r1, 1;\n}\nL: mov.u32 %r1, 2;\nM:\n"
                                         "ts: .branchtargets M, L, M;\nbrx.idx %r1, ts;\nend:"));
    const Func  *f  = m->funcs[0];
    const Instr *in = f->instrs;
    assert_int_equal(f->labels[in[0].opd[0].label].target, 4);
    assert_int_equal(f->labels[in[1].opd[0].label].target, 3);
    assert_int_equal(f->labels[in[2].opd[0].label].target, 5);
    assert_int_equal(in[5].opd[1].kind, OPD_NAME);
    const Label *ts = &f->labels[in[5].opd[1].ival];
    assert_string_equal(ts->name, "ts");
    assert_int_equal(ts->ntargets, 3);
    assert_int_equal(f->labels[ts->targets[0]].target, 5);
    assert_int_equal(f->labels[ts->targets[1]].target, 4);
    assert_ptr_equal(f->labels[ts->targets[0]].name, f->labels[ts->targets[2]].name);
    ptx_module_free(m);
}

static void calls(void **state)
{
    (void)state;
    Module *m =
        parse(HEAD ".func (.reg .u32 %o) r(.reg .u32 %i) { mov.u32 %o, %i; ret; }\n"
                   ".func (.param .b32 o) f(.param .b64 i);\n.entry k()\n{\n" REGS
                   "call (%r1), r, (7);\n{ .param .b32 y; .param .b64 x;\ncall.uni (y), f, (x);\n"
                   "p: .callprototype (.param .b32 _) _ (.param .b64 _);\ncall (y), %rd1, (x), p;\n}\nret;\n}\n");
    const Func *r = m->funcs[0], *k = m->funcs[2];
    assert_int_equal(r->nregs, 2);
    assert_ptr_equal(r->params[0].reg, r->instrs[0].opd[1].reg);
    const Operand *o = k->instrs[0].opd;
    assert_int_equal(k->instrs[0].nopd, 4);
    assert_int_equal(o[0].kind, OPD_LIST);
    assert_ptr_equal(o[1].func, r);
    assert_int_equal(o[2].elem[0].ival, 7);
    assert_int_equal(o[3].kind, OPD_NONE);
    o = k->instrs[2].opd;
    assert_int_equal(o[1].kind, OPD_REG);
    assert_int_equal(o[0].elem[0].kind, OPD_VAR);
    assert_int_equal(o[0].elem[0].var->space, SPACE_PARAM);
    assert_int_equal(o[3].kind, OPD_NAME);
    assert_int_equal(k->labels[o[3].ival].prototype->nparams, 1);
    assert_int_equal(k->nvars, 2);
    assert_ptr_equal(k->vars[0]->func, k);
    ptx_module_free(m);
}

static void places(void **state)
{
    (void)state;
    Module      *m  = parse(KERNEL("mov.u32 %r1, 0;\n.loc 1 10 3\nmov.u32 %r1, 1;\n"
                                         ".loc 2 84 5, function_name $n+4, inlined_at 1 10 3\nmov.u32 %r1, 2;\n"
                                         ".loc 2 85 6, function_name $n, inlined_at 7 8 9\nmov.u32 %r1, 3;"));
    const Instr *in = m->funcs[0]->instrs;
    assert_int_equal(in[0].srcloc, 0);
    const SrcLoc *s = &m->srclocs[in[1].srcloc - 1];
    assert_int_equal(s->file, 1);
    assert_int_equal(s->line, 10);
    assert_int_equal(s->col, 3);
    assert_int_equal(s->inlined_at, 0);
    const SrcLoc *inlined = &m->srclocs[in[2].srcloc - 1];
    assert_int_equal(inlined->line, 84);
    assert_int_equal(inlined->inlined_at, in[1].srcloc);
    assert_string_equal(inlined->function, "$n");
    assert_int_equal(inlined->function_off, 4);
    const SrcLoc *unknown = &m->srclocs[m->srclocs[in[3].srcloc - 1].inlined_at - 1];
    assert_int_equal(unknown->file, 7);
    assert_int_equal(unknown->col, 9);
    const char *line = ptx_source_line(m, 3);
    assert_memory_equal(line, ".address_size 64\n", 17);
    assert_null(ptx_source_line(m, 1000));
    ptx_module_free(m);
}

/* Spellings that the assembler takes. */
static void accepted(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "add .s32 %r1 , %r2,\n\t%r3\n;",
        "@ ! %p1 bra L ; L :",
        "ld.global.f32 {%f1}, [ %rd1 + ( 2 * 4 ) ];",
        "{}",
        "mov.b32 %r1, %f1; mov.b32 %f1, %r1; add.f32 %f1, %r1, %f2; and.b32 %f1, %r1, %f2;",
        "ld.global.b8 %f1, [%rd1];",
        "ld.global.f32 %rd2, [%rd1]; ld.global.u8 %rd2, [%rd1]; cvt.u32.u8 %rd1, %r2;",
        "mov.b32 %r1, 0f3F800000;",
        "add.f32 %f1, %f2, 1.0; add.f32 %f1, %f2, 0d3FF0000000000000;",
        "and.pred %p1, %p2, 1;",
        "mov.u32 %r1, %gridid;",
        "shfl.sync.idx.b32 %f1, %f2, 0, 31, -1;",
        "mov.u32 %r1, %tid .x;",
        "/* a */ mov.u32 /* b */ %r1, /*\n*/ 0; // c",
        ".reg .b32 add, ret1; add.s32 add, add, ret1;",
        "atom.global.add.f32 _, [%rd1], %f1;",
        "mov.u64 %rd1, k;",
        "setp.eq.s32 _|%p1, %r1, WARP_SZ;",
        "bar.red.popc.u32 %r1, 0, %p1; bar.red.popc.u32 %r1, 0, 64, !%p1;",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        Str text = {0};
        str_add(&text, HEAD ".entry k()\n{\n" REGS);
        str_add(&text, bodies[i]);
        str_add(&text, "\nret;\n}\n");
        ptx_module_free(parse(text.s));
        str_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header),
        cmocka_unit_test(expressions),
        cmocka_unit_test(variables),
        cmocka_unit_test(addresses),
        cmocka_unit_test(extern_then_defined),
        cmocka_unit_test(signatures),
        cmocka_unit_test(operands),
        cmocka_unit_test(scopes),
        cmocka_unit_test(labels),
        cmocka_unit_test(calls),
        cmocka_unit_test(places),
        cmocka_unit_test(accepted),
    };
    return cmocka_run_group_tests_name("ptx_parse", tests, NULL, NULL);
}
