/* SPDX-License-Identifier: Apache-2.0
 *
 * Float products on the tensor cores (kernels/gemm/split.cuh): when they pay, and their launches.
 *
 *   split_most      the largest number of each row of X and column of Y
 *   split_halves    both operands as two planes of fp16, scaled by powers of two, each lying as its operand does; what is small, what loses bits
 *   split_judge     whether that can be seen in a result
 *   gemm_split      the product, unless it can
 *   gemm_split_else the product in float arithmetic, if it can
 *
 * Nothing of it waits for an answer on the host: the last two kernels ask the judge's word.  The planes, the largest numbers and the words lie in the
 * workspace.  Of A * A^T there is one operand, both sides of the product.  Not done: a batch in one pass. */
#include "gemm/split.h"
#include "blas/blas.h"

enum { SM_90 = 90, PAIR = 2, LINE = 64, PLANES = 2 };

static size_t pitch(size_t length)
{
    return (length + LINE - 1) / LINE * LINE;
}

static size_t plane_bytes(const Source *s, int k)
{
    return s->along_k == 1 ? pitch((size_t)k) * (size_t)s->length * 2 : pitch((size_t)s->length) * (size_t)k * 2;
}

static size_t words(const GemmArgs *g)
{
    return 2 * ((size_t)g->m + (size_t)g->n) + SPLIT_SEEN;
}

bool split_can(const WwBlas *b, bool symmetric)
{
    static const char *const entry[2][2] = {{"gemm_split_f32_kk", "gemm_split_else_f32_kk"},
                                            {"aat_split_f32_k", "aat_split_else_f32_k"}};
    return b->capability == SM_90 && b->sms >= 2 * PAIR && blas_built(entry[symmetric][0]) &&
           blas_built(entry[symmetric][1]) && blas_built("split_most");
}

/* Microseconds by readings on an H200: 230 TFLOP/s against 57, two passes over the operands, and the launches.  A symmetric product has half the
 * work and one operand. */
bool split_pays(const WwBlas *b, const Problem *p)
{
    const GemmArgs *g        = &p->args;
    double          work     = (p->symmetric ? 1.0 : 2.0) * g->m * g->n * g->k;
    double          operands = (p->symmetric ? g->n : (double)g->m + g->n) * g->k;
    return b->split[p->symmetric] && p->type == WW_F32 && p->batch == 1 && g->k >= LINE &&
           40 + work / 230e6 + operands * 16 / 4e6 < work / 57e6;
}

void split_work(const WwBlas *b, const Problem *p, Work *w)
{
    Source x = source_x(&p->args), y = source_y(&p->args);
    half_tail(b, p, w);
    w->x      = PLANES * plane_bytes(&x, p->args.k);
    w->y      = p->symmetric ? 0 : PLANES * plane_bytes(&y, p->args.k);
    w->turned = words(&p->args) * 4;
}

/* The part of an operand at s, its planes at `to`. */
static Status part_of(WwBlas *b, const char *who, const Source *s, int k, WwPtr to, WwPtr most, WwPtr few,
                      SplitPart *part)
{
    bool   along_k = s->along_k == 1;
    size_t lines = (size_t)(along_k ? s->length : k), length = (size_t)(along_k ? k : s->length), ld = pitch(length);
    *part           = (SplitPart){.from    = s->at,
                                  .high    = to,
                                  .low     = to + plane_bytes(s, k),
                                  .most    = most,
                                  .few     = few,
                                  .ld      = along_k ? s->along : s->along_k,
                                  .pitch   = ld,
                                  .lines   = (unsigned)lines,
                                  .length  = (unsigned)length,
                                  .along_k = along_k};
    uint64_t blocks = (lines + SPLIT_LINES - 1) / SPLIT_LINES * ((length + SPLIT_COLUMNS - 1) / SPLIT_COLUMNS);
    if (blocks > INT32_MAX / 2)
        return device_fail(b->device, WW_ERR_INVALID, "%s: an operand of %zu x %zu is more than the rung split takes",
                           who, lines, length);
    part->blocks = (unsigned)blocks;
    return WW_OK;
}

/* Maps of both planes, for boxes of `side` rows or columns of the result. */
static Status maps_of(WwBlas *b, const Source *s, int k, int side, WwPtr planes, GemmMap *high, GemmMap *low)
{
    bool   along_k = s->along_k == 1;
    size_t ld      = pitch((size_t)(along_k ? k : s->length));
    for (size_t i = 0; i < PLANES; i++) {
        Source plane = {planes + i * plane_bytes(s, k), along_k ? ld : 1, along_k ? 1 : ld, s->length};
        TRY(half_map(b, &plane, 2, k, side, LINE, i ? low : high));
    }
    return WW_OK;
}

