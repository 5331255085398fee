/* SPDX-License-Identifier: Apache-2.0
 *
 * One work of `warpwright bench`: its data, each implementation run on it, each result verified.
 *
 * The output is poisoned before every implementation, on every set of buffers; what the first set holds afterwards is
 * compared (bench_verify.c; copies byte by byte), and a row that is wrong carries no rate.  On the emulator nothing is
 * timed; counters may be read. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "check/count/count.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_verify.h"
#include "cli/cli.h"
#include "lab/inputs.h"

enum { SLOW_RUNS = 5 };

/* ---- one implementation ------------------------------------------------------------------------------------------ */

typedef struct Ours {
    Bench      *x;
    const char *rung; /* NULL: the library's choice */
    WwStatus    status;
} Ours;

/* A leading dimension is at least 1, also of rows without elements. */
static size_t ld_of(size_t length)
{
    return length ? length : 1;
}

WwSyrk bench_syrk(const BenchWork *w, const char *rung, WwPtr a, WwPtr c)
{
    return (WwSyrk){.type      = w->type,
                    .trans     = w->ta,
                    .n         = w->m,
                    .k         = w->k,
                    .alpha     = type_one(w->type),
                    .a         = a,
                    .c         = c,
                    .lda       = ld_of(w->ta ? w->m : w->k),
                    .ldc       = w->m,
                    .precision = w->precision,
                    .rung      = rung};
}

WwGemm bench_gemm(const BenchWork *w, const char *rung, WwPtr a, WwPtr b, WwPtr c)
{
    return (WwGemm){.type        = w->type,
                    .trans_a     = w->ta,
                    .trans_b     = w->tb,
                    .m           = w->m,
                    .n           = w->n,
                    .k           = w->k,
                    .alpha       = type_one(w->type),
                    .a           = a,
                    .b           = b,
                    .c           = c,
                    .lda         = ld_of(w->ta ? w->m : w->k),
                    .ldb         = ld_of(w->tb ? w->k : w->n),
                    .ldc         = w->n,
                    .precision   = w->precision,
                    .rung        = rung,
                    .row_bias    = w->bias == BENCH_ROWS ? w->bias_at : 0,
                    .column_bias = w->bias == BENCH_COLUMNS ? w->bias_at : 0,
                    .activation  = w->activation};
}

static bool run_ours(void *user, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    Ours *o = user;
    if (strcmp(w->work, "copy") == 0) {
        o->status = bench_copy(o->x->blas, w, a, c);
    } else if (strcmp(w->work, "aat") == 0) {
        WwSyrk p  = bench_syrk(w, o->rung, a, c);
        o->status = ww_syrk(o->x->blas, &p);
    } else {
        WwGemm p  = bench_gemm(w, o->rung, a, b, c);
        o->status = ww_gemm(o->x->blas, &p);
    }
    return o->status == WW_OK;
}

/* Which rung the library chooses. */
static void tell_choice(Bench *x, const BenchWork *w, const BenchData *d, BenchRow *row)
{
    const char *rung = "";
    if (strcmp(w->work, "aat") == 0) {
        WwSyrk p = bench_syrk(w, NULL, d->da, d->dc);
        ww_syrk_rung(x->blas, &p, &rung);
    } else if (strcmp(w->work, "gemm") == 0) {
        WwGemm p = bench_gemm(w, NULL, d->da, d->db, d->dc);
        ww_gemm_rung(x->blas, &p, &rung);
    }
    snprintf(row->note, sizeof row->note, "%s", rung);
}

static bool slow(const char *impl)
{
    static const char *const names[] = {"naive", "coalesced", "tile", "column"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(impl, names[i]) == 0)
            return true;
    return false;
}

static void count(void *user, const WwResult *r)
{
    BenchRow *row = user;
    if (r)
        counters_add(&row->counters, ww_result_counters(r));
}

