/* SPDX-License-Identifier: Apache-2.0 */
/* y = a * x + y on the emulator: load PTX, launch it, read what it did to memory. */
#include "warpwright/warpwright.h"
#include <stdio.h>
#include <string.h>

static const char ptx[] =
    ".version 7.0 .target sm_80 .address_size 64\n"
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a) {\n"
    "  .reg .b64 %p<2>, %o; .reg .b32 %b, %n, %t, %i; .reg .f32 %a, %x, %y;\n"
    "  ld.param.u64 %p0, [x]; ld.param.u64 %p1, [y]; ld.param.f32 %a, [a];\n"
    "  mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.s32 %i, %b, %n, %t;\n"
    "  mul.wide.s32 %o, %i, 4; add.s64 %p0, %p0, %o; add.s64 %p1, %p1, %o;\n"
    "  ld.global.f32 %x, [%p0]; ld.global.f32 %y, [%p1]; fma.rn.f32 %y, %a, %x, %y; st.global.f32 [%p1], %y; ret;\n}\n";

int main(void)
{
    WwDevice *d = NULL;
    WwModule *m = NULL;
    WwResult *r = NULL;
    WwPtr     x = 0, y = 0;
    float     h[256] = {1, 2, 3}, a = 2;
    WwLaunch  launch = {
         {2, 1, 1}, {128, 1, 1}, .args = (void *[]){&x, &y, &a}, .arg_count = 3, .observe = WW_OBSERVE_COUNTERS};
    const char *why = "";
    if (ww_device_open("emulator", NULL, &d, &why) || ww_module_load(d, "saxpy.ptx", ptx, strlen(ptx), &m) ||
        ww_alloc(d, sizeof h, &x) || ww_alloc(d, sizeof h, &y) || ww_copy_in(d, x, h, sizeof h) ||
        ww_copy_in(d, y, h, sizeof h) || ww_launch(d, m, "saxpy", &launch, &r) || ww_copy_out(d, h, y, sizeof h))
        printf("%s%s\n", why, ww_device_error(d));
    for (size_t i = 0; i < ww_result_finding_count(r); i++)
        printf("finding: %s\n", ww_result_finding(r, i)->message);
    for (size_t i = 0; r && i < ww_counter_count(); i++)
        if (ww_counter_value(ww_result_counters(r), i))
            printf("%s = %llu\n", ww_counter_name(i), (unsigned long long)ww_counter_value(ww_result_counters(r), i));
    ww_result_free(r);
    ww_device_close(d);
    return h[2] == 9 ? 0 : 1;
}
