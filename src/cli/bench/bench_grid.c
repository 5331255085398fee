/* SPDX-License-Identifier: Apache-2.0
 *
 * bench grid: A * B and A * A^T of matrices in host memory, on one device and on several.
 *
 * Each result is verified on a poisoned C.  On GPUs the time is the median of whole calls by the host's clock, copies included, from pinned memory; a
 * row of several devices says how many times as fast as one it is.  Emulated devices compute, and nothing is timed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_verify.h"
#include "cli/cli.h"
#include "lab/inputs.h"
#include "warpwright/grid.h"

enum { MOST_RUNS = 5 };

typedef struct GridBench {
    Bench      *x;
    WwGrid     *grid;
    BenchWork   w;
    void       *a, *b, *c;
    size_t      cn;
    BenchTruth *truth;
} GridBench;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static WwStatus call(const GridBench *g)
{
    const BenchWork *w = &g->w;
    if (strcmp(w->work, "aat") == 0)
        return ww_grid_syrk(g->grid, &(WwGridSyrk){.type  = w->type,
                                                   .trans = w->ta,
                                                   .n     = w->m,
                                                   .k     = w->k,
                                                   .alpha = type_one(w->type),
                                                   .a     = g->a,
                                                   .c     = g->c,
                                                   .lda   = w->ta ? w->m : w->k,
                                                   .ldc   = w->m});
    return ww_grid_gemm(g->grid, &(WwGridGemm){.type    = w->type,
                                               .trans_a = w->ta,
                                               .trans_b = w->tb,
                                               .m       = w->m,
                                               .n       = w->n,
                                               .k       = w->k,
                                               .alpha   = type_one(w->type),
                                               .a       = g->a,
                                               .b       = g->b,
                                               .c       = g->c,
                                               .lda     = w->ta ? w->m : w->k,
                                               .ldb     = w->tb ? w->k : w->n,
                                               .ldc     = w->n});
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool run_and_time(const GridBench *g, BenchRow *row)
{
    double   ms[MOST_RUNS];
    unsigned runs = !g->x->cuda ? 1 : g->x->runs < MOST_RUNS ? g->x->runs : MOST_RUNS;
    for (unsigned i = 0; i < runs; i++) {
        double begin = now_ms();
        if (call(g) != WW_OK) {
            snprintf(row->problem, sizeof row->problem, "%s", ww_grid_error(g->grid));
            return false;
        }
        ms[i] = now_ms() - begin;
    }
    qsort(ms, runs, sizeof *ms, by_size);
    row->runs      = g->x->cuda ? runs : 0;
    row->median_ms = g->x->cuda ? ms[runs / 2] : 0;
    return true;
}

/* one_ms: of one device; 0: not known. */
static BenchRow *one_row(GridBench *g, double one_ms)
{
    Bench *x = g->x;
    size_t tile, panel;
    if (x->nrows == x->room)
        x->row = xrealloc(x->row, (x->room = x->room ? 2 * x->room : 64) * sizeof *x->row);
    BenchRow *row = &x->row[x->nrows++];
    *row          = (BenchRow){.w = g->w};
    snprintf(row->impl, sizeof row->impl, "grid:%zu", ww_grid_size(g->grid));
    memset(g->c, BENCH_POISON, g->cn);
    if (run_and_time(g, row)) {
        const char *problem = "";
        bool        aat     = strcmp(g->w.work, "aat") == 0;
        row->verified       = bench_verify(g->truth, g->c, aat, &row->max_error, &problem);
        snprintf(row->problem, sizeof row->problem, "%s", problem);
    }
    ww_grid_shape(g->grid, &tile, &panel);
    int n = snprintf(row->note, sizeof row->note, "tiles %zu, panels %zu", tile, panel);
    if (one_ms > 0 && row->median_ms > 0)
        snprintf(row->note + n, sizeof row->note - (size_t)n, ", %.2f x one device", one_ms / row->median_ms);
    bench_table_row(x->table, row);
    return row;
}

