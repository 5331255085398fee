/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of all devices of joined grids, side by side, by one thread of each process.
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
#include "grid/link.h"

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

typedef struct Lane { /* of one member: marks of rounds on its `in` stream, and of products */
    void *mark[AHEAD], *product[KEPT];
} Lane;

typedef struct Rounds {
    WwGrid            *g;
    const GridProblem *p;
    size_t             workers;
    Pace              *pace;
    Lane              *lane;
} Rounds;

/* The worker as a device of this process; NULL: it is another one's. */
static GridMember *own(const Rounds *r, size_t worker)
{
    return worker - grid_first(r->g) < r->g->n ? &r->g->member[worker - grid_first(r->g)] : NULL;
}

static GridTurn turn_of(const Rounds *r, size_t worker)
{
    return (GridTurn){.g = r->g, .member = own(r, worker) ? worker - grid_first(r->g) : 0, .worker = worker, .p = r->p};
}

static void note(const Rounds *r, const GridMember *m, Status s)
{
    grid_link_note(r->g, (size_t)(m - r->g->member), s);
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
                                               .at      = own(r, worker) ? at : 0,
                                               .pitch   = pitch * element});
}

/* The worker's tile leaves, both places, behind the product of that round (copies). */
static Status leave(const Rounds *r, size_t worker, const GridStep *s)
{
    const GridProblem *p    = r->p;
    GridTurn           turn = turn_of(r, worker);
    GridTile           t    = grid_tile_of(&turn, s);
    if (!t.in_place)
        TRY(add(r, worker, &p->c, p->result, grid_tile_rect(s, false), t.c, p->tile, false));
    if (!t.turned_in_place)
        TRY(add(r, worker, &p->c, p->result, grid_tile_rect(s, true), t.turned, p->tile, false));
    return WW_OK;
}

static Status fetch(const Rounds *r, size_t worker, const GridStep *s, int which)
{
    const GridProblem *p     = r->p;
    size_t             first = which ? s->whole.col : s->whole.row;
    GridMember        *m     = own(r, worker);
    WwPtr              at    = m ? m->slot[s->slot[which]].at + grid_slot_offset(p, s, which, first) * p->operand : 0;
    if (m && s->k0 == s->p0)
        note(r, m, grid_follow(m, m->in, m->slot[s->slot[which]].used));
    return add(r, worker, grid_factor(p, which), p->operand, grid_panel_rect(p, s, which), at,
               grid_slot_pitch(p, s, which), true);
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
    for (size_t i = 0; i < r->g->n; i++)
        grid_link_note(r->g, i, grid_follow(&r->g->member[i], r->g->member[i].in, r->lane[i].product[old]));
    for (size_t w = 0; w < r->workers; w++)
        if (r->pace[w].is[old] && r->pace[w].step[old].last)
            TRY(leave(r, w, &r->pace[w].step[old]));
    for (size_t w = 0; w < r->workers; w++)
        if (r->pace[w].is[now])
            TRY(come(r, w, &r->pace[w].step[now]));
    return grid_link_flush(r->g);
}

/* What came is there when the work stream gets to the product. */
static Status own_step(const Rounds *r, size_t member, size_t old, size_t now)
{
    GridMember *m    = &r->g->member[member];
    GridTurn    turn = turn_of(r, grid_first(r->g) + member);
    const Pace *pace = &r->pace[turn.worker];
    if (pace->is[old] && pace->step[old].last)
        TRY(grid_mark(m, m->in, &m->left[pace->step[old].tile % SLOTS]));
    if (!pace->is[now])
        return WW_OK;
    const GridStep *s = &pace->step[now];
    GridTile        t = grid_tile_of(&turn, s);
    TRY(grid_mark(m, m->in, &m->came[t.slot]));
    TRY(grid_follow(m, m->work, m->came[t.slot]));
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

/* After a failure of this rank's there is nothing to do but to pass pieces on. */
static void own_part(const Rounds *r, size_t member, size_t round, size_t old, size_t now)
{
    GridMember *m = &r->g->member[member];
    if (grid_link_noted(r->g, NULL) == WW_OK)
        grid_link_note(r->g, member, own_step(r, member, old, now));
    if (grid_link_noted(r->g, NULL) == WW_OK)
        grid_link_note(r->g, member, grid_mark(m, m->in, &r->lane[member].mark[round % AHEAD]));
    if (grid_link_noted(r->g, NULL) == WW_OK)
        grid_link_note(r->g, member, grid_mark(m, m->work, &r->lane[member].product[now]));
}

static Status wait_for(const Rounds *r, size_t member, const WwStream *s, size_t mark)
{
    Status e = grid_link_wait(r->g, member, s, &r->lane[member].mark[mark]);
    if (e != WW_OK && !r->g->told)
        grid_link_note(r->g, member, e);
    return e;
}

static Status all_rounds(Rounds *r)
{
    for (size_t round = 0, idle = 0; idle < BEHIND; round++) {
        size_t now = round % KEPT, old = (round + KEPT - BEHIND) % KEPT;
        idle = next_steps(r, now) ? 0 : idle + 1;
        for (size_t i = 0; i < r->g->n; i++)
            if (r->lane[i].mark[round % AHEAD])
                TRY(wait_for(r, i, NULL, round % AHEAD));
        TRY(copies(r, old, now));
        for (size_t i = 0; i < r->g->n; i++)
            own_part(r, i, round, old, now);
    }
    for (size_t i = 0; i < r->g->n; i++)
        r->g->member[i].share.enqueued_ms = clock_ms() - r->g->began;
    for (size_t i = 0; i < r->g->n && grid_link_noted(r->g, NULL) == WW_OK; i++) {
        TRY(wait_for(r, i, r->g->member[i].in, 0));
        TRY(wait_for(r, i, r->g->member[i].work, 0));
    }
    return WW_OK;
}

static void lane_free(const GridMember *m, Lane *l)
{
    for (size_t i = 0; i < AHEAD; i++)
        if (l->mark[i])
            m->device->ops->mark_free(m->device, l->mark[i]);
    for (size_t i = 0; i < KEPT; i++)
        if (l->product[i])
            m->device->ops->mark_free(m->device, l->product[i]);
}

void grid_rounds(WwGrid *g, const GridProblem *p)
{
    Rounds r      = {.g = g, .p = p, .workers = grid_workers(g)};
    size_t failed = 0;
    r.pace        = xcalloc(r.workers, sizeof *r.pace);
    r.lane        = xcalloc(g->n, sizeof *r.lane);
    for (size_t w = 0; w < r.workers; w++)
        r.pace[w].course = grid_course(g, p, w, g->slots[w]);
    Status s = all_rounds(&r), noted = grid_link_noted(g, &failed);
    s = noted == WW_OK ? s : noted;
    if (s != WW_OK)
        link_leave(g); /* before it waits for what NCCL has put on the streams */
    for (size_t w = 0; w < r.workers; w++)
        grid_course_end(&r.pace[w].course);
    for (size_t i = 0; i < g->n; i++) {
        lane_free(&g->member[i], &r.lane[i]);
        g->member[i].status = grid_rest(g, i, i == failed ? s : WW_OK);
    }
    free(r.pace);
    free(r.lane);
}
