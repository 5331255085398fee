/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of launches that are joined: which join, what is added, what stays, and how many entries there can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/launches.h"

static json_t *entry(const char *name, int grid, json_int_t sectors, const char *message)
{
    return json_pack("{s:s,s:s,s:s,s:[i,i,i],s:[i,i,i],s:f,s:{s:I},s:{s:I},s:s?,s:[],s:[{s:s,s:i,s:I}]}", "name", name,
                     "symbol", name, "status", message ? "failed" : "ok", "grid", grid, 1, 1, "block", 32, 1, 1,
                     "seconds", 0.5, "counters", "sectors", sectors, "instructions", "exact", (json_int_t)3, "message",
                     message, "unsupported", "lines", "file", "f.cu", "line", grid, "sectors", sectors);
}

static json_int_t of(const json_t *e, const char *group, const char *key)
{
    return json_integer_value(json_object_get(group ? json_object_get(e, group) : e, key));
}

static json_t *at(const Launches *l, size_t i)
{
    return json_array_get(launches_list(l), i);
}

static void those_of_a_kind_join(void **state)
{
    (void)state;
    Launches *l = launches_new(2);
    for (int i = 0; i < 10; i++)
        launches_add(l, entry("k", 1, 4, NULL));
    assert_int_equal(json_array_size(launches_list(l)), 3);
    json_t *e = at(l, 2);
    assert_int_equal(launches_of(at(l, 1)), 1);
    assert_int_equal(launches_of(e), 8);
    assert_int_equal(of(e, "counters", "sectors"), 32);
    assert_int_equal(of(e, "instructions", "exact"), 24);
    assert_true(json_real_value(json_object_get(e, "seconds")) == 4.0);
    assert_true(json_is_true(json_object_get(e, "alike")));
    assert_int_equal(of(json_array_get(json_object_get(e, "lines"), 0), NULL, "sectors"), 32);
    assert_int_equal(of(json_array_get(json_object_get(e, "lines"), 0), NULL, "line"), 1);
    launches_add(l, entry("k", 1, 5, NULL)); /* the same shape, another count */
    assert_int_equal(json_array_size(launches_list(l)), 3);
    assert_int_equal(of(e, "counters", "sectors"), 37);
    assert_true(json_is_false(json_object_get(e, "alike")));
    launches_free(l);
}

static void of_many_kinds_the_kernels_sum_is_left(void **state)
{
    (void)state;
    Launches  *l   = launches_new(4);
    json_int_t all = 0, launches = 0;
    for (int i = 0; i < 1000; i++)
        launches_add(l, entry(i % 2 ? "a" : "b", i, i, i % 3 ? NULL : "out of bounds"));
    assert_int_equal(json_array_size(launches_list(l)), 4 + 4 + 4);
    for (size_t i = 0; i < json_array_size(launches_list(l)); i++) {
        json_t *e = at(l, i);
        all += of(e, "counters", "sectors");
        launches += launches_of(e);
        json_int_t lines = 0;
        size_t     k;
        json_t    *line;
        json_array_foreach(json_object_get(e, "lines"), k, line) lines += of(line, NULL, "sectors");
        assert_int_equal(lines, of(e, "counters", "sectors"));
        assert_int_equal(json_is_null(json_object_get(e, "grid")), i >= 8);
        assert_int_equal(json_is_null(json_object_get(e, "block")), 0);
        assert_int_equal(json_is_false(json_object_get(e, "alike")), i >= 8);
    }
    assert_int_equal(all, 999 * 1000 / 2);
    assert_int_equal(launches, 1000);
    launches_free(l);
}

/* What other processes have joined already, and what somebody wrote by hand. */
static void joined_entries_join_again(void **state)
{
    (void)state;
    Launches *l = launches_new(100);
    json_t   *a = entry("k", 1, 4, NULL), *b = entry("k", 1, 12, NULL), *c = entry("k", 1, INT64_MAX, NULL);
    json_object_set_new(b, "launches", json_integer(3));
    launches_add(l, a);
    launches_add(l, b);
    assert_true(launches_joined(l));
    assert_int_equal(json_array_size(launches_list(l)), 2);
    json_t *more = entry("k", 1, 20, NULL);
    json_object_set_new(more, "launches", json_integer(5));
    launches_add(l, more);
    assert_int_equal(json_array_size(launches_list(l)), 2);
    assert_int_equal(launches_of(b), 8);
    assert_true(json_is_true(json_object_get(b, "alike"))); /* 12 of three, 20 of five */
    json_object_set_new(c, "launches", json_integer(INT64_MAX));
    launches_add(l, c);
    assert_true(launches_of(b) == INT64_MAX);
    assert_true(of(b, "counters", "sectors") == INT64_MAX);
    for (int i = 0; i < 3; i++) {
        json_t *odd = json_pack("{s:i,s:[n,i],s:{s:s}}", "launches", 2, "lines", 3, "counters", "x", "y");
        launches_add(l, odd);
    }
    launches_add(l, json_string("no entry"));
    assert_int_equal(json_array_size(launches_list(l)), 4);
    launches_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_a_kind_join),
        cmocka_unit_test(of_many_kinds_the_kernels_sum_is_left),
        cmocka_unit_test(joined_entries_join_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
