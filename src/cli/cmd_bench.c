/* SPDX-License-Identifier: Apache-2.0
 *
 * warpwright bench: the matrix library and the copies against the clock, next to what people use instead.
 *
 * Every row is verified (bench_verify.c; copies byte by byte) on random data with the output poisoned before, and a row that
 * is not carries no rate.  On a GPU times are medians between events; on the emulator nothing is timed and the sizes are
 * small.  Exit status 120: a row is not verified. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "cli/bench.h"
#include "cli/bench_verify.h"
#include "cli/cli.h"
#include "lab/inputs.h"

enum { POISON = 0xff, MAX_ROWS = 1024, MAX_OFFSET = 64, SLOW_RUNS = 5 };

typedef struct Bench {
    WwDevice     *device;
    WwBlas       *blas;
    WwStream     *stream;
    BenchPeer    *peer; /* NULL: none */
    BenchSensors *sensors;
    bool          cuda, counted;
    uint64_t      seed;
    BenchRow      row[MAX_ROWS];
    size_t        nrows;
    double        peer_ms; /* cuBLAS for the work at hand */
    double        ceiling;
} Bench;

/* ---- one implementation ------------------------------------------------------------------------------------------ */

typedef struct Ours {
    Bench      *x;
    const char *rung; /* NULL: the library's choice */
    WwStatus    status;
} Ours;

