/* SPDX-License-Identifier: Apache-2.0
 *
 * What the assembler makes of repeated constant loads and of atomics on a shared variable, counted over a launch; PTX's own counts beside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "warpwright/warpwright.h"

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"                             \
    ".shared .align 4 .u32 s;\n.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"                                  \
    "ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;\n"

static WwCounters counters_of(const char *ptx)
{
    WwDevice *d = NULL;
    WwModule *m = NULL;
    WwResult *r = NULL;
    WwPtr     p = 0;
    assert_int_equal(ww_device_open("emulator", NULL, &d, NULL), WW_OK);
    assert_int_equal(ww_module_load(d, "k.ptx", ptx, strlen(ptx), &m), WW_OK);
    assert_int_equal(ww_alloc(d, 4096, &p), WW_OK);
    void    *args[] = {&p};
    WwLaunch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args, .arg_count = 1, .observe = WW_OBSERVE_COUNTERS};
    assert_int_equal(ww_launch(d, m, "k", &l, &r), WW_OK);
    WwCounters c = *ww_result_counters(r);
    ww_result_free(r);
    ww_device_close(d);
    return c;
}

static void repeated_loads_are_one(void **state)
{
    (void)state;
    WwCounters c = counters_of(
        HEAD "ld.global.nc.u32 %r1, [%d2]; ld.global.nc.u32 %r2, [%d2]; ld.global.nc.u32 %r3, [%d2];\n"
             "ld.global.nc.u32 %r4, [%d2+128]; ld.global.u32 %r5, [%d2]; ld.global.u32 %r6, [%d2]; ret;\n}\n");
    assert_int_equal(c.global_ld_requests_ptx, 6);
    assert_int_equal(c.global_ld_requests, 4); /* coherent loads stay two */
    assert_int_equal(c.global_ld_sectors_ptx, 24);
    assert_int_equal(c.memory_l2_theoretical_sectors_global, 16);
    c = counters_of(HEAD "ld.global.nc.u32 %r1, [%d2]; add.u64 %d2, %d2, 128; ld.global.nc.u32 %r2, [%d2];\n"
                         "setp.eq.u32 %p0, %r0, 99; @%p0 bra L; ld.global.nc.u32 %r3, [%d2];\nL: ret;\n}\n");
    assert_int_equal(c.global_ld_requests, 3); /* another address; another block */
}

static void one_lane_reduces(void **state)
{
    (void)state;
    WwCounters c = counters_of(HEAD "mov.u32 %r1, s; atom.shared.add.u32 %r2, [%r1], %r0; ret;\n}\n");
    assert_int_equal(c.shared_atom_wavefronts, 32);
    assert_int_equal(c.memory_l1_wavefronts_shared, 1);
    assert_int_equal(c.derived__memory_l1_wavefronts_shared_excessive, 0);
    c = counters_of(HEAD "atom.shared.add.u32 %r2, [s], %r0; st.global.u32 [%d2], %r2; ret;\n}\n");
    assert_int_equal(c.memory_l1_wavefronts_shared, 1); /* its result used: by a sum over the warp */
    c = counters_of(HEAD "setp.eq.u32 %p0, %r0, 31; @%p0 bra L; atom.shared.add.u32 %r2, [s], %r0; st.global.u32 "
                         "[%d2], %r2;\nL: ret;\n}\n");
    assert_int_equal(c.memory_l1_wavefronts_shared, 31); /* of a whole warp alone */
    /* the address is computed; exchange is not a reduction */
    static const char *const kept[] = {
        HEAD
        "mov.u32 %r1, s; sub.u32 %r3, %r0, %r0; add.u32 %r1, %r1, %r3; atom.shared.add.u32 %r2, [%r1], %r0; ret;\n}\n",
        HEAD "atom.shared.exch.b32 %r2, [s], %r0; ret;\n}\n"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_int_equal(counters_of(kept[i]).memory_l1_wavefronts_shared, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_loads_are_one),
        cmocka_unit_test(one_lane_reduces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
