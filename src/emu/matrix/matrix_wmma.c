/* SPDX-License-Identifier: Apache-2.0
 *
 * wmma: loads, stores and products of larger fragments.  The manual leaves a fragment's layout open; here a fragment is made of the
 * pieces of mma: 16 (or 8) rows of A, 8 columns of B, 16 (or 8) x 8 of C and D, piece after piece, rows before columns.
 * Half-precision A and B always have eight registers: those behind the pieces repeat them.
 *
 * Memory is read as the assembler does for cc 8.0 and later (seen in ptxas 13.0; 240 kernels, of each shape, type, layout and of global and shared memory):
 * each element once, as words along memory where it has instructions that turn halves afterwards, and as rows of 16 bytes in shared memory.  In
 * which registers they end is independent of it, so they pass through a copy of the fragment.  Base address and stride are lane 0's: the
 * manual wants them equal in all lanes. */
#include <string.h>

#include "emu/access/access.h"
#include "emu/core/ctl.h"
#include "emu/matrix/matrix_fragment.h"
#include "emu/sync/sync.h"

enum { MATRIX_MOST_WMMA = 32, WMMA_MOST_BYTES = 1024 }; /* terms; of a fragment */

static unsigned piece_rows(unsigned m)
{
    return m < 16 ? 8 : 16;
}

void wmma_multiply(Warp *w, const MmaInfo *mi)
{
    const MatrixForm *f    = &mi->form;
    unsigned          rows = piece_rows(f->m), down = f->m / rows, across = f->n / 8;
    unsigned          a_regs = rows * f->k * matrix_bits(f->a) / 1024, b_regs = 8 * f->k * matrix_bits(f->b) / 1024;
    unsigned          c_regs = f->nc / (down * across), d_regs = f->nd / (down * across);
    MatrixTile        a;
    MatrixColumn      c[2][MATRIX_COLUMNS] = {{{0}}};
    float             b[MATRIX_COLUMNS * MATRIX_MOST_WMMA];
    memset(a.absent, 0, sizeof a.absent);
    for (unsigned j = 0; j < across; j++)
        fragment_b(w, f, mi->b + j * b_regs, b_regs, b + (size_t)j * 8 * mi->rule.terms);
    for (unsigned p = 0; p < down * across; p++)
        fragment_c(w->r, mi->c + p * c_regs, c_regs, f->c, c[p % down] + p / down * 8);
    for (unsigned i = 0; i < down; i++) {
        fragment_a(w, f, w->r, mi->a + i * a_regs, a_regs, rows / 8, &a);
        matrix_ops(w)->multiply(&mi->rule, &a, b, f->n, c[i]);
    }
    for (unsigned p = 0; p < down * across; p++)
        fragment_d(w->r, mi->d + p * d_regs, d_regs, f->d, c[p % down] + p / down * 8);
}

/* ---- memory ---- */

/* Row and column, in its matrix, of the element at bit `bit` of register r of a lane. */
static void element_place(const WmmaInfo *m, unsigned r, unsigned lane, unsigned bit, unsigned *row, unsigned *col)
{
    unsigned bits = matrix_bits(m->type), per = bits >= 32 ? 1 : 32 / bits, e = bit / bits;
    unsigned rows = m->which == 'b' ? 8 : piece_rows(m->m), halves = rows / 8, regs;
    if (m->which == 'a' || m->which == 'b') {
        unsigned wide = bits == 64 ? 64 : 32;
        regs          = rows * m->k * bits / 32 / wide;
        r %= regs * (m->which == 'a' ? m->m / rows : m->n / 8);
        unsigned major = r / regs * rows + lane / 4 + r % regs % halves * 8,
                 k     = r % regs / halves * 4 * per + lane % 4 * per + e;
        *row           = m->which == 'a' ? major : k;
        *col           = m->which == 'a' ? k : major;
        return;
    }
    regs           = halves * (per == 2 ? 1 : 2);
    unsigned piece = r / regs, down = m->m / rows;
    r %= regs;
    *row = piece % down * rows + lane / 4 + 8 * (per == 2 ? r : r / 2);
    *col = piece / down * 8 + lane % 4 * 2 + (per == 2 ? e : r % 2);
}

/* The place in the copy of the fragment, in bits. */
static unsigned copy_bit(const WmmaInfo *m, unsigned row, unsigned col)
{
    return ((m->col ? col : row) * m->fast + (m->col ? row : col)) * matrix_bits(m->type);
}

/* Where a lane's part of an access begins. */
static void access_place(const WmmaInfo *m, unsigned access, unsigned lane, unsigned *slow, unsigned *fast)
{
    unsigned of = 8u * m->mem.bytes / matrix_bits(m->type), down = m->slow / 8, across = m->fast / 8;
    unsigned matrix = access * (m->lanes / 8) + lane / 8; /* of WMMA_ROWS */
    if (m->way == WMMA_ACROSS) {
        *slow = (access / m->run / across * 4 + lane % 4) * m->run + access % m->run;
        *fast = access / m->run % across * 8 + lane / 4;
    } else {
        *slow = (m->way == WMMA_ROWS ? matrix : access) % down * 8 + (m->way == WMMA_ROWS ? lane % 8 : lane / 4);
        *fast = (m->way == WMMA_ROWS ? matrix / down : access / down * 4 + lane % 4) * of;
    }
}

