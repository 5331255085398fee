/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions that people write are taken; those that the C library would write out until no memory is left are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/pattern.h"

static void taken(void **state)
{
    static const struct {
        const char *text, *fits, *fits_not;
    } rows[] = {{"", "anything", NULL},
                {"^(gemm|copy[0-9]+)\\(.*\\)$", "copy12(float)", "copy(float)"},
                {"a{2,3}b{2}", "aabb", "abb"},
                {"[]a+]+x", "]]+x", "bx"},
                {"[^][:digit:]]+7", "ab7", "]7"},
                {"[[:alpha:]]{2,5}_*", "ab_", "1"},
                {"a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+", "abcdefghijklmnopqrst", "b"},
                {"((a{20}){20}){20}", NULL, "a"},
                {"^x{,3}$", "xxx", "xxxx"},
                {"a{1000}", NULL, "a"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        regex_t r;
        Str     why = {0};
        assert_true(pattern_compile(rows[i].text, &r, &why));
        assert_true(!rows[i].fits || regexec(&r, rows[i].fits, 0, NULL, 0) == 0);
        assert_true(!rows[i].fits_not || regexec(&r, rows[i].fits_not, 0, NULL, 0) != 0);
        regfree(&r);
        assert_int_equal(why.len, 0);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {{"fill(", "not a regular expression"},
                {"[a", "not a regular expression"},
                {"(a)\\1", "back-reference"},
                {"p++++++++++++++++++++++++++++++++", "too many"},
                {"p+?++++++++++++++", "too many"},
                {"((a{99}){99}){99}", "too many"},
                {"(((x+)+a{200})+[b]{3,200})+{999}", "too many"},
                {"a{99999999999999999999}", "too many"}};
    Str deep = {0}, why = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        regex_t r;
        str_clear(&why);
        assert_false(pattern_compile(rows[i].text, &r, &why));
        assert_non_null(strstr(str_text(&why), rows[i].why));
    }
    for (int i = 0; i < 100000; i++)
        str_addc(&deep, '(');
    regex_t r;
    assert_false(pattern_compile(str_text(&deep), &r, &why));
    str_free(&deep);
    str_free(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(taken), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
