/* SPDX-License-Identifier: Apache-2.0
 *
 * int32 products on the tensor cores (kernels/gemm/13_bytes.cu): both operands are split into four planes of bytes, contiguous along k,
 * which tensor copies then bring to the multipliers.  An operand that is contiguous along m or n is transposed before.
 *
 * A plane's row is k bytes in a pitch of a multiple of 16; the four planes of an operand follow one another, so that plane i's row r is
 * row i * length + r of one map. */
#include "blas/blas.h"

enum {
    SM_90A        = 90,
    SPLIT_THREADS = 128,
    SPLIT_EACH    = 16,
    MAX_GRID_Y    = 65535,
    MAX_LENGTH    = 1 << 28,
    PLANES        = 4,
    ROW_BYTES     = 128
};

static uint64_t pitch(int k)
{
    return ((uint64_t)k + 15) / 16 * 16;
}

bool bytes_can(const WwBlas *b)
{
    return blas_built("gemm_bytes_i32") && b->capability == SM_90A;
}

void bytes_work(const Problem *p, Work *w)
{
    const GemmArgs *g = &p->args;
    Source          x = source_x(g), y = source_y(g);
    size_t          tx = x.along_k == 1 ? 0 : source_turned_bytes(&x, g->k),
           ty          = y.along_k == 1 ? 0 : source_turned_bytes(&y, g->k);
    w->x               = PLANES * pitch(g->k) * (size_t)g->m;
    w->y               = PLANES * pitch(g->k) * (size_t)g->n;
    w->turned          = tx > ty ? tx : ty;
}

/* The planes of a source at `to`, and their map. */
static Status split(WwBlas *b, Source s, int k, WwPtr to, WwPtr turned, int side, GemmMap *map)
{
    enum { COLUMNS = SPLIT_THREADS * SPLIT_EACH };
    unsigned long long row = pitch(k);
    if (s.along_k != 1) {
        CopyPart part = source_turn(&s, k, turned);
        TRY(copy_parts(b, "copy_operands", &part, 1));
    }
    WwDim3 grid = {(uint32_t)(k + COLUMNS - 1) / COLUMNS, (uint32_t)(s.length < MAX_GRID_Y ? s.length : MAX_GRID_Y), 1};
    TRY(blas_launch(b, "split_bytes",
                    &(WwLaunch){.grid      = grid,
                                .block     = {SPLIT_THREADS, 1, 1},
                                .args      = (void *[]){&to, &row, &s.at, &s.along, &s.length, &k},
                                .arg_count = 6}));
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = "u8",
                                        .address = to,
                                        .rank    = 2,
                                        .dim     = {(uint64_t)k, (uint64_t)s.length * PLANES},
                                        .stride  = {row},
                                        .box     = {ROW_BYTES, (uint32_t)side},
                                        .swizzle = 128},
                         map);
}

Status bytes_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at)
{
    const Rung *r = p->rung;
    TensorArgs  a = {.g = *g};
    if (g->m > MAX_LENGTH || g->n > MAX_LENGTH)
        return device_fail(b->device, WW_ERR_INVALID,
                           "ww_gemm: the rung bytes takes up to %d rows and columns, asked are %d x %d",
                           (int)MAX_LENGTH, g->m, g->n);
    TRY(split(b, source_x(g), g->k, at, at + work.x + work.y, r->rows, &a.x));
    TRY(split(b, source_y(g), g->k, at + work.x, at + work.x + work.y, r->columns, &a.y));
    uint64_t tiles = (((uint64_t)g->m + (uint64_t)r->rows - 1) / (uint64_t)r->rows) *
                     (((uint64_t)g->n + (uint64_t)r->columns - 1) / (uint64_t)r->columns);
    if (tiles > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "gemm_bytes_i32: %llu tiles are more than one grid can have",
                           (unsigned long long)tiles);
    return blas_launch(b, "gemm_bytes_i32",
                       &(WwLaunch){.grid      = {(uint32_t)tiles, 1, 1},
                                   .block     = {(unsigned)r->threads, 1, 1},
                                   .shared    = r->shared,
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}
