/* SPDX-License-Identifier: Apache-2.0
 *
 * The product of one warp of a wgmma.mma_async: 16 rows of A from registers or shared memory, B from shared memory, D in registers.
 *
 * Descriptor (PTX manual, "Matrix-descriptor format"; addresses in units of 16 bytes):
 *   63 62 | 51 49       | 45 32         | 29 16          | 13 0
 *   swizzle | base offset | stride offset | leading offset | start address
 * A matrix is made of chunks of 16 bytes.  With k side by side, chunk c of row r (of A; column of B), and, transposed, chunk g of
 * eight rows of term k, are at
 *
 *                 k side by side                                       rows side by side
 *   no swizzle    r / 8 * stride + r % 8 * 16 + c * leading            g * stride + k / 8 * leading + k % 8 * 16
 *   s bytes       r / 8 * stride + r % 8 * s + c * 16                  g / (s / 16) * leading + g % (s / 16) * 16 + k / 8 * stride + k % 8 * s
 *
 * behind the start; then bits 4, 5, 6 (64 bytes: 4, 5; 32: 4) are exclusive-ored with (address / 128 - base offset) mod 8, as the card
 * does for any start.  Shared memory is seen through the async proxy (bulk.c). */
#include <string.h>

#include "emu/async/proxy.h"
#include "emu/matrix/matrix_fragment.h"
#include "emu/matrix/wgmma.h"

enum { CHUNK = 16, MOST_ROW = 64, MOST_N = 256 };

typedef struct Layout {
    uint32_t start, leading, stride, swizzle; /* swizzle: bytes of a row, 0 = none */
    uint32_t base;
} Layout;

static Layout layout_of(uint64_t desc)
{
    static const uint32_t row[] = {0, 128, 64, 32};
    return (Layout){.start   = (uint32_t)(desc & 0x3fff) << 4,
                    .leading = (uint32_t)(desc >> 16 & 0x3fff) << 4,
                    .stride  = (uint32_t)(desc >> 32 & 0x3fff) << 4,
                    .base    = (uint32_t)(desc >> 49 & 7),
                    .swizzle = row[desc >> 62]};
}

static uint32_t swizzled(const Layout *l, uint32_t address)
{
    uint32_t rows = l->swizzle ? (l->swizzle / CHUNK - 1) << 4 : 0;
    return address ^ (((address >> 7) - l->base) << 4 & rows);
}

/* Chunk c of row r. */
static uint32_t along_k(const Layout *l, uint32_t r, uint32_t c)
{
    uint32_t pitch = l->swizzle ? l->swizzle : CHUNK, next = l->swizzle ? CHUNK : l->leading;
    return l->start + r / 8 * l->stride + r % 8 * pitch + c * next;
}

/* Chunk g of term k. */
static uint32_t along_rows(const Layout *l, uint32_t g, uint32_t k)
{
    uint32_t per = l->swizzle / CHUNK;
    if (per == 0)
        return l->start + g * l->stride + k / 8 * l->leading + k % 8 * CHUNK;
    return l->start + g / per * l->leading + g % per * CHUNK + k / 8 * l->stride + k % 8 * l->swizzle;
}

static uint32_t row_bytes(const WgmmaInfo *m, bool is_a)
{
    return m->form.k * matrix_bits(is_a ? m->form.a : m->form.b) / 8 / (is_a && m->form.sparse ? 2 : 1);
}

uint32_t wgmma_extent(const WgmmaInfo *m, bool is_a, uint64_t desc)
{
    Layout   l    = layout_of(desc);
    uint32_t rows = is_a ? m->form.m : m->form.n, bytes = row_bytes(m, is_a), end = 0;
    bool     trans = is_a ? m->trans_a : m->trans_b;
    for (uint32_t r = 0; r < rows; r += 8)
        for (uint32_t c = 0; c < (trans ? bytes / 2 : bytes / CHUNK); c++) {
            uint32_t at = trans ? along_rows(&l, r / 8, c) : along_k(&l, r + 7, c);
            at          = l.swizzle ? at | (l.swizzle - 1) : at + CHUNK - 1;
            end         = at >= end ? at + 1 : end;
        }
    return end;
}

unsigned wgmma_swizzle(uint64_t desc)
{
    static const unsigned order[] = {0, 3, 2, 1};
    return order[desc >> 62];
}

