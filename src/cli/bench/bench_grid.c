/* SPDX-License-Identifier: Apache-2.0
 *
 * bench grid: A * B and A * A^T on one device and on several, of matrices in host memory or in bands of rows on the devices; on those of several
 * processes by bench_ranks.c.
 *
 * cublasXt stands beside those in host memory where its library is there: floats (it has none of 16 bits), the best of a few sides of its tiles.
 *
 * Each result is verified on a poisoned C.  On GPUs the time is the median of whole calls by the host's clock, copies included, from pinned memory; a
 * row of several devices says how many times as fast as one it is.  Emulated devices compute, and nothing is timed. */
#include "cli/bench/bench_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "blas/blas.h"
#include "cli/bench/bench_verify.h"
#include "cli/cli.h"
#include "grid/meet.h"
#include "lab/inputs.h"

enum { MOST_RUNS = 20, MIB = 1 << 20 };

static const int xt_blocks[] = {2048, 4096, 8192};

WwStatus grid_call(const GridBench *g)
{
    const BenchWork *w = &g->w;
    if (strcmp(w->work, "aat") == 0)
        return ww_grid_syrk(g->grid, &(WwGridSyrk){.type      = w->type,
                                                   .trans     = w->ta,
                                                   .n         = w->m,
                                                   .k         = w->k,
                                                   .alpha     = type_one(w->type),
                                                   .a         = g->a,
                                                   .c         = g->c,
                                                   .lda       = w->ta ? w->m : w->k,
                                                   .ldc       = w->m,
                                                   .tile      = g->x->tile,
                                                   .panel     = g->x->panel,
                                                   .precision = w->precision,
                                                   .on_a      = g->band ? &g->band[0].array : NULL,
                                                   .on_c      = g->band ? &g->band[2].array : NULL});
    return ww_grid_gemm(g->grid, &(WwGridGemm){.type      = w->type,
                                               .trans_a   = w->ta,
                                               .trans_b   = w->tb,
                                               .m         = w->m,
                                               .n         = w->n,
                                               .k         = w->k,
                                               .alpha     = type_one(w->type),
                                               .a         = g->a,
                                               .b         = g->b,
                                               .c         = g->c,
                                               .lda       = w->ta ? w->m : w->k,
                                               .ldb       = w->tb ? w->k : w->n,
                                               .ldc       = w->n,
                                               .tile      = g->x->tile,
                                               .panel     = g->x->panel,
                                               .precision = w->precision,
                                               .on_a      = g->band ? &g->band[0].array : NULL,
                                               .on_b      = g->band ? &g->band[1].array : NULL,
                                               .on_c      = g->band ? &g->band[2].array : NULL});
}

/* ---- matrices on the devices ---- */

static WwStatus band_open(const GridBench *g, GridBand *b, void *host, size_t rows, size_t columns, size_t element)
{
    size_t n = ww_grid_size(g->grid), all = n * (g->ranks ? g->ranks : 1), part;
    b->array = (WwGridArray){b->at, (rows + all - 1) / all, columns, all, 1, columns};
    b->copy  = (WwGridCopy){&b->array, WW_ROW_MAJOR, element, rows, columns, host, columns};
    for (size_t i = 0; i < n; i++) {
        if (ww_grid_part(g->grid, &b->array, rows, columns, g->rank * n + i, &part, NULL) != WW_OK || part == 0)
            continue;
        b->bytes[i] = part * columns * element;
        WwStatus s  = ww_alloc(g->device[i], b->bytes[i], &b->at[i]);
        if (s != WW_OK)
            return s;
    }
    return WW_OK;
}

void grid_bands_close(GridBench *g)
{
    for (size_t m = 0; g->band && m < 3; m++)
        for (size_t i = 0; i < ww_grid_size(g->grid); i++)
            if (g->band[m].at[i])
                ww_free(g->device[i], g->band[m].at[i]);
    free(g->band);
    g->band = NULL;
}

bool grid_bands_open(GridBench *g)
{
    const BenchWork *w       = &g->w;
    const TypeRow   *type    = type_row(w->type);
    bool             aat     = strcmp(w->work, "aat") == 0;
    size_t           columns = aat ? w->m : w->n;
    g->band                  = xcalloc(3, sizeof *g->band);
    WwStatus s               = band_open(g, &g->band[0], g->a, w->ta ? w->k : w->m, w->ta ? w->m : w->k, type->operand);
    if (s == WW_OK && !aat)
        s = band_open(g, &g->band[1], g->b, w->tb ? w->n : w->k, w->tb ? w->k : w->n, type->operand);
    if (s == WW_OK)
        s = band_open(g, &g->band[2], g->c, w->m, columns, type->result);
    for (int m = 0; s == WW_OK && m < (aat ? 1 : 2); m++)
        s = ww_grid_scatter(g->grid, &g->band[m].copy);
    return s == WW_OK;
}

