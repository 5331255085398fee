/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiles of one device: their products, and the copies around them.
 *
 * Three streams: one brings panels and, with beta, the old tile; one multiplies; one takes the tile back.  A tile is computed in one of two slots, so that
 * one leaves while the next is computed; where the device holds its place itself, it is computed there.  A panel's copy waits for what is multiplied with
 * the one that its slot held before.
 * Of A * A^T the tiles on the diagonal are ww_syrk's, and each other one is computed once and copied to both places. */
#include "base/clock.h"
#include "grid/grid.h"

Status grid_mark(GridMember *m, const WwStream *s, void **at)
{
    return m->device->ops->mark ? m->device->ops->mark(m->device, s, at) : WW_OK;
}

Status grid_follow(GridMember *m, const WwStream *s, void *at)
{
    return at ? m->device->ops->follow(m->device, s, at) : WW_OK;
}

/* ---- where ------------------------------------------------------------------------------------------------------- */

/* Of a result of which each device has all, none is computed in place. */
static bool in_place(const GridTurn *turn, const GridRect *r, WwPtr *at)
{
    const GridProblem *p = turn->p;
    return p->c.spread && !p->c.spread->everywhere && grid_in_place(&p->c, p->result, r, turn->worker, at);
}

GridTile grid_tile_of(const GridTurn *turn, const GridStep *s)
{
    const GridProblem *p    = turn->p;
    const GridMember  *m    = &turn->g->member[turn->member];
    bool               mine = turn->worker == p->rank * turn->g->n + turn->member;
    GridTile           t    = {.slot = s->tile % SLOTS, .ld = p->tile, .turned_ld = p->tile};
    GridRect           r = grid_tile_rect(s, false), turned = grid_tile_rect(s, true);
    size_t             row = s->at.row - s->whole.row;
    t.c                    = mine ? m->c[t.slot] + row * t.ld * p->result : 0;
    t.in_place             = in_place(turn, &r, &t.c);
    t.ld                   = t.in_place ? p->c.ld : t.ld;
    if (p->symmetric && p->full && !s->at.diagonal) {
        t.turned          = mine ? m->turned[t.slot] + row * p->result : 0;
        t.turned_in_place = in_place(turn, &turned, &t.turned);
        t.turned_ld       = t.turned_in_place ? p->c.ld : t.turned_ld;
    } else {
        t.turned_in_place = true;
    }
    return t;
}