size_t wgmma_runs(const WgmmaInfo *m, bool is_a, uint64_t desc, uint32_t row, uint32_t rows, AsyncRun *run)
{
    Layout   l     = layout_of(desc);
    uint32_t bytes = row_bytes(m, is_a);
    bool     trans = is_a ? m->trans_a : m->trans_b;
    size_t   n     = 0;
    for (uint32_t r = row; r < row + rows; r += trans ? 8 : 1)
        for (uint32_t c = 0; c < (trans ? bytes / 2 : bytes / CHUNK); c++)
            run[n++] = (AsyncRun){swizzled(&l, trans ? along_rows(&l, r / 8, c) : along_k(&l, r, c)), CHUNK};
    return n;
}

/* Rows first ... first + n - 1, each row's elements side by side. */
static void gather(Warp *w, const Layout *l, bool trans, uint32_t first, uint32_t n, uint32_t bytes, uint8_t *to)
{
    const uint8_t *shared = proxy_view(w->block);
    if (!trans) {
        for (uint32_t r = 0; r < n; r++)
            for (uint32_t c = 0; c < bytes / CHUNK; c++)
                memcpy(to + r * bytes + c * CHUNK, shared + swizzled(l, along_k(l, first + r, c)), CHUNK);
        return;
    }
    uint16_t *out = (uint16_t *)(void *)to;
    for (uint32_t k = 0; k < bytes / 2; k++)
        for (uint32_t g = 0; g < n / 8; g++) {
            const uint16_t *in =
                (const uint16_t *)(const void *)(shared + swizzled(l, along_rows(l, first / 8 + g, k)));
            for (uint32_t i = 0; i < 8; i++)
                out[(g * 8 + i) * (bytes / 2) + k] = in[i];
        }
}

static void load_a(Warp *w, const WgmmaOp *op, MatrixTile *a)
{
    const WgmmaInfo  *m = op->info;
    const MatrixForm *f = &m->form;
    uint8_t           raw[MATRIX_ROWS * MOST_ROW] __attribute__((aligned(64)));
    float             cell[MATRIX_ROWS * MOST_ROW];
    Layout            l     = layout_of(op->desc_a);
    unsigned          terms = m->rule.terms / (f->sparse ? 2 : 1);
    if (m->a_in_regs) {
        fragment_a(w, f, op->regs, m->a, 4, 2, a);
    } else {
        gather(w, &l, m->trans_a, w->index % 4 * MATRIX_ROWS, MATRIX_ROWS, row_bytes(m, true), raw);
        matrix_ops(w)->decode(f->a, raw, MATRIX_ROWS * terms, cell);
        for (unsigned k = 0; k < terms; k++)
            for (unsigned row = 0; row < MATRIX_ROWS; row++)
                a->a[k][row] = cell[row * terms + k];
    }
    for (unsigned k = 0; m->negate && k < terms; k++)
        for (unsigned row = 0; row < MATRIX_ROWS; row++)
            a->a[k][row] = -a->a[k][row];
}

static void load_b(Warp *w, const WgmmaOp *op, float *b)
{
    const WgmmaInfo *m = op->info;
    uint8_t          raw[MOST_N * MOST_ROW] __attribute__((aligned(64)));
    Layout           l = layout_of(op->desc_b);
    gather(w, &l, m->trans_b, 0, m->form.n, row_bytes(m, false), raw);
    matrix_ops(w)->decode(m->form.b, raw, m->form.n * m->rule.terms, b);
}

bool wgmma_product(Warp *w, const WgmmaOp *op, unsigned *lane)
{
    const WgmmaInfo  *m = op->info;
    const MatrixForm *f = &m->form;
    MatrixTile        a;
    MatrixColumn      c[MOST_N];
    float             b[MOST_N * MOST_ROW] __attribute__((aligned(64)));
    unsigned          regs = f->d == TY_F16 ? 2 : 4;
    load_a(w, op, &a);
    memset(a.absent, 0, sizeof a.absent);
    if (f->sparse && !sparse_spread(f, (const uint32_t *)(const void *)(op->regs + m->metadata), m->selector, &a, lane))
        return false;
    load_b(w, op, b);
    if (!op->scale_d)
        memset(c, 0, f->n * sizeof c[0]);
    for (unsigned j = 0; op->scale_d && j < f->n / 8; j++)
        fragment_c(op->regs, m->d + j * regs, regs, f->d, c + 8 * j);
    matrix_ops(w)->multiply(&m->rule, &a, b, f->n, c);
    for (unsigned j = 0; j < f->n / 8; j++)
        fragment_d(op->regs, m->d + j * regs, regs, f->d, c + 8 * j);
    return true;
}
