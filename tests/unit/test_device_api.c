/* SPDX-License-Identifier: Apache-2.0
 *
 * The public functions for devices, memory, modules and launches, with their error paths, on every device at hand. */
#include "tests/unit/device_fixture.h"

/* ---- texts and tables ---- */

static void names_statuses(void **state)
{
    (void)state;
    assert_string_equal(ww_status_text(WW_OK), "success");
    assert_string_equal(ww_status_text(WW_ERR_NO_MEMORY), "out of device memory");
    assert_string_equal(ww_status_text((WwStatus)1000), "unknown status");
    assert_string_equal(ww_status_text((WwStatus)-1), "unknown status");
    assert_string_equal(ww_version(), WW_VERSION_STRING);
}

static void names_counters(void **state)
{
    (void)state;
    WwCounters c = {.global_ld_requests = 3, .shared_ld_wavefronts_ptx = 5};
    size_t     n = ww_counter_count();
    assert_int_equal(n * sizeof(uint64_t), sizeof c);
    assert_string_equal(ww_counter_name(0), "global_ld_requests");
    assert_string_equal(ww_counter_text(0), "warp instructions that read global memory");
    assert_int_equal(ww_counter_value(&c, 0), 3);
    assert_string_equal(ww_counter_name(9), "shared_st_bank_conflicts");
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += ww_counter_value(&c, i) == 5 && !strcmp(ww_counter_name(i), "shared_ld_wavefronts_ptx");
    assert_int_equal(found, 1);
    assert_null(ww_counter_name(n));
    assert_null(ww_counter_text(n));
    assert_int_equal(ww_counter_value(&c, n), 0);
    assert_int_equal(ww_counter_value(NULL, 0), 0);
}

static void refuses_to_open(void **state)
{
    (void)state;
    WwDevice   *x   = (WwDevice *)&x;
    const char *why = NULL;
    assert_int_equal(ww_device_open("abacus", NULL, &x, &why), WW_ERR_NOT_FOUND);
    assert_null(x);
    assert_string_equal(why, "no device 'abacus'; there are: emulator, cuda");
    assert_int_equal(ww_device_open(NULL, NULL, &x, NULL), WW_ERR_NOT_FOUND);
    assert_int_equal(ww_device_open("emulator", NULL, NULL, &why), WW_ERR_INVALID);
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.profile = "sm_7"}, &x, &why), WW_ERR_NOT_FOUND);
    assert_contains(why, "no profile 'sm_7'; there are: sm_10, sm_13,");
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.memory = 1}, &x, &why), WW_ERR_INVALID);
    assert_non_null(strstr(why, "1 bytes are too few"));
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.simd = "abacus"}, &x, &why), WW_ERR_UNAVAILABLE);
    assert_contains(why, "SIMD level 'abacus' is not available here; there are:");
}

static void nothing_is_harmless(void **state)
{
    (void)state;
    WwPtr     p = 0;
    WwResult *r = NULL;
    ww_device_close(NULL);
    ww_module_unload(NULL, NULL);
    ww_module_unload(d, NULL);
    ww_result_free(NULL);
    assert_int_equal(ww_alloc(NULL, 1, &p), WW_ERR_INVALID);
    assert_int_equal(ww_free(NULL, 1), WW_ERR_INVALID);
    assert_int_equal(ww_copy_in(NULL, 1, "", 1), WW_ERR_INVALID);
    assert_int_equal(ww_copy_out(NULL, &p, 1, 1), WW_ERR_INVALID);
    assert_int_equal(ww_copy(NULL, 1, 2, 1), WW_ERR_INVALID);
    assert_int_equal(ww_fill(NULL, 1, 0, 1), WW_ERR_INVALID);
    assert_int_equal(ww_module_load(NULL, "", "", 0, NULL), WW_ERR_INVALID);
    assert_int_equal(ww_module_variable(NULL, NULL, "", NULL, NULL), WW_ERR_INVALID);
    assert_int_equal(ww_launch(NULL, NULL, "", NULL, &r), WW_ERR_INVALID);
    assert_int_equal(ww_launch(d, NULL, "", NULL, NULL), WW_ERR_INVALID);
    assert_string_equal(ww_device_name(NULL), "");
    assert_string_equal(ww_device_kind(NULL), "");
    assert_string_equal(ww_device_profile(NULL), "");
    assert_string_equal(ww_device_error(NULL), "");
    assert_int_equal(ww_module_kernel_count(NULL), 0);
    assert_null(ww_module_kernel_name(NULL, 0));
    assert_null(ww_result_counters(NULL));
    assert_null(ww_result_line(NULL, 0));
    assert_null(ww_result_finding(NULL, 0));
    assert_null(ww_result_inexact(NULL, 0, NULL, NULL));
    assert_int_equal(ww_result_line_count(NULL) + ww_result_finding_count(NULL) + ww_result_inexact_count(NULL), 0);
    assert_int_equal(ww_result_instructions(NULL).exact, 0);
    assert_int_equal(ww_result_time_batch(NULL), 0);
    assert_false(ww_result_time(NULL, NULL, NULL, NULL));
}

