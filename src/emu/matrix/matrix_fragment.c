/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments in registers <-> tiles (PTX manual, "Matrix fragments for mma").
 *
 * lane = 4 * group + t; a 32-bit register holds p elements side by side along k:
 *   A, m x k: register r: row group + 8 * (r odd, when m is 16), terms (r / 2) * 4p + t * p ...
 *   B, k x 8: register r: column group, terms r * 4p + t * p ...
 *   C, D, m x 8: row group + 8 * (upper half of the registers), columns 2t, 2t + 1
 * A sparse A has half of its terms in registers.  Of b1, 32 elements are one cell.
 * wmma fragments are made of the same pieces: rows in steps of 16 (32 rows: twice), columns in steps of 8 (matrix_wmma.c). */
#include "emu/matrix/matrix_fragment.h"

#include <string.h>

#include "base/bits.h"
#include "base/half.h"

enum { MOST_PER = 8 }; /* elements of a register */

static unsigned per_register(Type t)
{
    return t == TY_B1 ? 1 : 32 / matrix_bits(t);
}

void fragment_a(const Warp *w, const MatrixForm *f, const uint8_t *r, const Slot *slot, unsigned regs, unsigned halves,
                MatrixTile *to)
{
    unsigned per      = per_register(f->a);
    bool     in_order = f->sparse || matrix_in_order(f); /* a sparse A is spread later */
    float    cell[LANES * MOST_PER];
    for (unsigned i = 0; i < regs; i++) {
        unsigned row = 8 * (i % halves), k = i / halves * 4 * per;
        matrix_ops(w)->decode(f->a, r + slot[i], LANES * per, cell);
        for (unsigned e = 0; e < 4 * per; e++) {
            float *at = to->a[in_order ? k + e : matrix_place(f, k + e)] + row;
            for (unsigned group = 0; group < 8; group++)
                at[group] = cell[group * 4 * per + e];
        }
    }
    if (halves == 1)
        for (unsigned k = 0; k < regs * 4 * per; k++)
            memset(to->a[k] + 8, 0, 8 * sizeof(float));
}

void fragment_b(const Warp *w, const MatrixForm *f, const Slot *slot, unsigned regs, float *to)
{
    unsigned per = per_register(f->b), terms = regs * 4 * per;
    bool     in_order = matrix_in_order(f);
    float    cell[LANES * MOST_PER];
    for (unsigned i = 0; i < regs; i++) {
        matrix_ops(w)->decode(f->b, w->r + slot[i], LANES * per, cell);
        for (unsigned e = 0; e < 4 * per; e++) {
            unsigned k  = i * 4 * per + e;
            float   *at = to + (in_order ? k : matrix_place(f, k));
            for (unsigned group = 0; group < 8; group++)
                at[group * terms] = cell[group * 4 * per + e];
        }
    }
}

static uint32_t half_cell(uint16_t h)
{
    return f32_bits((float)half_to_double(h));
}

/* lane = 4 * group + t of register i: row group + 8 * (i / 2), column 2t + i % 2; two halves: row group + 8 * i, columns 2t, 2t + 1 */
void fragment_c(const uint8_t *r, const Slot *slot, unsigned regs, Type t, MatrixColumn *to)
{
    for (unsigned i = 0; i < regs; i++) {
        const uint32_t *p   = (const uint32_t *)(const void *)(r + slot[i]);
        unsigned        row = t == TY_F16 ? 8 * i : 8 * (i / 2);
        for (unsigned c = 0; c < 4; c++) {
            uint32_t *x = to[2 * c] + row, *y = to[2 * c + 1] + row, *z = i % 2 ? y : x;
            for (unsigned group = 0; t == TY_F16 && group < 8; group++) {
                x[group] = half_cell((uint16_t)p[4 * group + c]);
                y[group] = half_cell((uint16_t)(p[4 * group + c] >> 16));
            }
            for (unsigned group = 0; t != TY_F16 && group < 8; group++)
                z[group] = p[4 * group + c];
        }
    }
}

void fragment_d(uint8_t *r, const Slot *slot, unsigned regs, Type t, const MatrixColumn *from)
{
    for (unsigned i = 0; i < regs; i++) {
        uint32_t *p   = (uint32_t *)(void *)(r + slot[i]);
        unsigned  row = t == TY_F16 ? 8 * i : 8 * (i / 2);
        for (unsigned c = 0; c < 4; c++) {
            const uint32_t *x = from[2 * c] + row, *y = from[2 * c + 1] + row, *z = i % 2 ? y : x;
            for (unsigned group = 0; t == TY_F16 && group < 8; group++)
                p[4 * group + c] = x[group] | y[group] << 16;
            for (unsigned group = 0; t != TY_F16 && group < 8; group++)
                p[4 * group + c] = z[group];
        }
    }
}
