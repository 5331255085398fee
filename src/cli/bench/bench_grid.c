/* SPDX-License-Identifier: Apache-2.0
 *
 * bench grid: A * B and A * A^T of matrices in host memory, on one device and on several.
 *
 * cublasXt stands beside them where its library is there: floats, the best of a few sides of its tiles.
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

static const int xt_blocks[] = {2048, 4096, 8192};

typedef struct GridBench {
    Bench      *x;
    WwGrid     *grid;
    BenchWork   w;
    void       *a, *b, *c;
    size_t      cn;
    BenchTruth *truth;
    BenchXt    *xt; /* NULL: the grid itself */
    int         block;
} GridBench;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static WwStatus grid_call(const GridBench *g, const BenchWork *w)
{
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

/* false: why says what went wrong. */
static bool call(const GridBench *g, char *why, size_t size)
{
    const BenchWork *w = &g->w;
    int              status;
    if (g->xt) {
        bool ok = bench_xt_run(g->xt, w, g->block, g->a, g->b, g->c, &status);
        if (!ok)
            snprintf(why, size, "cublasXt answered status %d", status);
        return ok;
    }
    if (grid_call(g, w) != WW_OK) {
        snprintf(why, size, "%s", ww_grid_error(g->grid));
        return false;
    }
    return true;
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
        if (!call(g, row->problem, sizeof row->problem))
            return false;
        ms[i] = now_ms() - begin;
    }
    qsort(ms, runs, sizeof *ms, by_size);
    row->runs      = g->x->cuda ? runs : 0;
    row->median_ms = g->x->cuda ? ms[runs / 2] : 0;
    return true;
}

static BenchRow *new_row(GridBench *g)
{
    Bench *x = g->x;
    if (x->nrows == x->room)
        x->row = xrealloc(x->row, (x->room = x->room ? 2 * x->room : 64) * sizeof *x->row);
    BenchRow *row = &x->row[x->nrows++];
    *row          = (BenchRow){.w = g->w};
    return row;
}

static void run_and_verify(GridBench *g, BenchRow *row)
{
    memset(g->c, BENCH_POISON, g->cn);
    if (!run_and_time(g, row))
        return;
    const char *problem = "";
    row->verified = bench_verify(g->truth, g->c, !g->xt && strcmp(g->w.work, "aat") == 0, &row->max_error, &problem);
    snprintf(row->problem, sizeof row->problem, "%s", problem);
}

/* The median of cublasXt's best tiles; 0: there is none. */
static double xt_row(GridBench *g, size_t devices)
{
    char why[256] = "";
    if (!g->x->cuda || g->w.type != WW_F32)
        return 0;
    g->xt = bench_xt_open(g->x->cublas, devices, why, sizeof why);
    if (!g->xt) {
        fprintf(stderr, "warpwright bench: cublasXt is left out: %s\n", why);
        return 0;
    }
    BenchRow best = {0};
    for (size_t i = 0; i < sizeof xt_blocks / sizeof *xt_blocks; i++) {
        BenchRow row = {.w = g->w};
        g->block     = xt_blocks[i];
        run_and_verify(g, &row);
        snprintf(row.impl, sizeof row.impl, "cublasXt:%zu", devices);
        snprintf(row.note, sizeof row.note, "tiles %d", g->block);
        if (i == 0 || (row.median_ms > 0 && (best.median_ms <= 0 || row.median_ms < best.median_ms)))
            best = row;
    }
    bench_xt_close(g->xt);
    g->xt         = NULL;
    BenchRow *row = new_row(g);
    *row          = best;
    bench_table_row(g->x->table, row);
    return best.median_ms;
}

/* one_ms, xt_ms: of one device, of cublasXt; 0: not known. */
static double grid_row(GridBench *g, double one_ms, double xt_ms)
{
    size_t    tile, panel;
    BenchRow *row = new_row(g);
    snprintf(row->impl, sizeof row->impl, "grid:%zu", ww_grid_size(g->grid));
    run_and_verify(g, row);
    row->cublas_ms = xt_ms;
    ww_grid_shape(g->grid, &tile, &panel);
    int n = snprintf(row->note, sizeof row->note, "tiles %zu, panels %zu", tile, panel);
    if (one_ms > 0 && row->median_ms > 0)
        snprintf(row->note + n, sizeof row->note - (size_t)n, ", %.2f x one device", one_ms / row->median_ms);
    bench_table_row(g->x->table, row);
    return row->median_ms;
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
            ms[i] = grid_row(&g, n > 1 ? ms[i] : 0, xt_row(&g, n));
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
