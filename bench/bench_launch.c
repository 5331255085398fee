/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch on the emulator costs beside the kernel's own work, through the public API.  Each figure is the fastest of ROUNDS.
 *   launch.load         loading a small module                                      us
 *   launch.empty        an empty kernel, one block of one warp                      us
 *   launch.empty.counters   the same with all counters                              us
 *   launch.block        one more empty block of 256 threads                         ns
 *   launch.copy         copying 64 MiB to the device                                GB/s */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "warpwright/warpwright.h"

enum { ROUNDS = 5, LAUNCHES = 200, BLOCKS = 20000, COPY_BYTES = 64 << 20 };

static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry empty()\n{\n    ret;\n}\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Bench {
    WwDevice   *d;
    WwModule   *m;
    WwPtr       p;
    const void *host;
} Bench;

static WwStatus launch(Bench *b, unsigned blocks, unsigned threads, unsigned observe)
{
    WwResult *r = NULL;
    WwLaunch  w = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .observe = observe};
    WwStatus  s = ww_launch(b->d, b->m, "empty", &w, &r);
    ww_result_free(r);
    return s;
}

static WwStatus load(Bench *b)
{
    WwModule *m = NULL;
    WwStatus  s = ww_module_load(b->d, "empty.ptx", ptx, strlen(ptx), &m);
    ww_module_unload(b->d, m);
    return s;
}

static WwStatus empty(Bench *b)
{
    return launch(b, 1, 32, WW_OBSERVE_NOTHING);
}

static WwStatus counted(Bench *b)
{
    return launch(b, 1, 32, WW_OBSERVE_COUNTERS);
}

static WwStatus many(Bench *b)
{
    return launch(b, BLOCKS, 256, WW_OBSERVE_NOTHING);
}

static WwStatus copy(Bench *b)
{
    return ww_copy_in(b->d, b->p, b->host, COPY_BYTES);
}

/* Seconds of one call, the fastest round of `calls` calls; negative: one failed. */
static double measure(Bench *b, WwStatus (*f)(Bench *), int calls)
{
    double best = -1;
    for (int i = 0; i < ROUNDS; i++) {
        double start = now();
        for (int j = 0; j < calls; j++)
            if (f(b) != WW_OK)
                return -1;
        double t = (now() - start) / calls;
        best     = best < 0 || t < best ? t : best;
    }
    return best;
}

int main(void)
{
    Bench       b     = {0};
    const char *why   = "";
    void       *bytes = calloc(COPY_BYTES, 1);
    b.host            = bytes;
    if (!bytes || ww_device_open("emulator", &(WwDeviceOptions){.threads = 1}, &b.d, &why) != WW_OK ||
        ww_module_load(b.d, "empty.ptx", ptx, strlen(ptx), &b.m) != WW_OK || ww_alloc(b.d, COPY_BYTES, &b.p) != WW_OK) {
        fprintf(stderr, "bench_launch: %s%s\n", why, ww_device_error(b.d));
        free(bytes);
        return 1;
    }
    printf("launch.load\t%.2f\tus\n", 1e6 * measure(&b, load, LAUNCHES));
    printf("launch.empty\t%.2f\tus\n", 1e6 * measure(&b, empty, LAUNCHES));
    printf("launch.empty.counters\t%.2f\tus\n", 1e6 * measure(&b, counted, LAUNCHES));
    printf("launch.block\t%.1f\tns\n", 1e9 * measure(&b, many, 1) / BLOCKS);
    printf("launch.copy\t%.2f\tGB/s\n", 1e-9 * COPY_BYTES / measure(&b, copy, 1));
    ww_device_close(b.d);
    free(bytes);
    return 0;
}
