/* SPDX-License-Identifier: Apache-2.0
 *
 * mma.sync and wmma.mma: fragments in registers <-> matrices (PTX manual, "Matrix fragments for mma").
 *
 * lane = 4 * group + t; a 32-bit register holds p elements side by side along k (f64: a register, one element).
 *   A, m x k: register r: row group + 8 * (r odd, when m is 16), terms (r / 2) * 4p + t * p ...
 *   B, k x 8: register r: column group, terms r * 4p + t * p ...
 *   C, D, m x 8: row group + 8 * (upper half of the registers), columns 2t, 2t + 1
 * The oldest form, m8n8k4 of f16, is four products of eight lanes each: lanes 4q ... 4q + 3 and 16 more.
 * wmma fragments are made of the same pieces: rows in steps of 16 (32 rows: twice), columns in steps of 8 (matrix_wmma.c). */
#include <string.h>

#include "emu/ctl.h"
#include "emu/matrix.h"
#include "emu/matrix_fragment.h"
#include "emu/sync.h"

/* ---- elements in registers ---- */

/* Element e of the register's lane into place i of x. */
static void put_factor(MatrixFactor *x, Type t, unsigned i, uint64_t reg, unsigned e)
{
    switch (matrix_bits(t)) {
    case 64: x->u64[i] = reg; break;
    case 32: x->u32[i] = (uint32_t)reg; break;
    case 16: x->u16[i] = (uint16_t)(reg >> 16 * e); break;
    case 8: x->u8[i] = (uint8_t)(reg >> 8 * e); break;
    default: {
        uint8_t four = reg >> 4 * e & 15;
        x->u8[i]     = t == TY_S4 && four > 7 ? four | 0xf0 : four;
    }
    }
}

static uint64_t get_reg(const Warp *w, Slot s, unsigned lane, bool wide)
{
    return wide ? SLOT(w, uint64_t, s)[lane] : SLOT(w, uint32_t, s)[lane];
}

void fragment_factor(const Warp *w, const Slot *slot, unsigned regs, Type t, unsigned rows, unsigned k, unsigned row0,
                     MatrixFactor *x)
{
    bool     wide = t == TY_F64;
    Type     as   = t == TY_B1 ? TY_U8 : t; /* eight of them are a byte */
    unsigned per = wide ? 1 : 32 / matrix_bits(as), step = t == TY_B1 ? k / 8 : k;
    unsigned halves = rows == 16 ? 2 : 1;
    for (unsigned r = 0; r < regs; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t reg = get_reg(w, slot[r], lane, wide);
            unsigned row = row0 + lane / 4 + 8 * (r % halves), at = r / halves * 4 * per + lane % 4 * per;
            for (unsigned e = 0; e < per; e++)
                put_factor(x, as, row * step + at + e, reg, e);
        }
}

/* Calls for every element of a 16 x 8 (or 8 x 8) piece of C or D: where it lies, in which register, which part of it. */
#define FOR_ACC(regs, half)                                                                                            \
    for (unsigned r = 0; r < (regs); r++)                                                                              \
        for (unsigned lane = 0; lane < LANES; lane++)                                                                  \
            for (unsigned e = 0; e < ((half) ? 2u : 1u); e++)

static unsigned acc_place(unsigned r, unsigned lane, unsigned e, bool half, unsigned row0, unsigned col0, unsigned n)
{
    unsigned row = row0 + lane / 4 + 8 * (half ? r : r / 2), col = col0 + lane % 4 * 2 + (half ? e : r % 2);
    return row * n + col;
}

void fragment_acc_get(const Warp *w, const Slot *slot, unsigned regs, Type t, unsigned row0, unsigned col0, unsigned n,
                      MatrixAcc *x)
{
    FOR_ACC(regs, t == TY_F16)
    {
        unsigned at = acc_place(r, lane, e, t == TY_F16, row0, col0, n);
        if (t == TY_F64)
            x->u64[at] = SLOT(w, uint64_t, slot[r])[lane];
        else if (t == TY_F16)
            x->u16[at] = SLOT(w, uint16_t, slot[r])[2 * lane + e];
        else
            x->u32[at] = SLOT(w, uint32_t, slot[r])[lane];
    }
}

