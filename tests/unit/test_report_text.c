/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as text: the table of many kernels stays short, names those that did not run, and lines that kernels share are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "report/report.h"

/* One launch of kernel `name` that executed n instructions and whose line f.cu:`line` read n sectors. */
static void add(Report *r, const char *name, uint64_t n, uint32_t line, LaunchOutcome outcome)
{
    WwResult *w                   = result_new(name);
    WwLine    l                   = {.file = "f.cu", .line = line};
    l.counters.inst_executed      = n;
    l.counters.global_ld_requests = 1;
    l.counters.global_ld_sectors  = n;
    w->total                      = l.counters;
    w->lines                      = &l;
    w->nlines                     = 1;
    ReportLaunch launch           = {.kernel  = name,
                                     .symbol  = name,
                                     .grid    = {1, 1, 1},
                                     .block   = {1, 1, 1},
                                     .outcome = outcome,
                                     .result  = w,
                                     .why     = outcome == LAUNCH_OK ? NULL : "wgmma is not implemented"};
    report_add(r, &launch);
    ww_result_free(w);
}

static size_t lines_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void few_kernels_are_all_shown(void **state)
{
    (void)state;
    Report *r   = report_new(0);
    Str     out = {0};
    add(r, "zebra", 5, 1, LAUNCH_OK);
    add(r, "ant", 7, 2, LAUNCH_OK);
    add(r, "zebra", 5, 1, LAUNCH_OK);
    report_text(r, &out);
    const char *z = strstr(str_text(&out), "zebra"), *a = strstr(str_text(&out), "ant");
    assert_non_null(z);
    assert_non_null(a);
    assert_true(z < a); /* in the order of first launches */
    assert_null(strstr(str_text(&out), "other kernels"));
    assert_non_null(strstr(str_text(&out), "f.cu:1: 2 requests, 10 sectors"));
    str_free(&out);
    report_free(r);
}

/* Namespaces go before the end does. */
static void long_names_stay_apart(void **state)
{
    (void)state;
    Report *r   = report_new(0);
    Str     out = {0};
    add(r, "library::detail::with_a_long_name::reduce_first<library::policy<float>, int>", 5, 1, LAUNCH_OK);
    add(r, "library::detail::with_a_long_name::reduce_second<library::policy<float>, int>", 5, 1, LAUNCH_OK);
    add(r, "small::one", 5, 1, LAUNCH_OK);
    add(r, "library::detail::with_a_long_name::functor_of_that::operator()(library::policy)", 5, 1, LAUNCH_OK);
    report_text(r, &out);
    assert_non_null(strstr(str_text(&out), "\nreduce_first<library::policy<float>, int>"));
    assert_non_null(strstr(str_text(&out), "\nreduce_second<library::policy<float>, int>"));
    assert_non_null(strstr(str_text(&out), "\nsmall::one "));
    assert_non_null(strstr(str_text(&out), "\noperator()(library::policy)"));
    str_free(&out);
    report_free(r);
}

static void many_kernels_stay_readable(void **state)
{
    (void)state;
    Report *r   = report_new(0);
    Str     out = {0};
    char    name[32];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "kernel_%03d", i);
        add(r, name, (uint64_t)(1000 + i), 7, LAUNCH_OK);
    }
    add(r, "lost", 0, 9, LAUNCH_UNSUPPORTED);
    report_text(r, &out);
    const char *text = str_text(&out);
    assert_true(lines_of(text) < 40);
    assert_non_null(strstr(text, "kernel_299"));
    assert_null(strstr(text, "kernel_000"));
    assert_non_null(strstr(text, "276 other kernels"));
    assert_non_null(strstr(text, "lost: wgmma is not implemented"));
    assert_non_null(strstr(text, "NOT RUN (1)"));
    assert_non_null(strstr(text, "f.cu:7: 300 requests, 344850 sectors")); /* one line for the 300 kernels */
    str_free(&out);
    report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_kernels_are_all_shown),
        cmocka_unit_test(long_names_stay_apart),
        cmocka_unit_test(many_kernels_stay_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
