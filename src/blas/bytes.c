/* SPDX-License-Identifier: Apache-2.0
 *
 * int32 products on the tensor cores (kernels/gemm/13_bytes.cu): both operands are split into four planes of bytes, contiguous along k,
 * which tensor copies then bring to the multipliers.  An operand that is contiguous along m or n is transposed before.
 *
 * A plane's row is k bytes in a pitch of a multiple of 16; the four planes of an operand follow one another, so that plane i's row r is
 * row i * length + r of one map.
 *
 * limbs (kernels/gemm/55_limbs.cu) multiplies planes of signed bytes as fp16, on any GPU since sm_80; it is chosen where bytes are slow or are for
 * instructions that it does not have. */
#include "blas/blas.h"

enum {
    SM_80         = 80,
    SM_90A        = 90,
    SPLIT_THREADS = 128,
    SPLIT_EACH    = 16,
    MAX_GRID_Y    = 65535,
    MAX_LENGTH    = 1 << 28,
    PLANES        = 4,
    ROW_BYTES     = 128
};

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
    w->x               = PLANES * planes_pitch(g->k) * (size_t)g->m;
    w->y               = PLANES * planes_pitch(g->k) * (size_t)g->n;
    w->turned          = tx > ty ? tx : ty;
}

size_t planes_pitch(int k)
{
    return ((size_t)k + 15) / 16 * 16;
}

Status planes_make(WwBlas *b, Source s, int k, uint32_t carry, WwPtr to, WwPtr turned)
{
    enum { COLUMNS = SPLIT_THREADS * SPLIT_EACH };
    unsigned long long row = planes_pitch(k);
    if (s.along_k != 1) {
        CopyPart part = source_turn(&s, k, turned);
        TRY(copy_parts(b, b->early ? "copy_operands" : "copy_words", &part, 1));
    }
    WwDim3 grid = {(uint32_t)(k + COLUMNS - 1) / COLUMNS, (uint32_t)(s.length < MAX_GRID_Y ? s.length : MAX_GRID_Y), 1};
    return blas_launch(b, "split_bytes",
                       &(WwLaunch){.grid      = grid,
                                   .block     = {SPLIT_THREADS, 1, 1},
                                   .args      = (void *[]){&to, &row, &s.at, &s.along, &s.length, &k, &carry},
                                   .arg_count = 7});
}

/* The planes of a source at `to`, and their map. */
static Status split(WwBlas *b, Source s, int k, WwPtr to, WwPtr turned, int side, GemmMap *map)
{
    TRY(planes_make(b, s, k, 0, to, turned));
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = "u8",
                                        .address = to,
                                        .rank    = 2,
                                        .dim     = {(uint64_t)k, (uint64_t)s.length * PLANES},
                                        .stride  = {planes_pitch(k)},
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

bool limbs_can(const WwBlas *b)
{
    return blas_built("gemm_limbs_i32") && b->capability >= SM_80;
}

/* Data-centre GPUs of the Blackwell kind: a warp's fp16 products there are some thirty times the integer units' rate; those of bytes are as slow as
 * integers on the later one, and on the earlier for a single thread's instructions alone. */
bool limbs_pay(const WwBlas *b)
{
    enum { SM_100 = 100, SM_103 = 103 };
    return limbs_can(b) && (b->capability == SM_100 || b->capability == SM_103);
}

Status limbs_run(WwBlas *b, const Problem *p, const GemmArgs *g, Work work, WwPtr at)
{
    enum {
        CARRY      = 0x80808080,
        SLICE      = 2 * PLANES * 64 * 128,
        TWO_SLICES = 90 /* below: a multiprocessor has room for no more */
    };
    GemmArgs a     = *g;
    uint64_t tiles = rung_tiles(p->rung, g);
    if (tiles > INT32_MAX || g->m > MAX_LENGTH || g->n > MAX_LENGTH)
        return device_fail(b->device, WW_ERR_INVALID,
                           "ww_gemm: the rung limbs takes up to %d rows and columns and %d tiles, asked are %d x %d",
                           (int)MAX_LENGTH, INT32_MAX, g->m, g->n);
    TRY(planes_make(b, source_x(g), g->k, CARRY, at, at + work.x + work.y));
    TRY(planes_make(b, source_y(g), g->k, CARRY, at + work.x, at + work.x + work.y));
    a.x     = at;
    a.y     = at + work.x;
    a.x_row = a.y_col = planes_pitch(g->k);
    a.parts           = b->capability < (int)TWO_SLICES ? 2 : 3;
    return blas_launch(b, "gemm_limbs_i32",
                       &(WwLaunch){.grid      = {(uint32_t)tiles, 1, 1},
                                   .block     = {(unsigned)p->rung->threads, 1, 1},
                                   .shared    = 1024 + (uint32_t)a.parts * SLICE,
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}
