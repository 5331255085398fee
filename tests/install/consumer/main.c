/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads a kernel, runs one warp on the emulator and prints the library's version and the requests and sectors of its one
 * global store: 32 lanes of 4 bytes in a row are one request of four sectors. */
#include <stdio.h>
#include <string.h>

#include <warpwright/warpwright.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry lanes(.param .u64 out)\n{\n"
                          ".reg .u64 %rd<4>;\n.reg .u32 %r<2>;\n"
                          "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
                          "mad.wide.u32 %rd2, %r1, 4, %rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n";

int main(void)
{
    WwDevice *d;
    WwModule *m;
    WwResult *r;
    WwPtr     out;
    unsigned  lanes[32];
    if (ww_device_open("emulator", NULL, &d, NULL) != WW_OK || ww_alloc(d, sizeof lanes, &out) != WW_OK ||
        ww_module_load(d, "lanes.ptx", ptx, strlen(ptx), &m) != WW_OK)
        return 1;
    void    *args[] = {&out};
    WwLaunch launch = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args, .arg_count = 1, .observe = WW_OBSERVE_COUNTERS};
    if (ww_launch(d, m, "lanes", &launch, &r) != WW_OK || ww_copy_out(d, lanes, out, sizeof lanes) != WW_OK ||
        lanes[31] != 31) {
        fprintf(stderr, "%s\n", ww_device_error(d));
        return 1;
    }
    const WwCounters *c = ww_result_counters(r);
    printf("%s %llu %llu\n", ww_version(), (unsigned long long)c->global_st_requests,
           (unsigned long long)c->global_st_sectors);
    ww_result_free(r);
    ww_module_unload(d, m);
    ww_free(d, out);
    ww_device_close(d);
    return 0;
}