void wmma_places(Arena *a, WmmaInfo *m)
{
    unsigned  bytes = m->type == TY_F64 ? 8 : 4, units = bytes / m->unit, bits = matrix_bits(m->type);
    uint16_t *place = ARENA_ARRAY(a, uint16_t, (size_t)m->regs * units * LANES), *p = place;
    WmmaSpot *spot = ARENA_ARRAY(a, WmmaSpot, (size_t)m->accesses * LANES);
    for (unsigned i = 0; i < m->regs * units; i++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned row, col;
            element_place(m, i / units, lane, 8 * m->unit * (i % units), &row, &col);
            *p++ = (uint16_t)(copy_bit(m, row, col) / 8);
        }
    for (unsigned i = 0; i < m->accesses * LANES; i++) {
        unsigned slow, fast;
        access_place(m, i / LANES, i % LANES, &slow, &fast);
        spot[i] = (WmmaSpot){(uint16_t)slow, (uint16_t)fast, (uint16_t)((slow * m->fast + fast) * bits / 8)};
    }
    m->place = place;
    m->spot  = spot;
}

/* Registers <-> copy.  bytes: of a lane's register; it is inlined once for each pair of sizes. */
static inline __attribute__((always_inline)) void move_units(const Warp *w, const WmmaInfo *m, uint8_t *copy,
                                                             unsigned bytes, unsigned unit)
{
    const uint16_t *place = m->place;
    for (unsigned r = 0; r < m->regs; r++)
        for (unsigned at = 0; at < bytes; at += unit, place += LANES) {
            uint8_t *reg = w->r + m->mem.v[r] + at;
            for (unsigned lane = 0; m->store && lane < LANES; lane++)
                memcpy(copy + place[lane], reg + (size_t)bytes * lane, unit);
            for (unsigned lane = 0; !m->store && lane < LANES; lane++)
                memcpy(reg + (size_t)bytes * lane, copy + place[lane], unit);
        }
}

static void move_registers(const Warp *w, const WmmaInfo *m, uint8_t *copy)
{
    switch (m->unit) {
    case 8: move_units(w, m, copy, 8, 8); return;
    case 4: move_units(w, m, copy, 4, 4); return;
    case 2: move_units(w, m, copy, 4, 2); return;
    default: move_units(w, m, copy, 4, 1); return;
    }
}

static inline __attribute__((always_inline)) void copy_lanes(const WmmaInfo *m, uint8_t *const *p, uint8_t *copy,
                                                             const WmmaSpot *spot, unsigned bytes)
{
    for (unsigned lane = 0; m->store && lane < m->lanes; lane++)
        memcpy(p[lane], copy + spot[lane].copy, bytes);
    for (unsigned lane = 0; !m->store && lane < m->lanes; lane++)
        memcpy(copy + spot[lane].copy, p[lane], bytes);
}

/* Memory <-> copy, one access; false: stopped. */
static bool move_access(Warp *w, const Uop *u, const WmmaInfo *m, uint64_t base, uint64_t stride, unsigned access,
                        uint8_t *copy)
{
    uint8_t        *p[LANES];
    Uop             at   = *u;
    uint64_t       *t    = SLOT(w, uint64_t, u->e);
    unsigned        bits = matrix_bits(m->type);
    const WmmaSpot *spot = m->spot + (size_t)access * LANES;
    at.a                 = u->e;
    for (unsigned lane = 0; lane < m->lanes; lane++)
        t[lane] = base + (spot[lane].slow * stride + spot[lane].fast) * bits / 8;
    uint32_t all = w->mask;
    w->mask      = all & UINT32_MAX >> (LANES - m->lanes);
    bool there   = access_resolve(w, &at, &m->mem, m->mem.observed, p);
    w->mask      = all;
    if (!there)
        return false;
    switch (m->mem.bytes) {
    case 16: copy_lanes(m, p, copy, spot, 16); return true;
    case 8: copy_lanes(m, p, copy, spot, 8); return true;
    case 4: copy_lanes(m, p, copy, spot, 4); return true;
    case 2: copy_lanes(m, p, copy, spot, 2); return true;
    default: copy_lanes(m, p, copy, spot, 1); return true;
    }
}

static void tell(Warp *w, const Uop *u, const WmmaInfo *m)
{
    uint64_t at[LANES], bits[LANES];
    unsigned each = matrix_bits(m->type);
    for (unsigned lane = 0; lane < LANES; lane++) {
        at[lane] =
            (m->addr64 ? SLOT(w, uint64_t, u->a)[lane] : SLOT(w, uint32_t, u->a)[lane]) + (uint64_t)m->base_offset;
        bits[lane] = (uint64_t)SLOT(w, uint32_t, u->b)[lane] * each;
    }
    sync_notify(w, u,
                (SyncEvent){.kind   = SYNC_WMMA,
                            .mask   = UINT32_MAX,
                            .addr   = at,
                            .values = bits,
                            .count  = m->regs * (m->type == TY_F64 ? 8 : 4)});
}

const Uop *ctl_wmma_move(Warp *w, const Uop *u)
{
    const WmmaInfo *m = u->ptr;
    uint8_t         copy[WMMA_MOST_BYTES];
    if (!sync_whole_warp(w, u))
        return STOP;
    if (w->block->launch->watches_sync)
        tell(w, u, m);
    uint64_t base   = m->addr64 ? SLOT(w, uint64_t, u->a)[0] : SLOT(w, uint32_t, u->a)[0],
             stride = SLOT(w, uint32_t, u->b)[0];
    base += (uint64_t)m->base_offset;
    if (m->store)
        move_registers(w, m, copy);
    for (unsigned i = 0; i < m->accesses; i++)
        if (!move_access(w, u, m, base, stride, i, copy))
            return STOP;
    if (!m->store)
        move_registers(w, m, copy);
    return u + 1;
}
