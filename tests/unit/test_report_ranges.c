/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of NVTX ranges: which fit what, what is refused, and that the text of a range is an expression that fits it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/ranges.h"

static const char *const stack[] = {"step 3", "forward", "attention", "softmax"}, *const load[] = {"load"},
                         *const odd[] = {"a/b,[c]*\\+@", "regex:x"}, *const epoch[] = {"epoch"},
                         *const late[] = {"late"};

static const RangePath open[] = {{NULL, true, stack, 4},
                                 {"io", true, load, 1},
                                 {"x@y", true, odd, 2},
                                 {NULL, false, epoch, 1},
                                 {"io", false, late, 1}};

static bool fits(const char *expression)
{
    Str  why = {0};
    bool ok  = range_check(expression, &why);
    str_free(&why);
    assert_true(ok);
    return range_fits(expression, open, sizeof open / sizeof *open);
}

static void pushed_ranges(void **state)
{
    static const char *const        yes[] = {"step 3/",
                                             "forward/",
                                             "step 3/forward",
                                             "forward/attention/",
                                             "[step 3",
                                             "[step 3/forward",
                                             "softmax]",
                                             "attention/softmax]",
                                             "step 3/+/attention",
                                             "step 3/*/softmax]",
                                             "step 3/*/forward",
                                             "[step 3/*/attention/*/softmax]",
                                             "[+/+/+/+]",
                                             "[*/softmax]",
                                             "*/",
                                             "regex:^st.p/",
                                             "regex:step [0-9]/forward/",
                                             "io@load/",
                                             "io@[load]"},
                             *const no[]  = {
                                  "step/",         "[forward", "attention]", "step 3/attention", "step 3/+/softmax",
                                  "[+/+/+]",       "load/",    "io@step 3/", "other@load/",      "regex:^tep/",
                                  "forward/step 3"};
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(fits(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(fits(no[i]));
}

static void started_ranges(void **state)
{
    (void)state;
    assert_true(fits("epoch"));
    assert_true(fits("io@late"));
    assert_true(fits("regex:ep,epoch"));
    assert_false(fits("late"));
    assert_false(fits("epoch,late"));
    assert_false(fits("step 3"));
    assert_false(fits("epoch/"));
}

static void a_text_fits_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        Str text = {0};
        range_text(&open[i], &text);
        assert_true(range_fits(str_text(&text), &open[i], 1));
        str_free(&text);
    }
}

static void outer_ranges(void **state)
{
    (void)state;
    assert_int_equal(range_outer("a\\/b/c/", 0), 5);
    assert_int_equal(range_outer("a\\/b/c/", 5), 7);
    assert_int_equal(range_outer("epoch", 0), 5);
    assert_int_equal(range_outer("", 0), 0);
}

static void what_is_refused(void **state)
{
    static const char *const bad[] = {"", "a//b", "/", "io@", ",a", "a,", "[]", "regex:(/", "a/regex:["};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Str why = {0};
        assert_false(range_check(bad[i], &why));
        assert_true(why.len > 0);
        assert_false(range_fits(bad[i], open, sizeof open / sizeof *open));
        str_free(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pushed_ranges), cmocka_unit_test(started_ranges),
                                       cmocka_unit_test(a_text_fits_itself), cmocka_unit_test(outer_ranges),
                                       cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
