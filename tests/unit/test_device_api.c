/* SPDX-License-Identifier: Apache-2.0
 *
 * Every public function of warpwright.h, with its error paths, on every device at hand: the emulator, and a GPU where there is
 * one.  What only one of them can do (counters, accesses, faults that leave the device usable) is skipped on the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpwright/warpwright.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"

/* The order of the kernels and the lines of .loc stand in expectations. */
static const char ptx[] =
    HEAD ".file 1 \"saxpy.cu\"\n"
         ".visible .global .align 8 .u32 counter = 7;\n"
         ".visible .const .align 4 .b8 table[12];\n"
         ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)\n"
         "{\n"
         "    .reg .b64 %p<2>, %o; .reg .b32 %b, %k, %t, %i, %n; .reg .f32 %a, %x, %y; .reg .pred %q;\n"
         "    .loc 1 10 5\n"
         "    ld.param.u64 %p0, [x]; ld.param.u64 %p1, [y]; ld.param.f32 %a, [a]; ld.param.u32 %n, [n];\n"
         "    mov.u32 %b, %ctaid.x; mov.u32 %k, %ntid.x; mov.u32 %t, %tid.x; mad.lo.s32 %i, %b, %k, %t;\n"
         "    setp.ge.u32 %q, %i, %n;\n"
         "    @%q bra $end;\n"
         "    .loc 1 12 9\n"
         "    mul.wide.s32 %o, %i, 4; add.s64 %p0, %p0, %o; add.s64 %p1, %p1, %o;\n"
         "    ld.global.f32 %x, [%p0]; ld.global.f32 %y, [%p1];\n"
         "    .loc 1 13 9\n"
         "    fma.rn.f32 %y, %a, %x, %y;\n"
         "    st.global.f32 [%p1], %y;\n"
         "$end:\n"
         "    ret;\n"
         "}\n"
         /* out[tid] = window[tid * stride], over dynamic shared memory that each thread fills at its own place */
         ".extern .shared .align 4 .b8 window[];\n"
         ".visible .entry gather(.param .u64 out, .param .u32 stride)\n"
         "{\n"
         "    .reg .b64 %p, %o; .reg .b32 %t, %s, %w, %a, %v;\n"
         "    ld.param.u64 %p, [out]; ld.param.u32 %s, [stride];\n"
         "    mov.u32 %t, %tid.x; mov.u32 %w, window; mul.lo.u32 %a, %t, %s; shl.b32 %a, %a, 2; add.u32 %a, %a, %w;\n"
         "    st.shared.u32 [%a], %t;\n"
         "    bar.sync 0;\n"
         "    ld.shared.u32 %v, [%a];\n"
         "    mul.wide.u32 %o, %t, 4; add.s64 %p, %p, %o;\n"
         "    st.global.u32 [%p], %v;\n"
         "    ret;\n"
         "}\n"
         ".visible .entry stray(.param .u64 p, .param .u64 offset)\n"
         "{\n"
         "    .reg .b64 %p, %o; .reg .b32 %t; .reg .pred %q;\n"
         "    ld.param.u64 %p, [p]; ld.param.u64 %o, [offset]; add.s64 %p, %p, %o;\n"
         "    mov.u32 %t, %tid.x; setp.eq.u32 %q, %t, 5;\n"
         "    .loc 1 42 7\n"
         "    @%q st.global.u32 [%p], %t;\n"
         "    ret;\n"
         "}\n"
         ".visible .entry endless()\n"
         "{\n"
         "$top:\n"
         "    bra $top;\n"
         "}\n"
         ".visible .entry rounded(.param .u64 p)\n"
         "{\n"
         "    .reg .b64 %p; .reg .f32 %f;\n"
         "    ld.param.u64 %p, [p]; ld.global.f32 %f, [%p]; ex2.approx.ftz.f32 %f, %f; st.global.f32 [%p], %f;\n"
         "    ret;\n"
         "}\n"
         ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
         ".global .align 1 .b8 text[10] = {116, 61, 37, 100, 59, 0};\n"
         ".visible .entry speak()\n"
         "{\n"
         "    .local .align 8 .b8 frame[8];\n"
         "    .reg .b64 %f, %a, %l; .reg .b32 %t, %r;\n"
         "    mov.u32 %t, %tid.x; mov.u64 %l, frame; cvta.local.u64 %a, %l; st.local.u32 [%l], %t;\n"
         "    mov.u64 %f, text; cvta.global.u64 %f, %f;\n"
         "    {\n"
         "    .param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
         "    st.param.b64 [p0], %f; st.param.b64 [p1], %a;\n"
         "    call.uni (r0), vprintf, (p0, p1);\n"
         "    ld.param.b32 %r, [r0];\n"
         "    }\n"
         "    ret;\n"
         "}\n";