static void device_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(ww_device_kind(d), kind);
    assert_true(strlen(ww_device_name(d)) > 3);
    assert_string_equal(ww_device_error(d), "");
    if (!strcmp(kind, "emulator")) {
        assert_contains(ww_device_name(d), "emulator (");
        assert_contains(ww_device_name(d), ", sm_90)");
        assert_string_equal(ww_device_profile(d), "sm_90");
    }
}

/* ---- memory ---- */

static void memory_moves(void **state)
{
    (void)state;
    WwPtr p = 0, q = 0;
    char  out[16] = "";
    assert_ok(ww_alloc(d, 16, &p));
    assert_ok(ww_alloc(d, 16, &q));
    assert_int_equal(p % 256 + q % 256, 0);
    assert_ok(ww_copy_in(d, p, "fifteen letters", 16));
    assert_ok(ww_copy(d, q, p, 16));
    assert_ok(ww_fill(d, q + 1, 'x', 3));
    assert_ok(ww_copy_out(d, out, q, 16));
    assert_string_equal(out, "fxxxeen letters");
    assert_ok(ww_copy_out(d, out, q + 8, 8));
    assert_memory_equal(out, "letters", 8);
    assert_ok(ww_copy_in(d, 0, NULL, 0));
    assert_ok(ww_copy_out(d, NULL, 0, 0));
    assert_ok(ww_copy(d, 0, 0, 0));
    assert_ok(ww_fill(d, 0, 0, 0));
    assert_ok(ww_free(d, p));
    assert_ok(ww_free(d, q));
    assert_ok(ww_free(d, 0));
}

static void memory_refuses(void **state)
{
    (void)state;
    WwPtr p = 0, none = 5;
    char  buf[64] = "";
    assert_fails(ww_alloc(d, 0, &none), WW_ERR_INVALID, "0 bytes");
    assert_int_equal(none, 0);
    assert_fails(ww_alloc(d, 1, NULL), WW_ERR_INVALID, "needs a place");
    assert_fails(ww_alloc(d, (size_t)1 << 50, &none), WW_ERR_NO_MEMORY, "1125899906842624 bytes");
    assert_fails(ww_alloc(d, SIZE_MAX, &none), WW_ERR_NO_MEMORY, "out of device memory");
    assert_ok(ww_alloc(d, 48, &p));
    assert_fails(ww_copy_in(d, p, buf, 49), WW_ERR_INVALID, "ww_copy_in: 49 bytes");
    assert_fails(ww_copy_in(d, p + 40, buf, 9), WW_ERR_INVALID, "ww_copy_in: 9 bytes");
    assert_fails(ww_copy_out(d, buf, p + 47, 2), WW_ERR_INVALID, "ww_copy_out: 2 bytes");
    assert_fails(ww_copy_in(d, 0, buf, 1), WW_ERR_INVALID, "ww_copy_in");
    assert_fails(ww_copy_in(d, p, NULL, 1), WW_ERR_INVALID, "the source is NULL");
    assert_fails(ww_copy_out(d, NULL, p, 1), WW_ERR_INVALID, "the destination is NULL");
    assert_fails(ww_copy_in(d, p + 8, buf, SIZE_MAX - 4), WW_ERR_INVALID, "ww_copy_in");
    assert_fails(ww_copy(d, p, p + 4, 8), WW_ERR_INVALID, "overlap");
    assert_fails(ww_copy(d, p + 4, p, 8), WW_ERR_INVALID, "overlap");
    assert_ok(ww_copy(d, p + 8, p, 8));
    assert_fails(ww_fill(d, p, 0, 49), WW_ERR_INVALID, "ww_fill");
    assert_fails(ww_free(d, p + 1), WW_ERR_INVALID, "not an address that ww_alloc returned");
    assert_ok(ww_free(d, p));
    assert_fails(ww_free(d, p), WW_ERR_INVALID, "freed before");
    assert_fails(ww_free(d, 12345), WW_ERR_INVALID, "0x3039");
}

/* ---- modules ---- */

