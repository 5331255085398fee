/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of all devices of joined grids, side by side.
 *
 * A piece that goes from one process to another has to be sent there and received here.  So every rank follows the courses of all devices: in round r
 * each makes its step r, and all go through the same transfers in the same order, each rank doing its own part:
 *
 *     round r     tiles that were finished in round r - 2 go to their holders
 *                 what step r needs comes: the old tile, panels
 *                 its product, on the work stream
 *
 * Nobody waits in a circle: a transfer waits for products of earlier rounds only, and a product for transfers of its round at the latest.  Two rounds:
 * the copies of a round go on while the product of the round before is computed, and a tile's slot is free when the tile after next begins.
 * All copies of a round wait for the own product of two rounds before, also where it has nothing to do with them: NCCL's kernels hold multiprocessors while
 * they wait for the other side, which would otherwise be a whole product late. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "grid/grid.h"

enum {
    BEHIND = 2,
    KEPT   = BEHIND + 1,
    AHEAD  = 8 /* rounds that are put on the streams before the oldest is done */
};

typedef struct Pace { /* of one worker */
    GridCourse course;
    GridStep   step[KEPT];
    bool       is[KEPT];
} Pace;

typedef struct Rounds {
    WwGrid            *g;
    GridMember        *m;
    const GridProblem *p;
    size_t             own, workers;
    Pace              *pace;
    void              *mark[AHEAD], *pace_mark[KEPT]; /* rounds on the `in` stream; products */
} Rounds;