static const char *kind; /* the device this round runs on */
static WwDevice   *d;
static WwModule   *m;

#define assert_contains(text, part)                                                                                    \
    do {                                                                                                               \
        if (!strstr((text), (part)))                                                                                   \
            fail_msg("\"%s\" is not in \"%s\"", (part), (text));                                                       \
    } while (0)

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        if ((call) != WW_OK)                                                                                           \
            fail_msg("%s", ww_device_error(d));                                                                        \
    } while (0)

#define assert_fails(call, status, part)                                                                               \
    do {                                                                                                               \
        assert_int_equal((call), (status));                                                                            \
        assert_contains(ww_device_error(d), part);                                                                     \
    } while (0)

static void emulator_only(void)
{
    if (strcmp(kind, "emulator") != 0)
        skip();
}

static int open_device(void **state)
{
    (void)state;
    const char *why = NULL;
    if (ww_device_open(kind, &(WwDeviceOptions){.threads = 2}, &d, &why) != WW_OK ||
        ww_module_load(d, "api.ptx", ptx, strlen(ptx), &m) != WW_OK) {
        print_error("%s: %s%s\n", kind, why, ww_device_error(d));
        return -1;
    }
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    ww_device_close(d);
    d = NULL;
    return 0;
}

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
    WwCounters c = {.global_ld_requests = 3, .shared_ld_wavefronts_merged = 5};
    size_t     n = ww_counter_count();
    assert_int_equal(n * sizeof(uint64_t), sizeof c);
    assert_string_equal(ww_counter_name(0), "global_ld_requests");
    assert_string_equal(ww_counter_text(0), "warp instructions that read global memory");
    assert_int_equal(ww_counter_value(&c, 0), 3);
    assert_string_equal(ww_counter_name(9), "shared_st_bank_conflicts");
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += ww_counter_value(&c, i) == 5 && !strcmp(ww_counter_name(i), "shared_ld_wavefronts_merged");
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
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.simd = "abacus"}, &x, &why), WW_ERR_UNAVAILABLE);
    assert_contains(why, "SIMD level 'abacus' is not available here; there are:");
    assert_contains(why, "baseline");
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

enum { N = 1000 };

typedef struct Saxpy {
    WwPtr    x, y;
    float    a;
    uint32_t n;
    void    *args[4];
} Saxpy;