static Status launch_passes(WwBlas *b, const SplitArgs *a)
{
    static const char *const pass[] = {"split_most", "split_halves", "split_judge"};
    unsigned                 blocks = a->part[0].blocks + a->part[1].blocks;
    SplitArgs                copy   = *a;
    for (int i = 0; i < 3; i++)
        TRY(blas_launch(b, pass[i],
                        &(WwLaunch){.grid      = {i < 2 ? blocks : 1, 1, 1},
                                    .block     = {i < 2 ? 256 : 1024, 1, 1},
                                    .args      = (void *[]){&copy},
                                    .arg_count = 1}));
    return WW_OK;
}

/* In float arithmetic, if the judge says so. */
static Status launch_else(WwBlas *b, const Problem *p, const GemmArgs *g, WwPtr bad)
{
    enum { SIDE = 128, THREADS = 128 };
    static const char *const gemm[]  = {"gemm_split_else_f32_nn", "gemm_split_else_f32_nk", "gemm_split_else_f32_kn",
                                        "gemm_split_else_f32_kk"};
    static const char *const aat[]   = {"aat_split_else_f32_n", "aat_split_else_f32_k"};
    bool                     along_k = g->x_col == 1;
    const char              *entry   = p->symmetric ? aat[along_k] : gemm[along_k * 2 + (g->y_row == 1)];
    GemmArgs                 a       = *g;
    uint64_t                 down = rung_cover(g->m, SIDE), across = rung_cover(g->n, SIDE);
    uint64_t                 tiles = p->symmetric ? down * (down + 1) / 2 : down * across;
    a.count                        = bad;
    a.work                         = 0;
    if (tiles > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu tiles are more than one grid can have",
                           p->symmetric ? "ww_syrk" : "ww_gemm", (unsigned long long)tiles);
    return blas_launch(
        b, entry,
        &(WwLaunch){.grid = {(uint32_t)tiles, 1, 1}, .block = {THREADS, 1, 1}, .args = (void *[]){&a}, .arg_count = 1});
}

Status split_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at)
{
    char         entry[BLAS_NAME];
    const char  *who = p->symmetric ? "ww_syrk" : "ww_gemm";
    const Rung  *r   = p->rung;
    Source       x = source_x(g), y = source_y(g);
    WwPtr        word = at + work.x + work.y, few = word + 4 * ((size_t)g->m + (size_t)g->n);
    SplitArgs    a = {.seen = word + 4 * (words(g) - SPLIT_SEEN), .told = p->told, .k = g->k};
    SplitProduct s = {.h      = {.g = *g, .from = g->c, .ldfrom = g->ldc, .wide = 1},
                      .x_most = word,
                      .y_most = word + 4 * (size_t)g->m,
                      .bad    = a.seen + 4 * SPLIT_BAD};
    s.h.g.vector |= g->vector & 4 ? GEMM_FOURS : 0; /* C is read where it is written */
    WwLaunch w = {.block = {(unsigned)r->threads, 1, 1}, .shared = r->shared, .args = (void *[]){&s}, .arg_count = 1};
    TRY(part_of(b, who, &x, g->k, at, s.x_most, few, &a.part[0]));
    TRY(maps_of(b, &x, g->k, r->rows, at, &s.h.x, &s.x));
    if (p->symmetric) {
        s.y_most  = s.x_most;
        a.part[1] = a.part[0];
        TRY(maps_of(b, &x, g->k, r->columns / PAIR, at, &s.h.y, &s.y));
        a.part[1].blocks = 0;
    } else {
        TRY(part_of(b, who, &y, g->k, at + work.x, s.y_most, few + 4 * (size_t)g->m, &a.part[1]));
        TRY(maps_of(b, &y, g->k, r->columns / PAIR, at + work.x, &s.h.y, &s.y));
    }
    TRY(half_grid(b, p, &s.h, &w));
    TRY(device_fill(b->device, word, 0, words(g) * 4, b->stream));
    TRY(launch_passes(b, &a));
    blas_entry(p, entry);
    TRY(blas_launch(b, entry, &w));
    return launch_else(b, p, g, a.seen + 4 * SPLIT_BAD);
}

Status split_untold(WwBlas *b, const Problem *p)
{
    TRY(blas_follow(b, b->stream));
    return device_fill(b->device, p->told, 1, sizeof(uint32_t), b->stream);
}
