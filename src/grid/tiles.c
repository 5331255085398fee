/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiles of one device: which, their products, and the copies around them.
 *
 * Three streams: one brings panels and, with beta, the old tile; one multiplies; one takes the tile back.  A tile is computed in one of two slots, so that
 * one leaves while the next is computed; where the device holds its place itself, it is computed there.
 * Of A * A^T the tiles on the diagonal are ww_syrk's, and each other one is computed once and copied to both places. */
#include "grid/grid.h"

#include <math.h>

/* ---- products ---------------------------------------------------------------------------------------------------- */

typedef struct Tile { /* one that is computed */
    GridPlace at;
    size_t    slot;
    WwPtr     c; /* lines ld elements apart */
    size_t    ld;
    bool      in_place;
} Tile;

typedef struct Turn { /* of one device */
    WwGrid            *g;
    size_t             member;
    const GridProblem *p;
    size_t             tiles;
} Turn;

typedef struct Factor {
    WwPtr     at;
    size_t    ld;
    GridSlot *slot;
} Factor;

static Status multiply(const Turn *turn, const Tile *t, const Factor *x, const Factor *y, size_t kc, bool first)
{
    const GridProblem *p    = turn->p;
    WwBlas            *blas = turn->g->member[turn->member].blas;
    WwScalar           beta = first ? p->beta : type_one(p->type);
    if (t->at.diagonal) /* in the caller's own layout: what is stored is stored as the caller has it */
        return ww_syrk(blas, &(WwSyrk){.type      = p->type,
                                       .layout    = p->layout,
                                       .fill      = p->fill,
                                       .trans     = p->trans,
                                       .n         = t->at.rows,
                                       .k         = kc,
                                       .alpha     = p->alpha,
                                       .beta      = beta,
                                       .a         = x->at,
                                       .c         = t->c,
                                       .lda       = x->ld,
                                       .ldc       = t->ld,
                                       .precision = p->precision});
    return ww_gemm(blas, &(WwGemm){.type      = p->type,
                                   .trans_a   = p->x.trans,
                                   .trans_b   = !p->y.trans,
                                   .m         = t->at.rows,
                                   .n         = t->at.cols,
                                   .k         = kc,
                                   .alpha     = p->alpha,
                                   .beta      = beta,
                                   .a         = x->at,
                                   .b         = y->at,
                                   .c         = t->c,
                                   .lda       = x->ld,
                                   .ldb       = y->ld,
                                   .ldc       = t->ld,
                                   .precision = p->precision});
}

/* One panel: kc of k from k0 on. */
static Status panel(const Turn *turn, const Tile *t, size_t k0, size_t kc, bool first)
{
    const GridProblem *p = turn->p;
    GridMember        *m = &turn->g->member[turn->member];
    Factor             x = {0}, y = {0};
    TRY(grid_panel(turn->g, turn->member, p, &p->x, t->at.row, t->at.rows, k0, kc, &x.at, &x.ld, &x.slot));
    if (!t->at.diagonal) /* of a symmetric result both factors are parts of one matrix, and share their panels */
        TRY(grid_panel(turn->g, turn->member, p, p->symmetric ? &p->x : &p->y, t->at.col, t->at.cols, k0, kc, &y.at,
                       &y.ld, &y.slot));
    TRY(multiply(turn, t, &x, &y, kc, first));
    m->share.panels++;
    TRY(grid_panel_used(m, x.slot));
    return grid_panel_used(m, y.slot);
}

static size_t length_at(size_t first, size_t all, size_t tile)
{
    return all - first < tile ? all - first : tile;
}

/* The panel of k of which the device holds most itself: the others come while it is multiplied. */
static size_t nearest_panel(const Turn *turn, const Tile *t)
{
    const GridProblem *p    = turn->p;
    const GridMatrix  *y    = p->symmetric ? &p->x : &p->y;
    size_t             best = 0, most = 0;
    for (size_t k0 = 0; (p->x.spread || y->spread) && k0 < p->k && most < 2; k0 += p->panel) {
        size_t kc   = length_at(k0, p->k, p->panel);
        size_t here = (size_t)grid_panel_here(turn->member, p, &p->x, t->at.row, t->at.rows, k0, kc) +
                      grid_panel_here(turn->member, p, y, t->at.col, t->at.cols, k0, kc);
        if (here > most) {
            most = here;
            best = k0;
        }
    }
    return best;
}

static Status all_panels(const Turn *turn, const Tile *t)
{
    const GridProblem *p     = turn->p;
    size_t             first = nearest_panel(turn, t), n = grid_cover(p->k, p->panel);
    for (size_t i = 0; i == 0 || i < n; i++) {
        size_t k0 = n ? (first / p->panel + i) % n * p->panel : 0;
        TRY(panel(turn, t, k0, length_at(k0, p->k, p->panel), i == 0));
    }
    return WW_OK;
}