static GridTurn turn_of(const Rounds *r, size_t worker)
{
    return (GridTurn){.g = r->g, .member = 0, .worker = worker, .p = r->p};
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static Status add(const Rounds *r, size_t worker, const GridMatrix *x, size_t element, GridRect rect, WwPtr at,
                  size_t pitch, bool in)
{
    return grid_link_add(r->g, &(GridTransfer){.x       = x,
                                               .element = element,
                                               .r       = rect,
                                               .worker  = worker,
                                               .in      = in,
                                               .at      = worker == r->own ? at : 0,
                                               .pitch   = pitch * element});
}

/* The worker's tile leaves, both places. */
static Status leave(const Rounds *r, size_t worker, const GridStep *s)
{
    const GridProblem *p    = r->p;
    GridTurn           turn = turn_of(r, worker);
    GridTile           t    = grid_tile_of(&turn, s);
    if (worker == r->own)
        grid_link_note(r->g, grid_follow(r->m, r->m->in, r->m->done[t.slot]));
    if (!t.in_place)
        TRY(add(r, worker, &p->c, p->result, grid_tile_rect(s, false), t.c, p->tile, false));
    if (!t.turned_in_place)
        TRY(add(r, worker, &p->c, p->result, grid_tile_rect(s, true), t.turned, p->tile, false));
    return WW_OK;
}

static Status fetch(const Rounds *r, size_t worker, const GridStep *s, int which)
{
    const GridProblem *p    = r->p;
    GridRect           rect = grid_panel_rect(p, s, which);
    WwPtr              at   = 0;
    if (worker == r->own) {
        GridSlot *slot = &r->m->slot[s->slot[which]];
        at             = slot->at;
        grid_link_note(r->g, grid_follow(r->m, r->m->in, slot->used));
    }
    return add(r, worker, grid_factor(p, which), p->operand, rect, at, grid_pitch(rect.length), true);
}

static Status come(const Rounds *r, size_t worker, const GridStep *s)
{
    GridTurn turn = turn_of(r, worker);
    GridTile t    = grid_tile_of(&turn, s);
    if (s->first && grid_tile_reads(r->p, s, &t)) /* its slot's tile before has left on the same stream */
        TRY(add(r, worker, &r->p->c, r->p->result, grid_tile_rect(s, false), t.c, r->p->tile, true));
    for (int which = 0; which < 2; which++)
        if (s->fetch[which])
            TRY(fetch(r, worker, s, which));
    return WW_OK;
}

/* ---- one round --------------------------------------------------------------------------------------------------- */

static Status copies(const Rounds *r, size_t old, size_t now)
{
    grid_link_note(r->g, grid_follow(r->m, r->m->in, r->pace_mark[old]));
    for (size_t w = 0; w < r->workers; w++)
        if (r->pace[w].is[old] && r->pace[w].step[old].last)
            TRY(leave(r, w, &r->pace[w].step[old]));
    for (size_t w = 0; w < r->workers; w++)
        if (r->pace[w].is[now])
            TRY(come(r, w, &r->pace[w].step[now]));
    return grid_link_flush(r->g);
}

/* What came is there when the work stream gets to the product. */
static Status own_step(const Rounds *r, size_t old, size_t now)
{
    const Pace *pace = &r->pace[r->own];
    GridTurn    turn = turn_of(r, r->own);
    if (pace->is[old] && pace->step[old].last)
        TRY(grid_mark(r->m, r->m->in, &r->m->left[pace->step[old].tile % SLOTS]));
    if (!pace->is[now])
        return WW_OK;
    const GridStep *s = &pace->step[now];
    GridTile        t = grid_tile_of(&turn, s);
    TRY(grid_mark(r->m, r->m->in, &r->m->came[t.slot]));
    TRY(grid_follow(r->m, r->m->work, r->m->came[t.slot]));
    return grid_multiply(&turn, s, &t);
}

static bool next_steps(const Rounds *r, size_t now)
{
    bool any = false;
    for (size_t w = 0; w < r->workers; w++) {
        Pace *pace    = &r->pace[w];
        pace->is[now] = grid_course_next(&pace->course, &pace->step[now]);
        any           = any || pace->is[now];
    }
    return any;
}

static Status all_rounds(Rounds *r)
{
    for (size_t round = 0, idle = 0; idle < BEHIND; round++) {
        size_t now = round % KEPT, old = (round + KEPT - BEHIND) % KEPT;
        void **mark = &r->mark[round % AHEAD];
        idle        = next_steps(r, now) ? 0 : idle + 1;
        if (*mark)
            TRY(grid_link_wait(r->g, NULL, mark));
        TRY(copies(r, old, now));
        if (grid_link_noted(r->g) == WW_OK)
            grid_link_note(r->g, own_step(r, old, now));
        if (grid_link_noted(r->g) == WW_OK)
            grid_link_note(r->g, grid_mark(r->m, r->m->in, mark));
        if (grid_link_noted(r->g) == WW_OK)
            grid_link_note(r->g, grid_mark(r->m, r->m->work, &r->pace_mark[now]));
    }
    r->m->share.enqueued_ms = clock_ms() - r->g->began;
    if (grid_link_noted(r->g) != WW_OK)
        return grid_link_noted(r->g);
    TRY(grid_link_wait(r->g, r->m->in, &r->mark[0]));
    return grid_link_wait(r->g, r->m->work, &r->mark[0]);
}

Status grid_rounds(WwGrid *g, const GridProblem *p)
{
    Rounds r = {.g = g, .m = &g->member[0], .p = p, .own = grid_first(g), .workers = grid_workers(g)};
    r.pace   = xcalloc(r.workers, sizeof *r.pace);
    for (size_t w = 0; w < r.workers; w++)
        r.pace[w].course = grid_course(g, p, w, g->slots[w]);
    Status s = all_rounds(&r);
    for (size_t w = 0; w < r.workers; w++)
        grid_course_end(&r.pace[w].course);
    for (size_t i = 0; i < AHEAD; i++)
        if (r.mark[i])
            r.m->device->ops->mark_free(r.m->device, r.mark[i]);
    for (size_t i = 0; i < KEPT; i++)
        if (r.pace_mark[i])
            r.m->device->ops->mark_free(r.m->device, r.pace_mark[i]);
    free(r.pace);
    return s;
}