static void poison(const GridBench *g)
{
    if (g->rank == 0)
        memset(g->c, BENCH_POISON, g->cn);
    for (size_t i = 0; g->band && i < ww_grid_size(g->grid); i++)
        if (g->band[2].at[i])
            (void)ww_fill(g->device[i], g->band[2].at[i], BENCH_POISON, g->band[2].bytes[i]);
}

/* ---- a row ---- */

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
    if (grid_call(g) != WW_OK) {
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

/* Joined grids begin together, and the slowest counts. */
static bool time_once(const GridBench *g, double *ms, char *why, size_t size)
{
    double begin, all[WW_GRID_DEVICES];
    bool   together = !g->meet || grid_meet_all(g->meet);
    begin           = clock_ms();
    if (!together || !call(g, why, size))
        return false;
    *ms = clock_ms() - begin;
    if (g->meet && !grid_meet_numbers(g->meet, *ms, all))
        return false;
    for (size_t i = 0; i < g->ranks; i++)
        *ms = all[i] > *ms ? all[i] : *ms;
    return true;
}

static bool run_and_time(const GridBench *g, BenchRow *row)
{
    double   ms[MOST_RUNS];
    unsigned runs = !g->x->cuda ? 1 : g->x->runs < MOST_RUNS ? g->x->runs : MOST_RUNS;
    for (unsigned i = 0; i < runs; i++)
        if (!time_once(g, &ms[i], row->problem, sizeof row->problem))
            return false;
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
    poison(g);
    if (!run_and_time(g, row))
        return;
    if (g->band && ww_grid_gather(g->grid, &g->band[2].copy) != WW_OK) {
        snprintf(row->problem, sizeof row->problem, "%s", ww_grid_error(g->grid));
        return;
    }
    const char *problem = "";
    if (g->meet && !grid_meet_all(g->meet)) { /* C is the ranks' common memory */
        snprintf(row->problem, sizeof row->problem, "%s", grid_meet_why(g->meet));
        return;
    }
    row->verified =
        g->rank > 0 || /* rank 0 looks at it */
        bench_right(g->truth, &g->w, g->c, !g->xt && strcmp(g->w.work, "aat") == 0, &row->max_error, &problem);
    snprintf(row->problem, sizeof row->problem, "%s", problem);
}

/* The median of cublasXt's best tiles; 0: there is none. */
static double xt_row(GridBench *g, size_t devices)
{
    char why[256] = "";
    if (!g->x->cuda || g->w.type != WW_F32 || g->band || g->x->alone)
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

/* Of the last run: where each device's time went. */
static void tell_shares(const GridBench *g)
{
    WwGridShare s;
    for (size_t i = 0; g->x->verbose && ww_grid_share(g->grid, i, &s) == WW_OK; i++)
        fprintf(g->x->table,
                "      device %zu: %zu tiles, %zu panels, MiB from the host %.0f, to it %.0f, between devices %.0f; ms "
                "until planned %.3f, enqueued "
                "%.3f, done %.3f\n",
                i, s.tiles, s.panels, (double)s.in_bytes / MIB, (double)s.out_bytes / MIB, (double)s.peer_bytes / MIB,
                s.planned_ms, s.enqueued_ms, s.done_ms);
}

double grid_row(GridBench *g, double one_ms, double xt_ms)
{
    size_t    tile, panel;
    BenchRow *row = new_row(g);
    size_t    n   = ww_grid_size(g->grid);
    int       l   = snprintf(row->impl, sizeof row->impl, g->ranks ? "ranks:%zu" : "grid:%zu", g->ranks ? g->ranks : n);
    if (g->ranks && n > 1)
        snprintf(row->impl + l, sizeof row->impl - (size_t)l, "x%zu", n);
    run_and_verify(g, row);
    row->cublas_ms = xt_ms;
    ww_grid_shape(g->grid, &tile, &panel);
    l = snprintf(row->note, sizeof row->note, "tiles %zu, panels %zu", tile, panel);
    if (one_ms > 0 && row->median_ms > 0)
        snprintf(row->note + l, sizeof row->note - (size_t)l, ", %.2f x one device", one_ms / row->median_ms);
    bench_table_row(g->x->table, row);
    tell_shares(g);
    return row->median_ms;
}

bool grid_make_data(GridBench *g, void *c)
{
    WwType type = g->w.type;
    size_t each = type_row(type)->operand, an = g->w.m * g->w.k, bn = g->w.k * g->w.n;
    g->a = ww_grid_memory(g->grid, an * each + 4);
    g->b = ww_grid_memory(g->grid, bn * each + 4);
    g->c = c ? c : ww_grid_memory(g->grid, g->room);
    if (!g->a || !g->b || !g->c)
        return false;
    bench_fill(g->a, an, type, g->x->seed, 1);
    bench_fill(g->b, bn, type, g->x->seed, 2);
    return true;
}

void grid_drop_data(GridBench *g)
{
    ww_grid_memory_free(g->grid, g->a);
    ww_grid_memory_free(g->grid, g->b);
    if (!g->meet)
        ww_grid_memory_free(g->grid, g->c);
}

/* One work on the first n devices; one: the time of one of them, 0: not known.  0: not measured. */
static double on_devices(const GridBench *all, size_t n, double one, int *code)
{
    const char *why = "";
    GridBench   g   = *all;
    double      ms  = 0;
    if (ww_grid_open(g.device, n, &g.grid, &why) != WW_OK) {
        *code = cli_error("bench", "%s", why);
        return 0;
    }
    if (g.x->where == BENCH_DEVICES && !grid_bands_open(&g))
        *code = cli_error("bench", "the devices have no room for matrices of this size");
    else
        ms = grid_row(&g, one, xt_row(&g, n));
    grid_bands_close(&g);
    ww_grid_close(g.grid);
    return ms;
}

void grid_set_work(GridBench *g, const BenchWork *w, int which)
{
    g->w      = *w;
    g->w.work = which ? "aat" : "gemm";
    g->w.n    = which ? w->m : w->n;
    g->cn     = g->w.m * g->w.n * type_row(w->type)->result;
}

static int both_works(GridBench *g, const BenchWork *w)
{
    size_t devices = ww_grid_size(g->grid);
    int    code    = CLI_OK;
    for (size_t i = 0; i < 2 && code == CLI_OK; i++) {
        grid_set_work(g, w, (int)i);
        g->truth   = bench_truth(&g->w, g->a, g->b, g->x->seed);
        double one = on_devices(g, 1, 0, &code);
        if (devices > 1 && code == CLI_OK)
            on_devices(g, devices, one, &code);
        bench_truth_free(g->truth);
    }
    return code;
}

/* The matrices are made once, for every number of devices. */
static int on_all(Bench *x, const BenchWork *w, WwDevice *const *device, size_t n)
{
    const char *why  = "";
    size_t      wide = w->m > w->n ? w->m : w->n; /* the result of A * A^T is m x m */
    GridBench   g    = {.x = x, .device = device, .w = *w, .room = w->m * wide * type_row(w->type)->result};
    int         code;
    if (ww_grid_open(device, n, &g.grid, &why) != WW_OK)
        return cli_error("bench", "%s", why);
    if (grid_make_data(&g, NULL))
        code = both_works(&g, w);
    else
        code = cli_error("bench", "%s", ww_grid_error(g.grid));
    grid_drop_data(&g);
    ww_grid_close(g.grid);
    return code;
}

int grid_devices_open(const Bench *x, size_t first, WwDevice **device)
{
    const char *why  = "";
    int         code = CLI_OK;
    for (size_t i = 0; i < x->devices && code == CLI_OK; i++)
        if (ww_device_open(x->cuda ? "cuda" : "emulator",
                           &(WwDeviceOptions){.ordinal = (unsigned)(first + i), .threads = 1}, &device[i],
                           &why) != WW_OK)
            code = cli_error("bench", "device %zu: %s", first + i, why);
    return code;
}

void grid_devices_close(const Bench *x, WwDevice *const *device)
{
    for (size_t i = 0; i < x->devices; i++)
        ww_device_close(device[i]);
}

int bench_grid(Bench *x, const BenchWork *w)
{
    WwDevice      *device[WW_GRID_DEVICES] = {0};
    const TypeRow *type                    = type_row(w->type);
    size_t   n = w->m > w->n ? w->m : w->n, floats = bench_small(w->type) ? 4 : 0; /* the result of A * A^T is m x m */
    uint64_t room = bench_room(x, (w->m + n) * w->k * (type->operand + floats) + w->m * n * (type->result + floats));
    if (room >= host_memory())
        return cli_error("bench", "the matrices of grid need %llu MiB of this machine's memory; choose smaller sizes",
                         (unsigned long long)(room >> 20));
    bench_table_head(x->table, false);
    int code = grid_devices_open(x, 0, device);
    if (code == CLI_OK)
        code = on_all(x, w, device, x->devices);
    grid_devices_close(x, device);
    return code;
}
