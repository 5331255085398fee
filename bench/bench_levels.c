/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of 512 x 512 by 512 x 512 on one core, on every SIMD level that this machine has, and by PoCL where it is installed: compiled OpenCL
 * that counts nothing.  All of them in turns, so that the ratios are of one machine in one state.
 *
 *   <kernel>.<level>.<way>          million multiply-adds for each second of processor time, of the fastest launch
 *   <kernel>.<level>.<way>.time     processor seconds of it
 *   <kernel>.pocl, .pocl.time       the same of PoCL
 *   <kernel>.<level>.<way>.ratio    the level's rate over PoCL's: the median of the rounds' ratios
 *
 * way: plain (no observer), counters (all of them), checks (rules of memory, initialisation and races). */
#include <stdio.h>

#include "bench/opencl.h"
#include "bench/product.h"
#include "emu/emu.h"

enum { SIDE = 512, MOST_PARTIES = 16 };
static const double seconds_of_kernel = 20;

static const struct Kernel {
    const char *name;
    bool        x_on_rows;
} kernels[] = {{"matmul_v2_tile16", false}, {"matmul_v1_x_on_columns", false}, {"matmul_v1_x_on_rows", true}};

static const struct Way {
    const char *name;
    bool        counters;
    const char *check;
} ways[] = {{"plain", false, NULL}, {"counters", true, NULL}, {"checks", false, "memory,init,race"}};
enum { WAYS = sizeof ways / sizeof *ways };

static void print_rate(const char *name, const Party *p)
{
    double least = party_least(p, false);
    printf("%s\t%.1f\tmillion multiply-adds/s of processor time\n", name, 1e-6 * SIDE * SIDE * SIDE / least);
    printf("%s.time\t%.4f\ts of processor time\n", name, least);
}

static void print(const Party *parties, unsigned count)
{
    const Party *peer   = &parties[0];
    const char  *kernel = peer->product.kernel;
    char         name[128];
    bool         compares = !peer->missing && !peer->failed;
    if (compares) {
        snprintf(name, sizeof name, "%s.pocl", kernel);
        print_rate(name, peer);
    }
    for (unsigned i = 1; i < count; i++) {
        const Party *p = &parties[i];
        if (p->failed)
            continue;
        snprintf(name, sizeof name, "%s.%s.%s", kernel, p->product.simd, ways[(i - 1) % WAYS].name);
        print_rate(name, p);
        if (compares)
            printf("%s.ratio\t%.3f\tx of PoCL\n", name, party_ratio(peer, p, false));
    }
}

static bool bench_kernel(const struct Kernel *k)
{
    const Product p = {.kernel = k->name, .x_on_rows = k->x_on_rows, .m = SIDE, .k = SIDE, .n = SIDE, .threads = 1};
    Party         parties[MOST_PARTIES] = {{.maker = &product_pocl, .product = p}};
    unsigned      count                 = 1;
    const char   *simd;
    for (unsigned level = 0; (simd = emu_simd_level(level)) && count + WAYS <= MOST_PARTIES; level++)
        for (unsigned w = 0; w < WAYS; w++) {
            Party *x            = &parties[count++];
            x->maker            = &product_emulator;
            x->product          = p;
            x->product.simd     = simd;
            x->product.counters = ways[w].counters;
            x->product.check    = ways[w].check;
        }
    bool good = product_turns(parties, count, seconds_of_kernel);
    print(parties, count);
    return good;
}

int main(void)
{
    bool good = true;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        good = bench_kernel(&kernels[i]) && good;
    return good ? 0 : 1;
}
