/* SPDX-License-Identifier: Apache-2.0
 *
 * Products with a bias or an activation: the biases, and whether a result is right.
 *
 * The same product without them, with float results, is computed once and verified as any other (bench_verify.c).  Then each element is to be the
 * activation of that sum and its bias, but for its rounding and for the order of summation, which may be another one: for that
 * 2^-23 sqrt(k) |row of A| |column of B| are allowed in Euclidean norms (sums of random signs; a quarter of it was seen), and with 8-bit operands, whose
 * steps keep 13 bits, 2^-10 / sqrt(k) of the norms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_verify.h"

bool bench_has_ends(const BenchWork *w)
{
    return w->bias != BENCH_NO_BIAS || w->activation != WW_NO_ACTIVATION;
}

/* That of C. */
static WwType bias_type(WwType type)
{
    return type_row(type)->result == 4 ? WW_F32 : type == WW_F16 ? WW_F16 : WW_BF16;
}

/* The type with the same operands and float results. */
static WwType float_type(WwType type)
{
    static const WwType to[][2] = {
        {WW_F16, WW_F16_F32}, {WW_BF16, WW_BF16_F32}, {WW_E4M3_BF16, WW_E4M3_F32}, {WW_E5M2_BF16, WW_E5M2_F32}};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (to[i][0] == type)
            return to[i][1];
    return type;
}

static float *floats(const void *v, size_t n, WwType type)
{
    if (bench_small(type))
        return bench_half_read(v, n, type, false);
    float *f = xmalloc((n + 1) * sizeof *f);
    memcpy(f, v, n * sizeof *f);
    return f;
}

WwStatus bench_ends_open(Bench *x, BenchWork *w, BenchData *p)
{
    size_t n     = w->bias == BENCH_NO_BIAS ? 0
                   : w->bias == BENCH_ROWS  ? w->m
                                            : w->n,
           bytes = n * type_row(w->type)->result;
    if (!n)
        return WW_OK;
    p->bias = xmalloc(bytes + 4);
    bench_fill(p->bias, n, bias_type(w->type), x->seed, 4);
    TRY(ww_alloc(x->device, bytes, &p->dbias));
    w->bias_at = p->dbias;
    return ww_copy_in(x->device, p->dbias, p->bias, bytes);
}

void bench_ends_close(Bench *x, BenchData *p)
{
    ww_free(x->device, p->dbias);
    free(p->bias);
    free(p->plain);
}

/* The sums without bias and activation, in floats, verified; WW_ERR_INVALID, and what is wrong in *problem: they are not right. */
static WwStatus plain_sums(Bench *x, const BenchWork *w, BenchData *p, const char **problem)
{
    BenchWork plain  = *w;
    size_t    bytes  = w->m * w->n * sizeof(float);
    double    error  = 0;
    WwPtr     c      = 0;
    plain.type       = float_type(w->type);
    plain.bias       = BENCH_NO_BIAS;
    plain.activation = WW_NO_ACTIVATION;
    WwGemm   g       = bench_gemm(&plain, NULL, p->da, p->db, 0);
    WwStatus s       = ww_alloc(x->device, bytes, &c);
    float   *sums    = xmalloc(bytes + 4);
    g.c              = c;
    s                = s == WW_OK ? ww_fill(x->device, c, BENCH_POISON, bytes) : s;
    s                = s == WW_OK ? ww_gemm(x->blas, &g) : s;
    s                = s == WW_OK ? ww_copy_out(x->device, sums, c, bytes) : s;
    ww_free(x->device, c);
    *problem = s == WW_OK ? "" : ww_device_error(x->device);
    if (s == WW_OK) {
        struct BenchTruth *t = bench_truth(&plain, p->a, p->b, x->seed);
        if (!bench_right(t, &plain, sums, false, &error, problem))
            s = WW_ERR_INVALID;
        bench_truth_free(t);
    }
    if (s == WW_OK)
        p->plain = sums;
    else
        free(sums);
    return s;
}

static double activated(WwActivation a, double v)
{
    switch (a) {
    case WW_RELU: return v < 0 ? 0 : v;
    case WW_GELU: return 0.5 * v * (1 + tanh(sqrt(2 / acos(-1)) * (v + 0.044715 * v * v * v)));
    case WW_SILU: return v / (1 + exp(-v));
    case WW_NO_ACTIVATION: break;
    }
    return v;
}

/* Of each of so many lines, `length` elements of op(M): along: they are the rows of what is stored. */
static double *norms(const void *m, WwType type, size_t lines, size_t length, bool along)
{
    float  *f    = floats(m, lines * length, type);
    double *norm = xcalloc(lines + 1, sizeof *norm);
    for (size_t i = 0; i < (along ? lines : length); i++)
        for (size_t j = 0; j < (along ? length : lines); j++) {
            double v = f[i * (along ? length : lines) + j];
            norm[along ? i : j] += v * v;
        }
    for (size_t i = 0; i < lines; i++)
        norm[i] = sqrt(norm[i]);
    free(f);
    return norm;
}

bool bench_ends_right(Bench *x, const BenchWork *w, BenchData *p, double *max_error, const char **problem)
{
    static const double slope = 1.13, activation_error = 0x1p-17; /* the steepest an activation is; blas.h */
    const TypeRow      *type = type_row(w->type);
    if (!p->plain && plain_sums(x, w, p, problem) != WW_OK)
        return false;
    double  root = sqrt((double)w->k), part = type->operand == 1 ? root > 0 ? 0x1p-10 / root : 0 : 0x1p-23 * root;
    double  unit = bench_rounding(w->type) + activation_error;
    double *row = norms(p->a, w->type, w->m, w->k, !w->ta), *column = norms(p->b, w->type, w->n, w->k, w->tb);
    float  *got   = type->result == 2 ? bench_half_read(p->c, w->m * w->n, w->type, true) : NULL;
    float  *bias  = w->bias ? floats(p->bias, w->bias == BENCH_ROWS ? w->m : w->n, bias_type(w->type)) : NULL;
    bool    right = true;
    *max_error    = 0;
    for (size_t i = 0; i < w->m; i++)
        for (size_t j = 0; j < w->n; j++) {
            double v    = p->plain[i * w->n + j] + (!bias ? 0 : bias[w->bias == BENCH_ROWS ? i : j]);
            double want = activated(w->activation, v), is = (got ? got : (const float *)p->c)[i * w->n + j];
            double error = fabs(is - want),
                   most  = slope * part * row[i] * column[j] + unit * (fabs(want) + fabs(v) * 0x1p-20);
            right        = right && error <= most + 0x1p-60; /* false of NaN */
            if (most > 0 && !(error / most <= *max_error))
                *max_error = error / most;
        }
    *problem = right ? "" : "an element is not the activation of its sum and bias";
    free(row);
    free(column);
    free(got);
    free(bias);
    return right;
}
