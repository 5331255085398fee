/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment matmul: C (m x n) = A (m x k) * B (k x n) in float; v1 from global memory, v2 through shared tiles.
 *
 * Question: what does the choice of axes cost, and what do shared tiles save?
 * Prediction for 16 x 16 blocks: 17 sectors a step with x on rows, 4 with x on columns, and 1/16 of the loads with
 * tiles. The strided case multiplies parts of larger matrices (rows 5 elements longer than what is used, so most
 * do not begin on a sector): the article's sub-matrices. */
#include <stdlib.h>
#include <string.h>

#include "lab/gemm.h"

enum { M = 1920, N = 1280, K = 1024, BLOCK = 16, PAD = 5 };
enum { KIND_X_ON_ROWS, KIND_X_ON_COLUMNS };

static LabCase *plan_case(Lab *lab, const Experiment *e, const char *entry, const char *suffix, int kind, int64_t tile)
{
    LabCase *c = lab_plan(lab, e, entry, "%s%s", entry, suffix);
    c->kind    = kind;
    c->m       = lab_pick(lab->opt.m, M);
    c->n       = lab_pick(lab->opt.n, N);
    c->k       = lab_pick(lab->opt.k, K);
    c->grid    = (WwDim3){lab_cover(c->n, tile), lab_cover(c->m, tile), 1};
    if (kind == KIND_X_ON_ROWS)
        c->grid = (WwDim3){lab_cover(c->m, tile), lab_cover(c->n, tile), 1};
    c->block = (WwDim3){(uint32_t)tile, (uint32_t)tile, 1};
    lab_size(c, "m", c->m);
    lab_size(c, "n", c->n);
    lab_size(c, "k", c->k);
    lab_size(c, "tile", tile);
    return c;
}

static Status plan(Lab *lab, const Experiment *e)
{
    static const struct {
        int64_t     tile;
        const char *entry;
    } tiled[]     = {{8, "matmul_v2_tile8"}, {16, "matmul_v2_tile16"}, {32, "matmul_v2_tile32"}};
    int64_t only  = lab->opt.tile > 0 ? lab->opt.tile : 0;
    int64_t block = only ? only : BLOCK;
    if (only && only != 8 && only != 16 && only != 32)
        return lab_fail(lab, "matmul has no kernel with tile %lld; there are 8, 16 and 32", (long long)only);
    plan_case(lab, e, "matmul_v1_x_on_rows", "", KIND_X_ON_ROWS, block);
    plan_case(lab, e, "matmul_v1_x_on_columns", "", KIND_X_ON_COLUMNS, block);
    for (size_t i = 0; i < sizeof tiled / sizeof tiled[0]; i++)
        if (only ? tiled[i].tile == only : tiled[i].tile >= 16)
            plan_case(lab, e, tiled[i].entry, "", KIND_X_ON_COLUMNS, tiled[i].tile);
    for (size_t i = 0; i < sizeof tiled / sizeof tiled[0]; i++)
        if (tiled[i].tile == block) {
            LabCase *c = plan_case(lab, e, tiled[i].entry, "_strided", KIND_X_ON_COLUMNS, block);
            c->pad     = PAD;
            lab_size(c, "pad", PAD);
        }
    return WW_OK;
}

/* The matrix with `pad` NaNs between its rows: reading them shows in the result. */
static float *spread(const float *dense, int64_t rows, int64_t columns, int64_t pad)
{
    size_t n = (size_t)columns, ld = (size_t)(columns + pad);
    float *out = xmalloc((size_t)rows * ld * sizeof(float));
    memset(out, LAB_POISON, (size_t)rows * ld * sizeof(float));
    for (size_t i = 0; i < (size_t)rows; i++)
        memcpy(out + i * ld, dense + i * n, n * sizeof(float));
    return out;
}

/* Bytes from the first to the last element of a matrix whose rows are ld apart. */
static size_t span(int64_t rows, int64_t columns, int64_t ld)
{
    return (size_t)((rows - 1) * ld + columns) * sizeof(float);
}

static void run(Lab *lab, const LabCase *c, LabRow *row)
{
    const Gemm *g = gemm_get(lab, row, c->m, c->n, c->k, false);
    if (!g)
        return;
    int32_t    m = (int32_t)c->m, n = (int32_t)c->n, k = (int32_t)c->k;
    int32_t    lda = (int32_t)(c->k + c->pad), ldb = (int32_t)(c->n + c->pad), ldc = ldb;
    float     *a = spread(g->a, c->m, c->k, c->pad), *b = spread(g->b, c->k, c->n, c->pad);
    float     *out       = xmalloc(span(c->m, c->n, ldc));
    GemmResult result    = {g, out, (size_t)ldc};
    LabBuffer  buffer[]  = {{.in = a, .bytes = span(c->m, c->k, lda)},
                            {.in = b, .bytes = span(c->k, c->n, ldb)},
                            {.out = out, .bytes = span(c->m, c->n, ldc)}};
    void      *numbers[] = {&m, &n, &k, &lda, &ldb, &ldc};
    LabLaunch  l         = {.buffer   = buffer,
                            .nbuffers = 3,
                            .number   = numbers,
                            .nnumbers = sizeof numbers / sizeof numbers[0],
                            .verify   = gemm_verify,
                            .user     = &result};
    row->least_bytes     = (uint64_t)(c->m * c->k + c->k * c->n + c->m * c->n) * sizeof(float);
    lab_launch(lab, c, &l, row);
    free(a);
    free(b);
    free(out);
}

const Experiment experiment_matmul = {
    .name     = "matmul",
    .question = "C = A*B in float: which index runs along the warp, and what shared tiles save",
    .reads    = "m n k tile",
    .family   = {"kernels/matmul/"},
    .plan     = plan,
    .run      = run,
};
