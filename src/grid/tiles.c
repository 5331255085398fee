/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiles of one device: which, their products, and the copies around them.
 *
 * Three streams: one brings panels and, with beta, the old tile; one multiplies; one takes the tile back.  What is written twice is kept in two slots,
 * and a mark says when a slot is free: so the next panel arrives while this one is multiplied, and a tile leaves while the next is computed.  Where all
 * of k is one panel, that of X stays for the tiles of the same rows.
 * Tiles are shared out in order, as many in a row as there are for a device: neighbours share rows.  Of A * A^T the tiles on the diagonal are ww_syrk's,
 * and each other one is computed once and copied to both places. */
#include "grid/grid_own.h"

#include <math.h>

typedef struct Turn {     /* what the slots hold */
    size_t tiles, xs, ys; /* counted, so that slots change by turns */
    bool   x_here;
    size_t x_first; /* the rows whose panel is in x[xs] */
} Turn;

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static Status mark(GridMember *m, const WwStream *s, void **at)
{
    return m->device->ops->mark ? m->device->ops->mark(m->device, s, at) : WW_OK;
}

static Status follow(GridMember *m, const WwStream *s, void *at)
{
    return at ? m->device->ops->follow(m->device, s, at) : WW_OK;
}

/* The part of an operand that `count` rows or columns of C from `first` on take of k, kc from k0 on. */
static Status bring(GridMember *m, const GridProblem *p, const GridMatrix *x, WwPtr to, size_t first, size_t count,
                    size_t k0, size_t kc)
{
    size_t      lines = x->trans ? kc : count, length = x->trans ? count : kc;
    const char *from = x->at + ((x->trans ? k0 : first) * x->ld + (x->trans ? first : k0)) * p->operand;
    m->share.in_bytes += lines * length * p->operand;
    return device_copy_rows(m->device, m->in,
                            &(DeviceRows){.in         = true,
                                          .host       = (void *)(uintptr_t)from,
                                          .host_pitch = x->ld * p->operand,
                                          .at         = to,
                                          .pitch      = grid_pitch(length) * p->operand,
                                          .bytes      = length * p->operand,
                                          .rows       = lines});
}

