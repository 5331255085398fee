/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules whose bodies are read later: nothing is read before it is asked for, what can be reached comes along, and in the end the module is
 * the one that ptx_parse makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx_text.h"

#define HEAD ".version 8.5\n.target sm_90a\n.address_size 64\n"

static Module *outside(const char *text)
{
    Diags   d;
    Module *m;
    diags_init(&d);
    assert_int_equal(ptx_parse_outside("test.ptx", text, strlen(text), &d, &m), WW_OK);
    diags_free(&d);
    return m;
}

static void need(const Module *m, const char *name)
{
    Diags d;
    diags_init(&d);
    assert_int_equal(ptx_read(m, ptx_find_func(m, name), &d), WW_OK);
    diags_free(&d);
}

/* The names of the functions whose bodies are read. */
static const char *read_ones(const Module *m)
{
    static char list[256];
    *list = 0;
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->has_body && !m->funcs[i]->unread)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? " " : "", m->funcs[i]->name);
    return list;
}

static void on_demand(void **state)
{
    (void)state;
    Module *m =
        outside(HEAD ".func f()\n{ // }\n ret; }\n.func g() { /* { */ call f; ret; }\n.func h() { ret; }\n"
                     ".entry k() { .shared .u32 s[4];\n .pragma \"}\";\n{ .reg .b32 %r; mov.u32 %r, 1; }\n"
                     "# 1 \"{\"\n call g; ret; }\n"
                     ".entry l() { .reg .b64 %a; mov.u64 %a, f;\n P: .callprototype _ ();\n call %a, P; ret; }");
    assert_string_equal(read_ones(m), "");
    assert_int_equal(ptx_find_func(m, "k")->nvars, 0);
    need(m, "g");
    assert_string_equal(read_ones(m), "f g");
    need(m, "k");
    assert_string_equal(read_ones(m), "f g k");
    assert_int_equal(ptx_find_func(m, "k")->vars[0]->bytes, 16);
    need(m, "k");
    need(m, "l"); /* a call through a register: every .func */
    assert_string_equal(read_ones(m), "f g h k l");
    assert_int_equal(ptx_find_func(m, "l")->instrs[0].line, 14);
    ptx_module_free(m);
}

static void named_by_variables(void **state)
{
    (void)state;
    Module *m =
        outside(HEAD ".func f() { ret; }\n.global .u64 table[1] = {f};\n.entry k() { ret; }\n.entry l() { ret; }");
    need(m, "k");
    assert_string_equal(read_ones(m), "f k");
    ptx_module_free(m);
}

static void mistakes(void **state)
{
    (void)state;
    Diags   d;
    Module *m = outside(HEAD ".entry good() { ret; }\n.entry bad()\n{\n  ret;\n  nonsense.u32 %r1;\n}\n");
    need(m, "good");
    for (int again = 0; again < 2; again++) { /* the mistake stays one */
        diags_init(&d);
        assert_int_equal(ptx_read(m, ptx_find_func(m, "bad"), &d), WW_ERR_PARSE);
        assert_int_equal(d.list[0].line, 8);
        assert_int_equal(d.list[0].col, 3);
        diags_free(&d);
    }
    ptx_module_free(m);
    diags_init(&d); /* what is outside of bodies is found at once, and so is a body without an end */
    static const char rubbish[] = HEAD ".entry k() { ret; }\nrubbish", endless[] = HEAD ".entry k() { ret; ";
    assert_int_equal(ptx_parse_outside("t", rubbish, sizeof rubbish - 1, &d, &m), WW_ERR_PARSE);
    assert_int_equal(ptx_parse_outside("t", endless, sizeof endless - 1, &d, &m), WW_ERR_PARSE);
    diags_free(&d);
}

static void compare(const char *name, const Str *text, void *count)
{
    Module *whole = text_parse(text->s, text->len, NULL), *m;
    if (!whole)
        return;
    Diags d;
    Str   a = {0}, b = {0};
    diags_init(&d);
    assert_int_equal(ptx_parse_outside("test.ptx", text->s, text->len, &d, &m), WW_OK);
    for (size_t i = m->nfuncs; i--;) /* in another order than the text's */
        assert_int_equal(ptx_read(m, m->funcs[i], &d), WW_OK);
    ptx_print(whole, &a);
    ptx_print(m, &b);
    if (strcmp(a.s, b.s) != 0)
        fail_msg("%s is another module when its bodies are read later", name);
    str_free(&a);
    str_free(&b);
    diags_free(&d);
    ptx_module_free(whole);
    ptx_module_free(m);
    ++*(size_t *)count;
}

static void whole_files(void **state)
{
    (void)state;
    size_t n = 0;
    text_each(WW_TEST_DATA "/ptx", compare, &n);
    text_each(WW_TEST_DATA "/../ptx", compare, &n);
    assert_true(n > 50);
}

/* A kernel's text alone is a module: what it reaches is there, other kernels' bodies are empty, and lines keep their numbers. */
static void alone(void **state)
{
    (void)state;
    Module *m =
        outside(HEAD ".extern .shared .b8 s[];\n.func f() {\n ret; }\n.entry k()\n{\n call f; ret; }\n"
                     ".entry l(.param .u32 p) .maxntid 32 { // }\n bar.sync 0;\n ret; }\n.entry n() { exit;\n}\n");
    Str text = {0};
    assert_true(ptx_kernels_stand_alone(m));
    need(m, "l");
    ptx_text_of(m, ptx_find_func(m, "l"), &text);
    Module *one = text_parse(text.s, text.len, NULL);
    assert_non_null(one);
    assert_int_equal(ptx_find_func(one, "k")->ninstrs, 1); /* ret */
    assert_int_equal(ptx_find_func(one, "n")->ninstrs, 1);
    assert_int_equal(ptx_find_func(one, "l")->ninstrs, 2);
    assert_int_equal(ptx_find_func(one, "l")->maxntid[0], 32);
    assert_int_equal(ptx_find_func(one, "f")->ninstrs, 1);
    assert_int_equal(ptx_find_func(one, "l")->instrs[1].line, ptx_find_func(m, "l")->instrs[1].line);
    str_free(&text);
    ptx_module_free(one);
    ptx_module_free(m);
    static const char *const shared[] = {".global .u32 v;\n", ".const .u32 v = 3;\n"};
    for (size_t i = 0; i < 2; i++) {
        str_printf(&text, HEAD "%s.entry k() { ret; }\n", shared[i]);
        m = outside(text.s);
        assert_false(ptx_kernels_stand_alone(m));
        ptx_module_free(m);
        str_free(&text);
    }
    m = text_parse(HEAD ".entry k() { ret; }\n", strlen(HEAD ".entry k() { ret; }\n"), NULL);
    assert_false(ptx_kernels_stand_alone(m)); /* nothing was skipped */
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_demand), cmocka_unit_test(named_by_variables),
        cmocka_unit_test(mistakes),  cmocka_unit_test(whole_files),
        cmocka_unit_test(alone),
    };
    return cmocka_run_group_tests_name("ptx_unread", tests, NULL, NULL);
}
