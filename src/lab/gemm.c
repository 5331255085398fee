/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs are uniform in [-1, 1), new for every seed.
 *
 * Tolerance, with u = 2^-24: the smaller of two.
 *   However the k products are ordered and fused, |computed - exact| <= (k + 1) u sum |a_l b_l| (Higham, Accuracy and
 *   Stability, 3.1), and the sum is at most |row of A| |column of B|: no correct kernel can exceed it.
 *   For these inputs errors add up like a random walk over the partial sums, with a standard deviation near 0.4 u
 *   |row| |column|, or sqrt(k)/3 u |exact| where the products agree in sign (the diagonal of A * A^T): 16 u (|row|
 *   |column| + sqrt(k) |exact|) is some 40 of them, yet off that diagonal far below a missing product (about 1/4)
 *   for every k of the lab.
 *
 * Sizes of up to 2^33 products are compared in every element.  Above that, whole rows are: one taken at random from
 * each of equally long stretches, as many as 2^33 products allow and at least 64; every other element must at least
 * be within the largest value it can have.  LabRow.checked says how many were compared. */
#include "lab/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/inputs.h"
#include "lab/reference.h"

#define MAX_PRODUCTS 0x1p33
enum { MIN_ROWS = 64 };
enum { STREAM_A = 1, STREAM_B = 2, STREAM_ROWS = 3 };

static void choose_rows(Gemm *g, uint64_t seed)
{
    double all = (double)g->m * (double)g->n * (double)g->k;
    double fit = all <= MAX_PRODUCTS ? (double)g->m : floor((double)g->m * MAX_PRODUCTS / all);
    size_t m   = (size_t)g->m;
    g->nrows   = fit < MIN_ROWS ? MIN_ROWS : (size_t)fit;
    if (g->nrows > m)
        g->nrows = m;
    g->rows = ARENA_ARRAY(g->arena, size_t, g->nrows);
    for (size_t i = 0; i < g->nrows; i++) {
        size_t first = i * m / g->nrows, past = (i + 1) * m / g->nrows;
        g->rows[i] = first + inputs_at(seed, STREAM_ROWS, i) % (past - first);
    }
}

static void make_inputs(Gemm *g, uint64_t seed)
{
    size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k;
    g->a = ARENA_ARRAY(g->arena, float, m *k);
    g->b = ARENA_ARRAY(g->arena, float, k *n);
    inputs_unit(g->a, m * k, seed, STREAM_A);
    if (!g->transposed) {
        inputs_unit(g->b, k * n, seed, STREAM_B);
        return;
    }
    for (size_t l = 0; l < k; l++)
        for (size_t j = 0; j < n; j++)
            g->b[l * n + j] = g->a[j * k + l];
}

const Gemm *gemm_get(Lab *lab, LabRow *row, int64_t m, int64_t n, int64_t k, bool transposed)
{
    Gemm *g = lab->gemm;
    if (g && g->m == m && g->n == n && g->k == k && g->transposed == transposed)
        return g;
    gemm_free(g);
    lab->gemm = NULL;
    if (!lab_fits(lab, row, 8 * (uint64_t)(m * k + k * n) + 4 * (uint64_t)(m * n) + 8 * (uint64_t)(k * n)))
        return NULL;
    Arena *arena = arena_new();
    lab->gemm = g = ARENA_NEW(arena, Gemm);
    g->arena      = arena;
    g->m          = m;
    g->n          = n;
    g->k          = k;
    g->transposed = transposed;
    make_inputs(g, lab->opt.seed);
    choose_rows(g, lab->opt.seed);
    g->want    = ARENA_ARRAY(arena, double, g->nrows *(size_t)n);
    g->row_len = ARENA_ARRAY(arena, double, m);
    g->col_len = ARENA_ARRAY(arena, double, n);
    reference_product(g->want, g->a, g->b, g->rows, g->nrows, (size_t)n, (size_t)k);
    reference_row_lengths(g->row_len, g->a, (size_t)m, (size_t)k);
    reference_column_lengths(g->col_len, g->b, (size_t)k, (size_t)n);
    return g;
}

void gemm_free(Gemm *g)
{
    if (g)
        arena_free(g->arena);
}

/* length: |row of A| |column of B|. */
static double tolerance(double k, double length, double exact)
{
    double worst = (k + 1) * length, usual = 16 * (length + sqrt(k) * exact);
    return (worst < usual ? worst : usual) * 0x1p-24 + 0x1p-126;
}

/* One row against its reference, or (want NULL) against the largest value it can have. */
static void verify_row(Lab *lab, LabRow *row, const GemmResult *r, size_t i, const double *want)
{
    const Gemm  *g = r->gemm;
    const float *c = r->c + i * r->ldc;
    for (size_t j = 0; j < (size_t)g->n; j++) {
        double most = g->row_len[i] * g->col_len[j];
        double err  = want ? fabs((double)c[j] - want[j]) : fabs((double)c[j]);
        double tol  = want ? tolerance((double)g->k, most, fabs(want[j])) : most * (1 + (double)(g->k + 1) * 0x1p-24);
        if (want)
            lab_raise_error(row, err);
        if (!(err <= tol) && want)
            lab_problem(lab, row, "row %zu, column %zu is %.9g, expected %.9g within %.2g", i, j, (double)c[j], want[j],
                        tol);
        else if (!(err <= tol))
            lab_problem(lab, row, "row %zu, column %zu is %.9g, which is more than it can be", i, j, (double)c[j]);
    }
}

static void verify_gaps(Lab *lab, LabRow *row, const GemmResult *r)
{
    size_t               n     = (size_t)r->gemm->n;
    const unsigned char *bytes = (const unsigned char *)r->c;
    for (size_t i = 0; i + 1 < (size_t)r->gemm->m; i++)
        for (size_t at = (i * r->ldc + n) * sizeof(float); at < (i + 1) * r->ldc * sizeof(float); at++)
            if (bytes[at] != LAB_POISON) {
                lab_problem(lab, row, "the kernel wrote between rows %zu and %zu of C", i, i + 1);
                return;
            }
}

void gemm_verify(Lab *lab, const LabCase *c, LabRow *row, void *result)
{
    const GemmResult *r    = result;
    const Gemm       *g    = r->gemm;
    size_t            next = 0;
    (void)c;
    for (size_t i = 0; i < (size_t)g->m; i++) {
        bool has = next < g->nrows && g->rows[next] == i;
        verify_row(lab, row, r, i, has ? g->want + next * (size_t)g->n : NULL);
        next += has;
    }
    verify_gaps(lab, row, r);
    row->checked = (uint64_t)g->nrows * (uint64_t)g->n;
    row->values  = (uint64_t)g->m * (uint64_t)g->n;
}