static bool time_ours(Bench *x, const BenchWork *w, const BenchData *p, BenchRow *row)
{
    Ours o = {.x = x, .rung = strcmp(row->impl, "auto") == 0 ? NULL : row->impl};
    bool ok;
    row->runs = !x->cuda ? 0 : slow(row->impl) && x->runs > SLOW_RUNS ? SLOW_RUNS : x->runs;
    if (!o.rung)
        tell_choice(x, w, p, row);
    if (x->cuda) {
        ww_blas_stream(x->blas, x->stream);
        ok = bench_time(x->stream, w, p, run_ours, &o, row->runs, &row->median_ms, &row->host_us);
        ok = ww_blas_stream(x->blas, NULL) == WW_OK && ok;
    } else {
        row->counted     = x->counted;
        x->blas->observe = x->counted ? WW_OBSERVE_COUNTERS : WW_OBSERVE_NOTHING;
        x->blas->seen    = x->counted ? count : NULL;
        x->blas->user    = row;
        ok               = run_ours(&o, w, p->da + w->src_offset, p->db, p->dc + w->dst_offset);
    }
    if (!ok)
        snprintf(row->problem, sizeof row->problem, "%s: %s", ww_status_text(o.status), ww_device_error(x->device));
    return ok;
}

/* edge: of a copy of bytes the two ends only, so many bytes (0: everything). */
static bool copy_right(Bench *x, const BenchWork *w, BenchData *p, size_t edge, const char **problem)
{
    size_t part = edge && 2 * edge < p->cn ? edge : p->cn;
    *problem    = "the bytes are not those of the source, or others were written too";
    for (size_t from = 0; from < p->cn; from = from + part < p->cn ? p->cn - part : p->cn) {
        if (ww_copy_out(x->device, p->c, p->dc + from, part) != WW_OK) {
            *problem = ww_device_error(x->device);
            return false;
        }
        if (!(w->element ? bench_copy_matrix_right(w, p->a, p->c) : bench_copy_bytes_right(w, p->a, p->c, from, part)))
            return false;
    }
    *problem = "";
    return true;
}

/* 16-bit and 8-bit operands and results are verified as floats. */
BenchTruth *bench_truth(const BenchWork *w, const void *a, const void *b, uint64_t seed)
{
    bool   aat = strcmp(w->work, "aat") == 0, small = bench_small(w->type);
    float *fa       = small ? bench_half_read(a, w->m * w->k, w->type, false) : NULL,
          *fb       = small && !aat ? bench_half_read(b, w->k * w->n, w->type, false) : NULL;
    BenchMatrices p = {.type       = small ? WW_F32 : w->type,
                       .m          = w->m,
                       .n          = w->n,
                       .k          = w->k,
                       .ta         = w->ta,
                       .tb         = aat ? !w->ta : w->tb,
                       .a          = small ? fa : a,
                       .unit       = small ? bench_rounding(w->type) : 0,
                       .short_sums = type_row(w->type)->operand == 1};
    p.b             = aat ? p.a : small ? fb : b;
    BenchTruth *t   = bench_truth_new(&p, seed);
    free(fa);
    free(fb);
    return t;
}

bool bench_right(const BenchTruth *t, const BenchWork *w, const void *c, bool symmetric, double *max_error,
                 const char **problem)
{
    float *f     = type_row(w->type)->result == 2 ? bench_half_read(c, w->m * w->n, w->type, true) : NULL;
    bool   right = bench_verify(t, f ? f : c, symmetric, max_error, problem);
    free(f);
    return right;
}

static bool product_right(Bench *x, const BenchWork *w, BenchData *p, BenchRow *row, const char **problem)
{
    bool aat = strcmp(w->work, "aat") == 0, lt = strcmp(row->impl, "cublaslt") == 0,
         peer = bench_small(w->type) ? bench_peer_is(row->impl) : lt; /* whose halves may differ */
    if (ww_copy_out(x->device, p->c, p->dc, p->cn) != WW_OK) {
        *problem = ww_device_error(x->device);
        return false;
    }
    if (aat && strcmp(row->impl, "cublas") == 0 && !bench_small(w->type)) {
        char  *c = p->c; /* the row-major upper triangle: fill in the other */
        size_t e = type_row(w->type)->result;
        for (size_t i = 0; i < w->m; i++)
            for (size_t j = 0; j < i; j++)
                memcpy(c + (i * w->m + j) * e, c + (j * w->m + i) * e, e);
    }
    if (bench_has_ends(w))
        return bench_ends_right(x, w, p, &row->max_error, problem);
    if (!p->truth)
        p->truth = bench_truth(w, p->a, p->b, x->seed);
    return bench_right(p->truth, w, p->c, aat && !peer, &row->max_error, problem);
}

