/* SPDX-License-Identifier: Apache-2.0
 *
 * Malformed PTX: each file of data/ptx_malformed holds the exact first message in its first line; and inputs that no file should
 * hold: zero bytes, endless nesting, huge counts, garbage.  None may crash, hang or take much memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ptx_text.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

static void one_file(const char *name, const Str *text, void *arg)
{
    int   *failed = arg;
    Str    want = {0}, got = {0};
    size_t line = strcspn(text->s, "\n");
    str_addn(&want, text->s + 3, line - 3);
    Module *m = text_parse(text->s, text->len, &got);
    if (m || strcmp(str_text(&want), str_text(&got)) != 0) {
        print_error("%s\n  expected %s\n  found    %s\n", name, str_text(&want), m ? "no error" : str_text(&got));
        ++*failed;
    }
    ptx_module_free(m);
    str_free(&want);
    str_free(&got);
}

static void files(void **state)
{
    (void)state;
    int failed = 0;
    assert_true(text_each(WW_TEST_DATA "/ptx_malformed", one_file, &failed) >= 60);
    assert_int_equal(failed, 0);
}

static void expect(const char *text, size_t len, const char *message)
{
    Str     got = {0};
    Module *m   = text_parse(text, len, &got);
    assert_null(m);
    assert_string_equal(str_text(&got), message);
    str_free(&got);
}

static void zero_bytes(void **state)
{
    (void)state;
    expect(HEAD, ((size_t)1 << 30) + 1, "1:1: error: a module of 1073741825 bytes: at most 1073741824 are read");
    static const char inside[] = HEAD ".global\0 .b32 x;\n";
    expect(inside, sizeof inside - 1, "4:8: error: a zero byte: this is not PTX text");
    static const char zeros[64] = {0};
    expect(zeros, sizeof zeros,
           "1:1: error: expected a PTX module, which begins with .version, found the end of the text");
    static const char first[] = "\0" HEAD;
    expect(first, sizeof first - 1, "1:1: error: a zero byte: this is not PTX text");
    static const char padded[] = HEAD "\0\0\0";
    Module           *m        = text_parse(padded, sizeof padded - 1, NULL);
    assert_non_null(m); /* modules of fat binaries are padded */
    ptx_module_free(m);
}

/* A source line and a caret under the column. */
static void rendered(void **state)
{
    (void)state;
    static const char text[] = HEAD ".global .align 3 .b32 x;\n";
    Diags             d;
    Module           *m;
    Str               out = {0};
    diags_init(&d);
    assert_int_equal(ptx_parse("a.ptx", text, sizeof text - 1, &d, &m), WW_ERR_PARSE);
    assert_null(m);
    diags_render(&d, &out);
    assert_string_equal(out.s, "a.ptx:4:16: error: the alignment must be a power of two, at most 1048576\n"
                               ".global .align 3 .b32 x;\n"
                               "               ^\n");
    str_free(&out);
    diags_free(&d);
}

static size_t errors_of(const char *text, size_t len)
{
    Diags   d;
    Module *m;
    diags_init(&d);
    assert_int_equal(ptx_parse("a.ptx", text, len, &d, &m), WW_ERR_PARSE);
    size_t n = d.errors;
    diags_free(&d);
    return n;
}

/* One mistake, one message; what follows is still checked; at most 20 messages. */
static void recovery(void **state)
{
    (void)state;
    Str text = {0};
    str_add(&text, HEAD ".entry a()\n{\n.reg .b32 %r<3>;\nadd.s32 %r1 %r2, {1, 2};\nmov.u32 %r9, 0;\nret;\n}\n"
                        ".global .b32 x = {{ 5;\n.entry b()\n{\nfoo;\nret;\n}\n.func f(.param .b32\n{ add.s32; "
                        "}\n.entry c() { bar; }\n");
    assert_int_equal(errors_of(text.s, text.len), 6);
    str_clear(&text);
    str_add(&text, HEAD ".entry a()\n{\n");
    for (int i = 0; i < 1000; i++)
        str_add(&text, "nonsense;\n");
    assert_int_equal(errors_of(text.s, text.len), 20);
    str_free(&text);
}

static void repeat(Str *text, const char *what, size_t n)
{
    for (size_t i = 0; i < n; i++)
        str_add(text, what);
}

static void nesting(void **state)
{
    (void)state;
    static const char *const parts[][2] = {{HEAD ".entry k() {", "{"},
                                           {HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", "("},
                                           {HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", "-"},
                                           {HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", "{"},
                                           {HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", "[1,"},
                                           {HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", "1?"},
                                           {HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", "!"},
                                           {HEAD ".global .b32 x[2][2] = ", "{"},
                                           {HEAD ".global .b32 x = ", "generic("},
                                           {HEAD ".global .b8 x = ", "0xff("},
                                           {HEAD ".section .x {", "{"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        Str text = {0};
        str_add(&text, parts[i][0]);
        repeat(&text, parts[i][1], 200000);
        assert_true(errors_of(text.s, text.len) >= 1);
        str_free(&text);
    }
}

/* Scopes that the limit still allows. */
static void deep_scopes(void **state)
{
    (void)state;
    Str text = {0};
    str_add(&text, HEAD ".entry k() {\n");
    repeat(&text, "{ .reg .b32 r;\n", 200);
    str_add(&text, "bra L;\n");
    repeat(&text, "}\n", 200);
    str_add(&text, "L: ret;\n}\n");
    Module *m = text_parse(text.s, text.len, NULL);
    assert_non_null(m);
    assert_int_equal(m->funcs[0]->nregs, 200);
    assert_int_equal(m->funcs[0]->instrs[0].opd[0].label, 0);
    ptx_module_free(m);
    str_free(&text);
}

static void registers(void **state)
{
    (void)state;
    Str text = {0}, got = {0};
    str_add(&text, HEAD ".entry k() {\n");
    repeat(&text, "{ .reg .b32 r<1000000>; }\n", 1000);
    str_add(&text, "}\n");
    Module *m = text_parse(text.s, text.len, &got);
    assert_null(m);
    assert_string_equal(got.s, "6:15: error: too many registers: a function may have 1048576, a module about as many");
    str_free(&text);
    str_free(&got);
}

/* Megabytes of bytes that are nothing, of every kind. */
static void garbage(void **state)
{
    (void)state;
    static const char *const units[] = {"\xff", "a", "%",  "\"", "/*", "//x\n", ".",     "0",        "0f",  "{",
                                        "}",    ";", "\n", "1e", ":",  "@",     ".b32 ", "a.b.c.d ", "#x\n"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        Str text = {0};
        repeat(&text, units[i], 1000000);
        assert_true(errors_of(text.s, text.len) >= 1);
        Str inside = {0};
        str_add(&inside, HEAD ".entry k() {\n");
        str_addn(&inside, text.s, text.len);
        assert_true(errors_of(inside.s, inside.len) >= 1);
        str_free(&inside);
        str_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),     cmocka_unit_test(zero_bytes), cmocka_unit_test(rendered),
        cmocka_unit_test(recovery),  cmocka_unit_test(nesting),    cmocka_unit_test(deep_scopes),
        cmocka_unit_test(registers), cmocka_unit_test(garbage),
    };
    return cmocka_run_group_tests_name("ptx_malformed", tests, NULL, NULL);
}