static void modules_tell_their_kernels(void **state)
{
    (void)state;
    static const char *const names[] = {"saxpy", "gather", "stray", "endless", "rounded", "speak"};
    assert_int_equal(ww_module_kernel_count(m), 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(ww_module_kernel_name(m, i), names[i]);
    assert_null(ww_module_kernel_name(m, 6));
    assert_int_equal(ww_module_kernel_arg_count(m, 0), 4);
    assert_int_equal(ww_module_kernel_arg_bytes(m, 0, 0), 8);
    assert_int_equal(ww_module_kernel_arg_bytes(m, 0, 2), 4);
    assert_int_equal(ww_module_kernel_arg_bytes(m, 0, 4), 0);
    assert_int_equal(ww_module_kernel_arg_count(m, 3), 0);
    assert_int_equal(ww_module_kernel_arg_count(m, 9), 0);
}

static void modules_have_variables(void **state)
{
    (void)state;
    WwPtr    p     = 0;
    size_t   n     = 0;
    uint32_t value = 0;
    assert_ok(ww_module_variable(d, m, "counter", &p, &n));
    assert_int_equal(n, 4);
    assert_ok(ww_copy_out(d, &value, p, 4));
    assert_int_equal(value, 7);
    value = 9;
    assert_ok(ww_copy_in(d, p, &value, 4));
    value = 0;
    assert_ok(ww_copy_out(d, &value, p, 4));
    assert_int_equal(value, 9);
    assert_ok(ww_module_variable(d, m, "table", &p, &n));
    assert_int_equal(n, 12);
    assert_ok(ww_fill(d, p, 1, 12));
    assert_ok(ww_module_variable(d, m, "table", NULL, NULL));
    assert_fails(ww_free(d, p), WW_ERR_INVALID, "ww_free");
    assert_fails(ww_module_variable(d, m, "nothing", &p, &n), WW_ERR_NOT_FOUND,
                 "no .global or .const variable 'nothing'");
    assert_fails(ww_module_variable(d, m, "window", &p, &n), WW_ERR_NOT_FOUND, "another state space");
    assert_fails(ww_module_variable(d, m, NULL, &p, &n), WW_ERR_INVALID, "name is NULL");
    assert_fails(ww_module_variable(d, NULL, "g", &p, &n), WW_ERR_INVALID, "module is NULL");
}

static void modules_refuse(void **state)
{
    (void)state;
    WwModule   *x   = m;
    const char *bad = HEAD ".visible .entry k()\n{\n    frobnicate.u32 %r1;\n}\n";
    assert_fails(ww_module_load(d, "bad.ptx", bad, strlen(bad), &x), WW_ERR_PARSE, "bad.ptx:6:5: error: ");
    assert_null(x);
    assert_contains(ww_device_error(d), "\n    frobnicate.u32 %r1;\n    ^");
    assert_fails(ww_module_load(d, NULL, "garbage", 7, &x), WW_ERR_PARSE, "<ptx>:1:1: error: ");
    assert_fails(ww_module_load(d, "empty.ptx", "", 0, &x), WW_ERR_PARSE, "error: ");
    assert_fails(ww_module_load(d, "n", NULL, 0, &x), WW_ERR_INVALID, "needs PTX text");
    assert_fails(ww_module_load(d, "n", ptx, 1, NULL), WW_ERR_INVALID, "needs a place");
    assert_ok(ww_module_load(d, NULL, ptx, strlen(ptx), &x));
    assert_int_equal(ww_module_kernel_count(x), 6);
    ww_module_unload(d, x);
}

static void modules_belong_to_their_device(void **state)
{
    (void)state;
    WwDevice *e = NULL;
    WwModule *x = NULL;
    assert_int_equal(ww_device_open("emulator", NULL, &e, NULL), WW_OK);
    assert_int_equal(ww_module_load(e, "api.ptx", ptx, strlen(ptx), &x), WW_OK);
    WwLaunch w = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    assert_fails(ww_launch(d, x, "endless", &w, NULL), WW_ERR_INVALID, "belongs to another device");
    assert_fails(ww_module_variable(d, x, "counter", NULL, NULL), WW_ERR_INVALID, "belongs to another device");
    ww_module_unload(d, x); /* not d's: stays */
    assert_int_equal(ww_module_kernel_count(x), 6);
    ww_device_close(e);
}

/* ---- launches ---- */

static void launches_compute(void **state)
{
    (void)state;
    Saxpy     s;
    WwResult *r = NULL;
    float     y[N];
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_NOTHING);
    assert_ok(ww_launch(d, m, "saxpy", &w, &r));
    assert_ok(ww_copy_out(d, y, s.y, sizeof y));
    for (int i = 0; i < N; i++)
        assert_true(y[i] == 0.5f * (float)i + 1);
    assert_non_null(r);
    assert_int_equal(ww_result_finding_count(r), 0);
    assert_null(ww_result_finding(r, 0));
    assert_int_equal(ww_result_line_count(r), 0);
    assert_false(ww_result_time(r, NULL, NULL, NULL));
    for (size_t i = 0; i < ww_counter_count(); i++)
        assert_int_equal(ww_counter_value(ww_result_counters(r), i), 0);
    ww_result_free(r);
    assert_ok(ww_launch(d, m, "saxpy", &w, NULL));
}

