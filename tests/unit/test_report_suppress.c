/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of suppression files: what is written for a finding suppresses it, whatever its names are; what is no row is told with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/suppress.h"

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/warpwright-suppress-%ld", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

static Status read_rows(const char *text, Suppressions *s, Str *why)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    return suppressions_read(s, path, why);
}

static void names_come_back(void **state)
{
    static const char *const names[] = {"plain", "a b",    "/a b/c#d.cu", "run<{lambda()#1}>", "x #y", " x ",
                                        "\"",    "a\"b\\", "a\nb",        "f(int, char)",      "a:7",  "*x",
                                        "#",     "t\tt",   "C:\\dir"};
    enum { N = sizeof names / sizeof *names };
    (void)state;
    for (size_t i = 0; i < N * N * 2; i++) {
        WwFinding    f   = {.rule     = "race",
                            .category = "race",
                            .file     = names[i / 2 % N],
                            .kernel   = names[i / 2 / N],
                            .line     = i % 2 ? 3 : 0};
        Suppressions s   = {0};
        Str          row = {0}, why = {0};
        suppression_row(&f, &row);
        assert_int_equal(read_rows(str_text(&row), &s, &why), WW_OK);
        assert_int_equal(s.n, 1);
        assert_string_equal(s.list[0].file, f.file);
        assert_string_equal(s.list[0].kernel, f.kernel);
        assert_int_equal(s.list[0].line, f.line);
        assert_true(suppressions_match(&s, &f));
        f.kernel = "another";
        assert_false(suppressions_match(&s, &f));
        suppressions_free(&s);
        str_free(&row);
        str_free(&why);
    }
}

static void long_names_are_one_row(void **state)
{
    Suppressions s   = {0};
    Str          row = {0}, why = {0};
    (void)state;
    str_add(&row, "leak a.cu ");
    for (int i = 0; i < 3000; i++)
        str_add(&row, "ns::");
    str_add(&row, "k # a comment\n  # another\n\nrace * # and one\n");
    assert_int_equal(read_rows(str_text(&row), &s, &why), WW_OK);
    assert_int_equal(s.n, 2);
    assert_int_equal(strlen(s.list[0].kernel), 12001);
    assert_string_equal(s.list[1].kernel, "*");
    suppressions_free(&s);
    str_free(&row);
    str_free(&why);
}

static void wrong_rows_are_told(void **state)
{
    static const struct {
        const char *row, *told;
    } rows[] = {{"race", ":1:5: error: a rule and a file"},
                {"\n race # a.cu", ":2:7: error: a rule and a file"},
                {"race a.cu:x", ":1:11: error: a line number"},
                {"race a.cu:-1", ":1:11: error: a line number"},
                {"race a.cu:4294967296", ":1:11: error: a line number"},
                {"race \"a.cu\":3x", ":1:13: error: a line number"},
                {"race \"a.cu", ":1:6: error: a quotation mark"},
                {"race a.cu \"k", ":1:11: error: a quotation mark"},
                {"race a.cu \"k\" l", ":1:15: error: nothing is expected"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Suppressions s   = {0};
        Str          why = {0};
        assert_int_equal(read_rows(rows[i].row, &s, &why), WW_ERR_PARSE);
        assert_memory_equal(why.s, path, strlen(path));
        assert_memory_equal(why.s + strlen(path), rows[i].told, strlen(rows[i].told));
        suppressions_free(&s);
        str_free(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_come_back), cmocka_unit_test(long_names_are_one_row),
                                       cmocka_unit_test(wrong_rows_are_told)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