/* Is it what others are compared with?  cublasLt where cuBLAS does not compute this. */
static bool is_base(const Bench *x, const BenchWork *w, const char *impl)
{
    return strcmp(impl, "cublas") == 0 || strcmp(impl, "memcpy") == 0 ||
           (strcmp(impl, "cublaslt") == 0 && !bench_peer_takes(x->peer, "cublas", w));
}

/* edge: see copy_right. */
static BenchRow *run_impl(Bench *x, const BenchWork *w, BenchData *p, const char *impl, size_t edge)
{
    if (x->nrows == x->room)
        x->row = xrealloc(x->row, (x->room = x->room ? 2 * x->room : 64) * sizeof *x->row);
    /* What the driver copies instead of a transposed copy, which it does not know: the same rows as they are. */
    BenchWork plain;
    if (w->element && w->ta && strcmp(impl, "memcpy") == 0) {
        plain        = *w;
        plain.ta     = false;
        plain.dst_ld = w->src_ld;
        w            = &plain;
    }
    BenchRow *row = &x->row[x->nrows++];
    *row          = (BenchRow){.w = *w, .ceiling = x->ceiling, .runs = x->runs};
    snprintf(row->impl, sizeof row->impl, "%s", impl);
    bool ok = edge || ww_fill(x->device, p->dc, BENCH_POISON, p->step_c * (p->sets - 1) + p->cn) == WW_OK;
    for (size_t end = 0; edge && end < 2 && ok; end++)
        ok = ww_fill(x->device, p->dc + (end && edge < p->cn ? p->cn - edge : 0), BENCH_POISON,
                     edge < p->cn ? edge : p->cn) == WW_OK;
    if (ok)
        ok = bench_peer_is(impl) ? bench_peer_run(x->peer, w, p, row) : time_ours(x, w, p, row);
    if (ok) {
        const char *problem = "";
        bool        copy    = strcmp(w->work, "copy") == 0;
        if (x->runs >= BENCH_FULL_RUNS)
            bench_sensors_read(x->sensors, &row->clock_mhz, &row->power_w);
        row->verified = copy ? copy_right(x, w, p, edge, &problem) : product_right(x, w, p, row, &problem);
        snprintf(row->problem, sizeof row->problem, "%s", problem);
    }
    if (is_base(x, w, impl) && row->verified)
        x->peer_ms = row->median_ms;
    row->cublas_ms = x->peer_ms;
    return row;
}

/* ---- one work ---------------------------------------------------------------------------------------------------- */

void bench_fill(void *v, size_t n, WwType type, uint64_t seed, uint64_t stream)
{
    if (bench_small(type))
        bench_half_fill(v, n, type, seed, stream);
    else if (type == WW_F64)
        for (size_t i = 0; i < n; i++)
            ((double *)v)[i] = (double)(int64_t)inputs_at(seed, stream, i) * 0x1p-63;
    else if (type == WW_F32)
        inputs_unit_shared(v, n, seed, stream);
    else
        inputs_bits_shared(v, n, seed, stream);
}

/* Set 0 from the host, the others from it. */
static Status fill_sets(Bench *x, WwPtr at, const void *host, size_t bytes, size_t step, size_t sets)
{
    TRY(ww_copy_in(x->device, at, host, bytes));
    for (size_t i = 1; i < sets; i++)
        TRY(ww_copy(x->device, at + i * step, at, bytes));
    return WW_OK;
}

uint64_t bench_room(const Bench *x, uint64_t bytes)
{
    return bytes * (x->cuda ? 1 : 2);
}

static Status check_room(Bench *x, const BenchData *p)
{
    uint64_t bytes = bench_room(x, (uint64_t)p->an + p->bn + p->cn);
    if (bytes < host_memory())
        return WW_OK;
    return device_fail(x->device, WW_ERR_NO_MEMORY, "its arrays need %llu MiB; choose smaller sizes",
                       (unsigned long long)(bytes >> 20));
}

