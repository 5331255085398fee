/* SPDX-License-Identifier: Apache-2.0
 *
 * The rungs whose operands come by tensor copies: X as k rows of m elements, Y as k rows of n.
 *
 * An operand that lies so already, its rows aligned to 16 bytes, is used where it is.  Any other one is copied into the workspace
 * first, transposed where it is contiguous along k; both copies run at the memory's speed, and their cost, 8 bytes an element,
 * shrinks against 2 n operations an element.  A * A^T has one operand, so one copy at most. */
#include <stdio.h>
#include <string.h>

#include "blas/blas.h"
#include "device/cuda.h"
#include "lab/kernels.h"

enum { CU_ATTR_MAJOR = 75, SM_90 = 9, SIDE = 64, COPY_THREADS = 256 };

typedef struct Source {
    WwPtr              at;
    unsigned long long along, along_k; /* strides; one of them is 1 */
    int                length;         /* m or n */
} Source;

static Source operand_x(const GemmArgs *g)
{
    return (Source){g->x, g->x_row, g->x_col, g->m};
}

static Source operand_y(const GemmArgs *g)
{
    return (Source){g->y, g->y_col, g->y_row, g->n};
}

/* A single element's row has any stride. */
static bool in_place(const Problem *p, const Source *o, int aligned)
{
    return o->along == 1 && (p->args.vector & aligned);
}

static size_t pitch(int length)
{
    return ((size_t)length + 3) / 4 * 4;
}

void tensor_work(const Problem *p, Work *w)
{
    Source x = operand_x(&p->args), y = operand_y(&p->args);
    size_t k = (size_t)p->args.k;
    w->x     = in_place(p, &x, 1) ? 0 : pitch(x.length) * k * 4;
    w->y     = p->symmetric || in_place(p, &y, 2) ? 0 : pitch(y.length) * k * 4;
}

bool tensor_can(WwBlas *b, const Problem *p)
{
    const KernelEntry *e = kernel_find(p->symmetric ? "aat_tensor_f32" : "gemm_tensor_f32");
    const KernelText  *t = e ? kernel_text(e, NULL) : NULL;
    if (!t || !t->ptx)
        return false;
    if (strcmp(b->device->ops->kind, "cuda") != 0)
        return true;
    CudaDevice *c     = (CudaDevice *)b->device;
    int         major = 0;
    return c->drv.device_attribute(&major, CU_ATTR_MAJOR, c->ordinal) == 0 && major >= SM_90;
}

/* o, copied to `to` as k rows. */
static Status copy_operand(WwBlas *b, Source *o, int k, WwPtr to)
{
    bool               turn = o->along != 1;
    int                rows = turn ? o->length : k, columns = turn ? k : o->length;
    unsigned long long from_ld = turn ? o->along : o->along_k, to_ld = pitch(o->length);
    int                aligned = (o->at % 16 == 0 && from_ld % 4 == 0) | (to % 16 == 0) << 1;
    WwDim3             grid    = {(uint32_t)(columns + SIDE - 1) / SIDE, (uint32_t)(rows + SIDE - 1) / SIDE, 1};
    TRY(blas_launch(b, turn ? "copy_transposed" : "copy_strided",
                    &(WwLaunch){.grid      = grid,
                                .block     = {COPY_THREADS, 1, 1},
                                .args      = (void *[]){&to, &to_ld, &o->at, &from_ld, &rows, &columns, &aligned},
                                .arg_count = 7}));
    *o = (Source){to, 1, to_ld, o->length};
    return WW_OK;
}

static Status map_operand(WwBlas *b, const Source *o, const Rung *r, int k, int side, GemmMap *map)
{
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = "u32", /* bits pass unchanged */
                                        .address = o->at,
                                        .rank    = 2,
                                        .dim     = {(uint64_t)o->length, (uint64_t)k},
                                        .stride  = {k > 1 ? o->along_k * 4 : pitch(o->length) * 4},
                                        .box     = {(uint32_t)side, (uint32_t)r->slice}},
                         map);
}

Status tensor_run(WwBlas *b, const Problem *p, const GemmArgs *g, WwPtr to_x, WwPtr to_y)
{
    const Rung *r = p->rung;
    TensorArgs  a = {.g = *g};
    Source      x = operand_x(g), y = operand_y(g);
    char        entry[64];
    if (!in_place(p, &x, 1))
        TRY(copy_operand(b, &x, g->k, to_x));
    if (p->symmetric)
        y = x;
    else if (!in_place(p, &y, 2))
        TRY(copy_operand(b, &y, g->k, to_y));
    TRY(map_operand(b, &x, r, g->k, r->rows, &a.x));
    TRY(map_operand(b, &y, r, g->k, r->columns, &a.y));
    uint64_t down   = ((uint64_t)g->m + (uint64_t)r->rows - 1) / (uint64_t)r->rows;
    uint64_t blocks = p->symmetric ? down * (down + 1) / 2 : stream_blocks(b, p);
    snprintf(entry, sizeof entry, "%s_%s_%s", r->ladder, r->name, p->type == WW_F32 ? "f32" : "i32");
    if (blocks > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu blocks are more than one grid can have", entry,
                           (unsigned long long)blocks);
    return blas_launch(b, entry,
                       &(WwLaunch){.grid      = {(uint32_t)blocks, 1, 1},
                                   .block     = {(unsigned)r->threads, 1, 1},
                                   .shared    = r->shared,
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}
