/* SPDX-License-Identifier: Apache-2.0
 *
 * Speed and memory of the emulator on the matrix products of the lab, at the article's size: 1920 x 1024 by 1024 x 1280, in turns.
 *
 *   <kernel>.c<cores>.<counters|plain>        seconds of the fastest launch alone, with all counters or with no observer
 *   <kernel>.c<cores>.<...>.rate              warp instructions (PTX) a second and core
 *   <kernel>.c1.<...>.memory                  peak resident memory of the process
 *   <kernel>.counters_cost, .two_cores        ratios of the above: the median of the rounds' ratios */
#include <stdio.h>
#include <unistd.h>

#include "bench/product.h"

enum { M = 1920, K = 1024, N = 1280 };
static const double seconds_of_kernel = 20;

static const struct {
    unsigned threads;
    bool     counters;
} ways[] = {{1, false}, {1, true}, {2, true}};
enum { PLAIN, COUNTERS, TWO, WAYS };

static bool bench_kernel(const char *kernel, bool x_on_rows)
{
    Party    parties[WAYS] = {0};
    unsigned count         = sysconf(_SC_NPROCESSORS_ONLN) < 2 ? TWO : WAYS;
    for (unsigned i = 0; i < count; i++) {
        parties[i].maker   = &product_emulator;
        parties[i].product = (Product){.kernel    = kernel,
                                       .x_on_rows = x_on_rows,
                                       .m         = M,
                                       .k         = K,
                                       .n         = N,
                                       .threads   = ways[i].threads,
                                       .counters  = ways[i].counters};
    }
    if (!product_turns(parties, count, seconds_of_kernel))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const Product *p       = &parties[i].product;
        const char    *how     = p->counters ? "counters" : "plain";
        double         seconds = party_least(&parties[i], true);
        printf("%s.c%u.%s\t%.3f\ts\n", kernel, p->threads, how, seconds);
        printf("%s.c%u.%s.rate\t%.1f\tmillion warp instructions/s/core\n", kernel, p->threads, how,
               1e-6 * (double)parties[i].last.instructions / seconds / p->threads);
        if (p->threads == 1)
            printf("%s.c%u.%s.memory\t%.1f\tMiB\n", kernel, p->threads, how, parties[i].memory_mib);
    }
    printf("%s.counters_cost\t%.2f\tx\n", kernel, party_ratio(&parties[COUNTERS], &parties[PLAIN], true));
    if (count > TWO)
        printf("%s.two_cores\t%.2f\tx\n", kernel, party_ratio(&parties[COUNTERS], &parties[TWO], true));
    return true;
}

int main(void)
{
    bool good = bench_kernel("matmul_v2_tile16", false);
    good      = bench_kernel("matmul_v1_x_on_rows", true) && good;
    printf("matmul.allocations\t%.1f\tMiB\n", (double)(sizeof(float) * (M * K + K * N + M * N)) / (1 << 20));
    return good ? 0 : 1;
}
