/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the public API share: a module whose kernels have known counts, opening and closing a device around each
 * test, and a round of tests on every device at hand (the emulator; a GPU where there is one). */
#ifndef WW_TESTS_UNIT_DEVICE_FIXTURE_H
#define WW_TESTS_UNIT_DEVICE_FIXTURE_H

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
         ".visible .entry endless()\n" /* it counts, so that nothing shows that it never ends */
         "{ .reg .b64 %n; mov.u64 %n, 0;\n"
         "$top: add.u64 %n, %n, 1;\n"
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

static inline void emulator_only(void)
{
    if (strcmp(kind, "emulator") != 0)
        skip();
}

static inline int open_device(void **state)
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

static inline int close_device(void **state)
{
    (void)state;
    ww_device_close(d);
    d = NULL;
    return 0;
}

enum { N = 1000 };

typedef struct Saxpy {
    WwPtr    x, y;
    float    a;
    uint32_t n;
    void    *args[4];
} Saxpy;

static inline void saxpy_begin(Saxpy *s)
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

static inline WwLaunch saxpy_launch(Saxpy *s, unsigned observe)
{
    return (WwLaunch){.grid = {8, 1, 1}, .block = {128, 1, 1}, .args = s->args, .arg_count = 4, .observe = observe};
}

/* Runs `tests` on the emulator and, where there is a GPU, on it. */
static inline int run_on_devices(int (*run)(const char *device))
{
    WwDevice   *gpu = NULL;
    const char *why = NULL;
    kind            = "emulator";
    int bad         = run(kind);
    if (ww_device_open("cuda", NULL, &gpu, &why) != WW_OK) {
        print_message("cuda: left out: %s\n", why);
        return bad;
    }
    ww_device_close(gpu);
    kind = "cuda";
    return bad + run(kind);
}

#endif