static bool make_data(GridBench *g)
{
    const TypeRow *type = type_row(g->w.type);
    bool           aat  = strcmp(g->w.work, "aat") == 0;
    size_t         an = g->w.m * g->w.k, bn = aat ? 0 : g->w.k * g->w.n;
    g->cn = g->w.m * g->w.n * type->result;
    g->a  = ww_grid_memory(g->grid, an * 4 + 4);
    g->b  = ww_grid_memory(g->grid, bn * 4 + 4);
    g->c  = ww_grid_memory(g->grid, g->cn);
    if (!g->a || !g->b || !g->c)
        return false;
    if (g->w.type == WW_F32) {
        inputs_unit(g->a, an, g->x->seed, 1);
        inputs_unit(g->b, bn, g->x->seed, 2);
    } else {
        inputs_bits(g->a, an, g->x->seed, 1);
        inputs_bits(g->b, bn, g->x->seed, 2);
    }
    g->truth = bench_truth_new(&(BenchMatrices){.type = g->w.type,
                                                .m    = g->w.m,
                                                .n    = g->w.n,
                                                .k    = g->w.k,
                                                .ta   = g->w.ta,
                                                .tb   = aat ? !g->w.ta : g->w.tb,
                                                .a    = g->a,
                                                .b    = aat ? g->a : g->b},
                               g->x->seed);
    return true;
}

static void drop_data(GridBench *g)
{
    ww_grid_memory_free(g->grid, g->a);
    ww_grid_memory_free(g->grid, g->b);
    ww_grid_memory_free(g->grid, g->c);
    bench_truth_free(g->truth);
    g->a = g->b = g->c = NULL;
    g->truth           = NULL;
}

/* Both works on the first n devices; ms: of one device, by work. */
static int on_devices(Bench *x, const BenchWork *w, WwDevice *const *device, size_t n, double ms[2])
{
    static const char *const works[] = {"gemm", "aat"};
    const char              *why     = "";
    GridBench                g       = {.x = x};
    int                      code    = CLI_OK;
    if (ww_grid_open(device, n, &g.grid, &why) != WW_OK)
        return cli_error("bench", "%s", why);
    for (size_t i = 0; i < 2; i++) {
        g.w      = *w;
        g.w.work = works[i];
        g.w.n    = i ? w->m : w->n;
        if (make_data(&g))
            ms[i] = one_row(&g, n > 1 ? ms[i] : 0)->median_ms;
        else
            code = cli_error("bench", "%s", ww_grid_error(g.grid));
        drop_data(&g);
    }
    ww_grid_close(g.grid);
    return code;
}

int bench_grid(Bench *x, const BenchWork *w, size_t devices)
{
    WwDevice   *device[WW_GRID_DEVICES] = {0};
    const char *why                     = "";
    double      ms[2]                   = {0};
    int         code                    = CLI_OK;
    if (w->type != WW_F32 && w->type != WW_I32 && w->type != WW_I32_I64)
        return cli_error("bench", "grid has the types f32, i32 and i64");
    size_t   n    = w->m > w->n ? w->m : w->n; /* the result of A * A^T is m x m */
    uint64_t room = bench_room(x, (w->m + n) * w->k * 4 + w->m * n * type_row(w->type)->result);
    if (room >= host_memory())
        return cli_error("bench", "the matrices of grid need %llu MiB of this machine's memory; choose smaller sizes",
                         (unsigned long long)(room >> 20));
    bench_table_head(x->table, false);
    for (size_t i = 0; i < devices && code == CLI_OK; i++)
        if (ww_device_open(x->cuda ? "cuda" : "emulator", &(WwDeviceOptions){.ordinal = (unsigned)i, .threads = 1},
                           &device[i], &why) != WW_OK)
            code = cli_error("bench", "device %zu of %zu: %s", i, devices, why);
    if (code == CLI_OK)
        code = on_devices(x, w, device, 1, ms);
    if (code == CLI_OK && devices > 1)
        code = on_devices(x, w, device, devices, ms);
    for (size_t i = 0; i < devices; i++)
        ww_device_close(device[i]);
    return code;
}
