/* SPDX-License-Identifier: Apache-2.0
 *
 * When wgmma.mma_async happens: a kernel that waits before it reuses its shared memory computes the same whatever the mode; one that
 * does not is found out by "late". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "warpwright/warpwright.h"

enum { THREADS = 128, VALUES = 4 * THREADS };

/* A and B are all ones: D is 16 a product.  %s: what stands behind the writing of A and B; between the commit and the overwriting of A; then behind it. */
static const char text_of[] =
    ".version 8.3\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".shared .align 1024 .b8 smem[4096];\n.reg .pred %%p<4>;\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<10>;\n.reg .f32 "
    "%%f<10>;\n"
    "ld.param.u64 %%rd0, [out];\nmov.u32 %%r0, %%tid.x;\nmov.b32 %%r2, 0x3c003c00;\nmov.b32 %%r6, 0;\n"
    "mov.u32 %%r3, smem;\nmad.lo.u32 %%r3, %%r0, 16, %%r3;\n"
    "st.shared.v4.b32 [%%r3], {%%r2, %%r2, %%r2, %%r2};\nst.shared.v4.b32 [%%r3+2048], {%%r2, %%r2, %%r2, %%r2};\n"
    "%s\nbar.sync 0;\n"
    "mov.u32 %%r5, smem;\nshr.u32 %%r5, %%r5, 4;\ncvt.u64.u32 %%rd1, %%r5;\nor.b64 %%rd1, %%rd1, 0x0000001000080000;\n"
    "add.u64 %%rd2, %%rd1, 128;\nmov.f32 %%f0, 0f00000000;\nmov.f32 %%f1, %%f0;\nmov.f32 %%f2, %%f0;\nmov.f32 %%f3, "
    "%%f0;\n"
    "setp.eq.u32 %%p1, 0, 0;\nwgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%f0, %%f1, %%f2, %%f3}, %%rd1, %%rd2, %%p1, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%f0, %%f1, %%f2, %%f3}, %%rd1, %%rd2, %%p1, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\n"
    "%s\nbar.sync 0;\nst.shared.v4.b32 [%%r3], {%%r6, %%r6, %%r6, %%r6};\nfence.proxy.async;\nbar.sync 0;\n"
    "wgmma.wait_group.sync.aligned 0;\n"
    "mul.wide.u32 %%rd4, %%r0, 16;\nadd.u64 %%rd4, %%rd4, %%rd0;\nst.global.v4.f32 [%%rd4], {%%f0, %%f1, %%f2, "
    "%%f3};\nret;\n}\n";

static void run(const char *mode, uint64_t seed, const char *fence, const char *between, float out[VALUES])
{
    WwDeviceOptions o = {.threads = 1, .seed = seed, .async = mode};
    WwDevice       *d;
    WwModule       *m;
    WwPtr           at;
    char            text[4096];
    const char     *why = "";
    snprintf(text, sizeof text, text_of, fence, between);
    if (ww_device_open("emulator", &o, &d, &why))
        fail_msg("%s", why);
    if (ww_module_load(d, "t.ptx", text, strlen(text), &m))
        fail_msg("%s", ww_device_error(d));
    assert_int_equal(ww_alloc(d, VALUES * 4, &at), 0);
    WwLaunch l = {{1, 1, 1}, {THREADS, 1, 1}, .args = (void *[]){&at}, .arg_count = 1};
    if (ww_launch(d, m, "k", &l, NULL))
        fail_msg("%s", ww_device_error(d));
    assert_int_equal(ww_copy_out(d, out, at, VALUES * 4), 0);
    ww_module_unload(d, m);
    ww_device_close(d);
}

static void all_are(const char *mode, const char *between, float want)
{
    float out[VALUES];
    run(mode, 3, "fence.proxy.async;", between, out);
    for (unsigned i = 0; i < VALUES; i++)
        assert_true(out[i] == want);
}

static void a_wait_is_enough(void **state)
{
    (void)state;
    all_are("eager", "wgmma.wait_group.sync.aligned 0;", 32);
    all_are("late", "wgmma.wait_group.sync.aligned 0;", 32);
    all_are("random", "wgmma.wait_group.sync.aligned 0;", 32);
}

static void a_missing_wait_shows(void **state)
{
    float    out[VALUES];
    unsigned kinds[3] = {0};
    (void)state;
    all_are("eager", "", 32);
    all_are("late", "", 0);
    all_are("late", "wgmma.wait_group.sync.aligned 1;", 16);
    all_are("late", "wgmma.wait_group.sync.aligned 2;", 0);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        run("random", seed, "fence.proxy.async;", "", out);
        for (unsigned i = 0; i < VALUES; i++) {
            assert_true(out[i] == 0 || out[i] == 16 || out[i] == 32);
            kinds[(unsigned)out[i] / 16]++;
        }
    }
    assert_true(kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0);
}

static void a_missing_proxy_fence_shows(void **state)
{
    float out[VALUES];
    (void)state;
    run("eager", 3, "", "wgmma.wait_group.sync.aligned 0;", out);
    assert_true(out[0] == 32);
    run("late", 3, "", "wgmma.wait_group.sync.aligned 0;", out);
    assert_true(out[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_wait_is_enough), cmocka_unit_test(a_missing_wait_shows),
                                       cmocka_unit_test(a_missing_proxy_fence_shows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
