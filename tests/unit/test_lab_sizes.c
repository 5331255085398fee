/* SPDX-License-Identifier: Apache-2.0
 *
 * The lab at other sizes than the articles': one, primes, a tile less one and more one; every tile; rows verified by
 * the lab itself.  And what the older profiles must show: conflicts of the transposed kernel alone on 16 banks, two
 * lines or five segments for a misaligned warp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/lab_harness.h"

typedef struct Shape {
    int64_t m, n, k, tile;
} Shape;

static const Shape shapes[] = {
    {1, 1, 1, 0},   {1, 1, 1, 8},    {2, 3, 5, 16},    {31, 33, 32, 32}, {33, 31, 65, 0}, {17, 1, 40, 16},
    {1, 97, 13, 8}, {101, 53, 7, 0}, {7, 11, 127, 32}, {16, 16, 16, 16}, {32, 64, 96, 0}, {61, 59, 1, 8},
};

static void run_shapes(const char *experiment)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        LabOptions o = harness_options();
        o.m          = shapes[i].m;
        o.n          = shapes[i].n;
        o.k          = shapes[i].k;
        o.tile       = shapes[i].tile;
        o.seed       = i;
        Lab *lab     = harness_run(&o, experiment);
        harness_expect_verified(lab);
        assert_int_equal(lab_row(lab, 0)->checked, lab_row(lab, 0)->values);
        lab_close(lab);
    }
}

static void test_aat(void **state)
{
    (void)state;
    run_shapes("aat");
}

static void test_matmul(void **state)
{
    (void)state;
    run_shapes("matmul");
}

static void test_intmatmul(void **state)
{
    (void)state;
    run_shapes("intmatmul");
}

static void test_copy(void **state)
{
    static const int64_t blocks[] = {1, 3};
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        LabOptions o = harness_options();
        o.blocks     = blocks[i];
        Lab *lab     = harness_run(&o, "copy");
        harness_expect_verified(lab);
        assert_int_equal(lab_row_count(lab), 33 + 33 + 32 + 5 + 3 + 4);
        lab_close(lab);
    }
}

static void test_copy_chosen(void **state)
{
    (void)state;
    LabOptions o = harness_options();
    o.offset     = 0;
    o.stride     = 7;
    Lab *lab     = harness_run(&o, "copy");
    harness_expect_verified(lab);
    assert_int_equal(lab_row_count(lab), 3);
    assert_string_equal(lab_row(lab, 0)->kernel, "offsetCopy_0");
    assert_string_equal(lab_row(lab, 1)->kernel, "offsetCopy_cg_0");
    assert_string_equal(lab_row(lab, 2)->kernel, "strideCopy_7");
    lab_close(lab);
}

static void test_lanes(void **state)
{
    (void)state;
    LabOptions o = harness_options();
    o.blocks     = 4; /* of 8 warps */
    Lab *lab     = harness_run(&o, "copy");
    harness_expect_verified(lab);
    assert_int_equal(harness_row(lab, "permutedCopy_reversed")->counters.global_ld_sectors, 4 * 8 * 4);
    assert_int_equal(harness_row(lab, "partialCopy_even")->counters.global_ld_sectors, 4 * 8 * 4);
    assert_int_equal(harness_row(lab, "partialCopy_lower")->counters.global_ld_sectors, 4 * 8 * 2);
    assert_int_equal(harness_row(lab, "partialCopy_eighth")->counters.useful_bytes, 4 * 8 * 4 * 4 * 2);
    assert_int_equal(harness_row(lab, "blockCopy_33")->counters.global_ld_requests, 4 * 2);
    assert_int_equal(harness_row(lab, "baseCopy_4")->counters.global_ld_sectors, 4 * 8 * 5);
    assert_int_equal(harness_row(lab, "baseCopy_32")->counters.global_ld_sectors, 4 * 8 * 4);
    lab_close(lab);
}

static void test_unknown_tile(void **state)
{
    static const char *const name[] = {"matmul", "intmatmul"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        LabOptions        o = harness_options();
        const Experiment *e = lab_experiment_find(name[i]);
        o.tile              = 12;
        Lab *lab            = harness_open(&o);
        assert_int_equal(lab_run(lab, &e, 1), WW_ERR_INVALID);
        assert_non_null(strstr(lab_error(lab), "tile 12; there are 8, 16 and 32"));
        assert_int_equal(lab_row_count(lab), 0);
        assert_false(lab_all_verified(lab));
        lab_close(lab);
    }
}

static void test_profile_2008(void **state)
{
    (void)state;
    LabOptions o = harness_options();
    o.profile    = "sm_10";
    Lab *lab     = harness_run(&o, "banks");
    harness_expect_verified(lab);
    const WwCounters *linear     = &harness_row(lab, "bank_linear")->counters;
    const WwCounters *transposed = &harness_row(lab, "bank_transposed")->counters;
    assert_int_equal(linear->shared_ld_bank_conflicts + linear->shared_st_bank_conflicts, 0);
    assert_true(transposed->shared_ld_bank_conflicts > 0);
    assert_true(transposed->shared_st_bank_conflicts > 0);
    lab_close(lab);
}

static void test_profile_2010(void **state)
{
    (void)state;
    LabOptions o             = harness_options();
    o.profile                = "sm_20";
    o.offset                 = 1;
    o.blocks                 = 1; /* 8 warps */
    Lab              *lab    = harness_run(&o, "copy");
    const WwCounters *cached = &harness_row(lab, "offsetCopy_1")->counters;
    const WwCounters *past   = &harness_row(lab, "offsetCopy_cg_1")->counters;
    harness_expect_verified(lab);
    assert_int_equal(cached->lines_128, 8 * 2); /* loads; stores do not go through L1 */
    assert_int_equal(cached->global_ld_sectors, 8 * 2 * 4);
    assert_int_equal(past->lines_128, 0);
    assert_int_equal(past->global_ld_sectors, 8 * 5);
    lab_close(lab);
}

static void count_line(void *user, const char *line)
{
    size_t *seen = user;
    assert_non_null(strstr(line, "kernels/banks/"));
    assert_non_null(strstr(line, "bank_transposed"));
    assert_non_null(strstr(line, "lane "));
    assert_null(strstr(line, "bank_linear"));
    ++*seen;
}

static void test_log(void **state)
{
    (void)state;
    size_t     seen = 0;
    LabOptions o    = harness_options();
    o.profile       = "sm_10";
    o.blocks        = 2; /* of 8 warps; 4 shared accesses a warp; two kernels conflict */
    o.log           = true;
    o.on_log        = count_line;
    o.user          = &seen;
    Lab *lab        = harness_run(&o, "banks");
    harness_expect_verified(lab);
    assert_int_equal(seen, 2 * 8 * 4 * 2);
    lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aat),          cmocka_unit_test(test_matmul),       cmocka_unit_test(test_intmatmul),
        cmocka_unit_test(test_copy),         cmocka_unit_test(test_copy_chosen),  cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_unknown_tile), cmocka_unit_test(test_profile_2008), cmocka_unit_test(test_profile_2010),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
