/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a product is right, without computing it again on the host.
 *
 *   residual   C t against op(A) (op(B) t) for a random vector t, in double, or modulo 2^32 or 2^64: every element of C takes part, at
 *              the cost of three matrix-vector products, of which two are done once for all results of the same operands.
 *              A float row passes when its residual is at most (k + 2) 2^-24 |A| |B| |t|, the bound of any order of
 *              summation, besides the rounding of 16-bit results; a double row at most (k + n + 8) 2^-53 |A| |B| |t|, n for the
 *              vector's own rounding.  Integers: equal; t is odd, so that no single wrong element can hide.
 *   samples    single elements against their own sums in double; the largest error over |row of A| |column of B| is what
 *              the table shows.
 *   symmetry   A * A^T: C == C^T bit for bit, whole.
 *
 * NaN fails every comparison, since what is asked is !(error <= bound).  The products with vectors are shared out among
 * threads by elements of their result, so every sum is one thread's and in one order. */
#include "cli/bench/bench_verify.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "lab/inputs.h"

enum { SAMPLES = 256, STREAM_T = 77, STREAM_AT = 78, MOST_THREADS = 32, ALONE = 1 << 16 };

typedef struct Sample {
    size_t i, j;
    double sum, scale;
} Sample;

struct BenchTruth {
    Arena    *arena;
    WwType    type;
    size_t    m, n, k;
    double    unit;
    bool      short_sums;
    double   *t, *want, *bound;
    uint64_t *it, *iwant;
    Sample    sample[SAMPLES];
};

/* ---- matrix times vector ----------------------------------------------------------------------------------------- */

/* out = op(M) v, and where bound is wanted |op(M)| |w|; op(M) is rows x cols, M has `ld` elements a row. */
typedef struct Product {
    WwType          type;
    const void     *m;
    size_t          ld, rows, cols;
    bool            trans, is64; /* 64-bit elements */
    const double   *v, *w;
    double         *out, *bound;
    const uint64_t *iv;
    uint64_t       *iout;
} Product;

typedef struct Share {
    const Product *p;
    size_t         from, to; /* elements of the result */
} Share;

static bool is_real(WwType type)
{
    return type == WW_F32 || type == WW_F64;
}

static double real_at(WwType type, const void *m, size_t i)
{
    return type == WW_F64 ? ((const double *)m)[i] : (double)((const float *)m)[i];
}

static void multiply_float(const Product *p, size_t from, size_t to)
{
    memset(p->out + from, 0, (to - from) * sizeof *p->out);
    if (p->bound)
        memset(p->bound + from, 0, (to - from) * sizeof *p->bound);
    for (size_t outer = p->trans ? 0 : from; outer < (p->trans ? p->cols : to); outer++)
        for (size_t inner = p->trans ? from : 0; inner < (p->trans ? to : p->cols); inner++) {
            size_t i = p->trans ? inner : outer, j = p->trans ? outer : inner;
            double x = real_at(p->type, p->m, outer * p->ld + inner);
            p->out[i] += x * p->v[j];
            if (p->bound)
                p->bound[i] += fabs(x) * p->w[j];
        }
}

static void multiply_integer(const Product *p, size_t from, size_t to)
{
    const uint32_t *m    = p->m;
    const uint64_t *wide = p->m;
    memset(p->iout + from, 0, (to - from) * sizeof *p->iout);
    for (size_t outer = p->trans ? 0 : from; outer < (p->trans ? p->cols : to); outer++)
        for (size_t inner = p->trans ? from : 0; inner < (p->trans ? to : p->cols); inner++) {
            size_t i = p->trans ? inner : outer, j = p->trans ? outer : inner, at = outer * p->ld + inner;
            p->iout[i] += (p->is64 ? wide[at] : (uint64_t)(int64_t)(int32_t)m[at]) * p->iv[j];
        }
}

static void *multiply_share(void *user)
{
    const Share *s = user;
    (is_real(s->p->type) ? multiply_float : multiply_integer)(s->p, s->from, s->to);
    return NULL;
}