static Status move_tile(const Turn *turn, const Tile *t, WwPtr at, bool turned, bool in)
{
    const GridProblem *p = turn->p;
    GridMember        *m = &turn->g->member[turn->member];
    GridRect           r = turned ? (GridRect){t->at.col, t->at.cols, t->at.row, t->at.rows}
                                  : (GridRect){t->at.row, t->at.rows, t->at.col, t->at.cols};
    return grid_move(turn->g, turn->member, in ? m->in : m->out, &p->c, p->result, &r, at, p->tile * p->result, in);
}

/* The tile's other place in a symmetric result: turned, into that place itself or into *out. */
static Status turn_tile(const Turn *turn, const Tile *t, WwPtr *out)
{
    const GridProblem *p  = turn->p;
    GridMember        *m  = &turn->g->member[turn->member];
    GridRect           r  = {t->at.col, t->at.cols, t->at.row, t->at.rows};
    WwPtr              to = m->turned[t->slot];
    bool in = p->c.spread && !p->c.spread->everywhere && grid_in_place(&p->c, p->result, &r, turn->member, &to);
    *out    = in ? 0 : to;
    return ww_blas_copy_matrix(m->blas, &(WwCopy){.element = p->result,
                                                  .trans   = true,
                                                  .rows    = t->at.rows,
                                                  .columns = t->at.cols,
                                                  .src     = t->c,
                                                  .dst     = to,
                                                  .ld_src  = t->ld,
                                                  .ld_dst  = in ? p->c.ld : p->tile});
}

static Tile tile_of(const Turn *turn, const GridPlace *at)
{
    const GridProblem *p = turn->p;
    Tile               t = {.at = *at, .slot = turn->tiles % SLOTS, .ld = p->tile};
    GridRect           r = {at->row, at->rows, at->col, at->cols};
    t.c                  = turn->g->member[turn->member].c[t.slot];
    t.in_place = p->c.spread && !p->c.spread->everywhere && grid_in_place(&p->c, p->result, &r, turn->member, &t.c);
    if (t.in_place)
        t.ld = p->c.ld;
    return t;
}

static Status compute(Turn *turn, const GridPlace *at)
{
    const GridProblem *p      = turn->p;
    GridMember        *m      = &turn->g->member[turn->member];
    Tile               t      = tile_of(turn, at);
    bool               twice  = p->symmetric && p->full && !at->diagonal;
    WwPtr              turned = 0;
    TRY(grid_follow(m, m->work, m->left[t.slot]));
    if (!t.in_place && (p->keep || (at->diagonal && !p->full))) { /* of a triangle, the other one stays as it is */
        TRY(grid_follow(m, m->in, m->left[t.slot]));
        TRY(move_tile(turn, &t, t.c, false, true));
        TRY(grid_mark(m, m->in, &m->came[t.slot]));
        TRY(grid_follow(m, m->work, m->came[t.slot]));
    }
    TRY(all_panels(turn, &t));
    if (twice)
        TRY(turn_tile(turn, &t, &turned));
    TRY(grid_mark(m, m->work, &m->done[t.slot]));
    TRY(grid_follow(m, m->out, m->done[t.slot]));
    if (!t.in_place)
        TRY(move_tile(turn, &t, t.c, false, false));
    if (turned)
        TRY(move_tile(turn, &t, turned, true, false));
    m->share.tiles++;
    turn->tiles++;
    return grid_mark(m, m->out, &m->left[t.slot]);
}

/* ---- which ------------------------------------------------------------------------------------------------------- */

size_t grid_tiles(const GridProblem *p)
{
    size_t down = grid_cover(p->m, p->tile), across = grid_cover(p->n, p->tile);
    return p->symmetric ? down * (down + 1) / 2 : down * across;
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

/* Does the device hold all that the tile's product needs? */
static bool is_at_home(const Turn *turn, const GridPlace *t)
{
    const GridProblem *p = turn->p;
    return grid_panel_here(turn->member, p, &p->x, t->row, t->rows, 0, p->k) &&
           grid_panel_here(turn->member, p, p->symmetric ? &p->x : &p->y, t->col, t->cols, 0, p->k);
}

/* Those that wait for nobody first: what the others need comes meanwhile. */
static Status every_tile(WwGrid *g, size_t device, const GridProblem *p)
{
    Turn turn = {.g = g, .member = device, .p = p};
    for (int far = 0; far < 2; far++)
        for (size_t i = 0; i < grid_tiles(p); i++) {
            if (g->by[i] != p->rank * g->n + device)
                continue;
            GridPlace t = grid_place(p, i);
            if (is_at_home(&turn, &t) == far)
                continue;
            if (atomic_load(&g->stop))
                return WW_OK; /* another device says why */
            TRY(compute(&turn, &t));
        }
    return WW_OK;
}

Status grid_work(WwGrid *g, size_t device, const GridProblem *p)
{
    GridMember *m         = &g->member[device];
    Status      s         = every_tile(g, device, p);
    WwStream   *streams[] = {m->in, m->work, m->out};
    m->share.enqueued_ms  = grid_clock() - g->began;
    for (size_t i = 0; i < sizeof streams / sizeof *streams;
         i++) { /* after a failure too: the buffers are given back next */
        Status w = ww_stream_wait(streams[i]);
        s        = s == WW_OK ? w : s;
    }
    m->share.done_ms = grid_clock() - g->began;
    return s;
}