static void launches_check_their_request(void **state)
{
    (void)state;
    Saxpy     s;
    WwResult *r       = (WwResult *)&r;
    size_t    sizes[] = {8, 8, 4, 8};
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_NOTHING);
    assert_fails(ww_launch(d, m, "saxpi", &w, &r), WW_ERR_NOT_FOUND,
                 "no kernel 'saxpi' in api.ptx; it has: saxpy, gather, stray, endless, rounded, speak");
    assert_null(r);
    assert_fails(ww_launch(d, m, NULL, &w, &r), WW_ERR_INVALID, "name is NULL");
    assert_fails(ww_launch(d, m, "saxpy", NULL, &r), WW_ERR_INVALID, "launch is NULL");
    assert_fails(ww_launch(d, NULL, "saxpy", &w, &r), WW_ERR_INVALID, "module is NULL");
    w.arg_count = 3;
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_LAUNCH,
                 "kernel saxpy takes 4 arguments (u64, u64, f32, u32), 3 given");
    w.arg_count = 4;
    w.arg_bytes = sizes;
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_LAUNCH, "argument 3 has 8 bytes, its parameter n (u32) 4");
    sizes[3] = 4;
    assert_ok(ww_launch(d, m, "saxpy", &w, NULL));
    s.args[1] = NULL;
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_LAUNCH, "argument 1 is a null pointer");
    s.args[1] = &s.y;
    w.args    = NULL;
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_LAUNCH, "args is NULL");
    w        = saxpy_launch(&s, WW_OBSERVE_NOTHING);
    w.grid.y = 0;
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_LAUNCH, "the grid is 8 x 0 x 1");
    w         = saxpy_launch(&s, WW_OBSERVE_NOTHING);
    w.block.x = 0;
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_LAUNCH, "the block is 0 x 1 x 1");
    w = saxpy_launch(&s, 64);
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_INVALID, "unknown bits: 0x40");
    w         = saxpy_launch(&s, WW_OBSERVE_NOTHING);
    w.repeats = 100001;
    assert_fails(ww_launch(d, m, "saxpy", &w, &r), WW_ERR_INVALID, "100001 repeats are too many");
    assert_null(r);
}

static void launches_respect_the_limits(void **state)
{
    (void)state;
    Saxpy     s;
    WwResult *r = NULL;
    saxpy_begin(&s);
    static const WwLaunch bad[] = {
        {.grid = {1, 1, 1}, .block = {1025, 1, 1}},     {.grid = {1, 1, 1}, .block = {1, 1, 65}},
        {.grid = {1, 65536, 1}, .block = {1, 1, 1}},    {.grid = {1, 1, 65536}, .block = {1, 1, 1}},
        {.grid = {1u << 31, 1, 1}, .block = {1, 1, 1}}, {.grid = {1, 1, 1}, .block = {32, 1, 1}, .shared = 232449},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        WwLaunch w  = bad[i];
        w.args      = s.args;
        w.arg_count = 4;
        if (ww_launch(d, m, "saxpy", &w, &r) != WW_ERR_LAUNCH)
            fail_msg("launch %zu was accepted", i);
        assert_null(r);
        assert_contains(ww_device_error(d), "kernel saxpy");
    }
}

static void shared_memory_is_as_large_as_asked(void **state)
{
    (void)state;
    WwPtr    p      = 0;
    uint32_t stride = 454, out[128]; /* 127 * 454 * 4 + 4 bytes */
    WwLaunch w      = {
             .grid = {1, 1, 1}, .block = {128, 1, 1}, .shared = 232448, .args = (void *[]){&p, &stride}, .arg_count = 2};
    assert_ok(ww_alloc(d, sizeof out, &p));
    assert_ok(ww_launch(d, m, "gather", &w, NULL));
    assert_ok(ww_copy_out(d, out, p, sizeof out));
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], i);
}

/* ---- rounds ---- */

static int run(const char *device)
{
#define T(f) cmocka_unit_test_setup_teardown(f, open_device, close_device)
    const struct CMUnitTest tests[] = {
        T(names_statuses),
        T(names_counters),
        T(refuses_to_open),
        T(nothing_is_harmless),
        T(device_has_a_name),
        T(memory_moves),
        T(memory_refuses),
        T(modules_tell_their_kernels),
        T(modules_have_variables),
        T(modules_refuse),
        T(modules_belong_to_their_device),
        T(launches_compute),
        T(launches_check_their_request),
        T(launches_respect_the_limits),
        T(shared_memory_is_as_large_as_asked),
    };
#undef T
    return cmocka_run_group_tests_name(device, tests, NULL, NULL);
}

int main(void)
{
    return run_on_devices(run);
}