static void multiply(const Product *p)
{
    pthread_t thread[MOST_THREADS];
    Share     share[MOST_THREADS];
    long      cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t    n     = p->rows * p->cols < ALONE || cores < 1 ? 1 : cores < MOST_THREADS ? (size_t)cores : MOST_THREADS;
    bool      started[MOST_THREADS] = {0};
    for (size_t i = 0; i < n; i++)
        share[i] = (Share){p, p->rows * i / n, p->rows * (i + 1) / n};
    for (size_t i = 1; i < n; i++)
        started[i] = pthread_create(&thread[i], NULL, multiply_share, &share[i]) == 0;
    for (size_t i = 0; i < n; i++)
        if (!started[i])
            multiply_share(&share[i]);
    for (size_t i = 1; i < n; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
}

/* ---- what the operands say --------------------------------------------------------------------------------------- */

/* op(M)(i, j) of a matrix stored with `ld` elements a row. */
static size_t at(size_t i, size_t j, size_t ld, bool trans)
{
    return trans ? j * ld + i : i * ld + j;
}

static void sum_samples(BenchTruth *t, const BenchMatrices *p, uint64_t seed)
{
    for (size_t s = 0; s < SAMPLES; s++) {
        Sample e  = {.i = inputs_at(seed, STREAM_AT, 2 * s) % p->m, .j = inputs_at(seed, STREAM_AT, 2 * s + 1) % p->n};
        double aa = 0, bb = 0;
        long double sum = 0;
        for (size_t l = 0; l < p->k; l++) {
            double x = real_at(p->type, p->a, at(e.i, l, p->ta ? p->m : p->k, p->ta)),
                   y = real_at(p->type, p->b, at(l, e.j, p->tb ? p->k : p->n, p->tb));
            sum += (long double)x * (long double)y;
            aa += x * x;
            bb += y * y;
        }
        e.sum        = (double)sum;
        e.scale      = aa > 0 && bb > 0 ? sqrt(aa) * sqrt(bb) : 1;
        t->sample[s] = e;
    }
}

static void truth_float(BenchTruth *t, const BenchMatrices *p, uint64_t seed)
{
    Arena  *arena = t->arena;
    double *bt = ARENA_ARRAY(arena, double, p->k + 1), *abs_bt = ARENA_ARRAY(arena, double, p->k + 1);
    t->t     = ARENA_ARRAY(arena, double, p->n);
    t->want  = ARENA_ARRAY(arena, double, p->m);
    t->bound = ARENA_ARRAY(arena, double, p->m);
    for (size_t j = 0; j < p->n; j++)
        t->t[j] = 1 + (double)(inputs_at(seed, STREAM_T, j) >> 40) * 0x1p-24;
    multiply(
        &(Product){p->type, p->b, p->tb ? p->k : p->n, p->k, p->n, p->tb, false, t->t, t->t, bt, abs_bt, NULL, NULL});
    multiply(&(Product){p->type, p->a, p->ta ? p->m : p->k, p->m, p->k, p->ta, false, bt, abs_bt, t->want, t->bound,
                        NULL, NULL});
    sum_samples(t, p, seed);
}

static void truth_integer(BenchTruth *t, const BenchMatrices *p, uint64_t seed)
{
    Arena    *arena = t->arena;
    uint64_t *bt    = ARENA_ARRAY(arena, uint64_t, p->k + 1);
    t->it           = ARENA_ARRAY(arena, uint64_t, p->n);
    t->iwant        = ARENA_ARRAY(arena, uint64_t, p->m);
    for (size_t j = 0; j < p->n; j++)
        t->it[j] = inputs_at(seed, STREAM_T, j) | 1;
    multiply(&(Product){.type  = p->type,
                        .m     = p->b,
                        .ld    = p->tb ? p->k : p->n,
                        .rows  = p->k,
                        .cols  = p->n,
                        .trans = p->tb,
                        .iv    = t->it,
                        .iout  = bt});
    multiply(&(Product){.type  = p->type,
                        .m     = p->a,
                        .ld    = p->ta ? p->m : p->k,
                        .rows  = p->m,
                        .cols  = p->k,
                        .trans = p->ta,
                        .iv    = bt,
                        .iout  = t->iwant});
}

BenchTruth *bench_truth_new(const BenchMatrices *p, uint64_t seed)
{
    Arena      *arena = arena_new();
    BenchTruth *t     = ARENA_ARRAY(arena, BenchTruth, 1);
    *t                = (BenchTruth){
                       .arena = arena, .type = p->type, .m = p->m, .n = p->n, .k = p->k, .unit = p->unit, .short_sums = p->short_sums};
    (is_real(p->type) ? truth_float : truth_integer)(t, p, seed);
    return t;
}

void bench_truth_free(BenchTruth *t)
{
    if (t)
        arena_free(t->arena);
}

/* ---- a result ---------------------------------------------------------------------------------------------------- */

/* Of a sum, in units of the sum of its terms' sizes.  Tensor cores cut at every step of 16; of 8-bit operands each step's sum may lose a few of 13 bits. */
static double sum_bound(const BenchTruth *t)
{
    if (t->type == WW_F64)
        return ((double)t->k + (double)t->n + 8) * 0x1p-53;
    return ((double)t->k + (t->unit > 0 ? 8 : 2)) * 0x1p-24 + (t->short_sums ? 0x1p-9 : 0);
}

static bool residual_float(const BenchTruth *t, const void *c)
{
    double *got = xmalloc(t->m * sizeof *got), *sizes = xmalloc(t->m * sizeof *sizes);
    bool    ok = true;
    multiply(&(Product){.type  = t->type,
                        .m     = c,
                        .ld    = t->n,
                        .rows  = t->m,
                        .cols  = t->n,
                        .v     = t->t,
                        .w     = t->t,
                        .out   = got,
                        .bound = sizes});
    for (size_t i = 0; i < t->m; i++)
        ok = ok && fabs(got[i] - t->want[i]) <= sum_bound(t) * t->bound[i] + t->unit * sizes[i];
    free(got);
    free(sizes);
    return ok;
}

static bool residual_integer(const BenchTruth *t, const void *c)
{
    uint64_t *got = xmalloc(t->m * sizeof *got), mask = t->type == WW_I32 ? UINT32_MAX : UINT64_MAX;
    bool      ok = true;
    multiply(&(Product){.type = t->type,
                        .m    = c,
                        .ld   = t->n,
                        .rows = t->m,
                        .cols = t->n,
                        .is64 = t->type == WW_I32_I64,
                        .iv   = t->it,
                        .iout = got});
    for (size_t i = 0; i < t->m; i++)
        ok = ok && ((got[i] ^ t->iwant[i]) & mask) == 0;
    free(got);
    return ok;
}

/* The largest relative error of some elements; false when one is out of bounds. */
static bool samples_right(const BenchTruth *t, const void *c, double *max_error)
{
    bool ok = true;
    for (const Sample *s = t->sample; s < t->sample + SAMPLES; s++) {
        double error = fabs(real_at(t->type, c, s->i * t->n + s->j) - s->sum) / s->scale;
        ok           = ok && error <= sum_bound(t) + t->unit * fabs(s->sum) / s->scale;
        if (!(error <= *max_error) && !isnan(*max_error))
            *max_error = error;
    }
    return ok;
}

static bool is_symmetric(const BenchTruth *t, const char *c)
{
    enum { SIDE = 64 }; /* squares, so that neither direction leaves the cache */
    size_t e = t->type == WW_I32_I64 || t->type == WW_F64 ? 8 : 4;
    for (size_t i0 = 0; i0 < t->m; i0 += SIDE)
        for (size_t j0 = 0; j0 <= i0; j0 += SIDE)
            for (size_t i = i0; i < i0 + SIDE && i < t->m; i++)
                for (size_t j = j0; j < j0 + SIDE && j < i; j++)
                    if (memcmp(c + (i * t->n + j) * e, c + (j * t->n + i) * e, e) != 0)
                        return false;
    return true;
}

bool bench_verify(const BenchTruth *t, const void *c, bool symmetric, double *max_error, const char **problem)
{
    *max_error = 0;
    *problem   = "";
    if (symmetric && !is_symmetric(t, c))
        *problem = "C and its transpose differ";
    else if (t->type == WW_I32 && !residual_integer(t, c))
        *problem = "C t is not A (B t) modulo 2^32";
    else if (t->type == WW_I32_I64 && !residual_integer(t, c))
        *problem = "C t is not A (B t) modulo 2^64";
    else if (is_real(t->type) && !samples_right(t, c, max_error))
        *problem = "an element is further from its sum than rounding explains";
    else if (is_real(t->type) && !residual_float(t, c))
        *problem = "C t is further from A (B t) than rounding explains";
    return !**problem;
}