static void saxpy_begin(Saxpy *s)
{
    float x[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = 1;
    assert_ok(ww_alloc(d, sizeof x, &s->x));
    assert_ok(ww_alloc(d, sizeof y, &s->y));
    assert_ok(ww_copy_in(d, s->x, x, sizeof x));
    assert_ok(ww_copy_in(d, s->y, y, sizeof y));
    s->a       = 0.5f;
    s->n       = N;
    s->args[0] = &s->x;
    s->args[1] = &s->y;
    s->args[2] = &s->a;
    s->args[3] = &s->n;
}

static WwLaunch saxpy_launch(Saxpy *s, unsigned observe)
{
    return (WwLaunch){.grid = {8, 1, 1}, .block = {128, 1, 1}, .args = s->args, .arg_count = 4, .observe = observe};
}

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

/* ---- results ---- */

static const WwLine *find_line(const WwResult *r, const char *file, uint32_t line)
{
    for (size_t i = 0; i < ww_result_line_count(r); i++)
        if (!strcmp(ww_result_line(r, i)->file, file) && ww_result_line(r, i)->line == line)
            return ww_result_line(r, i);
    fail_msg("no line %s:%u", file, line);
    return NULL;
}

static void counters_are_counted(void **state)
{
    (void)state;
    Saxpy     s;
    WwResult *r = NULL;
    emulator_only();
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_COUNTERS);
    assert_ok(ww_launch(d, m, "saxpy", &w, &r));
    const WwCounters *c = ww_result_counters(r);
    /* 1000 of 1024 threads: 31 full warps and one of 8 lanes */
    assert_int_equal(c->global_ld_requests, 64);
    assert_int_equal(c->global_ld_sectors, 2 * N / 8);
    assert_int_equal(c->global_st_requests, 32);
    assert_int_equal(c->global_st_sectors, N / 8);
    assert_int_equal(c->useful_bytes, 12 * N);
    assert_int_equal(c->shared_ld_inst, 0);
    assert_int_equal(c->inst_executed, 32 * (10 + 3 + 2 + 2 + 1));
    assert_int_equal(c->thread_inst_executed, 1024 * 11 + N * 7);

    const WwLine *loads = find_line(r, "saxpy.cu", 12), *stores = find_line(r, "saxpy.cu", 13);
    assert_int_equal(loads->counters.global_ld_requests, 64);
    assert_int_equal(loads->counters.global_st_requests, 0);
    assert_int_equal(loads->counters.inst_executed, 32 * 5);
    assert_int_equal(stores->counters.global_st_sectors, N / 8);
    WwCounters sum = {0};
    for (size_t i = 0; i < ww_result_line_count(r); i++) {
        const WwLine *l = ww_result_line(r, i);
        sum.inst_executed += l->counters.inst_executed;
        sum.global_ld_sectors += l->counters.global_ld_sectors;
        if (i) {
            int order = strcmp(l[-1].file, l->file);
            assert_true(order < 0 || (!order && l[-1].line < l->line));
        }
    }
    assert_int_equal(sum.inst_executed, c->inst_executed);
    assert_int_equal(sum.global_ld_sectors, c->global_ld_sectors);
    assert_null(ww_result_line(r, ww_result_line_count(r)));
    WwInstructionClasses k = ww_result_instructions(r);
    assert_int_equal(k.exact, c->inst_executed);
    assert_int_equal(k.approximate + k.unsupported, 0);
    ww_result_free(r);
}

static void lines_without_loc_are_the_ptx_itself(void **state)
{
    (void)state;
    WwPtr     p      = 0;
    uint32_t  stride = 32;
    WwResult *r      = NULL;
    emulator_only();
    assert_ok(ww_alloc(d, 128, &p));
    WwLaunch w = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .shared = 4096, .args = (void *[]){&p, &stride}, .arg_count = 2};
    w.observe = WW_OBSERVE_COUNTERS;
    assert_ok(ww_launch(d, m, "gather", &w, &r));
    assert_int_equal(ww_result_counters(r)->shared_st_bank_conflicts, 31);
    assert_int_equal(ww_result_counters(r)->shared_ld_wavefronts, 32);
    uint32_t at = 1;
    for (const char *t = ptx; t < strstr(ptx, "ld.shared"); t++)
        at += *t == '\n';
    assert_int_equal(find_line(r, "api.ptx", at)->counters.shared_ld_bank_conflicts, 31);
    ww_result_free(r);
}

static void approximate_instructions_are_told(void **state)
{
    (void)state;
    WwPtr     p           = 0;
    WwResult *r           = NULL;
    float     f           = 3;
    bool      unsupported = true;
    uint64_t  times       = 0;
    emulator_only();
    assert_ok(ww_alloc(d, 4, &p));
    assert_ok(ww_copy_in(d, p, &f, 4));
    WwLaunch w = {.grid = {3, 1, 1}, .block = {1, 1, 1}, .args = (void *[]){&p}, .arg_count = 1};
    assert_ok(ww_launch(d, m, "rounded", &w, &r));
    assert_int_equal(ww_result_inexact_count(r), 1);
    assert_string_equal(ww_result_inexact(r, 0, &unsupported, &times), "ex2.approx.ftz.f32");
    assert_false(unsupported);
    assert_int_equal(times, 3);
    assert_null(ww_result_inexact(r, 1, NULL, NULL));
    assert_int_equal(ww_result_instructions(r).approximate, 3);
    assert_int_equal(ww_result_instructions(r).exact, 12);
    ww_result_free(r);
}

