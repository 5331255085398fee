/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON document of the lab against its schema: the fields outside programs rely on, their types, and what is
 * null or absent when it was not measured.  And the table: a line for each row, columns only where there is
 * something to show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/lab_harness.h"

static const char *const counters[] = {
    "global_ld_requests",       "global_ld_sectors",        "global_st_requests",   "global_st_sectors",
    "shared_ld_inst",           "shared_st_inst",           "shared_ld_wavefronts", "shared_st_wavefronts",
    "shared_ld_bank_conflicts", "shared_st_bank_conflicts", "useful_bytes",         "moved_bytes",
};

static const json_t *field(const json_t *o, const char *name, json_type type)
{
    const json_t *v = json_object_get(o, name);
    if (!v || json_typeof(v) != type)
        fail_msg("field %s is missing or of the wrong type", name);
    return v;
}

static void expect_row(const json_t *row)
{
    field(row, "experiment", JSON_STRING);
    field(row, "kernel", JSON_STRING);
    field(row, "device", JSON_STRING);
    field(row, "profile", JSON_STRING);
    field(row, "sizes", JSON_OBJECT);
    assert_int_equal(json_array_size(field(row, "grid", JSON_ARRAY)), 3);
    assert_int_equal(json_array_size(field(row, "block", JSON_ARRAY)), 3);
    field(row, "verified", JSON_TRUE);
    field(row, "max_error", JSON_REAL);
    field(row, "time_ms", JSON_NULL);
    field(row, "problem", JSON_NULL);
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        field(row, counters[i], JSON_INTEGER);
}

static json_t *run_json(const char *profile, const char *experiment)
{
    LabOptions o = harness_options();
    o.profile    = profile;
    o.blocks     = 1;
    o.m = o.n = o.k = 40;
    Lab *lab        = harness_run(&o, experiment);
    harness_expect_verified(lab);
    json_t *doc = lab_json(lab);
    assert_int_equal(json_array_size(field(doc, "rows", JSON_ARRAY)), lab_row_count(lab));
    lab_close(lab);
    return doc;
}

static void test_schema(void **state)
{
    (void)state;
    for (size_t e = 0; e < lab_experiment_count(); e++) {
        json_t *doc = run_json(NULL, lab_experiment_name(lab_experiment(e)));
        assert_int_equal(json_integer_value(field(doc, "schema", JSON_INTEGER)), 1);
        assert_int_equal(json_integer_value(field(doc, "seed", JSON_INTEGER)), 20080718);
        size_t  i;
        json_t *row;
        json_array_foreach(json_object_get(doc, "rows"), i, row)
        {
            expect_row(row);
            assert_null(json_object_get(row, "lines_128"));
            assert_string_equal(json_string_value(json_object_get(row, "profile")), "sm_90");
        }
        json_decref(doc);
    }
}

static void test_lines(void **state)
{
    static const char *const profiles[] = {"sm_20", "m2090"};
    (void)state;
    for (size_t p = 0; p < 2; p++) {
        json_t *doc = run_json(profiles[p], "banks"), *row;
        size_t  i;
        json_array_foreach(json_object_get(doc, "rows"), i, row)
        {
            expect_row(row);
            assert_true(json_integer_value(field(row, "lines_128", JSON_INTEGER)) > 0);
        }
        json_decref(doc);
    }
}

static void test_deterministic(void **state)
{
    (void)state;
    json_t *one = run_json(NULL, "matmul"), *two = run_json(NULL, "matmul");
    assert_true(json_equal(one, two));
    json_decref(one);
    json_decref(two);
}

static void test_table(void **state)
{
    (void)state;
    LabOptions o    = harness_options();
    Str        text = {0};
    o.blocks        = 1;
    Lab *lab        = harness_run(&o, "banks");
    lab_table(lab, true, &text);
    assert_non_null(strstr(str_text(&text), "seed: 20080718\n"));
    assert_non_null(strstr(str_text(&text), "\n  blocks=1  side=16\n"));
    assert_non_null(strstr(str_text(&text), "  bank_transposed_shared    ok "));
    assert_non_null(strstr(str_text(&text), "l1tex__t_requests_"));
    assert_null(strstr(str_text(&text), "GB/s")); /* nothing was timed */
    assert_null(strstr(str_text(&text), " lines"));
    str_free(&text);
    lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
