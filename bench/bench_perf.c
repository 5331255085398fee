/* SPDX-License-Identifier: Apache-2.0
 *
 * What the performance rules cost: launches with every rule of the category perf, against plain ones and against those with all counters on,
 * on one worker.  Processor time of the fastest of RUNS; ptxas is asked once for each kernel, in a process of its own, and is not in it.
 *
 *   <kernel>.perf_cost            ratio to the plain run
 *   <kernel>.perf_over_counters   ratio to the run with counters; the goal is 1.5 (docs/speed.md) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/kernels.h"
#include "warpwright/warpwright.h"

enum { SIZE = 512, BLOCK = 16, RUNS = 9 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static WwStatus matrices(WwDevice *d, WwPtr p[3])
{
    WwStatus s   = WW_OK;
    float   *row = calloc(SIZE * SIZE, sizeof *row);
    for (unsigned i = 0; row && i < SIZE * SIZE; i++)
        row[i] = (float)(i * 2654435761u >> 16) / 65536.0f;
    for (int i = 0; i < 3 && s == WW_OK; i++) {
        s = ww_alloc(d, sizeof(float) * SIZE * SIZE, &p[i]);
        s = s == WW_OK && row ? ww_copy_in(d, p[i], row, sizeof(float) * SIZE * SIZE) : WW_ERR_NO_MEMORY;
    }
    free(row);
    return s;
}

/* Seconds of the fastest launch; negative: it failed. */
static double measure(const char *kernel, unsigned observe, const char *check)
{
    WwDeviceOptions    o    = {.threads = 1, .check = check};
    WwDevice          *d    = NULL;
    WwModule          *m    = NULL;
    WwPtr              p[3] = {0};
    const char        *why  = "";
    double             best = -1;
    const KernelEntry *e    = kernel_find(kernel);
    const KernelText  *text = e ? kernel_text(e, NULL) : NULL;
    if (!text || !text->data || ww_device_open("emulator", &o, &d, &why) != WW_OK) {
        fprintf(stderr, "%s: %s\n", kernel, text && !text->data ? text->reason : why);
        return -1;
    }
    char    *ptx = kernel_ptx(text);
    WwStatus s   = ww_module_load(d, text->file, ptx, text->len, &m);
    free(ptx);
    s = s == WW_OK ? matrices(d, p) : s;
    for (int i = 0; i < RUNS && s == WW_OK; i++) {
        int      n      = SIZE;
        void    *args[] = {&p[0], &p[1], &p[2], &n, &n, &n, &n, &n, &n};
        WwLaunch l      = {.grid      = {SIZE / BLOCK, SIZE / BLOCK, 1},
                           .block     = {BLOCK, BLOCK, 1},
                           .args      = args,
                           .arg_count = 9,
                           .observe   = observe};
        double   begin  = now();
        s               = ww_launch(d, m, kernel, &l, NULL);
        double took     = now() - begin;
        best            = best < 0 || took < best ? took : best;
    }
    if (s != WW_OK)
        fprintf(stderr, "%s: %s\n", kernel, ww_device_error(d));
    ww_device_close(d);
    return s == WW_OK ? best : -1;
}

int main(void)
{
    static const char *const kernels[] = {"matmul_v2_tile16", "matmul_v1_x_on_rows", "matmul_v1_x_on_columns"};
    bool                     good      = true;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        double plain    = measure(kernels[i], WW_OBSERVE_NOTHING, NULL);
        double counters = measure(kernels[i], WW_OBSERVE_COUNTERS, NULL);
        double perf     = measure(kernels[i], WW_OBSERVE_NOTHING, "perf");
        if (!(plain > 0 && counters > 0 && perf > 0)) {
            good = false;
            continue;
        }
        printf("%s.perf_cost\t%.2f\tx\n", kernels[i], perf / plain);
        printf("%s.perf_over_counters\t%.2f\tx\n", kernels[i], perf / counters);
    }
    return good ? 0 : 1;
}