static void faults_become_findings(void **state)
{
    (void)state;
    WwPtr     p   = 0;
    uint64_t  off = 4096;
    WwResult *r   = NULL;
    emulator_only();
    assert_ok(ww_alloc(d, 64, &p));
    WwLaunch w = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = (void *[]){&p, &off}, .arg_count = 2};
    w.observe  = WW_OBSERVE_COUNTERS;
    assert_fails(ww_launch(d, m, "stray", &w, &r), WW_ERR_FAULT,
                 "saxpy.cu:42:7: error: kernel stray, block (0, 0, 0), thread (5, 0, 0)");
    assert_non_null(r);
    assert_int_equal(ww_result_finding_count(r), 1);
    const WwFinding *f = ww_result_finding(r, 0);
    assert_string_equal(f->rule, "out-of-bounds");
    assert_string_equal(f->category, "memory");
    assert_string_equal(f->severity, "error");
    assert_string_equal(f->kernel, "stray");
    assert_string_equal(f->file, "saxpy.cu");
    assert_int_equal(f->line, 42);
    assert_int_equal(f->col, 7);
    assert_int_equal(f->thread.x, 5);
    assert_int_equal(f->address, p + off);
    assert_int_equal(f->count, 1);
    assert_true(strlen(f->message) > 10);
    assert_null(ww_result_finding(r, 1));
    ww_result_free(r);

    off = 8; /* the device goes on working */
    assert_ok(ww_launch(d, m, "stray", &w, NULL));
    uint32_t v = 0;
    assert_ok(ww_copy_out(d, &v, p + 8, 4));
    assert_int_equal(v, 5);
}

static void unsupported_instructions_are_told(void **state)
{
    (void)state;
    const char *text        = ".version 7.3\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k()\n{\n    .reg .b64 %s;\n    stacksave.u64 %s;\n    ret;\n}\n";
    WwModule   *x           = NULL;
    WwResult   *r           = NULL;
    bool        unsupported = false;
    uint64_t    times       = 0;
    emulator_only();
    assert_ok(ww_module_load(d, "k.ptx", text, strlen(text), &x));
    WwLaunch w = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_fails(ww_launch(d, x, "k", &w, &r), WW_ERR_UNSUPPORTED, "k.ptx:7:5: error: kernel k");
    assert_contains(ww_device_error(d), "stacksave.u64");
    assert_string_equal(ww_result_finding(r, 0)->rule, "unsupported");
    assert_int_equal(ww_result_inexact_count(r), 1);
    assert_string_equal(ww_result_inexact(r, 0, &unsupported, &times), "stacksave.u64");
    assert_true(unsupported);
    assert_int_equal(times, 1);
    assert_int_equal(ww_result_instructions(r).unsupported, 1);
    ww_result_free(r);
}

static void limits_end_a_kernel(void **state)
{
    (void)state;
    WwResult    *r    = NULL;
    volatile int stop = 1;
    emulator_only();
    WwLaunch w = {.grid = {2, 1, 1}, .block = {64, 1, 1}, .max_instructions = 100000};
    assert_int_equal(ww_launch(d, m, "endless", &w, &r), WW_ERR_LIMIT);
    assert_string_equal(ww_result_finding(r, 0)->rule, "instruction-limit");
    assert_string_equal(ww_result_finding(r, 0)->kernel, "endless");
    ww_result_free(r);
    w = (WwLaunch){.grid = {2, 1, 1}, .block = {64, 1, 1}, .max_seconds = 0.05};
    assert_int_equal(ww_launch(d, m, "endless", &w, &r), WW_ERR_LIMIT);
    assert_string_equal(ww_result_finding(r, 0)->rule, "time-limit");
    ww_result_free(r);
    w = (WwLaunch){.grid = {2, 1, 1}, .block = {64, 1, 1}, .stop = &stop};
    assert_int_equal(ww_launch(d, m, "endless", &w, &r), WW_ERR_LIMIT);
    assert_int_equal(ww_result_finding_count(r), 1);
    ww_result_free(r);
}

typedef struct Text {
    char   s[1024];
    size_t len;
} Text;

static void keep_text(void *user, const char *text, size_t len)
{
    Text *t = user;
    if (t->len + len < sizeof t->s)
        memcpy(t->s + t->len, text, len);
    t->len += len;
}

