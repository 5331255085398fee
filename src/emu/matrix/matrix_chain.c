/* SPDX-License-Identifier: Apache-2.0
 *
 * Products that are chains of fused multiply-adds, element by element:
 *   f64          the accumulator first, k ascending.  Fragments as mma's (matrix_mma.c), an element a register
 *   m8n8k4, f16  in f32 from zero, k ascending; then the accumulator is added in f32, and the sum rounded to the result's type.
 *                Four products of eight lanes each: lanes 4q ... 4q + 3 and 16 more */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "emu/matrix/matrix_fragment.h"

enum { CHAIN_ROWS = 16, CHAIN_TERMS = 16, CHAIN_COLUMNS = 8 };

/* ---- f64 ---- */

/* Of several NaN the factor of B comes first, then the accumulator, then the factor of A; it is handed on, quiet. */
static double fma_f64(double a, double b, double c)
{
    double first = isnan(b) ? b : isnan(c) ? c : a, r = fma(a, b, c);
    if (!isnan(r))
        return r;
    return f64_of(isnan(first) ? f64_bits(first) | UINT64_C(1) << 51 : UINT64_C(0xfff8000000000000));
}

/* Row (of A; column of B) and term of register r of a lane; halves: registers alternate between eight rows and the next eight. */
static unsigned at(unsigned r, unsigned lane, unsigned halves, unsigned k)
{
    return (lane / 4 + 8 * (r % halves)) * k + r / halves * 4 + lane % 4;
}

void chain_multiply_f64(Warp *w, const MmaInfo *m)
{
    const MatrixForm *f = &m->form;
    double            a[CHAIN_ROWS * CHAIN_TERMS], b[CHAIN_COLUMNS * CHAIN_TERMS], acc[4][LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned r = 0; r < f->na; r++)
            a[at(r, lane, f->m / 8, f->k)] = SLOT(w, double, m->a[r])[lane];
        for (unsigned r = 0; r < f->nb; r++)
            b[at(r, lane, 1, f->k)] = SLOT(w, double, m->b[r])[lane];
    }
    for (unsigned r = 0; r < f->nd; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned row = lane / 4 + 8 * (r / 2), col = lane % 4 * 2 + r % 2;
            acc[r][lane] = SLOT(w, double, m->c[r])[lane];
            for (unsigned k = 0; k < f->k; k++)
                acc[r][lane] = fma_f64(a[row * f->k + k], b[col * f->k + k], acc[r][lane]);
        }
    for (unsigned r = 0; r < f->nd; r++)
        memcpy(w->r + m->d[r], acc[r], sizeof acc[r]);
}

/* ---- m8n8k4 of f16 ---- */

static float widen(uint32_t bits, bool half)
{
    return half ? (float)half_to_double((uint16_t)bits) : f32_of(bits);
}

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

typedef struct Quad {
    uint16_t a[8][4], b[8][4]; /* rows of A, columns of B */
    uint32_t c[8][8];
} Quad;

static void quad_get(const Warp *w, const MmaInfo *m, unsigned quad, Quad *q)
{
    const MatrixForm *f = &m->form;
    for (unsigned x = 0; x < 8; x++)
        for (unsigned k = 0; k < 4; k++) {
            q->a[x][k] = f->a_col ? half_at(w, m->a, quad_lane(quad, k + x / 4 * 4), x % 4)
                                  : half_at(w, m->a, quad_lane(quad, x), k);
            q->b[x][k] = f->b_col ? half_at(w, m->b, quad_lane(quad, x), k)
                                  : half_at(w, m->b, quad_lane(quad, k + x / 4 * 4), x % 4);
        }
    for (unsigned row = 0; row < 8; row++)
        for (unsigned col = 0; col < 8; col++) {
            unsigned lane, i;
            quad_f32(row, col, &lane, &i);
            q->c[row][col] = f->c == TY_F16 ? half_at(w, m->c, quad_lane(quad, row), col)
                                            : SLOT(w, uint32_t, m->c[i])[quad_lane(quad, lane)];
        }
}

static float quad_element(const MatrixForm *f, const Quad *q, unsigned row, unsigned col)
{
    float sum = 0;
    for (unsigned k = 0; k < 4; k++)
        sum = fmaf(widen(q->a[row][k], true), widen(q->b[col][k], true), sum);
    return sum + widen(q->c[row][col], f->c == TY_F16);
}

static void quad_multiply(Warp *w, const MmaInfo *m, unsigned quad)
{
    Quad q;
    quad_get(w, m, quad, &q);
    for (unsigned row = 0; row < 8; row++)
        for (unsigned col = 0; col < 8; col++) {
            unsigned lane, i;
            float    sum = quad_element(&m->form, &q, row, col);
            quad_f32(row, col, &lane, &i);
            if (m->form.d == TY_F16)
                SLOT(w, uint16_t, m->d[col / 2])[2 * quad_lane(quad, row) + col % 2] = half_from_double((double)sum);
            else
                SLOT(w, uint32_t, m->d[i])[quad_lane(quad, lane)] = isnan(sum) ? 0x7fffffff : f32_bits(sum);
        }
}

void chain_multiply_quads(Warp *w, const MmaInfo *m)
{
    for (unsigned quad = 0; quad < 4; quad++)
        quad_multiply(w, m, quad);
}
