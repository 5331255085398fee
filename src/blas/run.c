/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches: from a checked problem and its rung to kernels on the device.
 *
 * The workspace of stream-K is two partial tiles a block
 * and, before them, a counter a tile, which must be zero.  The kernel leaves the counters zero, so the library's own workspace keeps
 * HEAD bytes for nothing else and clears them when it is new or a launch failed; a caller's, or more counters, every time.
 * A strided batch is the z of one grid, up to the limit of a grid; a batch of addresses is one launch each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas.h"

enum { MAX_Z = 65535, MAX_Y = 65535 };

/* ---- workspace --------------------------------------------------------------------------------------------------- */

static size_t round_up(size_t n)
{
    enum { ALIGN = 256 };
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static Work work_of(const WwBlas *b, const Problem *p)
{
    Work w = {0};
    if (p->args.m == 0 || p->args.n == 0 || p->args.k == 0)
        return w;
    if (p->rung->stream) {
        w.counters = round_up(rung_tiles(p->rung, &p->args) * 4);
        w.partials = stream_blocks(b, p) * 2 * (size_t)(p->rung->rows * p->rung->columns) * 4;
    }
    if (tensor_rung(p->rung))
        tensor_work(p, &w);
    if (rung_half(p->rung))
        half_work(b, p, &w);
    if (p->rung->layouts == RUNG_SPLIT)
        split_work(b, p, &w);
    if (p->rung->layouts == RUNG_RESIDUES)
        residues_work(p, &w);
    if (parts_of(p) > 1)
        w.partials = round_up(parts_work(p));
    if (p->rung->layouts == RUNG_BYTES || p->rung->layouts == RUNG_LIMBS)
        bytes_work(p, &w);
    w.x = round_up(w.x);
    w.y = round_up(w.y);
    return w;
}

static size_t work_bytes(Work w)
{
    return w.counters + w.partials + w.x + w.y + w.turned;
}

static size_t problem_workspace(const WwBlas *b, const Problem *p)
{
    return work_bytes(work_of(b, p));
}

Status blas_grow(WwBlas *b, WwPtr *at, size_t *bytes, size_t need)
{
    if (*bytes >= need)
        return WW_OK;
    if (b->stream)
        TRY(ww_stream_wait(b->stream));
    if (*at)
        TRY(ww_free(b->device, *at));
    *at    = 0;
    *bytes = 0;
    TRY(ww_alloc(b->device, need, at));
    *bytes = need;
    return WW_OK;
}

/* Where the counters are, all zero, and where the other parts begin. */
static Status take_workspace(WwBlas *b, const Problem *p, Work w, WwPtr *counters, WwPtr *rest)
{
    enum { HEAD = 1 << 16 };
    size_t need = work_bytes(w);
    bool   head = !p->workspace && w.counters <= HEAD;
    TRY(blas_follow(b, b->stream));
    *counters = *rest = p->workspace;
    if (need == 0)
        return WW_OK;
    if (p->workspace && (p->workspace_bytes < need || p->workspace % 16))
        return device_fail(b->device, WW_ERR_INVALID,
                           "%s: the rung %s needs a workspace of %zu bytes aligned to 16, given are %zu at 0x%llx",
                           p->symmetric ? "ww_syrk" : "ww_gemm", p->rung->name, need, p->workspace_bytes,
                           (unsigned long long)p->workspace);
    if (!p->workspace) {
        b->zeroed = b->zeroed && b->workspace_bytes >= HEAD + need;
        TRY(blas_grow(b, &b->workspace, &b->workspace_bytes, HEAD + need));
        *counters = head ? b->workspace : b->workspace + HEAD;
        *rest     = b->workspace + HEAD;
    }
    if (!head)
        *rest = *counters + w.counters;
    if (w.counters == 0 || (head && b->zeroed))
        return WW_OK;
    TRY(device_fill(b->device, *counters, 0, head ? HEAD : w.counters, b->stream));
    b->zeroed = b->zeroed || head;
    return WW_OK;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static Status run_grid(WwBlas *b, const Problem *p, GemmArgs *g, size_t batch)
{
    char     entry[BLAS_NAME];
    uint64_t tiles = rung_tiles(p->rung, g);
    LongArgs wide  = {.g = *g, .alpha = p->alpha, .beta = p->beta};
    void    *args  = p->rung->layouts == RUNG_LONG ? (void *)&wide : g;
    blas_entry(p, entry);
    unsigned split = p->split > 1 && p->rung->layouts == RUNG_JOINED ? p->split : 1;
    tiles *= split;
    WwDim3 grid = {(uint32_t)tiles, 1, (uint32_t)batch};
    if (p->rung->stream)
        grid.x = (uint32_t)stream_blocks(b, p);
    else if (p->rung->layouts == RUNG_ANY)
        grid = (WwDim3){rung_cover(g->m, p->rung->rows), rung_cover(g->n, p->rung->columns), (uint32_t)batch};
    if (tiles > INT32_MAX || grid.y > MAX_Y)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu blocks are more than one grid can have", entry,
                           (unsigned long long)tiles);
    return blas_launch(b, entry,
                       &(WwLaunch){.grid      = grid,
                                   .block     = {(unsigned)p->rung->threads, 1, 1},
                                   .cluster   = {split > 1 ? split / parts_of(p) : 0, 1, 1},
                                   .shared    = p->rung->shared,
                                   .args      = (void *[]){args},
                                   .arg_count = 1});
}

Status problem_run(WwBlas *b, const Problem *p)
{
    if (p->args.m == 0 || p->args.n == 0)
        return WW_OK;
    GemmArgs g    = p->args, sum;
    bool     once = p->x || p->rung->stream || !rung_batch(p->rung) || parts_of(p) > 1;
    size_t   step = once ? 1 : MAX_Z;
    Work     work = work_of(b, p);
    if (p->told && p->rung->layouts != RUNG_SPLIT && p->rung->layouts != RUNG_RESIDUES)
        TRY(split_untold(b, p));
    Status s = WW_OK;
    TRY(take_workspace(b, p, work, &g.count, &g.work));
    for (size_t i = 0; i < p->batch && s == WW_OK; i += step) {
        size_t here  = p->batch - i < step ? p->batch - i : step;
        g.x          = p->x ? p->x[i] : p->args.x + i * p->args.x_batch * p->operand;
        g.y          = p->y ? p->y[i] : p->args.y + i * p->args.y_batch * p->operand;
        g.c          = p->c ? p->c[i] : p->args.c + i * p->args.c_batch * p->result;
        WwPtr    x   = g.work + work.partials;
        GemmArgs one = g;
        if (parts_of(p) > 1)
            parts_begin(p, &one, &sum);
        if (tensor_rung(p->rung))
            s = tensor_run(b, p, &one, x, x + work.x);
        else if (p->rung->layouts == RUNG_BYTES)
            s = bytes_run(b, p, &g, work, x);
        else if (p->rung->layouts == RUNG_LIMBS)
            s = limbs_run(b, p, &g, work, x);
        else if (p->rung->layouts == RUNG_SPLIT)
            s = split_run(b, p, &g, work, x);
        else if (p->rung->layouts == RUNG_RESIDUES)
            s = residues_run(b, p, &g, work, x);
        else if (type_row(p->type)->kind == TYPE_DOUBLE)
            s = double_run(b, p, p->rung, &g, 0, here);
        else if (rung_half(p->rung))
            s = half_run(b, p, &g, i, here, x, x + work.x);
        else
            s = run_grid(b, p, &one, here);
        if (s == WW_OK && parts_of(p) > 1)
            s = parts_add(b, p, &sum);
        if (s == WW_OK && p->ends && type_row(p->type)->kind == TYPE_WORDS)
            s = finish_run(b, p, &g, here);
    }
    b->zeroed = b->zeroed && s == WW_OK;
    return s;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static Status plan_gemm(WwBlas *b, const WwGemm *p, bool runs, Problem *out)
{
    if (!b)
        return WW_ERR_INVALID;
    if (!p)
        return device_fail(b->device, WW_ERR_INVALID, "ww_gemm needs a problem");
    TRY(problem_of_gemm(b, p, runs, out));
    return problem_choose(b, out, "gemm", p->rung);
}

/* int32 A * A^T as a product like any other: the tensor cores compute all of it in less time than the integer units half of it, by readings on an H100:
 * 8192 x 16384 in 14.8 for 34.7 ms.  Exact, so the halves are the same.  Of a triangle, or with beta, the other half may not be touched. */
static bool syrk_is_gemm(const WwBlas *b, const WwSyrk *p)
{
    enum { LEAST_N = 2048, LEAST_K = 1024 };
    return p->type == WW_I32 && p->fill == WW_FULL && p->batch <= 1 && !p->a_array && !p->rung && p->beta.i32 == 0 &&
           p->n >= LEAST_N && p->k >= LEAST_K && (bytes_can(b) || limbs_pay(b));
}

static WwGemm gemm_of_syrk(const WwSyrk *p)
{
    return (WwGemm){.type            = p->type,
                    .layout          = p->layout,
                    .trans_a         = p->trans,
                    .trans_b         = !p->trans,
                    .m               = p->n,
                    .n               = p->n,
                    .k               = p->k,
                    .alpha           = p->alpha,
                    .a               = p->a,
                    .b               = p->a,
                    .c               = p->c,
                    .lda             = p->lda,
                    .ldb             = p->lda,
                    .ldc             = p->ldc,
                    .precision       = p->precision,
                    .told            = p->told,
                    .workspace       = p->workspace,
                    .workspace_bytes = p->workspace_bytes};
}

static Status plan_syrk(WwBlas *b, const WwSyrk *p, bool runs, Problem *out)
{
    if (!b)
        return WW_ERR_INVALID;
    if (!p)
        return device_fail(b->device, WW_ERR_INVALID, "ww_syrk needs a problem");
    TRY(problem_of_syrk(b, p, runs, out)); /* what is wrong is said of ww_syrk */
    if (syrk_is_gemm(b, p)) {
        WwGemm g = gemm_of_syrk(p);
        return plan_gemm(b, &g, runs, out);
    }
    return problem_choose(b, out, "aat", p->rung);
}

static Status tell_rung(WwBlas *b, const Problem *p, const char **rung)
{
    bool split = p->split > 1 && rung_splits(p->rung) > 1;
    int  n     = snprintf(b->name, sizeof b->name, "%s", p->rung->name);
    if (split)
        n += snprintf(b->name + n, sizeof b->name - (size_t)n, ":%u", p->split);
    if (p->turned)
        snprintf(b->name + n, sizeof b->name - (size_t)n, ":" TURNED);
    if (rung)
        *rung = b->name;
    return WW_OK;
}

WwStatus ww_gemm(WwBlas *b, const WwGemm *p)
{
    Problem q;
    TRY(plan_gemm(b, p, true, &q));
    return problem_run(b, &q);
}

WwStatus ww_gemm_workspace(WwBlas *b, const WwGemm *p, size_t *bytes)
{
    Problem q;
    TRY(plan_gemm(b, p, false, &q));
    if (bytes)
        *bytes = problem_workspace(b, &q);
    return WW_OK;
}

WwStatus ww_gemm_rung(WwBlas *b, const WwGemm *p, const char **rung)
{
    Problem q;
    TRY(plan_gemm(b, p, false, &q));
    return tell_rung(b, &q, rung);
}

WwStatus ww_syrk(WwBlas *b, const WwSyrk *p)
{
    Problem q;
    TRY(plan_syrk(b, p, true, &q));
    return problem_run(b, &q);
}

WwStatus ww_syrk_workspace(WwBlas *b, const WwSyrk *p, size_t *bytes)
{
    Problem q;
    TRY(plan_syrk(b, p, false, &q));
    if (bytes)
        *bytes = problem_workspace(b, &q);
    return WW_OK;
}

WwStatus ww_syrk_rung(WwBlas *b, const WwSyrk *p, const char **rung)
{
    Problem q;
    TRY(plan_syrk(b, p, false, &q));
    return tell_rung(b, &q, rung);
}
