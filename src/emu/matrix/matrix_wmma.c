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

/* Registers <-> copy. */
static void move_registers(const Warp *w, const WmmaInfo *m, uint8_t *copy)
{
    unsigned bytes = m->type == TY_F64 ? 8 : 4;
    for (unsigned r = 0; r < m->regs; r++)
        for (unsigned at = 0; at < bytes; at += m->unit)
            for (unsigned lane = 0; lane < LANES; lane++) {
                unsigned row, col;
                element_place(m, r, lane, 8 * at, &row, &col);
                uint8_t *reg = w->r + m->mem.v[r] + (size_t)bytes * lane + at, *c = copy + copy_bit(m, row, col) / 8;
                memcpy(m->store ? c : reg, m->store ? reg : c, m->unit);
            }
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

/* Memory <-> copy, one access; false: stopped. */
static bool move_access(Warp *w, const Uop *u, const WmmaInfo *m, uint64_t base, uint64_t stride, unsigned access,
                        uint8_t *copy)
{
    uint8_t  *p[LANES], *c[LANES];
    Uop       at   = *u;
    uint64_t *t    = SLOT(w, uint64_t, u->e);
    unsigned  bits = matrix_bits(m->type);
    at.a           = u->e;
    for (unsigned lane = 0; lane < m->lanes; lane++) {
        unsigned slow, fast;
        access_place(m, access, lane, &slow, &fast);
        t[lane] = base + (slow * stride + fast) * bits / 8;
        c[lane] = copy + (slow * m->fast + fast) * bits / 8;
    }
    uint32_t all = w->mask;
    w->mask      = all & UINT32_MAX >> (LANES - m->lanes);
    bool there   = access_resolve(w, &at, &m->mem, m->mem.observed, p);
    w->mask      = all;
    for (unsigned lane = 0; there && lane < m->lanes; lane++)
        memcpy(m->store ? p[lane] : c[lane], m->store ? c[lane] : p[lane], m->mem.bytes);
    return there;
}

static void tell(Warp *w, const Uop *u, const WmmaInfo *m)
{
    uint64_t at[LANES], bits[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        at[lane] =
            (m->addr64 ? SLOT(w, uint64_t, u->a)[lane] : SLOT(w, uint32_t, u->a)[lane]) + (uint64_t)m->base_offset;
        bits[lane] = (uint64_t)SLOT(w, uint32_t, u->b)[lane] * matrix_bits(m->type);
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
