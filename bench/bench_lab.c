/* SPDX-License-Identifier: Apache-2.0
 *
 * Speed and memory of the emulator on the matrix products of the lab, at the article's size: 1920 x 1024 by 1024 x 1280.
 *
 *   <kernel>.c<cores>.<counters|plain>        seconds of the launch alone, with all counters or with no observer
 *   <kernel>.c<cores>.<...>.rate              warp instructions (PTX) a second and core
 *   <kernel>.c1.<...>.memory                  peak resident memory of the process
 *   <kernel>.counters_cost, .two_cores        ratios of the above */
#include <stdio.h>
#include <unistd.h>

#include "bench/product.h"

enum { M = 1920, K = 1024, N = 1280, RUNS = 3 };

static bool bench_kernel(const char *kernel, bool x_on_rows)
{
    static const struct {
        unsigned threads;
        bool     counters;
    } ways[] = {{1, false}, {1, true}, {2, true}};
    enum { WAYS = sizeof ways / sizeof *ways };
    Reading  r[WAYS];
    unsigned count = sysconf(_SC_NPROCESSORS_ONLN) < 2 ? 2 : WAYS;
    for (unsigned i = 0; i < count; i++) {
        Product p = {.kernel    = kernel,
                     .x_on_rows = x_on_rows,
                     .m         = M,
                     .k         = K,
                     .n         = N,
                     .runs      = RUNS,
                     .threads   = ways[i].threads,
                     .counters  = ways[i].counters};
        r[i]      = product_measure(&p);
        if (!(r[i].seconds > 0))
            return false;
        const char *how = p.counters ? "counters" : "plain";
        printf("%s.c%u.%s\t%.3f\ts\n", kernel, p.threads, how, r[i].seconds);
        printf("%s.c%u.%s.rate\t%.1f\tmillion warp instructions/s/core\n", kernel, p.threads, how,
               1e-6 * (double)r[i].instructions / r[i].seconds / p.threads);
        if (p.threads == 1)
            printf("%s.c%u.%s.memory\t%.1f\tMiB\n", kernel, p.threads, how, r[i].memory_mib);
    }
    printf("%s.counters_cost\t%.2f\tx\n", kernel, r[1].seconds / r[0].seconds);
    if (count > 2)
        printf("%s.two_cores\t%.2f\tx\n", kernel, r[1].seconds / r[2].seconds);
    return true;
}

int main(void)
{
    bool good = bench_kernel("matmul_v2_tile16", false);
    good      = bench_kernel("matmul_v1_x_on_rows", true) && good;
    printf("matmul.allocations\t%.1f\tMiB\n", (double)(sizeof(float) * (M * K + K * N + M * N)) / (1 << 20));
    return good ? 0 : 1;
}
