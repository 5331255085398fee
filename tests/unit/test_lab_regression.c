/* SPDX-License-Identifier: Apache-2.0
 *
 * The regression file of the banks experiment: written once, compared in every value, refused when it is not one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/lab_harness.h"

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/warpwright-regression-%ld", (long)getpid());
    remove(path);
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

static LabOptions options(uint64_t seed)
{
    LabOptions o = harness_options();
    o.blocks     = 2;
    o.seed       = seed;
    o.regression = path;
    return o;
}

/* Runs with the file; returns whether every row was verified. */
static bool verified(uint64_t seed)
{
    LabOptions o   = options(seed);
    Lab       *lab = harness_run(&o, "banks");
    bool       ok  = lab_all_verified(lab);
    lab_close(lab);
    return ok;
}

static char *read_all(size_t *n)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = malloc(1 << 20);
    *n         = fread(text, 1, (1 << 20) - 1, f);
    text[*n]   = '\0';
    fclose(f);
    return text;
}

static void write_all(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_written_and_compared(void **state)
{
    size_t n, lines = 0;
    (void)state;
    assert_true(verified(1));
    char *text = read_all(&n);
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 2 + 3 * (1 + 2 * 256)); /* every value of the three kernels */
    assert_true(verified(2));                       /* another seed: the file's is used */
    free(text);
}

/* The last value of the file is one that only a full comparison reaches. */
static void test_last_value_counts(void **state)
{
    size_t n;
    (void)state;
    assert_true(verified(1));
    char *text = read_all(&n), *last = text + n - 2;
    while (last[-1] != '\n')
        last--;
    strcpy(last, "7.5\n");
    write_all(text);
    free(text);
    LabOptions o   = options(1);
    Lab       *lab = harness_run(&o, "banks");
    assert_true(harness_row(lab, "bank_linear")->verified);
    assert_true(harness_row(lab, "bank_transposed")->verified);
    const LabRow *r = harness_row(lab, "bank_transposed_shared");
    assert_false(r->verified);
    assert_non_null(strstr(r->problem, "value 511 is "));
    lab_close(lab);
}

static void test_other_size(void **state)
{
    (void)state;
    assert_true(verified(1));
    LabOptions o = options(1);
    o.blocks     = 3;
    Lab *lab     = harness_run(&o, "banks");
    assert_false(lab_all_verified(lab));
    assert_non_null(strstr(lab_row(lab, 0)->problem, "has 512 values of bank_linear, this run 768"));
    lab_close(lab);
}

static void test_malformed(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", ":1:1: error: expected the line '# warpwright banks regression 1'"},
        {"1\n2\n", ":1:1: error: expected the line"},
        {"# warpwright banks regression 1\nseed x\n", ":2:1: error: expected 'seed' and a number"},
        {"# warpwright banks regression 1\nseed 1\nbank_linear 2\n",
         ":3:1: error: expected 'kernel', a name and a count"},
        {"# warpwright banks regression 1\nseed 1\nkernel bank_linear 2\n1\n", ":5:1: error: expected another value"},
        {"# warpwright banks regression 1\nseed 1\nkernel bank_linear 2\n1\nx\n", ":5:1: error: expected a number"},
        {"# warpwright banks regression 1\nseed 1\nkernel a 99999999999\n",
         ":3:1: error: expected 'kernel', a name and a count"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_all(bad[i].text);
        LabOptions        o   = options(1);
        Lab              *lab = harness_open(&o);
        const Experiment *e   = lab_experiment_find("banks");
        assert_int_equal(lab_run(lab, &e, 1), WW_ERR_INVALID);
        if (!strstr(lab_error(lab), bad[i].message))
            fail_msg("case %zu: %s", i, lab_error(lab));
        lab_close(lab);
    }
}

static void test_cannot_write(void **state)
{
    (void)state;
    LabOptions o          = options(1);
    o.regression          = "/nonexistent/folder/file";
    Lab              *lab = harness_open(&o);
    const Experiment *e   = lab_experiment_find("banks");
    assert_int_equal(lab_run(lab, &e, 1), WW_ERR_INVALID);
    assert_non_null(strstr(lab_error(lab), "cannot write /nonexistent/folder/file"));
    lab_close(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_written_and_compared, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_last_value_counts, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_other_size, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_malformed, make_path, remove_path),
        cmocka_unit_test_setup_teardown(test_cannot_write, make_path, remove_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
