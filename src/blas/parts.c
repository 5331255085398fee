/* SPDX-License-Identifier: Apache-2.0
 *
 * A tile's k shared out among more blocks than a cluster has: the kernel's C is then the workspace, one matrix for each cluster of a tile,
 * and a second kernel (gemm_sum, aat_sum) adds them up into C, in their order.  Only that one sees alpha and beta. */
#include <string.h>

#include "blas/blas.h"

unsigned parts_of(const Problem *p)
{
    return rung_splits(p->rung) > CLUSTER && p->split > CLUSTER ? p->split / CLUSTER : 1;
}

/* Rows of the sums are aligned to 16 bytes. */
static size_t pitch(int n)
{
    return ((size_t)n + 3) / 4 * 4;
}

size_t parts_work(const Problem *p)
{
    return parts_of(p) > 1 ? parts_of(p) * pitch(p->args.n) * (size_t)p->args.m * 4 : 0;
}

void parts_begin(const Problem *p, GemmArgs *g, GemmArgs *sum)
{
    float one    = 1;
    *sum         = *g;
    sum->x       = g->work;
    sum->x_row   = pitch(g->n);
    sum->x_col   = 1;
    sum->x_batch = pitch(g->n) * (size_t)g->m;
    sum->parts   = (int)parts_of(p);
    g->parts     = (int)parts_of(p);
    g->c         = g->work;
    g->ldc       = pitch(g->n);
    g->c_batch   = sum->x_batch;
    g->beta      = 0;
    g->alpha     = 1;
    g->vector |= 4;
    g->fill = p->symmetric ? GEMM_FILL_LOWER : g->fill;
    if (p->type == WW_F32)
        memcpy(&g->alpha, &one, sizeof one);
}

Status parts_add(WwBlas *b, const Problem *p, GemmArgs *sum)
{
    enum { THREADS = 128 };
    uint64_t quads = ((uint64_t)sum->n + 3) / 4 * (uint64_t)sum->m, blocks = (quads + THREADS - 1) / THREADS;
    if (blocks > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "sums of parts: %llu blocks are more than one grid can have",
                           (unsigned long long)blocks);
    static const char *const entry[2][2] = {{"gemm_sum_i32", "gemm_sum_f32"}, {"aat_sum_i32", "aat_sum_f32"}};
    return blas_launch(
        b, entry[p->symmetric][p->type == WW_F32],
        &(WwLaunch){
            .grid = {(uint32_t)blocks, 1, 1}, .block = {THREADS, 1, 1}, .args = (void *[]){sum}, .arg_count = 1});
}
