/* SPDX-License-Identifier: Apache-2.0
 *
 * The lab on a CUDA device, without a GPU: the mock driver runs a host function for the kernel.  Times and effective
 * bandwidth of a right result; and that a result nobody computed, a write outside an array, a fault and a missing
 * kernel carry none. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/mock/mock_cuda.h"
#include "tests/unit/lab_harness.h"

enum { VALUES = 2 * 256 };

static MockCuda *mock;
static void (*reset)(void);

static int set_up(void **state)
{
    (void)state;
    void *lib = dlopen(WW_MOCK_CUDA, RTLD_NOW);
    if (!lib)
        return -1;
    MockCuda *(*get)(void);
    *(void **)&get   = dlsym(lib, "mock_cuda");
    *(void **)&reset = dlsym(lib, "mock_cuda_reset");
    mock             = get();
    return setenv("WARPWRIGHT_CUDA_DRIVER", WW_MOCK_CUDA, 1);
}

static int begin(void **state)
{
    (void)state;
    reset();
    mock->launch_ms = 0.25;
    return 0;
}

/* All three kernels of banks do the same to global memory. */
static void doubling(const char *name, void **args)
{
    const float *in  = *(float **)args[0];
    float       *out = *(float **)args[1];
    (void)name;
    for (size_t i = 0; i < VALUES; i++)
        out[i] = 2 * in[i];
}

static void one_past(const char *name, void **args)
{
    float *out = *(float **)args[1];
    doubling(name, args);
    out[VALUES] = 0;
}

static void one_before(const char *name, void **args)
{
    float *out = *(float **)args[1];
    doubling(name, args);
    out[-1] = 0;
}

static void one_missing(const char *name, void **args)
{
    float *out = *(float **)args[1], kept = out[VALUES - 1];
    doubling(name, args);
    out[VALUES - 1] = kept;
}

static Lab *run_banks(const char *device)
{
    LabOptions o = harness_options();
    o.device     = device;
    o.blocks     = 2;
    return harness_run(&o, "banks");
}

static void test_timed(void **state)
{
    (void)state;
    mock->kernel = doubling;
    Lab *lab     = run_banks("cuda");
    harness_expect_verified(lab);
    const LabRow *r = lab_row(lab, 0);
    assert_string_equal(r->device, "cuda");
    assert_true(r->timed);
    assert_false(r->counted);
    assert_true(fabs(r->time_ms - 0.25) < 1e-6);
    assert_int_equal(r->runs, 100);
    assert_true(fabs(r->effective_gbs - VALUES * 8 / 0.25e6) < 1e-9);
    json_t *doc = lab_json(lab), *row = json_array_get(json_object_get(doc, "rows"), 0);
    assert_true(json_is_real(json_object_get(row, "time_ms")));
    assert_true(json_is_null(json_object_get(row, "global_ld_sectors"))); /* nobody counted: not zero */
    json_decref(doc);
    Str text = {0};
    lab_table(lab, true, &text);
    assert_non_null(strstr(str_text(&text), "GB/s"));
    str_free(&text);
    lab_close(lab);
}

static void test_both(void **state)
{
    (void)state;
    mock->kernel = doubling;
    Lab *lab     = run_banks("auto");
    harness_expect_verified(lab);
    const LabRow *r = lab_row(lab, 1);
    assert_string_equal(r->device, "emulator+cuda");
    assert_true(r->timed && r->counted);
    assert_true(r->counters.shared_st_bank_conflicts > 0);
    lab_close(lab);
}

/* Every row must be refused, with these words, and carry no time. */
static void expect_refused(const char *words)
{
    Lab *lab = run_banks("cuda");
    assert_int_equal(lab_row_count(lab), 3);
    for (size_t i = 0; i < 3; i++) {
        const LabRow *r = lab_row(lab, i);
        assert_false(r->verified);
        assert_false(r->timed);
        assert_true(r->effective_gbs == 0);
        if (!strstr(r->problem, words))
            fail_msg("%s", r->problem);
    }
    json_t *doc = lab_json(lab), *row = json_array_get(json_object_get(doc, "rows"), 0);
    assert_true(json_is_false(json_object_get(row, "verified")));
    assert_true(json_is_null(json_object_get(row, "time_ms")));
    json_decref(doc);
    lab_close(lab);
}

static void test_refused(void **state)
{
    (void)state;
    expect_refused("nan, expected");
    mock->kernel = one_missing;
    expect_refused("value 511 is ");
    mock->kernel = one_past;
    expect_refused("wrote outside its arrays");
    mock->kernel = one_before;
    expect_refused("wrote outside its arrays");
    reset();
    mock->fail_launch = 1;
    expect_refused("cuda: ");
    reset();
    mock->fail_alloc = 2;
    expect_refused("cuda: ");
    reset();
    mock->fail_load = 218;
    expect_refused("cuda: ");
}

static void test_no_gpu(void **state)
{
    LabOptions o       = harness_options();
    Lab       *lab     = NULL;
    Str        message = {0};
    (void)state;
    mock->devices = 0;
    o.device      = "cuda";
    assert_int_not_equal(lab_open(&o, &lab, &message), WW_OK);
    assert_null(lab);
    assert_non_null(strstr(str_text(&message), "cannot open the GPU: "));
    str_free(&message);
    lab = run_banks("auto"); /* counts without times, and a note */
    harness_expect_verified(lab);
    assert_string_equal(lab_row(lab, 0)->device, "emulator");
    assert_non_null(strstr(lab_note(lab), "times need a GPU"));
    lab_close(lab);
    o.device = "abacus";
    assert_int_equal(lab_open(&o, &lab, &message), WW_ERR_INVALID);
    str_free(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_timed, begin),
        cmocka_unit_test_setup(test_both, begin),
        cmocka_unit_test_setup(test_refused, begin),
        cmocka_unit_test_setup(test_no_gpu, begin),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
