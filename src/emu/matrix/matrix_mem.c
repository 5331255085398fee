/* SPDX-License-Identifier: Apache-2.0
 *
 * ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16-bit elements between shared memory and registers.
 *
 * Lane 8i + r gives the address of row r of matrix i (16 bytes, aligned).  Of each matrix lane l holds, in one register, elements
 * 2 (l % 4) and the next of row l / 4; transposed: of column l / 4.  All 32 lanes take part.
 * Generic addresses must point into shared memory; others are faults, as they are out of its bounds. */
#include <string.h>

#include "emu/access/access.h"
#include "emu/core/ctl.h"
#include "emu/matrix/matrix.h"
#include "emu/sync/sync.h"

static uint16_t *element(uint8_t *const *row, unsigned r, unsigned c)
{
    return (uint16_t *)(void *)(row[r] + 2 * c);
}

/* Row and column of half h of lane's register. */
static void place(unsigned lane, unsigned h, bool transposed, unsigned *r, unsigned *c)
{
    unsigned major = lane / 4, minor = lane % 4 * 2 + h;
    *r = transposed ? minor : major;
    *c = transposed ? major : minor;
}

/* Host addresses of the rows of u->x matrices; false: stopped. */
static bool rows_of(Warp *w, const Uop *u, uint8_t *row[LANES])
{
    const MemInfo *m = u->ptr;
    if (!sync_whole_warp(w, u))
        return false;
    w->mask = u->x == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * u->x) - 1;
    bool ok = access_resolve(w, u, m, m->observed, row);
    w->mask = UINT32_MAX;
    return ok;
}

const Uop *ctl_ldmatrix(Warp *w, const Uop *u)
{
    const MemInfo *m = u->ptr;
    uint8_t       *row[LANES];
    uint32_t       value[4][LANES];
    if (!rows_of(w, u, row))
        return STOP;
    for (unsigned i = 0; i < u->x; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned r, c, r1, c1;
            place(lane, 0, u->y, &r, &c);
            place(lane, 1, u->y, &r1, &c1);
            value[i][lane] = *element(row + 8 * i, r, c) | (uint32_t)*element(row + 8 * i, r1, c1) << 16;
        }
    for (unsigned i = 0; i < u->x; i++)
        memcpy(w->r + m->v[i], value[i], sizeof value[i]);
    return u + 1;
}

const Uop *ctl_stmatrix(Warp *w, const Uop *u)
{
    const MemInfo *m = u->ptr;
    uint8_t       *row[LANES];
    if (!rows_of(w, u, row))
        return STOP;
    for (unsigned i = 0; i < u->x; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned h = 0; h < 2; h++) {
                unsigned r, c;
                place(lane, h, u->y, &r, &c);
                *element(row + 8 * i, r, c) = SLOT(w, uint16_t, m->v[i])[2 * lane + h];
            }
    return u + 1;
}

const Uop *ctl_movmatrix(Warp *w, const Uop *u)
{
    uint16_t        out[2 * LANES];
    const uint16_t *a = SLOT(w, uint16_t, u->a);
    if (!sync_whole_warp(w, u))
        return STOP;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned h = 0; h < 2; h++) {
            unsigned r, c;
            place(lane, h, true, &r, &c);
            out[2 * lane + h] = a[8 * r + c];
        }
    memcpy(w->r + u->d, out, sizeof out);
    return u + 1;
}
