/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device does, step by step: which tiles in which order, which panel of k first, and which slot a panel comes into.
 *
 * Tiles that need nothing from elsewhere come first, and of a tile the panels that lie on the device: what others hold comes meanwhile.  A panel that
 * does not lie on the device in one piece comes into a slot and stays there for later tiles until its room is needed: the slot whose last use is longest
 * ago is taken.  So copies run ahead of the products as far as there is room, and where there is enough each panel comes once.
 *
 * Between matrices in host memory nothing hides a device's first copies and its last.  So its first panels come and are multiplied in parts along k, of
 * which each is as long as those before it together, and its last tile is computed and leaves a few rows at a time.
 * All of it follows from the problem and the number of slots, so that every rank knows what every other one does. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "grid/grid.h"

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static size_t length_at(size_t first, size_t all, size_t tile)
{
    return all - first < tile ? all - first : tile;
}

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

GridRect grid_tile_rect(const GridStep *s, bool turned)
{
    return turned ? (GridRect){s->at.col, s->at.cols, s->at.row, s->at.rows}
                  : (GridRect){s->at.row, s->at.rows, s->at.col, s->at.cols};
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

/* Of a symmetric result both factors are parts of one matrix, and share their panels. */
const GridMatrix *grid_factor(const GridProblem *p, int which)
{
    return which && !p->symmetric ? &p->y : &p->x;
}

GridRect grid_factor_rect(const GridMatrix *x, size_t first, size_t count, size_t k0, size_t kc)
{
    return x->trans ? (GridRect){k0, kc, first, count} : (GridRect){first, count, k0, kc};
}

GridRect grid_panel_rect(const GridProblem *p, const GridStep *s, int which)
{
    return grid_factor_rect(grid_factor(p, which), which ? s->whole.col : s->whole.row,
                            which ? s->whole.cols : s->whole.rows, s->k0, s->kc);
}

size_t grid_slot_pitch(const GridProblem *p, const GridStep *s, int which)
{
    size_t length = grid_factor(p, which)->trans ? (which ? s->whole.cols : s->whole.rows) : s->pc;
    return grid_pitch(length ? length : 1);
}

size_t grid_slot_offset(const GridProblem *p, const GridStep *s, int which, size_t first)
{
    size_t pitch = grid_slot_pitch(p, s, which), k = s->k0 - s->p0, i = first - (which ? s->whole.col : s->whole.row);
    return grid_factor(p, which)->trans ? k * pitch + i : i * pitch + k;
}

bool grid_panel_here(size_t worker, const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0,
                     size_t kc)
{
    GridRect r = grid_factor_rect(x, first, count, k0, kc);
    WwPtr    at;
    return grid_in_place(x, p->operand, &r, worker, &at);
}

/* Both factors' panels for that tile: how many the worker holds itself. */
static size_t count_here(const GridCourse *c, const GridPlace *t, size_t k0, size_t kc)
{
    return (size_t)grid_panel_here(c->worker, c->p, grid_factor(c->p, 0), t->row, t->rows, k0, kc) +
           grid_panel_here(c->worker, c->p, grid_factor(c->p, 1), t->col, t->cols, k0, kc);
}

/* The panel of k of which the worker holds most itself. */
static size_t nearest_panel(const GridCourse *c, const GridPlace *t)
{
    const GridProblem *p    = c->p;
    size_t             best = 0, most = 0;
    for (size_t k0 = 0; (p->x.spread || p->y.spread) && k0 < p->k && most < 2; k0 += p->panel) {
        size_t here = count_here(c, t, k0, length_at(k0, p->k, p->panel));
        if (here > most) {
            most = here;
            best = k0 / p->panel;
        }
    }
    return best;
}

/* ---- tiles in order ---------------------------------------------------------------------------------------------- */

GridCourse grid_course(const WwGrid *g, const GridProblem *p, size_t worker, size_t nslots)
{
    return (GridCourse){
        .p = p, .by = g->by, .worker = worker, .nslots = nslots, .shelf = xcalloc(nslots + 1, sizeof(GridShelf))};
}

void grid_course_end(GridCourse *c)
{
    free(c->shelf);
    c->shelf = NULL;
}

static bool next_tile(GridCourse *c)
{
    for (; c->far < 2; c->far++, c->next = 0)
        while (c->next < grid_tiles(c->p)) {
            size_t i = c->next++;
            if (c->by[i] != c->worker)
                continue;
            c->at = grid_place(c->p, i);
            if ((count_here(c, &c->at, 0, c->p->k) == 2) == c->far)
                continue;
            c->start = nearest_panel(c, &c->at);
            c->panel = c->along = c->down = 0;
            c->begun++;
            return c->under_way = true;
        }
    return false;
}

/* ---- parts of a step --------------------------------------------------------------------------------------------- */

enum { LEAST_PART = 512 }; /* shorter products would lose more than the copies take */

bool grid_begins(const GridStep *s)
{
    return s->first && s->at.row == s->whole.row;
}

static bool has_all_rows(const GridStep *s)
{
    return s->at.row + s->at.rows == s->whole.row + s->whole.rows;
}

bool grid_ends(const GridStep *s)
{
    return s->last && has_all_rows(s);
}

bool grid_ends_panel(const GridStep *s)
{
    return s->k0 + s->kc == s->p0 + s->pc && has_all_rows(s);
}

bool grid_comes_in_parts(const GridProblem *p)
{
    return !p->x.spread && !p->y.spread && grid_may_cut(p);
}

bool grid_leaves_in_parts(const GridProblem *p)
{
    return !p->c.spread;
}

static size_t at_least(size_t n, size_t least)
{
    return n > least ? n : least;
}

/* How much of the panel comes next. */
static size_t part_of_panel(const GridCourse *c, size_t pc)
{
    size_t left = pc - c->along;
    if (c->begun != 1 || c->panel || !grid_comes_in_parts(c->p))
        return left;
    size_t part = grid_pitch(at_least(at_least(pc / GRID_PARTS, c->along), LEAST_PART));
    return left < part + LEAST_PART ? left : part;
}

static bool is_last_tile(const GridCourse *c)
{
    GridCourse look = *c;
    return !next_tile(&look);
}

/* How many rows of the tile are computed next. */
static size_t part_of_tile(const GridCourse *c, bool last)
{
    size_t left = c->at.rows - c->down;
    if (!last || c->at.diagonal || !grid_leaves_in_parts(c->p) || (!c->down && !is_last_tile(c)))
        return left;
    size_t part = grid_pitch(at_least(c->at.rows / GRID_STRIPS, LEAST_PART));
    return left < part + LEAST_PART ? left : part;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void shelve(GridCourse *c, GridStep *s, int which)
{
    const GridMatrix *x     = grid_factor(c->p, which);
    size_t            first = which ? s->whole.col : s->whole.row, count = which ? s->whole.cols : s->whole.rows,
           found    = c->nslots;
    bool begins     = s->k0 == s->p0 && s->at.row == s->whole.row;
    s->slot[which]  = GRID_NO_SLOT;
    s->fetch[which] = false;
    if (s->kc == 0 || (which && s->whole.diagonal) || grid_panel_here(c->worker, c->p, x, first, count, s->p0, s->pc))
        return;
    for (size_t i = 0; i < c->nslots && found == c->nslots; i++)
        if (c->shelf[i].of == x && c->shelf[i].first == first && c->shelf[i].k0 == s->p0)
            found = i;
    if (begins)
        c->came[which] = found == c->nslots;
    s->fetch[which] = c->came[which] && s->at.row == s->whole.row;
    if (found == c->nslots) {
        found = 0;
        for (size_t i = 1; i < c->nslots; i++)
            found = c->shelf[i].turn < c->shelf[found].turn ? i : found;
    }
    c->shelf[found] = (GridShelf){x, first, s->p0, ++c->turn};
    s->slot[which]  = (int)found;
}

/* The next rows, else the next part of the panel, else the next panel. */
static void advance(GridCourse *c, const GridStep *s)
{
    c->down += s->at.rows;
    if (c->down < c->at.rows)
        return;
    c->down = 0;
    c->along += s->kc;
    if (c->along < s->pc)
        return;
    c->along = 0;
    c->panel++;
}

bool grid_course_next(GridCourse *c, GridStep *out)
{
    size_t panels = grid_cover(c->p->k, c->p->panel);
    if (!c->under_way && !next_tile(c))
        return false;
    size_t p0 = panels ? (c->start + c->panel) % panels * c->p->panel : 0, pc = length_at(p0, c->p->k, c->p->panel);
    bool   last = c->panel + 1 >= panels;
    size_t kc   = part_of_panel(c, pc);
    last        = last && c->along + kc == pc;
    *out        = (GridStep){.at    = c->at,
                             .whole = c->at,
                             .tile  = c->begun - 1,
                             .first = c->panel == 0 && c->along == 0,
                             .last  = last,
                             .k0    = p0 + c->along,
                             .kc    = kc,
                             .p0    = p0,
                             .pc    = pc};
    out->at.row += c->down;
    out->at.rows = part_of_tile(c, last);
    advance(c, out);
    c->under_way = !grid_ends(out);
    for (int which = 0; which < 2; which++)
        shelve(c, out, which);
    return true;
}
