/* SPDX-License-Identifier: Apache-2.0
 *
 * mma.sync, and which way each shape's product is made.  A sparse A has half of its terms in registers, and a word of metadata. */
#include <string.h>

#include "emu/core/ctl.h"
#include "emu/matrix/matrix_fragment.h"
#include "emu/sync/sync.h"

/* false: stopped. */
static bool mma_multiply(Warp *w, const Uop *u, const MmaInfo *m)
{
    const MatrixForm *f = &m->form;
    MatrixTile        a;
    MatrixColumn      c[8] = {{0}};
    float             b[8 * MATRIX_TERMS];
    unsigned          lane;
    fragment_a(w, f, w->r, m->a, f->na, f->m / 8, &a);
    if (f->sparse && !sparse_spread(f, SLOT(w, uint32_t, m->metadata), m->selector, &a, &lane)) {
        sparse_fault(w, u, lane);
        return false;
    }
    fragment_b(w, f, m->b, f->nb, b);
    fragment_c(w->r, m->c, f->nc, f->c, c);
    if (!f->sparse)
        memset(a.absent, 0, sizeof a.absent);
    matrix_ops(w)->multiply(&m->rule, &a, b, 8, c);
    fragment_d(w->r, m->d, f->nd, f->d, c);
    return true;
}

const Uop *ctl_mma(Warp *w, const Uop *u)
{
    const MmaInfo *m = u->ptr;
    if (!sync_whole_warp(w, u))
        return STOP;
    if (m->rule.sum == MATRIX_F64)
        chain_multiply_f64(w, m);
    else if (m->rule.sum == MATRIX_QUADS)
        chain_multiply_quads(w, m);
    else if (m->form.unit == MATRIX_WMMA)
        wmma_multiply(w, m);
    else if (!mma_multiply(w, u, m))
        return STOP;
    return u + 1;
}
