/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a product is right, without computing it again on the host.
 *
 *   residual   C t against op(A) (op(B) t) for a random vector t, in double, or modulo 2^32 or 2^64: every element of C takes part, at
 *              the cost of three matrix-vector products.  A float row passes when its residual is at most
 *              (k + 2) 2^-24 |A| |B| |t|, the bound of any order of summation.  Integers: equal; t is odd, so that no
 *              single wrong element can hide.
 *   samples    single elements against their own sums in double; the largest error over |row of A| |column of B| is what
 *              the table shows.
 *   symmetry   A * A^T: C == C^T bit for bit, whole.
 *
 * NaN fails every comparison, since what is asked is !(error <= bound). */
#include "cli/bench_verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "lab/inputs.h"

enum { SAMPLES = 256, STREAM_T = 77, STREAM_AT = 78 };

/* op(M)(i, j) of a matrix stored with `ld` elements a row. */
static size_t at(size_t i, size_t j, size_t ld, bool trans)
{
    return trans ? j * ld + i : i * ld + j;
}

/* out = op(M) v and, where wanted, bound = |op(M)| |w|: rows x cols; walks M row by row. */
static void multiply(const float *m, size_t ld, bool trans, size_t rows, size_t cols, const double *v, const double *w,
                     double *out, double *bound)
{
    memset(out, 0, rows * sizeof *out);
    memset(bound, 0, rows * sizeof *bound);
    for (size_t a = 0; a < (trans ? cols : rows); a++)
        for (size_t b = 0; b < (trans ? rows : cols); b++) {
            size_t i = trans ? b : a, j = trans ? a : b;
            double x = (double)m[a * ld + b];
            out[i] += x * v[j];
            bound[i] += fabs(x) * w[j];
        }
}

static bool residual_f32(const BenchMatrices *p, uint64_t seed)
{
    Arena  *arena = arena_new();
    size_t  m = p->m, n = p->n, k = p->k;
    double *t = ARENA_ARRAY(arena, double, n), *abs_t = ARENA_ARRAY(arena, double, n);
    double *bt = ARENA_ARRAY(arena, double, k + 1), *abs_bt = ARENA_ARRAY(arena, double, k + 1);
    double *want = ARENA_ARRAY(arena, double, m), *bound = ARENA_ARRAY(arena, double, m);
    double *got = ARENA_ARRAY(arena, double, m), *unused = ARENA_ARRAY(arena, double, m);
    bool    ok = true;
    for (size_t j = 0; j < n; j++) {
        t[j]     = 1 + (double)(inputs_at(seed, STREAM_T, j) >> 40) * 0x1p-24;
        abs_t[j] = t[j];
    }
    multiply(p->b, p->tb ? k : n, p->tb, k, n, t, abs_t, bt, abs_bt);
    multiply(p->a, p->ta ? m : k, p->ta, m, k, bt, abs_bt, want, bound);
    multiply(p->c, n, false, m, n, t, abs_t, got, unused);
    for (size_t i = 0; i < m; i++)
        ok = ok && fabs(got[i] - want[i]) <= ((double)k + 2) * 0x1p-24 * bound[i];
    arena_free(arena);
    return ok;
}

static bool residual_i32(const BenchMatrices *p, uint64_t seed)
{
    Arena          *arena = arena_new();
    size_t          m = p->m, n = p->n, k = p->k;
    uint32_t       *t = ARENA_ARRAY(arena, uint32_t, n), *bt = ARENA_ARRAY(arena, uint32_t, k + 1);
    const uint32_t *a = p->a, *b = p->b, *c = p->c;
    bool            ok = true;
    for (size_t j = 0; j < n; j++)
        t[j] = (uint32_t)inputs_at(seed, STREAM_T, j) | 1;
    memset(bt, 0, k * sizeof *bt);
    for (size_t l = 0; l < k; l++)
        for (size_t j = 0; j < n; j++)
            bt[l] += b[at(l, j, p->tb ? k : n, p->tb)] * t[j];
    for (size_t i = 0; i < m; i++) {
        uint32_t want = 0, got = 0;
        for (size_t l = 0; l < k; l++)
            want += a[at(i, l, p->ta ? m : k, p->ta)] * bt[l];
        for (size_t j = 0; j < n; j++)
            got += c[i * n + j] * t[j];
        ok = ok && want == got;
    }
    arena_free(arena);
    return ok;
}

