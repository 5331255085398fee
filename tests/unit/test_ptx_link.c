/* SPDX-License-Identifier: Apache-2.0
 *
 * Linking of PTX modules: which of several definitions stays, what is renamed, what is refused, and that the parser takes the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx/link.h"
#include "ptx_text.h"

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"
#define BODY "{\nret;\n}\n"

static Status join(const char *a, const char *b, const char *c, Str *out, Str *why)
{
    const LinkInput in[] = {{"a", a, strlen(a)}, {"b", b, strlen(b)}, {"c", c ? c : "", c ? strlen(c) : 0}};
    return ptx_link(in, c ? 3 : 2, out, why);
}

/* Links and parses. */
static Module *linked(const char *a, const char *b, const char *c)
{
    Str out = {0}, why = {0};
    assert_int_equal(join(a, b, c, &out, &why), WW_OK);
    Str     first = {0};
    Module *m     = text_parse(str_text(&out), out.len, &first);
    if (!m)
        print_error("%s\n%s\n", str_text(&first), str_text(&out));
    assert_non_null(m);
    str_free(&first);
    str_free(&out);
    str_free(&why);
    return m;
}

static void externs(void **state)
{
    (void)state;
    Module    *m = linked(HEAD ".extern .global .align 4 .b8 v[8];\n.extern .func (.param .b32 r) f(.param .b32 p);\n"
                                  ".visible .entry k() {\n.reg .b64 %a;\nmov.u64 %a, v;\nret;\n}\n",
                          HEAD ".visible .global .align 4 .b8 v[8] = {1, 2};\n"
                                  ".visible .func (.param .b32 r) f(.param .b32 p) " BODY,
                          HEAD ".extern .func (.param .b32 r) f(.param .b32 p);\n.extern .global .align 4 .b8 v[8];\n");
    const Var *v = ptx_find_var(m, "v");
    assert_non_null(v);
    assert_int_equal(v->linkage, LINK_VISIBLE);
    assert_int_equal(v->bytes, 8);
    assert_true(ptx_find_func(m, "f")->has_body);
    ptx_module_free(m);
}

static void privates(void **state)
{
    (void)state;
    Module *m = linked(HEAD ".global .u32 n = 1;\n.func g() " BODY ".visible .entry a() {\ncall g;\nret;\n}\n",
                       HEAD ".global .u32 n = 2;\n.func g();\n.func g() " BODY
                            ".visible .entry b() {\n.reg .b32 %r;\nld.global.u32 %r, [n];\ncall g;\nret;\n}\n",
                       NULL);
    assert_non_null(ptx_find_var(m, "n"));
    assert_non_null(ptx_find_var(m, "n$m1"));
    assert_true(ptx_find_func(m, "g$m1")->has_body);
    assert_ptr_equal(ptx_find_func(m, "b")->instrs[0].opd[1].elem[0].var, ptx_find_var(m, "n$m1"));
    ptx_module_free(m);
}

/* A private name gives way to a visible one, wherever it stands. */
static void private_and_visible(void **state)
{
    (void)state;
    Module *m = linked(HEAD ".global .u32 n = 1;\n", HEAD ".visible .global .u32 n = 2;\n", NULL);
    assert_int_equal(ptx_find_var(m, "n")->linkage, LINK_VISIBLE);
    assert_non_null(ptx_find_var(m, "n$m0"));
    ptx_module_free(m);
}

static void weak(void **state)
{
    (void)state;
    Module *m =
        linked(HEAD ".weak .func w() {\nret;\nret;\n}\n.weak .global .u32 x = 5;\n",
               HEAD ".weak .func w() " BODY ".weak .global .u32 x = 6;\n.visible .entry k() {\ncall w;\nret;\n}\n",
               HEAD ".visible .func w() {\nret;\nret;\nret;\n}\n");
    assert_int_equal(ptx_find_func(m, "w")->ninstrs, 3);
    assert_int_equal(ptx_find_var(m, "x")->init[0], 5);
    ptx_module_free(m);
}

static void places(void **state)
{
    (void)state;
    Module *m = linked(HEAD ".visible .entry a() {\n.loc 1 7 0\nret;\n}\n.file 1 \"a.cu\"\n",
                       HEAD ".visible .entry b() {\n.loc 1 9 0\nret;\n}\n.file 1 \"b.cu\"\n", NULL);
    assert_int_equal(m->nfiles, 2);
    assert_string_equal(m->files[1], "b.cu");
    ptx_module_free(m);
}

static void header(void **state)
{
    (void)state;
    Module *m = linked(".version 7.0\n.target sm_70\n.address_size 64\n", ".version 8.0\n.target sm_80\n", NULL);
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->sm, 80);
    ptx_module_free(m);
}

static void refused(void **state)
{
    (void)state;
    Str out = {0}, why = {0};
    assert_int_equal(join(HEAD ".visible .func f() " BODY, HEAD ".visible .func f() " BODY, NULL, &out, &why),
                     WW_ERR_INVALID);
    assert_string_equal(str_text(&why), "'f' is defined in a and in b");
    str_clear(&why);
    assert_int_equal(join(HEAD, ".version 8.5\n.target sm_90\n.address_size 32\n", NULL, &out, &why), WW_ERR_INVALID);
    assert_non_null(strstr(str_text(&why), "32 bits"));
    str_free(&out);
    str_free(&why);
}

/* Whatever is cut off or garbled: an end, no crash. */
static void garbled(void **state)
{
    (void)state;
    const char *text = HEAD ".visible .func (.param .b32 r) f(.param .b32 p) {\nret;\n}\n.global .b8 s[4] = {1, \"x";
    for (size_t n = 0; n <= strlen(text); n++) {
        const LinkInput in[] = {{"a", text, n}, {"b", text + n, strlen(text) - n}};
        Str             out = {0}, why = {0};
        ptx_link(in, 2, &out, &why);
        str_free(&out);
        str_free(&why);
    }
}

/* Statements that are none: linkage behind the initial value, none at all where another mention has one. */
static void misplaced(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{".version 8.0\nm\n", ".version 8.0\n;m=.extern n;"},
                                           {"_i;\nm", "==;\nm=.extern\xbd.n"},
                                           {HEAD "m;\n.extern .global .u32 m;\n", HEAD ".global .u32 m = .weak;\n"},
                                           {HEAD "k = 1;\n.weak .global .u32 k;\n", HEAD "k;k=;.common k;\n"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t swap = 0; swap < 2; swap++) {
            Str out = {0}, why = {0};
            join(texts[i][swap], texts[i][!swap], NULL, &out, &why);
            assert_true(out.len < 512);
            str_free(&out);
            str_free(&why);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(externs), cmocka_unit_test(privates), cmocka_unit_test(private_and_visible),
        cmocka_unit_test(weak),    cmocka_unit_test(places),   cmocka_unit_test(header),
        cmocka_unit_test(refused), cmocka_unit_test(garbled),  cmocka_unit_test(misplaced),
    };
    return cmocka_run_group_tests_name("ptx_link", tests, NULL, NULL);
}