static Status copy_tile(GridMember *m, const GridProblem *p, const GridPlace *t, WwPtr at, bool in)
{
    size_t bytes = t->cols * p->result;
    *(in ? &m->share.in_bytes : &m->share.out_bytes) += bytes * t->rows;
    return device_copy_rows(m->device, in ? m->in : m->out,
                            &(DeviceRows){.in         = in,
                                          .host       = p->c + (t->row * p->ldc + t->col) * p->result,
                                          .host_pitch = p->ldc * p->result,
                                          .at         = at,
                                          .pitch      = p->tile * p->result,
                                          .bytes      = bytes,
                                          .rows       = t->rows});
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static size_t line(const GridMatrix *x, size_t count, size_t kc)
{
    size_t pitch = grid_pitch(x->trans ? count : kc);
    return pitch ? pitch : 64;
}

static Status multiply(GridMember *m, const GridProblem *p, const GridPlace *t, WwPtr x, WwPtr y, WwPtr c, size_t kc,
                       bool first)
{
    WwScalar beta = first ? p->beta : type_one(p->type);
    if (t->diagonal) /* in the caller's own layout: what is stored is stored as the caller has it */
        return ww_syrk(m->blas, &(WwSyrk){.type      = p->type,
                                          .layout    = p->layout,
                                          .fill      = p->fill,
                                          .trans     = p->trans,
                                          .n         = t->rows,
                                          .k         = kc,
                                          .alpha     = p->alpha,
                                          .beta      = beta,
                                          .a         = x,
                                          .c         = c,
                                          .lda       = line(&p->x, t->rows, kc),
                                          .ldc       = p->tile,
                                          .precision = p->precision});
    return ww_gemm(m->blas, &(WwGemm){.type      = p->type,
                                      .trans_a   = p->x.trans,
                                      .trans_b   = !p->y.trans,
                                      .m         = t->rows,
                                      .n         = t->cols,
                                      .k         = kc,
                                      .alpha     = p->alpha,
                                      .beta      = beta,
                                      .a         = x,
                                      .b         = y,
                                      .c         = c,
                                      .lda       = line(&p->x, t->rows, kc),
                                      .ldb       = line(&p->y, t->cols, kc),
                                      .ldc       = p->tile,
                                      .precision = p->precision});
}

/* One panel: kc of k from k0 on. */
static Status panel(GridMember *m, const GridProblem *p, const GridPlace *t, Turn *turn, WwPtr c, size_t k0, size_t kc)
{
    bool stays = p->panel >= p->k && turn->x_here && turn->x_first == t->row;
    turn->xs += !stays;
    turn->ys++;
    size_t xs = turn->xs % SLOTS, ys = turn->ys % SLOTS;
    if (kc && !stays) {
        TRY(follow(m, m->in, m->used_x[xs]));
        TRY(bring(m, p, &p->x, m->at.x[xs], t->row, t->rows, k0, kc));
    }
    if (kc && !t->diagonal) {
        TRY(follow(m, m->in, m->used_y[ys]));
        TRY(bring(m, p, &p->y, m->at.y[ys], t->col, t->cols, k0, kc));
    }
    turn->x_here  = true;
    turn->x_first = t->row;
    TRY(mark(m, m->in, &m->arrived[ys]));
    TRY(follow(m, m->work, m->arrived[ys]));
    TRY(multiply(m, p, t, m->at.x[xs], m->at.y[ys], c, kc, k0 == 0));
    m->share.panels++;
    TRY(mark(m, m->work, &m->used_x[xs]));
    return mark(m, m->work, &m->used_y[ys]);
}

/* The tile's other place in a symmetric result. */
static Status turn_tile(GridMember *m, const GridProblem *p, const GridPlace *t, WwPtr from, WwPtr to)
{
    return ww_blas_copy_matrix(m->blas, &(WwCopy){.element = p->result,
                                                  .trans   = true,
                                                  .rows    = t->rows,
                                                  .columns = t->cols,
                                                  .src     = from,
                                                  .dst     = to,
                                                  .ld_src  = p->tile,
                                                  .ld_dst  = p->tile});
}

static Status compute(GridMember *m, const GridProblem *p, const GridPlace *t, Turn *turn)
{
    size_t slot = turn->tiles++ % SLOTS;
    WwPtr  c = m->at.c[slot], turned = m->at.turned[slot];
    bool   twice = p->symmetric && p->full && !t->diagonal;
    TRY(follow(m, m->work, m->left[slot]));
    if (p->keep || (t->diagonal && !p->full)) { /* of a triangle, the other one stays as it is */
        TRY(follow(m, m->in, m->left[slot]));
        TRY(copy_tile(m, p, t, c, true));
    }
    for (size_t k0 = 0; k0 == 0 || k0 < p->k; k0 += p->panel)
        TRY(panel(m, p, t, turn, c, k0, p->k - k0 < p->panel ? p->k - k0 : p->panel));
    if (twice)
        TRY(turn_tile(m, p, t, c, turned));
    TRY(mark(m, m->work, &m->done[slot]));
    TRY(follow(m, m->out, m->done[slot]));
    TRY(copy_tile(m, p, t, c, false));
    if (twice)
        TRY(copy_tile(m, p, &(GridPlace){t->col, t->row, t->cols, t->rows, false}, turned, false));
    m->share.tiles++;
    return mark(m, m->out, &m->left[slot]);
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

size_t grid_tiles(const GridProblem *p)
{
    size_t down = grid_cover(p->m, p->tile), across = grid_cover(p->n, p->tile);
    return p->symmetric ? down * (down + 1) / 2 : down * across;
}

static size_t length_at(size_t first, size_t all, size_t tile)
{
    return all - first < tile ? all - first : tile;
}

/* Of a symmetric result tile i * (i + 1) / 2 + j is (i, j), j <= i; where the upper triangle is computed, the one across the diagonal. */
GridPlace grid_place(const GridProblem *p, size_t t)
{
    size_t across = grid_cover(p->n, p->tile), i = t / across, j = t % across;
    if (p->symmetric) {
        i = (size_t)((sqrt(8.0 * (double)t + 1) - 1) / 2);
        for (; i * (i + 1) / 2 > t; i--) /* the root is rounded */
            ;
        for (; (i + 1) * (i + 2) / 2 <= t; i++)
            ;
        j = t - i * (i + 1) / 2;
    }
    size_t row = (p->upper ? j : i) * p->tile, col = (p->upper ? i : j) * p->tile;
    return (GridPlace){row, col, length_at(row, p->m, p->tile), length_at(col, p->n, p->tile), p->symmetric && i == j};
}

size_t grid_first(size_t tiles, size_t workers, size_t w)
{
    return tiles / workers * w + tiles % workers * w / workers;
}

static Status every_tile(WwGrid *g, size_t device, const GridProblem *p)
{
    Turn   turn  = {0};
    size_t tiles = grid_tiles(p), workers = p->ranks * g->n, mine = p->rank * g->n + device;
    for (size_t i = grid_first(tiles, workers, mine); i < grid_first(tiles, workers, mine + 1); i++) {
        GridPlace t = grid_place(p, i);
        if (atomic_load(&g->stop))
            return WW_OK; /* another device says why */
        TRY(compute(&g->member[device], p, &t, &turn));
    }
    return WW_OK;
}

Status grid_work(WwGrid *g, size_t device, const GridProblem *p)
{
    GridMember *m         = &g->member[device];
    Status      s         = every_tile(g, device, p);
    WwStream   *streams[] = {m->in, m->work, m->out};
    for (size_t i = 0; i < sizeof streams / sizeof *streams;
         i++) { /* after a failure too: the buffers are given back next */
        Status w = ww_stream_wait(streams[i]);
        s        = s == WW_OK ? w : s;
    }
    return s;
}