static bool run_ours(void *user, const BenchWork *w, WwPtr a, WwPtr b, WwPtr c)
{
    Ours    *o   = user;
    WwScalar one = w->type == WW_I32_I64 ? (WwScalar){.i64 = 1}
                   : w->type == WW_I32   ? (WwScalar){.i32 = 1}
                                         : (WwScalar){.f32 = 1};
    if (strcmp(w->work, "copy") == 0)
        o->status = ww_blas_copy(o->x->blas, c, a, w->bytes);
    else if (strcmp(w->work, "aat") == 0)
        o->status = ww_syrk(o->x->blas, &(WwSyrk){.type  = w->type,
                                                  .trans = w->ta,
                                                  .n     = w->m,
                                                  .k     = w->k,
                                                  .alpha = one,
                                                  .a     = a,
                                                  .c     = c,
                                                  .lda   = w->ta ? w->m : w->k,
                                                  .ldc   = w->m,
                                                  .rung  = o->rung});
    else
        o->status = ww_gemm(o->x->blas, &(WwGemm){.type    = w->type,
                                                  .trans_a = w->ta,
                                                  .trans_b = w->tb,
                                                  .m       = w->m,
                                                  .n       = w->n,
                                                  .k       = w->k,
                                                  .alpha   = one,
                                                  .a       = a,
                                                  .b       = b,
                                                  .c       = c,
                                                  .lda     = w->ta ? w->m : w->k,
                                                  .ldb     = w->tb ? w->k : w->n,
                                                  .ldc     = w->n,
                                                  .rung    = o->rung});
    return o->status == WW_OK;
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
    row->runs = !x->cuda ? 0 : slow(row->impl) ? SLOW_RUNS : BENCH_RUNS;
    if (x->cuda) {
        ww_blas_stream(x->blas, x->stream);
        ok = bench_time(x->stream, w, p, run_ours, &o, row->runs, &row->median_ms);
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

static void verify(Bench *x, const BenchWork *w, BenchData *p, BenchRow *row)
{
    const char *problem = "";
    if (ww_copy_out(x->device, p->c, p->dc, p->cn) != WW_OK) {
        snprintf(row->problem, sizeof row->problem, "%s", ww_device_error(x->device));
        return;
    }
    if (strcmp(w->work, "copy") == 0) {
        const uint8_t *c = p->c;
        row->verified    = memcmp(c + w->dst_offset, (const uint8_t *)p->a + w->src_offset, w->bytes) == 0;
        for (size_t i = 0; i < p->cn; i++)
            if ((i < w->dst_offset || i >= w->dst_offset + w->bytes) && c[i] != POISON)
                row->verified = false;
        problem = row->verified ? "" : "the bytes are not those of the source, or others were written too";
    } else {
        bool peer_triangle = strcmp(row->impl, "cublas") == 0 && strcmp(w->work, "aat") == 0;
        if (peer_triangle) { /* the row-major upper triangle: fill in the other */
            uint32_t *c = p->c;
            for (size_t i = 0; i < w->m; i++)
                for (size_t j = 0; j < i; j++)
                    c[i * w->m + j] = c[j * w->m + i];
        }
        bool          aat = strcmp(w->work, "aat") == 0;
        BenchMatrices q   = {.type      = w->type,
                             .m         = w->m,
                             .n         = w->n,
                             .k         = w->k,
                             .ta        = w->ta,
                             .tb        = aat ? !w->ta : w->tb,
                             .symmetric = aat && strcmp(row->impl, "cublaslt") != 0,
                             .a         = p->a,
                             .b         = aat ? p->a : p->b,
                             .c         = p->c};
        row->verified     = bench_verify(&q, x->seed, &row->max_error, &problem);
    }
    snprintf(row->problem, sizeof row->problem, "%s", problem);
}

static void run_impl(Bench *x, const BenchWork *w, BenchData *p, const char *impl)
{
    if (x->nrows == MAX_ROWS)
        return;
    BenchRow *row = &x->row[x->nrows++];
    *row          = (BenchRow){.w = *w, .impl = impl, .ceiling = x->ceiling};
    bool ok       = ww_fill(x->device, p->dc, POISON, p->step_c * (p->sets - 1) + p->cn) == WW_OK;
    if (ok)
        ok = bench_peer_is(impl) ? bench_peer_run(x->peer, w, p, row) : time_ours(x, w, p, row);
    if (ok) {
        bench_sensors_read(x->sensors, &row->clock_mhz, &row->power_w);
        verify(x, w, p, row);
    }
    if ((strcmp(impl, "cublas") == 0 || strcmp(impl, "memcpy") == 0) && row->verified)
        x->peer_ms = row->median_ms;
    row->cublas_ms = x->peer_ms;
    bench_table_row(stdout, row);
}

/* ---- one work ---------------------------------------------------------------------------------------------------- */

static void fill_inputs(void *v, size_t bytes, WwType type, bool any, uint64_t seed, uint64_t stream)
{
    if (type == WW_F32 && !any)
        inputs_unit(v, bytes / 4, seed, stream);
    else
        inputs_bits(v, bytes / 4, seed, stream);
}

/* Set 0 from the host, the others from it. */
static Status fill_sets(Bench *x, WwPtr at, const void *host, size_t bytes, size_t step, size_t sets)
{
    TRY(ww_copy_in(x->device, at, host, bytes));
    for (size_t i = 1; i < sets; i++)
        TRY(ww_copy(x->device, at + i * step, at, bytes));
    return WW_OK;
}

static Status open_data(Bench *x, const BenchWork *w, BenchData *p)
{
    enum { ALIGN = 512 };
    bool copy = strcmp(w->work, "copy") == 0, gemm = strcmp(w->work, "gemm") == 0;
    p->an     = copy ? (w->bytes + MAX_OFFSET + 3) / 4 * 4 : w->m * w->k * 4;
    p->bn     = gemm ? w->k * w->n * 4 : 0;
    p->cn     = copy ? p->an : w->m * w->n * (w->type == WW_I32_I64 ? 8 : 4);
    p->sets   = bench_sets(x->device, p->an + p->bn + p->cn);
    p->step_a = (p->an + ALIGN - 1) / ALIGN * ALIGN;
    p->step_b = (p->bn + ALIGN - 1) / ALIGN * ALIGN;
    p->step_c = (p->cn + ALIGN - 1) / ALIGN * ALIGN;
    p->a      = xmalloc(p->an + 4);
    p->b      = xmalloc(p->bn + 4);
    p->c      = xmalloc(p->cn + 4);
    fill_inputs(p->a, p->an, w->type, copy, x->seed, 1);
    fill_inputs(p->b, p->bn, w->type, copy, x->seed, 2);
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
}

static int run_work(Bench *x, const BenchWork *w, const char *const *impls, size_t n, bool sweep)
{
    BenchData p = {0};
    Status    s = open_data(x, w, &p);
    if (s != WW_OK)
        fprintf(stderr, "warpwright bench: error: %s: %s\n", ww_status_text(s), ww_device_error(x->device));
    for (size_t o = 0; s == WW_OK && o < (sweep ? 2 * MAX_OFFSET - 1 : 1); o++) {
        BenchWork v = *w;
        x->peer_ms  = 0;
        if (sweep) {
            v.src_offset = o < MAX_OFFSET ? o : 0;
            v.dst_offset = o < MAX_OFFSET ? 0 : o - MAX_OFFSET + 1;
        }
        for (size_t i = 0; i < n; i++)
            run_impl(x, &v, &p, impls[i]);
    }
    close_data(x, &p);
    return s == WW_OK ? CLI_OK : CLI_KERNEL;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

enum { MAX_IMPLS = 32 };

/* Splits a list at commas, in place. */
static size_t split_impls(char *text, const char **impls)
{
    size_t n = 0;
    for (char *s = strtok(text, ","); s && n < MAX_IMPLS; s = strtok(NULL, ","))
        impls[n++] = s;
    return n;
}

static size_t ladder_impls(const char *work, bool peer, WwType type, const char **impls)
{
    size_t n    = 0;
    bool   copy = strcmp(work, "copy") == 0;
    if (peer && copy)
        impls[n++] = "memcpy";
    if (peer && type == WW_F32 && !copy) {
        impls[n++] = "cublas";
        impls[n++] = "cublaslt";
    }
    for (size_t i = 0; ww_blas_rung(work, i) && n < MAX_IMPLS - 1; i++)
        if (rung_takes(rung_find(work, ww_blas_rung(work, i)), type))
            impls[n++] = ww_blas_rung(work, i);
    impls[n++] = "auto";
    return n;
}

static BenchWork work_of(const CliArgs *a, const char *work, bool cuda)
{
    uint64_t    side = cuda ? 4096 : 160, bytes = cuda ? 256u << 20 : 10007;
    const char *trans = cli_text(a, "trans", "NN");
    BenchWork   w     = {.work = work, .type = (WwType)cli_choice(a, "type", 0)};
    w.m               = cli_number(a, "m", side);
    w.n               = strcmp(work, "aat") == 0 ? w.m : cli_number(a, "n", side);
    w.k               = cli_number(a, "k", cuda ? side : 40);
    w.ta              = trans[0] == 'T';
    w.tb              = trans[1] == 'T';
    w.src_offset      = cli_number(a, "src-offset", 0);
    w.dst_offset      = cli_number(a, "dst-offset", 0);
    w.bytes           = strcmp(work, "copy") == 0 ? cli_number(a, "bytes", bytes) : 0;
    return w;
}

static WwDevice *open_device(int which, bool *cuda)
{
    WwDevice   *d   = NULL;
    const char *why = "";
    *cuda           = which != 0 && ww_device_open("cuda", NULL, &d, &why) == WW_OK;
    if (!d && which != 1)
        ww_device_open("emulator", NULL, &d, &why);
    if (!d)
        fprintf(stderr, "warpwright bench: error: %s\n", why);
    return d;
}

/* The stream, cuBLAS, the sensors and the ceiling. */
static void open_gpu(Bench *x, const CliArgs *a, const BenchWork *w)
{
    char why[256] = "";
    if (ww_stream_open(x->device, NULL, &x->stream) != WW_OK)
        snprintf(why, sizeof why, "%s", ww_device_error(x->device));
    else
        x->peer = bench_peer_open(x->device, x->stream, cli_text(a, "cublas", NULL), why, sizeof why);
    if (*why)
        fprintf(stderr, "warpwright bench: cuBLAS or cublasLt is left out: %s\n", why);
    x->sensors = bench_sensors_open(0);
    if (strcmp(w->work, "copy") != 0) {
        x->blas->time = true;
        x->ceiling    = bench_peak(x->blas, w->type);
        x->blas->time = false;
        printf("ceiling, multiplications alone: %.2f %s\n", x->ceiling, bench_unit(w));
    }
}

/* Random shapes: half of them anything, half multiples of 64, sizes even in their logarithm; then how the library's choice compares. */
static int run_random(Bench *x, const BenchWork *most, const char *const *impls, size_t n, uint64_t count)
{
    int      code = CLI_OK;
    double   sum = 0, lowest = 0;
    unsigned compared = 0;
    for (uint64_t i = 0; i < count; i++) {
        BenchWork w      = *most;
        size_t   *size[] = {&w.m, &w.n, &w.k};
        for (uint64_t d = 0; d < 3; d++) {
            uint64_t bits = inputs_at(x->seed, 3 + d, i);
            double   one  = pow((double)*size[d] / 16, (double)(bits >> 11) * 0x1p-53) * 16;
            size_t   v    = bits & 1 ? ((size_t)one + 63) / 64 * 64 : (size_t)one;
            *size[d]      = v < 1 ? 1 : v > *size[d] ? *size[d] : v;
        }
        w.n  = strcmp(w.work, "aat") == 0 ? w.m : w.n;
        w.ta = inputs_at(x->seed, 6, i) & 1;
        w.tb = inputs_at(x->seed, 6, i) & 2;
        code |= run_work(x, &w, impls, n, false);
        const BenchRow *last = &x->row[x->nrows - 1];
        if (!last->verified || last->cublas_ms <= 0 || last->median_ms <= 0)
            continue;
        double ratio = last->cublas_ms / last->median_ms;
        sum += log(ratio);
        lowest = compared++ == 0 || ratio < lowest ? ratio : lowest;
    }
    if (compared)
        printf("%u shapes: %s is %.3f of cuBLAS in the geometric mean, %.3f at the lowest\n", compared, impls[n - 1],
               exp(sum / compared), lowest);
    return code;
}

static void drop_impl(const char **impls, size_t *n, size_t i)
{
    memmove(impls + i, impls + i + 1, (--*n - i) * sizeof *impls);
}

static int run(Bench *x, const CliArgs *a, bool ladder, const char *work)
{
    const char *impls[MAX_IMPLS];
    BenchWork   w    = work_of(a, work, x->cuda);
    const char *list = cli_text(a, "impl",
                                ladder                        ? NULL
                                : x->cuda && w.type == WW_F32 ? "cublas,cublaslt,auto"
                                                              : "auto");
    char       *text = NULL;
    size_t      n;
    if (w.src_offset >= MAX_OFFSET || w.dst_offset >= MAX_OFFSET)
        return cli_error("bench", "offsets go up to %d", MAX_OFFSET - 1);
    if (x->cuda)
        open_gpu(x, a, &w);
    if (list) {
        text = strcpy(xmalloc(strlen(list) + 1), list);
        n    = split_impls(text, impls);
    } else {
        n = ladder_impls(work, x->peer != NULL, w.type, impls);
    }
    if (strcmp(work, "copy") == 0 && !cli_has(a, "impl"))
        n = ladder_impls(work, x->peer != NULL, w.type, impls);
    for (size_t i = 0; i < n; i++)
        if (bench_peer_is(impls[i]) && !bench_peer_takes(x->peer, impls[i], &w))
            drop_impl(impls, &n, i--);
    x->counted = cli_has(a, "counters");
    if (x->counted && x->cuda)
        return cli_error("bench", "counters are read on the emulator: --device emulator");
    bench_table_head(stdout, x->counted);
    uint64_t random = cli_number(a, "random", 0);
    int      code   = random && strcmp(work, "copy") != 0
                          ? run_random(x, &w, impls, n, random)
                          : run_work(x, &w, impls, n, cli_has(a, "sweep") && strcmp(work, "copy") == 0);
    for (size_t i = 0; i < x->nrows; i++)
        if (!x->row[i].verified)
            code = CLI_KERNEL;
    const char *file = cli_text(a, "json", NULL);
    if (file && !bench_json(file, x->row, x->nrows, ww_device_name(x->device)))
        code = cli_error("bench", "cannot write %s", file);
    free(text);
    return code;
}

int cmd_bench(int argc, char **argv)
{
    CliArgs a;
    int     code;
    if (!cli_parse(&a, argc, argv, &code))
        return code;
    bool        ladder = strcmp(a.operand[0], "ladder") == 0;
    const char *work   = a.operand[a.noperands - 1];
    bool        known  = strcmp(work, "gemm") == 0 || strcmp(work, "aat") == 0 || strcmp(work, "copy") == 0;
    if (!known || a.noperands != (ladder ? 2u : 1u)) {
        code = cli_error("bench", "expected gemm, aat or copy, or ladder and one of them");
    } else {
        Bench *x  = xcalloc(1, sizeof *x);
        x->seed   = cli_number(&a, "seed", 1);
        x->device = open_device(cli_choice(&a, "device", 2), &x->cuda);
        code      = x->device && ww_blas_open(x->device, &x->blas) == WW_OK ? run(x, &a, ladder, work) : CLI_KERNEL;
        bench_peer_close(x->peer);
        bench_sensors_close(x->sensors);
        ww_blas_close(x->blas);
        ww_stream_close(x->stream);
        ww_device_close(x->device);
        free(x);
    }
    cli_free(&a);
    return code;
}