static bool residual_i64(const BenchMatrices *p, uint64_t seed)
{
    Arena          *arena = arena_new();
    size_t          m = p->m, n = p->n, k = p->k;
    uint64_t       *t = ARENA_ARRAY(arena, uint64_t, n), *bt = ARENA_ARRAY(arena, uint64_t, k + 1);
    const int32_t  *a = p->a, *b = p->b;
    const uint64_t *c  = p->c;
    bool            ok = true;
    for (size_t j = 0; j < n; j++)
        t[j] = inputs_at(seed, STREAM_T, j) | 1;
    memset(bt, 0, k * sizeof *bt);
    for (size_t l = 0; l < k; l++)
        for (size_t j = 0; j < n; j++)
            bt[l] += (uint64_t)b[at(l, j, p->tb ? k : n, p->tb)] * t[j];
    for (size_t i = 0; i < m; i++) {
        uint64_t want = 0, got = 0;
        for (size_t l = 0; l < k; l++)
            want += (uint64_t)a[at(i, l, p->ta ? m : k, p->ta)] * bt[l];
        for (size_t j = 0; j < n; j++)
            got += c[i * n + j] * t[j];
        ok = ok && want == got;
    }
    arena_free(arena);
    return ok;
}

/* The largest relative error of some elements; false when one is out of bounds. */
static bool samples_f32(const BenchMatrices *p, uint64_t seed, double *max_error)
{
    const float *a = p->a, *b = p->b, *c = p->c;
    bool         ok = true;
    for (size_t s = 0; s < SAMPLES; s++) {
        size_t i = inputs_at(seed, STREAM_AT, 2 * s) % p->m, j = inputs_at(seed, STREAM_AT, 2 * s + 1) % p->n;
        double sum = 0, aa = 0, bb = 0;
        for (size_t l = 0; l < p->k; l++) {
            double x = (double)a[at(i, l, p->ta ? p->m : p->k, p->ta)],
                   y = (double)b[at(l, j, p->tb ? p->k : p->n, p->tb)];
            sum += x * y;
            aa += x * x;
            bb += y * y;
        }
        double scale = sqrt(aa) * sqrt(bb), error = fabs((double)c[i * p->n + j] - sum) / (scale > 0 ? scale : 1);
        ok = ok && error <= ((double)p->k + 2) * 0x1p-24;
        if (!(error <= *max_error))
            *max_error = error;
    }
    return ok;
}

static bool symmetric(const BenchMatrices *p)
{
    const char *c = p->c;
    size_t      e = p->type == WW_I32_I64 ? 8 : 4;
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < i; j++)
            if (memcmp(c + (i * p->n + j) * e, c + (j * p->n + i) * e, e) != 0)
                return false;
    return true;
}

bool bench_verify(const BenchMatrices *p, uint64_t seed, double *max_error, const char **problem)
{
    *max_error = 0;
    *problem   = "";
    if (p->symmetric && !symmetric(p))
        *problem = "C and its transpose differ";
    else if (p->type == WW_I32 && !residual_i32(p, seed))
        *problem = "C t is not A (B t) modulo 2^32";
    else if (p->type == WW_I32_I64 && !residual_i64(p, seed))
        *problem = "C t is not A (B t) modulo 2^64";
    else if (p->type == WW_F32 && !samples_f32(p, seed, max_error))
        *problem = "an element is further from its sum than rounding explains";
    else if (p->type == WW_F32 && !residual_f32(p, seed))
        *problem = "C t is further from A (B t) than rounding explains";
    return !**problem;
}
