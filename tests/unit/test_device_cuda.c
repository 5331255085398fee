/* SPDX-License-Identifier: Apache-2.0
 *
 * What only a GPU can show: that the driver answers as src/device/cuda*.c expects, that times are times, and that a device can
 * say why it cannot be used after a kernel has faulted.  Skipped, with the reason, where there is no GPU. */
#include "tests/unit/device_fixture.h"

/* Spins until `cycles` of the GPU's clock have passed. */
static const char spin_ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry spin(.param .u64 cycles)\n"
                               "{\n"
                               "    .reg .b64 %n, %from, %to; .reg .pred %q;\n"
                               "    ld.param.u64 %n, [cycles];\n"
                               "    mov.u64 %from, %clock64;\n"
                               "$again:\n"
                               "    mov.u64 %to, %clock64; sub.u64 %to, %to, %from; setp.lt.u64 %q, %to, %n;\n"
                               "    @%q bra $again;\n"
                               "    ret;\n"
                               "}\n";

static const char *missing; /* why there is no GPU; NULL: there is one */

static void on_gpu(void)
{
    if (missing)
        skip();
}

static int open_gpu(void **state)
{
    kind = "cuda";
    return missing ? 0 : open_device(state);
}

static void results_match_the_emulator(void **state)
{
    (void)state;
    float y[2][N];
    on_gpu();
    for (int i = 0; i < 2; i++) {
        Saxpy s;
        saxpy_begin(&s);
        WwLaunch w = saxpy_launch(&s, WW_OBSERVE_NOTHING);
        assert_ok(ww_launch(d, m, "saxpy", &w, NULL));
        assert_ok(ww_copy_out(d, y[i], s.y, sizeof y[i]));
        close_device(state);
        kind = "emulator";
        assert_int_equal(open_device(state), 0);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
}

static double time_spin(uint64_t cycles, unsigned repeats, unsigned *batch)
{
    WwModule *x      = NULL;
    WwResult *r      = NULL;
    double    median = 0, fastest = 0;
    unsigned  runs = 0;
    assert_ok(ww_module_load(d, "spin.ptx", spin_ptx, strlen(spin_ptx), &x));
    WwLaunch w = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = (void *[]){&cycles}, .arg_count = 1, .time = true};
    w.repeats  = repeats;
    assert_ok(ww_launch(d, x, "spin", &w, &r));
    assert_true(ww_result_time(r, &median, &fastest, &runs));
    *batch = ww_result_time_batch(r);
    print_message("spin of %llu cycles: median %.6f ms, fastest %.6f ms, %u runs of %u launches\n",
                  (unsigned long long)cycles, median, fastest, runs, *batch);
    assert_int_equal(runs, repeats ? repeats : 20);
    assert_true(fastest > 0 && fastest <= median);
    ww_result_free(r);
    ww_module_unload(d, x);
    return median;
}

static void times_grow_with_the_work(void **state)
{
    (void)state;
    unsigned batch[3];
    on_gpu();
    double nothing = time_spin(0, 5, &batch[0]), little = time_spin(200000, 0, &batch[1]),
           much = time_spin(4000000, 7, &batch[2]);
    assert_true(nothing < 0.05);
    assert_true(batch[0] > 20);
    assert_in_range(batch[1], 2, 30);
    assert_int_equal(batch[2], 1);
    assert_true(much > 15 * little && much < 25 * little);
}

static void the_drivers_log_is_in_the_message(void **state)
{
    (void)state;
    WwModule   *x    = NULL;
    const char *text = ".version 7.0\n.target sm_80\n.address_size 64\n"
                       ".extern .func nobody_defines_me();\n"
                       ".visible .entry k()\n{\n    call.uni nobody_defines_me, ();\n    ret;\n}\n";
    on_gpu();
    assert_true(ww_module_load(d, "k.ptx", text, strlen(text), &x) != WW_OK);
    print_message("%s\n", ww_device_error(d));
    assert_contains(ww_device_error(d), "k.ptx: the CUDA driver did not load this module");
    assert_contains(ww_device_error(d), "nobody_defines_me");
}

static void counters_are_refused(void **state)
{
    (void)state;
    Saxpy s;
    on_gpu();
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_COUNTERS);
    assert_fails(ww_launch(d, m, "saxpy", &w, NULL), WW_ERR_INVALID, "cuda cannot observe counters");
}

static void a_fault_closes_the_device(void **state)
{
    (void)state;
    WwPtr     p   = 0;
    uint64_t  off = UINT64_C(1) << 44;
    WwResult *r   = NULL;
    uint32_t  v   = 0;
    on_gpu();
    assert_ok(ww_alloc(d, 64, &p));
    WwLaunch w = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = (void *[]){&p, &off}, .arg_count = 2};
    assert_int_equal(ww_launch(d, m, "stray", &w, &r), WW_ERR_FAULT);
    print_message("%s\n", ww_device_error(d));
    assert_int_equal(ww_result_finding_count(r), 1);
    assert_string_equal(ww_result_finding(r, 0)->rule, "out-of-bounds");
    ww_result_free(r);
    assert_fails(ww_copy_out(d, &v, p, 4), WW_ERR_DEVICE, "start the program again");
    close_device(state);

    /* The CUDA documentation leaves the process without the GPU, and an H200's driver 580 does so: opening says why. */
    const char *why = NULL;
    assert_int_equal(ww_device_open("cuda", NULL, &d, &why), WW_ERR_UNAVAILABLE);
    assert_contains(why, "illegal memory access");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, open_gpu, close_device)
    const struct CMUnitTest tests[] = {
        T(results_match_the_emulator), T(times_grow_with_the_work),  T(the_drivers_log_is_in_the_message),
        T(counters_are_refused),       T(a_fault_closes_the_device),
    };
#undef T
    WwDevice *gpu = NULL;
    if (ww_device_open("cuda", NULL, &gpu, &missing) == WW_OK)
        missing = NULL;
    else
        print_message("skipped: %s\n", missing);
    ww_device_close(gpu);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
