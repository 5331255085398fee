/* SPDX-License-Identifier: Apache-2.0
 *
 * What the performance rules cost: launches with every rule of the category perf, against plain ones and against those with all counters on,
 * in turns, on one worker.  Processor time; ptxas is asked once for each kernel, in a process of its own, and is not in it.
 *
 *   <kernel>.perf_cost            ratio to the plain run: the median of the rounds' ratios
 *   <kernel>.perf_over_counters   ratio to the run with counters; the goal is 1.5 (docs/speed.md) */
#include <stdio.h>

#include "bench/product.h"

enum { SIDE = 512 };
enum { PERF, PLAIN, COUNTERS, WAYS };
static const double seconds_of_kernel = 8;

static const struct Kernel {
    const char *name;
    bool        x_on_rows;
} kernels[] = {{"matmul_v2_tile16", false}, {"matmul_v1_x_on_rows", true}, {"matmul_v1_x_on_columns", false}};

static bool bench_kernel(const struct Kernel *k)
{
    Party parties[WAYS] = {0};
    for (unsigned i = 0; i < WAYS; i++) {
        parties[i].maker = &product_emulator;
        parties[i].product =
            (Product){.kernel = k->name, .x_on_rows = k->x_on_rows, .m = SIDE, .k = SIDE, .n = SIDE, .threads = 1};
    }
    parties[PERF].product.check        = "perf";
    parties[COUNTERS].product.counters = true;
    if (!product_turns(parties, WAYS, seconds_of_kernel))
        return false;
    printf("%s.perf_cost\t%.2f\tx\n", k->name, party_ratio(&parties[PERF], &parties[PLAIN], false));
    printf("%s.perf_over_counters\t%.2f\tx\n", k->name, party_ratio(&parties[PERF], &parties[COUNTERS], false));
    return true;
}

int main(void)
{
    bool good = true;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        good = bench_kernel(&kernels[i]) && good;
    return good ? 0 : 1;
}
