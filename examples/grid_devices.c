/* SPDX-License-Identifier: Apache-2.0 */
/* C = A A^T on two devices whose memory the matrices lie in: two GPUs, or emulated devices.  Each has a band of A's rows and one of C's. */
#include <stdio.h>

#include "warpwright/grid.h"

enum { DEVICES = 2, N = 301, K = 200, BAND = (N + DEVICES - 1) / DEVICES };
static int32_t a[N * K], c[N * N];

static int check(void)
{
    for (int i = 0; i < N * N; i++) {
        int32_t sum = 0;
        for (int l = 0; l < K; l++)
            sum += a[i / N * K + l] * a[i % N * K + l];
        if (c[i] != sum)
            return 1;
    }
    return 0;
}

int main(void)
{
    WwDevice   *d[DEVICES]    = {NULL};
    WwPtr       at_a[DEVICES] = {0}, at_c[DEVICES] = {0};
    WwGrid     *g       = NULL;
    const char *message = "";
    int         failed  = 0;
    for (int i = 0; i < N * K; i++)
        a[i] = i % 1009 - 504;
    for (unsigned i = 0; i < DEVICES && !failed; i++) {
        if (ww_device_open("cuda", &(WwDeviceOptions){.ordinal = i}, &d[i], NULL) != WW_OK)
            failed = ww_device_open("emulator", NULL, &d[i], &message) != WW_OK;
        failed =
            failed || ww_alloc(d[i], sizeof *a * BAND * K, &at_a[i]) || ww_alloc(d[i], sizeof *c * BAND * N, &at_c[i]);
    }
    failed           = failed || ww_grid_open(d, DEVICES, &g, &message) != WW_OK;
    WwGridArray on_a = {.at = at_a, .block_rows = BAND, .block_columns = K, .down = DEVICES, .across = 1, .ld = K};
    WwGridArray on_c = {.at = at_c, .block_rows = BAND, .block_columns = N, .down = DEVICES, .across = 1, .ld = N};
    WwGridSyrk  p    = {.type = WW_I32, .n = N, .k = K, .alpha.i32 = 1, .on_a = &on_a, .on_c = &on_c};
    failed = failed || ww_grid_scatter(g, &(WwGridCopy){&on_a, WW_ROW_MAJOR, sizeof *a, N, K, a, K}) != WW_OK ||
             ww_grid_syrk(g, &p) != WW_OK ||
             ww_grid_gather(g, &(WwGridCopy){&on_c, WW_ROW_MAJOR, sizeof *c, N, N, c, N}) != WW_OK;
    printf("%d devices: %s\n", DEVICES, failed ? (g ? ww_grid_error(g) : message) : check() ? "WRONG" : "all right");
    failed = failed || check();
    ww_grid_close(g);
    for (int i = 0; i < DEVICES; i++)
        ww_device_close(d[i]);
    return failed;
}