void fragment_acc_set(const Warp *w, const Slot *slot, unsigned regs, Type t, unsigned row0, unsigned col0, unsigned n,
                      const MatrixAcc *x)
{
    FOR_ACC(regs, t == TY_F16)
    {
        unsigned at = acc_place(r, lane, e, t == TY_F16, row0, col0, n);
        if (t == TY_F64)
            SLOT(w, uint64_t, slot[r])[lane] = x->u64[at];
        else if (t == TY_F16)
            SLOT(w, uint16_t, slot[r])[2 * lane + e] = x->u16[at];
        else
            SLOT(w, uint32_t, slot[r])[lane] = x->u32[at];
    }
}

/* ---- the oldest form ---- */

static unsigned quad_lane(unsigned quad, unsigned i)
{
    return quad * 4 + i % 4 + i / 4 * 16;
}

static uint16_t half_at(const Warp *w, const Slot *slot, unsigned lane, unsigned i)
{
    return SLOT(w, uint16_t, slot[i / 2])[2 * lane + i % 2];
}

/* Lane (of eight) and register element of an f32 accumulator. */
static void quad_f32(unsigned row, unsigned col, unsigned *lane, unsigned *i)
{
    *lane = (row & 1) | (col & 2) | (row & 4);
    *i    = (row & 2) | (col & 4) | (col & 1);
}

static void quad_multiply(Warp *w, const MmaInfo *m, unsigned quad)
{
    const MatrixForm *f = &m->form;
    MatrixFactor      a, b;
    MatrixAcc         c, d;
    for (unsigned x = 0; x < 8; x++)
        for (unsigned k = 0; k < 4; k++) { /* x: row of A, column of B */
            a.u16[x * 4 + k] = f->a_col ? half_at(w, m->a, quad_lane(quad, k + x / 4 * 4), x % 4)
                                        : half_at(w, m->a, quad_lane(quad, x), k);
            b.u16[x * 4 + k] = f->b_col ? half_at(w, m->b, quad_lane(quad, x), k)
                                        : half_at(w, m->b, quad_lane(quad, k + x / 4 * 4), x % 4);
        }
    for (unsigned row = 0; row < 8; row++)
        for (unsigned col = 0; col < 8; col++) {
            unsigned lane, i;
            quad_f32(row, col, &lane, &i);
            if (f->c == TY_F16)
                c.u16[row * 8 + col] = half_at(w, m->c, quad_lane(quad, row), col);
            else
                c.u32[row * 8 + col] = SLOT(w, uint32_t, m->c[i])[quad_lane(quad, lane)];
        }
    matrix_multiply(f, false, &a, &b, &c, &d);
    for (unsigned row = 0; row < 8; row++)
        for (unsigned col = 0; col < 8; col++) {
            unsigned lane, i;
            quad_f32(row, col, &lane, &i);
            if (f->d == TY_F16)
                SLOT(w, uint16_t, m->d[col / 2])[2 * quad_lane(quad, row) + col % 2] = d.u16[row * 8 + col];
            else
                SLOT(w, uint32_t, m->d[i])[quad_lane(quad, lane)] = d.u32[row * 8 + col];
        }
}

/* ---- handlers ---- */

static void mma_multiply(Warp *w, const MmaInfo *m)
{
    const MatrixForm *f = &m->form;
    MatrixFactor      a, b;
    MatrixAcc         c, d;
    fragment_factor(w, m->a, f->na, f->a, f->m, f->k, 0, &a);
    fragment_factor(w, m->b, f->nb, f->b, 8, f->k, 0, &b);
    fragment_acc_get(w, m->c, f->nc, f->c, 0, 0, f->n, &c);
    matrix_multiply(f, m->is_and, &a, &b, &c, &d);
    fragment_acc_set(w, m->d, f->nd, f->d, 0, 0, f->n, &d);
}

const Uop *ctl_mma(Warp *w, const Uop *u)
{
    const MmaInfo *m = u->ptr;
    if (!sync_whole_warp(w, u))
        return STOP;
    if (m->wmma)
        wmma_multiply(w, m);
    else if (m->form.m == 8 && m->form.a == TY_F16)
        for (unsigned quad = 0; quad < 4; quad++)
            quad_multiply(w, m, quad);
    else
        mma_multiply(w, m);
    return u + 1;
}
