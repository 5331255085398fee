/* SPDX-License-Identifier: Apache-2.0
 *
 * Print and parse again: the text is a fixed point and the module the same, field by field.  The files of data/ptx come from
 * nvcc 13 and clang 14 (features.cu), one is written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx_text.h"

static void same_text(const char *a, const char *b)
{
    if (a || b)
        assert_string_equal(a, b);
}

static void same_var(const Var *a, const Var *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->vec, b->vec);
    assert_int_equal(a->align, b->align);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->ndim, b->ndim);
    assert_memory_equal(a->dim, b->dim, sizeof a->dim);
    assert_int_equal(a->linkage, b->linkage);
    assert_int_equal(a->managed, b->managed);
    assert_int_equal(a->is_ptr, b->is_ptr);
    assert_int_equal(a->ptr_space, b->ptr_space);
    assert_int_equal(a->ptr_align, b->ptr_align);
    assert_int_equal(a->init_bytes, b->init_bytes);
    assert_int_equal(!a->init, !b->init);
    if (a->init_bytes)
        assert_memory_equal(a->init, b->init, a->init_bytes);
    assert_int_equal(a->nrelocs, b->nrelocs);
    for (size_t i = 0; i < a->nrelocs; i++) {
        const Reloc *x = &a->relocs[i], *y = &b->relocs[i];
        assert_int_equal(x->offset, y->offset);
        assert_int_equal(x->addend, y->addend);
        assert_int_equal(x->bytes, y->bytes);
        assert_int_equal(x->generic, y->generic);
        assert_int_equal(x->shift, y->shift);
        same_text(x->var ? x->var->name : x->func->name, y->var ? y->var->name : y->func->name);
    }
}

static void same_operand(const Operand *a, const Operand *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->neg, b->neg);
    assert_int_equal(a->part, b->part);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->is_f32, b->is_f32);
    assert_int_equal(a->is_unsigned, b->is_unsigned);
    switch (a->kind) {
    case OPD_REG: assert_int_equal(a->reg->index, b->reg->index); break;
    case OPD_VAR: assert_string_equal(a->var->name, b->var->name); break;
    case OPD_FUNC: assert_int_equal(a->func->index, b->func->index); break;
    case OPD_LABEL: assert_int_equal(a->label, b->label); break;
    case OPD_SREG:
    case OPD_NAME: assert_string_equal(a->name, b->name); break;
    case OPD_MEM:
    case OPD_VECTOR:
    case OPD_PAIR:
    case OPD_LIST:
        for (unsigned i = 0; i < a->count; i++)
            same_operand(&a->elem[i], &b->elem[i]);
        break;
    default: break;
    }
    if (a->part != PART_SEL)
        assert_int_equal(a->fbits, b->fbits);
    else
        assert_string_equal(a->sel, b->sel);
}

static void same_instr(const Instr *a, const Instr *b)
{
    assert_string_equal(a->op->text, b->op->text);
    assert_int_equal(!a->guard, !b->guard);
    if (a->guard)
        assert_int_equal(a->guard->index, b->guard->index);
    assert_int_equal(a->guard_neg, b->guard_neg);
    assert_int_equal(a->nopd, b->nopd);
    assert_int_equal(a->srcloc, b->srcloc);
    for (unsigned i = 0; i < a->nopd; i++)
        same_operand(&a->opd[i], &b->opd[i]);
}

static void same_func(const Func *a, const Func *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->entry, b->entry);
    assert_int_equal(a->has_body, b->has_body);
    assert_int_equal(a->noreturn, b->noreturn);
    assert_int_equal(a->linkage, b->linkage);
    assert_memory_equal(a->maxntid, b->maxntid, sizeof a->maxntid);
    assert_int_equal(a->nparams, b->nparams);
    assert_int_equal(a->nrets, b->nrets);
    assert_int_equal(a->nregs, b->nregs);
    assert_int_equal(a->nvars, b->nvars);
    assert_int_equal(a->nlabels, b->nlabels);
    assert_int_equal(a->ninstrs, b->ninstrs);
    assert_int_equal(a->nmarks, b->nmarks);
    for (size_t i = 0; i < a->nparams; i++)
        same_var(&a->params[i], &b->params[i]);
    for (size_t i = 0; i < a->nvars; i++)
        same_var(a->vars[i], b->vars[i]);
    for (size_t i = 0; i < a->nregs; i++) {
        assert_string_equal(a->regs[i]->name, b->regs[i]->name);
        assert_int_equal(a->regs[i]->type, b->regs[i]->type);
        assert_int_equal(a->regs[i]->vec, b->regs[i]->vec);
    }
    for (size_t i = 0; i < a->nlabels; i++) {
        assert_string_equal(a->labels[i].name, b->labels[i].name);
        assert_int_equal(a->labels[i].target, b->labels[i].target);
        assert_int_equal(a->labels[i].ntargets, b->labels[i].ntargets);
        assert_int_equal(!a->labels[i].prototype, !b->labels[i].prototype);
    }
    for (size_t i = 0; i < a->ninstrs; i++)
        same_instr(&a->instrs[i], &b->instrs[i]);
}

static void same_module(const Module *a, const Module *b)
{
    assert_int_equal(a->version_major, b->version_major);
    assert_int_equal(a->version_minor, b->version_minor);
    assert_string_equal(a->target, b->target);
    assert_string_equal(a->target_options, b->target_options);
    assert_int_equal(a->address_size, b->address_size);
    assert_int_equal(a->nfiles, b->nfiles);
    assert_int_equal(a->nvars, b->nvars);
    assert_int_equal(a->nfuncs, b->nfuncs);
    assert_int_equal(a->nsrclocs, b->nsrclocs);
    assert_int_equal(a->nsections, b->nsections);
    for (size_t i = 0; i < a->nfiles; i++)
        same_text(a->files[i], b->files[i]);
    for (size_t i = 0; i < a->nvars; i++)
        same_var(a->vars[i], b->vars[i]);
    for (size_t i = 0; i < a->nfuncs; i++)
        same_func(a->funcs[i], b->funcs[i]);
    for (size_t i = 0; i < a->nsections; i++)
        assert_string_equal(a->sections[i], b->sections[i]);
    for (size_t i = 0; i < a->nsrclocs; i++) {
        const SrcLoc *x = &a->srclocs[i], *y = &b->srclocs[i];
        assert_true(x->file == y->file && x->line == y->line && x->col == y->col && x->inlined_at == y->inlined_at);
        assert_int_equal(x->function_off, y->function_off);
        same_text(x->function, y->function);
    }
}

static void round_trip(const char *name, const Str *text, void *arg)
{
    (void)arg;
    Str     first = {0}, once = {0}, twice = {0};
    Module *m = text_parse(text->s, text->len, &first);
    if (!m)
        print_error("%s: %s\n", name, str_text(&first));
    assert_non_null(m);
    ptx_print(m, &once);
    Module *again = text_parse(once.s, once.len, &first);
    if (!again)
        print_error("%s, printed: %s\n%s", name, str_text(&first), once.s);
    assert_non_null(again);
    ptx_print(again, &twice);
    assert_string_equal(once.s, twice.s);
    same_module(m, again);
    ptx_module_free(m);
    ptx_module_free(again);
    str_free(&first);
    str_free(&once);
    str_free(&twice);
}

static void files(void **state)
{
    (void)state;
    assert_true(text_each(WW_TEST_DATA "/ptx", round_trip, NULL) >= 5);
}

/* Some of the text itself, so that parser and printer cannot be wrong together. */
static void exact(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.5 .target sm_90 .address_size 64\n.file 1 \"a.cu\"\n.global .v2 .b32 x[2]={{1,2},{3}};\n"
        ".global .u64 y=generic(x)+-8;\n.visible .entry k(.param .u64 .ptr .global .align 8 p) .maxntid 32\n{\n"
        ".reg .b32 %r<3>, q; .reg .v4 .f32 v;\n.shared .align 16 .b8 s[8];\n.loc 1 2 3\n{\n"
        "@!%p mov.u32 %r1, s;\n}\n.pragma \"nounroll\";\nL: ld.global.b32 {q}, [%rd+-8];\nbra L;\n}\n";
    Str         with = {0}, out = {0};
    const char *body = strstr(text, ".reg .b32 %r<3>");
    str_addn(&with, text, (size_t)(body - text));
    str_add(&with, ".reg .pred %p; .reg .b64 %rd; ");
    str_add(&with, body);
    Module *m = text_parse(with.s, with.len, NULL);
    assert_non_null(m);
    ptx_print(m, &out);
    assert_string_equal(
        out.s,
        ".version 8.5\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n.global .v2 .b32 x[2] = {{1, 2}, {3, 0}};\n"
        ".global .u64 y = generic(x)+-8;\n.visible .entry k (.param .u64 .ptr .global .align 8 p)\n.maxntid 32, 1, "
        "1\n{\n"
        "\t.reg .pred %p;\n\t.reg .b64 %rd;\n\t.reg .b32 %r<3>;\n\t.reg .b32 q;\n\t.reg .v4 .f32 v;\n"
        "\t.shared .align 16 .b8 s[8];\n\t.loc 1 2 3\n{\n\t@!%p mov.u32 %r1, s;\n}\n\t.pragma \"nounroll\";\nL:\n"
        "\tld.global.b32 q, [%rd+-8];\n\tbra L;\n}\n");
    ptx_module_free(m);
    str_free(&with);
    str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(exact)};
    return cmocka_run_group_tests_name("ptx_print", tests, NULL, NULL);
}