static void printing_is_handed_over(void **state)
{
    (void)state;
    Text t = {0};
    emulator_only();
    WwLaunch w = {.grid = {2, 1, 1}, .block = {3, 1, 1}, .on_print = keep_text, .user = &t};
    assert_ok(ww_launch(d, m, "speak", &w, NULL));
    assert_string_equal(t.s, "t=0;t=1;t=2;t=0;t=1;t=2;");
    w.on_print = NULL;
    assert_ok(ww_launch(d, m, "speak", &w, NULL));
}

typedef struct Log {
    size_t   n;
    WwAccess first[4];
    uint64_t lane1[4];
} Log;

static void keep_access(void *user, const WwAccess *a)
{
    Log *l = user;
    if (l->n < 4) {
        l->first[l->n] = *a;
        l->lane1[l->n] = a->address[1];
    }
    l->n++;
}

static void accesses_are_handed_over(void **state)
{
    (void)state;
    Log      l      = {0};
    WwPtr    p      = 0;
    uint32_t stride = 2;
    emulator_only();
    assert_ok(ww_alloc(d, 128, &p));
    WwLaunch w = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .shared = 256, .args = (void *[]){&p, &stride}, .arg_count = 2};
    w.observe = WW_OBSERVE_ACCESSES;
    assert_fails(ww_launch(d, m, "gather", &w, NULL), WW_ERR_INVALID, "needs on_access");
    w.on_access = keep_access;
    w.user      = &l;
    assert_ok(ww_launch(d, m, "gather", &w, NULL));
    assert_int_equal(l.n, 3);
    assert_string_equal(l.first[0].space, "shared");
    assert_string_equal(l.first[0].op, "st");
    assert_int_equal(l.first[0].bytes, 4);
    assert_int_equal(l.first[0].mask, UINT32_MAX);
    assert_int_equal(l.first[0].wavefronts, 2);
    assert_int_equal(l.first[0].conflicts, 1);
    assert_null(l.first[0].file);
    assert_int_equal(l.lane1[0], 8);
    assert_string_equal(l.first[1].op, "ld");
    assert_int_equal(l.first[1].ptx_line, l.first[0].ptx_line + 2);
    assert_string_equal(l.first[2].space, "global");
    assert_int_equal(l.lane1[2], p + 4);
    assert_int_equal(l.first[2].sectors, 4);

    Saxpy s;
    saxpy_begin(&s);
    l           = (Log){0};
    w           = saxpy_launch(&s, WW_OBSERVE_ACCESSES | WW_OBSERVE_COUNTERS);
    w.on_access = keep_access;
    w.user      = &l;
    assert_ok(ww_launch(d, m, "saxpy", &w, NULL));
    assert_int_equal(l.n, 96);
    assert_string_equal(l.first[0].file, "saxpy.cu");
}

static void results_outlive_their_module(void **state)
{
    (void)state;
    Saxpy     s;
    WwModule *x = NULL;
    WwResult *r = NULL;
    emulator_only();
    assert_ok(ww_module_load(d, "later.ptx", ptx, strlen(ptx), &x));
    saxpy_begin(&s);
    WwLaunch w = saxpy_launch(&s, WW_OBSERVE_COUNTERS);
    assert_ok(ww_launch(d, x, "saxpy", &w, &r));
    ww_module_unload(d, x);
    assert_int_equal(find_line(r, "saxpy.cu", 12)->counters.global_ld_requests, 64);
    ww_result_free(r);
}

/* ---- rounds ---- */

static int round_on(const char *device)
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
        T(counters_are_counted),
        T(lines_without_loc_are_the_ptx_itself),
        T(approximate_instructions_are_told),
        T(faults_become_findings),
        T(unsupported_instructions_are_told),
        T(limits_end_a_kernel),
        T(printing_is_handed_over),
        T(accesses_are_handed_over),
        T(results_outlive_their_module),
    };
#undef T
    kind = device;
    return cmocka_run_group_tests_name(device, tests, NULL, NULL);
}

int main(void)
{
    WwDevice   *gpu = NULL;
    const char *why = NULL;
    int         bad = round_on("emulator");
    if (ww_device_open("cuda", NULL, &gpu, &why) == WW_OK) {
        ww_device_close(gpu);
        bad += round_on("cuda");
    } else {
        printf("cuda: left out: %s\n", why);
    }
    return bad;
}
