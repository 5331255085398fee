/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device does, step by step: which tiles in which order, which panel of k first, and which slot a panel comes into.
 *
 * Tiles that need nothing from elsewhere come first, and of a tile the panels that lie on the device: what others hold comes meanwhile.  A panel that
 * does not lie on the device in one piece comes into a slot and stays there for later tiles until its room is needed: the slot whose last use is longest
 * ago is taken.  So copies run ahead of the products as far as there is room, and where there is enough each panel comes once.
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

static GridRect panel_rect(const GridMatrix *x, size_t first, size_t count, size_t k0, size_t kc)
{
    return x->trans ? (GridRect){k0, kc, first, count} : (GridRect){first, count, k0, kc};
}

GridRect grid_panel_rect(const GridProblem *p, const GridStep *s, int which)
{
    return panel_rect(grid_factor(p, which), which ? s->at.col : s->at.row, which ? s->at.cols : s->at.rows, s->k0,
                      s->kc);
}

bool grid_panel_here(size_t worker, const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0,
                     size_t kc)
{
    GridRect r = panel_rect(x, first, count, k0, kc);
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

/* ---- steps ------------------------------------------------------------------------------------------------------- */

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
            c->panel = 0;
            c->begun++;
            return c->under_way = true;
        }
    return false;
}

static void shelve(GridCourse *c, GridStep *s, int which)
{
    const GridMatrix *x     = grid_factor(c->p, which);
    size_t            first = which ? s->at.col : s->at.row, count = which ? s->at.cols : s->at.rows, found = c->nslots;
    s->slot[which]  = GRID_NO_SLOT;
    s->fetch[which] = false;
    if (s->kc == 0 || (which && s->at.diagonal) || grid_panel_here(c->worker, c->p, x, first, count, s->k0, s->kc))
        return;
    for (size_t i = 0; i < c->nslots && found == c->nslots; i++)
        if (c->shelf[i].of == x && c->shelf[i].first == first && c->shelf[i].k0 == s->k0)
            found = i;
    s->fetch[which] = found == c->nslots;
    if (s->fetch[which]) {
        found = 0;
        for (size_t i = 1; i < c->nslots; i++)
            found = c->shelf[i].turn < c->shelf[found].turn ? i : found;
    }
    c->shelf[found] = (GridShelf){x, first, s->k0, ++c->turn};
    s->slot[which]  = (int)found;
}

bool grid_course_next(GridCourse *c, GridStep *out)
{
    size_t panels = grid_cover(c->p->k, c->p->panel);
    if (!c->under_way && !next_tile(c))
        return false;
    size_t k0    = panels ? (c->start + c->panel) % panels * c->p->panel : 0;
    *out         = (GridStep){.at    = c->at,
                              .tile  = c->begun - 1,
                              .first = c->panel == 0,
                              .last  = c->panel + 1 >= panels,
                              .k0    = k0,
                              .kc    = length_at(k0, c->p->k, c->p->panel)};
    c->under_way = !out->last;
    c->panel++;
    for (int which = 0; which < 2; which++)
        shelve(c, out, which);
    return true;
}
