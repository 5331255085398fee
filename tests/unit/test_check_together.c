/* SPDX-License-Identifier: Apache-2.0
 *
 * Several checked launches under way: one pauses, and another one runs meanwhile on the same device.  Each has its own findings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "warpwright/warpwright.h"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".shared .align 4 .u32 word;\n"
                          /* two warps write one word, then wait for a flag */
                          ".visible .entry waits(.param .u64 flag)\n"
                          "{\n"
                          "    .reg .b64 %a; .reg .b32 %t, %v; .reg .pred %p;\n"
                          "    ld.param.u64 %a, [flag]; mov.u32 %t, %tid.x; st.shared.u32 [word], %t;\n"
                          "$look:\n"
                          "    ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0;\n"
                          "    @%p bra $look;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry sets(.param .u64 flag)\n"
                          "{\n"
                          "    .reg .b64 %a; .reg .b32 %v;\n"
                          "    ld.param.u64 %a, [flag]; mov.u32 %v, 1; st.volatile.global.u32 [%a], %v;\n"
                          "    ret;\n"
                          "}\n";

static WwDevice *d;
static WwModule *m;
static WwPtr     flag;
static int       pauses;

static void on_pause(void *user, WwPause *p)
{
    void    *args[] = {&flag};
    WwLaunch w      = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args, .arg_count = 1};
    (void)user, (void)p;
    pauses++;
    if (ww_launch(d, m, "sets", &w, NULL) != WW_OK)
        fail_msg("%s", ww_device_error(d));
}

static size_t races(uint32_t begin)
{
    void     *args[] = {&flag};
    WwResult *r      = NULL;
    size_t    n      = 0;
    WwLaunch  w      = {.grid        = {1, 1, 1},
                        .block       = {64, 1, 1},
                        .args        = args,
                        .arg_count   = 1,
                        .on_pause    = on_pause,
                        .pause_after = UINT64_MAX};
    assert_int_equal(ww_copy_in(d, flag, &begin, sizeof begin), WW_OK);
    if (ww_launch(d, m, "waits", &w, &r) != WW_OK)
        fail_msg("%s", ww_device_error(d));
    for (size_t i = 0; i < ww_result_finding_count(r); i++)
        n += !strcmp(ww_result_finding(r, i)->category, "race");
    ww_result_free(r);
    return n;
}

static void each_has_its_findings(void **state)
{
    const char *why = NULL;
    (void)state;
    assert_int_equal(ww_device_open("emulator", &(WwDeviceOptions){.check = ""}, &d, &why), WW_OK);
    if (ww_module_load(d, "together.ptx", ptx, strlen(ptx), &m) != WW_OK)
        fail_msg("%s", ww_device_error(d));
    assert_int_equal(ww_alloc(d, 4, &flag), WW_OK);
    assert_int_equal(races(1), 1);
    assert_int_equal(pauses, 0);
    assert_int_equal(races(0), 1);
    assert_int_equal(pauses, 1);
    ww_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_has_its_findings)};
    return cmocka_run_group_tests_name("check_together", tests, NULL, NULL);
}
