/* SPDX-License-Identifier: Apache-2.0
 *
 * Experiment aat: C = A * A^T four ways, with C = A * B three ways beside it.
 *
 * Question: what do a strided global read and a conflicting shared store cost, and what mends them?
 * Prediction for 32 x 32 blocks: the simple kernel moves 33 sectors a step; the coalesced one 8 in all for each 32
 * steps, with stores of 32 passes; padding and swizzling bring those to 1. */
#include <stdlib.h>

#include "lab/gemm.h"

enum { TILE = 32, M = 1024, K = 32 };
enum { KIND_AAT, KIND_AB };

static void plan_case(Lab *lab, const Experiment *e, const char *entry, int kind, int64_t m, int64_t n, int64_t k)
{
    LabCase *c = lab_plan(lab, e, entry, "%s", entry);
    c->kind    = kind;
    c->m       = m;
    c->n       = n;
    c->k       = k;
    c->grid    = (WwDim3){lab_cover(n, TILE), lab_cover(m, TILE), 1};
    c->block   = (WwDim3){TILE, TILE, 1};
    lab_size(c, "m", m);
    if (kind == KIND_AB)
        lab_size(c, "n", n);
    lab_size(c, "k", k);
}

static Status plan(Lab *lab, const Experiment *e)
{
    static const char *const aat[] = {"aat_simple", "aat_coalesced", "aat_padded", "aat_swizzled"};
    static const char *const ab[]  = {"ab_simple", "ab_sharedA", "ab_sharedAB"};
    int64_t                  m     = lab_pick(lab->opt.m, M);
    int64_t                  n     = lab_pick(lab->opt.n, m);
    int64_t                  k     = lab_pick(lab->opt.k, K);
    for (size_t i = 0; i < sizeof aat / sizeof aat[0]; i++)
        plan_case(lab, e, aat[i], KIND_AAT, m, m, k);
    for (size_t i = 0; i < sizeof ab / sizeof ab[0]; i++)
        plan_case(lab, e, ab[i], KIND_AB, m, n, k);
    return WW_OK;
}

static void run(Lab *lab, const LabCase *c, LabRow *row)
{
    const Gemm *g = gemm_get(lab, row, c->m, c->n, c->k, c->kind == KIND_AAT);
    if (!g)
        return;
    int32_t    m = (int32_t)c->m, n = (int32_t)c->n, k = (int32_t)c->k;
    size_t     bytes_a       = (size_t)(c->m * c->k) * sizeof(float);
    size_t     bytes_b       = (size_t)(c->k * c->n) * sizeof(float);
    size_t     bytes_c       = (size_t)(c->m * c->n) * sizeof(float);
    float     *out           = xmalloc(bytes_c);
    GemmResult result        = {g, out, (size_t)c->n};
    LabBuffer  aat[]         = {{.in = g->a, .bytes = bytes_a}, {.out = out, .bytes = bytes_c}};
    LabBuffer  ab[]          = {aat[0], {.in = g->b, .bytes = bytes_b}, aat[1]};
    void      *aat_numbers[] = {&m, &k};
    void      *ab_numbers[]  = {&m, &n, &k};
    bool       is_aat        = c->kind == KIND_AAT;
    LabLaunch  l             = {.buffer   = is_aat ? aat : ab,
                                .nbuffers = is_aat ? 2 : 3,
                                .number   = is_aat ? aat_numbers : ab_numbers,
                                .nnumbers = is_aat ? 2 : 3,
                                .verify   = gemm_verify,
                                .user     = &result};
    row->least_bytes = bytes_a + bytes_b + bytes_c; /* the transpose counts as a second factor, as in the article */
    lab_launch(lab, c, &l, row);
    free(out);
}

const Experiment experiment_aat = {
    .name     = "aat",
    .question = "C = A*At and C = A*B: strided reads, shared tiles, bank conflicts, padding, swizzling",
    .reads    = "m n k",
    .family   = {"kernels/aat/", "kernels/ab/"},
    .plan     = plan,
    .run      = run,
};
