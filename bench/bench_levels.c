/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of 512 x 512 by 512 x 512 on one core, on every SIMD level that this machine has, and by PoCL where it is installed: compiled OpenCL
 * that counts nothing.  All of it runs one after the other, so that the ratios are of one machine in one state.
 *
 *   <kernel>.<level>.<way>          million multiply-adds for each second of processor time
 *   <kernel>.<level>.<way>.time     processor seconds of the launch
 *   <kernel>.pocl, .pocl.time       the same of PoCL
 *   <kernel>.<level>.<way>.ratio    the level's rate over PoCL's
 *
 * way: plain (no observer), counters (all of them), checks (rules of memory, initialisation and races). */
#include <stdio.h>

#include "bench/opencl.h"
#include "bench/product.h"
#include "emu/emu.h"

enum { SIDE = 512, RUNS = 3 };

static const struct Kernel {
    const char *name;
    bool        x_on_rows;
} kernels[] = {{"matmul_v2_tile16", false}, {"matmul_v1_x_on_columns", false}, {"matmul_v1_x_on_rows", true}};

static const struct Way {
    const char *name;
    bool        counters;
    const char *check;
    unsigned    runs; /* the fastest counts */
} ways[] = {{"plain", false, NULL, RUNS}, {"counters", true, NULL, RUNS}, {"checks", false, "memory,init,race", RUNS}};

static void print_rate(const char *name, double processor)
{
    printf("%s\t%.1f\tmillion multiply-adds/s of processor time\n", name, 1e-6 * SIDE * SIDE * SIDE / processor);
    printf("%s.time\t%.4f\ts of processor time\n", name, processor);
}

static bool bench_kernel(const struct Kernel *k)
{
    Product p = {
        .kernel = k->name, .x_on_rows = k->x_on_rows, .m = SIDE, .k = SIDE, .n = SIDE, .threads = 1, .runs = RUNS};
    char   name[128];
    double peer = 0;
    bool   good = opencl_measure(&p, &peer);
    if (peer > 0) {
        snprintf(name, sizeof name, "%s.pocl", k->name);
        print_rate(name, peer);
    }
    for (unsigned level = 0; (p.simd = emu_simd_level(level)); level++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            p.counters = ways[w].counters;
            p.check    = ways[w].check;
            p.runs     = ways[w].runs;
            Reading r  = product_measure(&p);
            if (!(r.processor > 0)) {
                good = false;
                continue;
            }
            snprintf(name, sizeof name, "%s.%s.%s", k->name, p.simd, ways[w].name);
            print_rate(name, r.processor);
            if (peer > 0)
                printf("%s.ratio\t%.3f\tx of PoCL\n", name, peer / r.processor);
        }
    return good;
}

int main(void)
{
    bool good = true;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        good = bench_kernel(&kernels[i]) && good;
    return good ? 0 : 1;
}