static Status open_data(Bench *x, const BenchWork *w, BenchData *p)
{
    enum { ALIGN = 512 };
    bool           copy = strcmp(w->work, "copy") == 0, gemm = strcmp(w->work, "gemm") == 0;
    const TypeRow *type = type_row(w->type);
    p->an               = copy ? bench_copy_room(w, true) : w->m * w->k * type->operand;
    p->bn               = gemm ? w->k * w->n * type->operand : 0;
    p->cn               = copy ? bench_copy_room(w, false) : w->m * w->n * type->result;
    p->sets             = bench_sets(x->device, p->an + p->bn + p->cn);
    p->step_a           = (p->an + ALIGN - 1) / ALIGN * ALIGN;
    p->step_b           = (p->bn + ALIGN - 1) / ALIGN * ALIGN;
    p->step_c           = (p->cn + ALIGN - 1) / ALIGN * ALIGN;
    TRY(check_room(x, p));
    p->a = xmalloc(p->an + 4);
    p->b = xmalloc(p->bn + 4);
    p->c = xmalloc(p->cn + 4);
    if (copy && w->element != 4)
        inputs_bits(p->a, p->an / 4, x->seed, 1);
    else /* cuBLAS copies numbers */
        bench_fill(p->a, p->an / type->operand, w->type, x->seed, 1);
    bench_fill(p->b, p->bn / type->operand, w->type, x->seed, 2);
    if (p->an) {
        TRY(ww_alloc(x->device, p->step_a * p->sets, &p->da));
        TRY(fill_sets(x, p->da, p->a, p->an, p->step_a, p->sets));
    }
    if (p->bn) {
        TRY(ww_alloc(x->device, p->step_b * p->sets, &p->db));
        TRY(fill_sets(x, p->db, p->b, p->bn, p->step_b, p->sets));
    }
    return ww_alloc(x->device, p->step_c * p->sets, &p->dc);
}

static void close_data(Bench *x, BenchData *p)
{
    ww_free(x->device, p->da);
    ww_free(x->device, p->db);
    ww_free(x->device, p->dc);
    free(p->a);
    free(p->b);
    free(p->c);
    bench_truth_free(p->truth);
    bench_ends_close(x, p);
}

static bool opened(Bench *x, BenchWork *w, BenchData *p)
{
    Status s = open_data(x, w, p);
    if (s == WW_OK)
        s = bench_ends_open(x, w, p);
    if (s != WW_OK)
        fprintf(stderr, "warpwright bench: error: %s: %s\n", ww_status_text(s), ww_device_error(x->device));
    x->peer_ms = 0;
    return s == WW_OK;
}

int bench_work(Bench *x, const BenchWork *what, const char *const *impls, size_t n)
{
    BenchData p  = {0};
    BenchWork w  = *what;
    bool      ok = opened(x, &w, &p);
    for (size_t i = 0; i < n && ok; i++)
        bench_table_row(x->table, run_impl(x, &w, &p, impls[i], 0));
    close_data(x, &p);
    return ok ? CLI_OK : CLI_KERNEL;
}

int bench_sweep(Bench *x, const BenchWork *what, const char *impl)
{
    enum { EDGE = 1 << 16 };
    BenchData p     = {0};
    BenchWork w     = *what;
    bool      ok    = opened(x, &w, &p);
    BenchRow  worst = {0};
    if (ok && x->peer)
        bench_table_row(x->table, run_impl(x, &w, &p, "memcpy", 0));
    for (size_t o = 0; ok && o < BENCH_OFFSETS * BENCH_OFFSETS; o++) {
        BenchWork v        = w;
        v.src_offset       = o / BENCH_OFFSETS;
        v.dst_offset       = o % BENCH_OFFSETS;
        const BenchRow *at = run_impl(x, &v, &p, impl, EDGE);
        /* So slow, or disturbed?  The emulator has no times. */
        if (o && at->verified && at->median_ms > worst.median_ms) {
            BenchRow first = *at;
            x->nrows--;
            at = run_impl(x, &v, &p, impl, EDGE);
            if (at->verified && at->median_ms > first.median_ms)
                x->row[x->nrows - 1] = first;
        }
        if (!o || !at->verified || at->median_ms > worst.median_ms)
            worst = *at;
        if (!at->verified)
            break;
    }
    if (ok) {
        printf("the slowest of %d pairs of offsets:\n", BENCH_OFFSETS * BENCH_OFFSETS);
        bench_table_row(x->table, &worst);
    }
    close_data(x, &p);
    return ok ? CLI_OK : CLI_KERNEL;
}
