/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment intmatmul: C (m x k) = A (m x n) * B (n x k) in 32-bit integers, for any m, n and k.
 *
 * The letters are the article's: n is the inner dimension.  Its default 100 x 77 x 53 is C's rows, C's columns, inner.
 * Question: what do tiles that stick out of the matrices cost, and is the result still right?
 * Inputs are any 32 bits; products wrap modulo 2^32 on both sides, so the comparison is exact. */
#include <stdlib.h>

#include "lab/inputs.h"
#include "lab/reference.h"
#include "lab/run.h"

enum { M = 100, N = 53, K = 77 };
enum { STREAM_A = 11, STREAM_B = 12 };

static Status plan(Lab *lab, const Experiment *e)
{
    static const struct {
        int64_t     tile;
        const char *entry;
    } tiled[]      = {{8, "int_matmul_tile8"}, {16, "int_matmul_tile16"}, {32, "int_matmul_tile32"}};
    size_t planned = lab->nplan;
    for (size_t i = 0; i < sizeof tiled / sizeof tiled[0]; i++) {
        int64_t tile = tiled[i].tile;
        if (lab->opt.tile > 0 && lab->opt.tile != tile)
            continue;
        LabCase *c = lab_plan(lab, e, tiled[i].entry, "%s", tiled[i].entry);
        c->m       = lab_pick(lab->opt.m, M);
        c->n       = lab_pick(lab->opt.n, N);
        c->k       = lab_pick(lab->opt.k, K);
        c->grid    = (WwDim3){lab_cover(c->k, tile), lab_cover(c->m, tile), 1};
        c->block   = (WwDim3){(uint32_t)tile, (uint32_t)tile, 1};
        lab_size(c, "m", c->m);
        lab_size(c, "n", c->n);
        lab_size(c, "k", c->k);
        lab_size(c, "tile", tile);
    }
    if (lab->nplan == planned)
        return lab_fail(lab, "intmatmul has no kernel with tile %lld; there are 8, 16 and 32",
                        (long long)lab->opt.tile);
    return WW_OK;
}

typedef struct Product {
    const uint32_t *got, *want;
} Product;

static void verify(Lab *lab, const LabCase *c, LabRow *row, void *user)
{
    const Product *p = user;
    size_t         n = (size_t)(c->m * c->k);
    for (size_t i = 0; i < n; i++) {
        double d = (double)(int32_t)p->got[i] - (double)(int32_t)p->want[i];
        lab_raise_error(row, d < 0 ? -d : d);
        if (p->got[i] != p->want[i])
            lab_problem(lab, row, "row %zu, column %zu is %d, expected %d", i / (size_t)c->k, i % (size_t)c->k,
                        (int32_t)p->got[i], (int32_t)p->want[i]);
    }
    row->checked = row->values = n;
}

static void run(Lab *lab, const LabCase *c, LabRow *row)
{
    size_t m = (size_t)c->m, n = (size_t)c->n, k = (size_t)c->k;
    if (!lab_fits(lab, row, 8 * (m * n + n * k + 2 * m * k)))
        return;
    Arena    *arena = arena_new();
    uint32_t *a = ARENA_ARRAY(arena, uint32_t, m * n), *b = ARENA_ARRAY(arena, uint32_t, n * k);
    uint32_t *got = ARENA_ARRAY(arena, uint32_t, m * k), *want = ARENA_ARRAY(arena, uint32_t, m * k);
    inputs_bits(a, m * n, lab->opt.seed, STREAM_A);
    inputs_bits(b, n * k, lab->opt.seed, STREAM_B);
    reference_product_int(want, a, b, m, n, k);
    int32_t   im = (int32_t)m, in = (int32_t)n, ik = (int32_t)k;
    Product   product  = {got, want};
    LabBuffer buffer[] = {
        {.in = a, .bytes = 4 * m * n}, {.in = b, .bytes = 4 * n * k}, {.out = got, .bytes = 4 * m * k}};
    void     *numbers[] = {&im, &in, &ik};
    LabLaunch l         = {
                .buffer = buffer, .nbuffers = 3, .number = numbers, .nnumbers = 3, .verify = verify, .user = &product};
    row->least_bytes = 4 * (m * n + n * k + m * k);
    lab_launch(lab, c, &l, row);
    arena_free(arena);
}

const Experiment experiment_intmatmul = {
    .name     = "intmatmul",
    .question = "C = A*B in int32 for any m, n, k: zero fill at the edges, every thread at every barrier",
    .reads    = "m n k tile",
    .family   = {"kernels/intmatmul/"},
    .plan     = plan,
    .run      = run,
};
