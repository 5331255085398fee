/* SPDX-License-Identifier: Apache-2.0
 *
 * The rungs whose operands come by tensor copies: X as k rows of m elements, Y as k rows of n.
 *
 * An operand that lies so already, its rows aligned to 16 bytes, is used where it is.  Any other one is copied into the workspace
 * first, transposed where it is contiguous along k, both in one launch at the memory's speed; their cost, 8 bytes an element, shrinks
 * against 2 n operations an element.  A * A^T has one operand, so one copy at most.  Some rungs (DRAWN) have float kernels that draw
 * such an operand themselves, word by word; some (turns) turn an aligned X that is contiguous along k (kernels/gemm/turn.cuh). */
#include <stdio.h>
#include <string.h>

#include "blas/blas.h"

enum { SM_90 = 90 };

Source source_x(const GemmArgs *g)
{
    return (Source){g->x, g->x_row, g->x_col, g->m};
}

Source source_y(const GemmArgs *g)
{
    return (Source){g->y, g->y_col, g->y_row, g->n};
}

/* Rows that begin on 128 bytes: a box's row is then as few cache lines as it can be. */
static size_t pitch(int length)
{
    return ((size_t)length + 31) / 32 * 32;
}

static bool in_place(const Problem *p, const Source *s, int aligned)
{
    return s->along == 1 && (p->args.vector & aligned);
}

bool tensor_rung(const Rung *r)
{
    return r->layouts == RUNG_TENSOR || r->layouts == RUNG_WHOLE || r->layouts == RUNG_DRAWN;
}

unsigned tensor_drawn(const Problem *p)
{
    Source x = source_x(&p->args), y = source_y(&p->args);
    if (p->rung->layouts != RUNG_DRAWN || p->type != WW_F32)
        return 0;
    return (in_place(p, &x, 1) ? 0 : 1U) + (in_place(p, &y, 2) ? 0 : 2U);
}

/* Turning slows the loop of flow down by about 1.5 %, whatever the size; a copy moves 8 m k bytes, so its share shrinks as n grows and is less
 * than that beyond some TURN_COLUMNS. */
bool tensor_turns(const Problem *p)
{
    const GemmArgs *g = &p->args;
    if (p->symmetric || g->x_row == 1 || g->x_col != 1 || !(g->vector & 1))
        return false;
    return g->n <= p->rung->turns && (p->rung->layouts != RUNG_DRAWN || tensor_drawn(p) == 1);
}

void tensor_work(const Problem *p, Work *w)
{
    Source   x = source_x(&p->args), y = source_y(&p->args);
    size_t   k     = (size_t)p->args.k;
    unsigned drawn = tensor_drawn(p);
    w->x           = drawn & 1 || tensor_turns(p) || in_place(p, &x, 1) ? 0 : pitch(x.length) * k * 4;
    w->y           = drawn & 2 || p->symmetric || in_place(p, &y, 2) ? 0 : pitch(y.length) * k * 4;
}

static bool rung_built(const Rung *r)
{
    char entry[BLAS_NAME];
    snprintf(entry, sizeof entry, "%s_%s_f32", r->ladder, r->name);
    return blas_built(entry);
}

bool tensor_can(const WwBlas *b, const Problem *p)
{
    enum { OWN = 1024 }; /* at most, of a kernel's variables */
    const Rung *r = rung_for(p->symmetric, FOR_COPIES);
    return rung_built(r) && b->capability >= SM_90 && r->shared + OWN <= b->device->block_shared;
}

bool sm_90_can(const WwBlas *b, const Problem *p)
{
    return b->capability == SM_90 && rung_built(rung_for(p->symmetric, FOR_SM_90));
}

size_t source_turned_bytes(const Source *s, int k)
{
    return s->along == 1 ? pitch(k) * (size_t)s->length * 4 : pitch(s->length) * (size_t)k * 4;
}

CopyPart source_turn(Source *s, int k, WwPtr to)
{
    bool     k_rows = s->along == 1; /* as it lies now */
    size_t   rows = (size_t)(k_rows ? k : s->length), columns = (size_t)(k_rows ? s->length : k);
    uint64_t ld   = pitch((int)rows);
    CopyPart part = copy_part(true, s->at, k_rows ? s->along_k : s->along, rows, columns, to, ld);
    *s            = (Source){to, k_rows ? ld : 1, k_rows ? 1 : ld, s->length};
    return part;
}

/* The copy that makes *s k rows, aligned. */
static CopyPart take_rows(Source *s, int k, WwPtr to)
{
    if (s->along != 1)
        return source_turn(s, k, to);
    uint64_t ld   = pitch(s->length);
    CopyPart part = copy_part(false, s->at, s->along_k, (size_t)k, (size_t)s->length, to, ld);
    *s            = (Source){to, 1, ld, s->length};
    return part;
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

/* A box: what one warp of flow turns, rows as long as the swizzle. */
static Status map_turned(WwBlas *b, const Source *x, int k, GemmMap *map)
{
    enum { SIDE = 32 };
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = "u32",
                                        .address = x->at,
                                        .rank    = 2,
                                        .dim     = {(uint64_t)k, (uint64_t)x->length},
                                        .stride  = {x->along * 4},
                                        .box     = {SIDE, SIDE},
                                        .swizzle = SIDE * 4},
                         map);
}

Status tensor_run(WwBlas *b, const Problem *p, const GemmArgs *g, WwPtr to_x, WwPtr to_y)
{
    const Rung *r = p->rung;
    TensorArgs  a = {.g = *g};
    Source      x = source_x(g), y = source_y(g);
    CopyPart    copy[2];
    size_t      copies = 0;
    unsigned    drawn  = tensor_drawn(p);
    char        entry[BLAS_NAME];
    bool        along = tensor_turns(p);
    if (r->layouts == RUNG_DRAWN && g->n % 4) /* even's accesses of four results would pass the ends of such rows; */
        a.g.vector &= ~4;                     /* a test of it in the kernel costs it registers */
    if (!along && !(drawn & 1) && !in_place(p, &x, 1))
        copy[copies++] = take_rows(&x, g->k, to_x);
    if (p->symmetric)
        y = x;
    else if (!(drawn & 2) && !in_place(p, &y, 2))
        copy[copies++] = take_rows(&y, g->k, to_y);
    if (copies)
        TRY(copy_parts(b, "copy_operands", copy, copies));
    if (along)
        TRY(map_turned(b, &x, g->k, &a.x));
    else if (!(drawn & 1))
        TRY(map_operand(b, &x, r, g->k, r->rows, &a.x));
    if (!(drawn & 2))
        TRY(map_operand(b, &y, r, g->k, r->columns, &a.y));
    uint64_t down   = ((uint64_t)g->m + (uint64_t)r->rows - 1) / (uint64_t)r->rows;
    uint64_t across = ((uint64_t)g->n + (uint64_t)r->columns - 1) / (uint64_t)r->columns;
    uint64_t blocks = r->stream ? stream_blocks(b, p) : p->symmetric ? down * (down + 1) / 2 : down * across;
    if (r->layouts == RUNG_WHOLE && blocks > b->sms)
        blocks = b->sms;
    blas_entry(p, entry);
    if (along)
        strcat(entry, r->layouts == RUNG_DRAWN ? "_tb" : "_k");
    else if (r->layouts == RUNG_DRAWN)
        strcat(entry, (const char *[]){"_bb", "_db", "_bd", "_dd"}[drawn]);
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