bool grid_tile_reads(const GridProblem *p, const GridStep *s, const GridTile *t)
{
    return !t->in_place && (p->keep || (s->at.diagonal && !p->full)); /* of a triangle, the other one stays as it is */
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

typedef struct Factor {
    WwPtr  at;
    size_t ld;
} Factor;

static Factor factor_of(const GridTurn *turn, const GridStep *s, int which)
{
    const GridMatrix *x    = grid_factor(turn->p, which);
    const GridMember *m    = &turn->g->member[turn->member];
    size_t            rows = which ? s->at.cols : s->at.rows, first = which ? s->at.col : s->at.row;
    GridRect          r = grid_factor_rect(x, first, rows, s->k0, s->kc);
    Factor            f = {0, grid_slot_pitch(turn->p, s, which)};
    if (s->slot[which] != GRID_NO_SLOT)
        f.at = m->slot[s->slot[which]].at + grid_slot_offset(turn->p, s, which, first) * turn->p->operand;
    else if (grid_in_place(x, turn->p->operand, &r, turn->worker, &f.at))
        f.ld = x->ld;
    return f;
}

static Status product(const GridTurn *turn, const GridStep *s, const GridTile *t)
{
    const GridProblem *p    = turn->p;
    WwBlas            *blas = turn->g->member[turn->member].blas;
    WwScalar           beta = s->first ? p->beta : type_one(p->type);
    Factor             x = factor_of(turn, s, 0), y = factor_of(turn, s, 1);
    if (s->at.diagonal) /* in the caller's own layout: what is stored is stored as the caller has it */
        return ww_syrk(blas, &(WwSyrk){.type      = p->type,
                                       .layout    = p->layout,
                                       .fill      = p->fill,
                                       .trans     = p->trans,
                                       .n         = s->at.rows,
                                       .k         = s->kc,
                                       .alpha     = p->alpha,
                                       .beta      = beta,
                                       .a         = x.at,
                                       .c         = t->c,
                                       .lda       = x.ld,
                                       .ldc       = t->ld,
                                       .precision = p->precision});
    return ww_gemm(blas, &(WwGemm){.type      = p->type,
                                   .trans_a   = p->x.trans,
                                   .trans_b   = !p->y.trans,
                                   .m         = s->at.rows,
                                   .n         = s->at.cols,
                                   .k         = s->kc,
                                   .alpha     = p->alpha,
                                   .beta      = beta,
                                   .a         = x.at,
                                   .b         = y.at,
                                   .c         = t->c,
                                   .lda       = x.ld,
                                   .ldb       = y.ld,
                                   .ldc       = t->ld,
                                   .precision = p->precision});
}

/* The tile's other place in a symmetric result, or its copy that goes there. */
static Status turn_tile(const GridTurn *turn, const GridStep *s, const GridTile *t)
{
    return ww_blas_copy_matrix(turn->g->member[turn->member].blas, &(WwCopy){.element = turn->p->result,
                                                                             .trans   = true,
                                                                             .rows    = s->at.rows,
                                                                             .columns = s->at.cols,
                                                                             .src     = t->c,
                                                                             .dst     = t->turned,
                                                                             .ld_src  = t->ld,
                                                                             .ld_dst  = t->turned_ld});
}

Status grid_multiply(const GridTurn *turn, const GridStep *s, const GridTile *t)
{
    GridMember *m = &turn->g->member[turn->member];
    if (grid_begins(s))
        TRY(grid_follow(m, m->work, m->left[t->slot]));
    TRY(product(turn, s, t));
    m->share.panels += grid_ends_panel(s);
    for (int which = 0; which < 2; which++)
        if (s->slot[which] != GRID_NO_SLOT)
            TRY(grid_mark(m, m->work, &m->slot[s->slot[which]].used));
    if (!s->last)
        return WW_OK;
    if (t->turned)
        TRY(turn_tile(turn, s, t));
    m->share.tiles += grid_ends(s);
    return grid_mark(m, m->work, &m->done[t->slot]);
}

/* ---- the copies of one process ----------------------------------------------------------------------------------- */

static Status move_tile(const GridTurn *turn, const GridStep *s, WwPtr at, bool turned, bool in)
{
    const GridProblem *p = turn->p;
    GridMember        *m = &turn->g->member[turn->member];
    GridRect           r = grid_tile_rect(s, turned);
    return grid_move(turn->g, turn->member, in ? m->in : m->out, &p->c, p->result, &r, at, p->tile * p->result, in);
}

static Status fetch(const GridTurn *turn, const GridStep *s, int which)
{
    GridMember *m    = &turn->g->member[turn->member];
    GridSlot   *slot = &m->slot[s->slot[which]];
    GridRect    r    = grid_panel_rect(turn->p, s, which);
    size_t      each = turn->p->operand, first = which ? s->whole.col : s->whole.row;
    if (s->k0 == s->p0)
        TRY(grid_follow(m, m->in, slot->used));
    TRY(grid_move(turn->g, turn->member, m->in, grid_factor(turn->p, which), each, &r,
                  slot->at + grid_slot_offset(turn->p, s, which, first) * each,
                  grid_slot_pitch(turn->p, s, which) * each, true));
    TRY(grid_mark(m, m->in, &slot->arrived));
    return grid_follow(m, m->work, slot->arrived);
}

static Status step(const GridTurn *turn, const GridStep *s)
{
    GridMember *m = &turn->g->member[turn->member];
    GridTile    t = grid_tile_of(turn, s);
    if (s->first && grid_tile_reads(turn->p, s, &t)) {
        if (grid_begins(s))
            TRY(grid_follow(m, m->in, m->left[t.slot]));
        TRY(move_tile(turn, s, t.c, false, true));
        TRY(grid_mark(m, m->in, &m->came[t.slot]));
        TRY(grid_follow(m, m->work, m->came[t.slot]));
    }
    for (int which = 0; which < 2; which++)
        if (s->fetch[which])
            TRY(fetch(turn, s, which));
    TRY(grid_multiply(turn, s, &t));
    if (!s->last)
        return WW_OK;
    TRY(grid_follow(m, m->out, m->done[t.slot]));
    if (!t.in_place)
        TRY(move_tile(turn, s, t.c, false, false));
    if (!t.turned_in_place)
        TRY(move_tile(turn, s, t.turned, true, false));
    return grid_mark(m, m->out, &m->left[t.slot]);
}

static Status every_step(WwGrid *g, size_t member, const GridProblem *p)
{
    GridTurn   turn   = {.g = g, .member = member, .worker = p->rank * g->n + member, .p = p};
    GridCourse course = grid_course(g, p, turn.worker, g->member[member].nslots);
    GridStep   s;
    Status     e = WW_OK;
    while (e == WW_OK && !atomic_load(&g->stop) && grid_course_next(&course, &s)) /* another device says why */
        e = step(&turn, &s);
    grid_course_end(&course);
    return e;
}

Status grid_rest(WwGrid *g, size_t member, Status s)
{
    GridMember *m         = &g->member[member];
    WwStream   *streams[] = {m->in, m->work, m->out};
    for (size_t i = 0; i < sizeof streams / sizeof *streams;
         i++) { /* after a failure too: the buffers are given back next */
        Status w = ww_stream_wait(streams[i]);
        s        = s == WW_OK ? w : s;
    }
    m->share.done_ms = clock_ms() - g->began;
    return s;
}

Status grid_work(WwGrid *g, size_t member, const GridProblem *p)
{
    Status s                            = every_step(g, member, p);
    g->member[member].share.enqueued_ms = clock_ms() - g->began;
    return grid_rest(g, member, s);
}
