/* SPDX-License-Identifier: Apache-2.0
 *
 * How large tiles of C and panels of the operands are, who computes which tile, and each device's memory for them.
 *
 * Tiles are as large as leaves the devices evenly loaded: a tile more on one of two devices with four each costs an eighth.  Large ones lose less in
 * each product, small ones let the first product begin and the last tile leave sooner; from host memory 4096 does both (docs/grid.md).  Of a result
 * on the devices a tile should lie in one block, and who holds it computes it; of a symmetric one there are two such devices, and the one with less
 * to do takes it.
 * All devices have the same shapes, those of the one with the least memory: a panel is halved until it fits, then the tile, unless other processes
 * have tiles of the same product.  Room for panels beyond the few that are needed is taken as far as there is memory and use for it. */
#include "grid/grid_own.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum {
    STEP         = 64,
    LEAST_TILE   = 64,
    HOST_TILE    = 4096,
    DEVICE_TILE  = 8192,
    HOST_PANEL   = 4096,
    DEVICE_PANEL = 16384,
    LEAST_PANEL  = 256,
    LEAST_SLOTS  = 4, /* a pair is multiplied while the next arrives */
    CHOICES      = 64
};

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

static bool may_cut(const GridProblem *p)
{
    return p->result > 2; /* each panel would round 16-bit results */
}

/* ---- who ---- */

static double cost(const GridPlace *t)
{
    return (double)t->rows * (double)t->cols * (t->diagonal ? 0.5 : 1);
}

/* The device that holds the tile's first element: as computed, or (turned) as mirrored. */
static size_t holder(const GridProblem *p, const GridPlace *t, bool turned)
{
    GridPiece q = {0};
    GridRect  r = turned ? (GridRect){t->col, 1, t->row, 1} : (GridRect){t->row, 1, t->col, 1};
    grid_piece(&p->c, p->result, &r, 0, &q);
    return q.device;
}

static size_t idlest(const double *load, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = load[i] < load[best] ? i : best;
    return best;
}

/* Of a result on the devices: by[] for each tile.  First what only one device holds, then what two do; nobody gets more than a tile above his share. */
static void assign(const WwGrid *g, const GridProblem *p, uint16_t *by, double *load)
{
    size_t tiles = grid_tiles(p);
    double all = 0, most = 0;
    for (size_t i = 0; i < tiles; i++) {
        GridPlace t = grid_place(p, i);
        all += cost(&t);
        most = cost(&t) > most ? cost(&t) : most;
    }
    for (int two = 0; two < 2; two++)
        for (size_t i = 0; i < tiles; i++) {
            GridPlace t = grid_place(p, i);
            size_t    a = holder(p, &t, false), b = p->symmetric && p->full ? holder(p, &t, true) : a;
            if ((a != b) != two)
                continue;
            size_t d = load[b] < load[a] ? b : a;
            d        = load[d] + cost(&t) > all / (double)g->n + most / 2 ? idlest(load, g->n) : d;
            load[d] += cost(&t);
            by[i] = (uint16_t)d;
        }
}

static bool is_held(const GridProblem *p)
{
    return p->c.spread && !p->c.spread->everywhere;
}

/* The heaviest device's part of all work, times the number of devices: 1 is even. */
static double unevenness(const WwGrid *g, const GridProblem *p)
{
    size_t    tiles = grid_tiles(p), workers = g->n * p->ranks;
    double   *load = xcalloc(workers, sizeof *load), most = 0, all = 0;
    uint16_t *by = is_held(p) ? xcalloc(tiles, sizeof *by) : NULL;
    if (by)
        assign(g, p, by, load);
    for (size_t w = 0; !by && w < workers; w++)
        for (size_t i = grid_first(tiles, workers, w); i < grid_first(tiles, workers, w + 1); i++) {
            GridPlace t = grid_place(p, i);
            load[w] += cost(&t);
        }
    for (size_t w = 0; w < workers; w++) {
        all += load[w];
        most = load[w] > most ? load[w] : most;
    }
    free(load);
    free(by);
    return all > 0 ? most * (double)workers / all : 1;
}

/* ---- tiles ---- */

/* Do tiles of that side lie in one block of the result each? */
static bool fits_blocks(const GridProblem *p, size_t tile)
{
    for (int d = 0; is_held(p) && d < 2; d++)
        if (p->c.spread->block[d] != SIZE_MAX && p->c.spread->block[d] % tile)
            return false;
    return true;
}

static size_t choose_tile(const WwGrid *g, const GridProblem *p)
{
    size_t longest = p->m > p->n ? p->m : p->n, most = p->c.spread ? DEVICE_TILE : HOST_TILE, best = 0;
    double least = 0;
    for (size_t parts = grid_cover(longest, most), i = 0; i < CHOICES; i++, parts++) {
        GridProblem q = *p;
        q.tile        = grid_pitch(grid_cover(longest, parts));
        if (i && (q.tile < LEAST_TILE || grid_tiles(&q) > 1 << 16))
            break;
        double time = unevenness(g, &q) * (1 + 96 / (double)q.tile) * (fits_blocks(p, q.tile) ? 1 : 1.1);
        if (!best || time < least) {
            best  = q.tile;
            least = time;
        }
    }
    return best;
}

static size_t choose_panel(const GridProblem *p, size_t all)
{
    bool host = !p->x.spread || !p->y.spread;
    return may_cut(p) ? host ? HOST_PANEL : DEVICE_PANEL : all;
}

/* ---- memory ---- */

static void give_back(GridMember *m, size_t keep)
{
    while (m->nslots > keep) {
        GridSlot *s = &m->slot[--m->nslots];
        ww_free(m->device, s->at);
        void *marks[] = {s->arrived, s->used};
        for (int i = 0; i < 2; i++)
            if (marks[i])
                m->device->ops->mark_free(m->device, marks[i]);
    }
}

void grid_release(WwGrid *g)
{
    for (size_t i = 0; i < g->n; i++) {
        GridMember *m = &g->member[i];
        give_back(m, 0);
        free(m->slot);
        m->slot = NULL;
        for (int s = 0; s < SLOTS; s++) {
            if (m->c[s])
                ww_free(m->device, m->c[s]);
            if (m->turned[s])
                ww_free(m->device, m->turned[s]);
            m->c[s] = m->turned[s] = 0;
        }
    }
    g->room = (GridRoom){0};
}

/* Is that panel one that must be copied? */
static bool is_copied(const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0, size_t member)
{
    size_t   kc = at_most(p->k - k0, p->panel);
    GridRect r  = x->trans ? (GridRect){k0, kc, first, count} : (GridRect){first, count, k0, kc};
    WwPtr    at;
    return !grid_in_place(x, p->operand, &r, member, &at);
}

/* How many different panels the device's tiles need in slots. */
static size_t count_panels(const WwGrid *g, const GridProblem *p, size_t member)
{
    size_t panels = grid_cover(p->k, p->panel), down = grid_cover(p->m, p->tile), across = grid_cover(p->n, p->tile),
           n   = 0;
    bool *seen = xcalloc((down + across) * panels + 1, sizeof *seen);
    for (size_t i = 0; i < grid_tiles(p); i++) {
        if (grid_worker(g, p, i) != p->rank * g->n + member)
            continue;
        GridPlace t = grid_place(p, i);
        for (size_t q = 0; q < panels; q++) {
            bool *x = &seen[t.row / p->tile * panels + q], *y;
            y       = &seen[((p->symmetric ? 0 : down) + t.col / p->tile) * panels + q];
            if (!*x)
                n += is_copied(p, &p->x, t.row, t.rows, q * p->panel, member);
            *x = true;
            if (!*y && !t.diagonal)
                n += is_copied(p, p->symmetric ? &p->x : &p->y, t.col, t.cols, q * p->panel, member);
            *y = *y || !t.diagonal;
        }
    }
    free(seen);
    return n;
}

static Status take_slot(GridMember *m, size_t bytes)
{
    GridSlot s = {0};
    TRY(ww_alloc(m->device, bytes, &s.at));
    m->slot              = xrealloc(m->slot, (m->nslots + 1) * sizeof *m->slot);
    m->slot[m->nslots++] = s;
    return WW_OK;
}

static Status take(GridMember *m, const GridRoom *room)
{
    size_t least = at_most(room->slots, LEAST_SLOTS);
    for (int s = 0; s < SLOTS; s++) {
        TRY(ww_alloc(m->device, room->tile, &m->c[s]));
        if (room->turned)
            TRY(ww_alloc(m->device, room->tile, &m->turned[s]));
    }
    while (m->nslots < least)
        TRY(take_slot(m, room->panel));
    while (m->nslots < room->slots)
        if (take_slot(m, room->panel) != WW_OK) { /* there is no more: leave some for the products' own work space */
            give_back(m, least + (m->nslots - least) / 2);
            break;
        }
    return WW_OK;
}

/* False: they are as small as they may be. */
static bool smaller(GridProblem *p)
{
    if (may_cut(p) && p->panel > LEAST_PANEL)
        p->panel = grid_pitch(p->panel / 2);
    else if (p->tile > STEP && p->ranks == 1) /* all ranks have the same tiles */
        p->tile = grid_pitch(p->tile / 2);
    else
        return false;
    return true;
}

static void share_out(WwGrid *g, const GridProblem *p)
{
    free(g->by);
    g->by = NULL;
    if (!is_held(p))
        return;
    double *load = xcalloc(g->n, sizeof *load);
    g->by        = xcalloc(grid_tiles(p), sizeof *g->by);
    assign(g, p, g->by, load);
    free(load);
}

static GridRoom room_for(const WwGrid *g, const GridProblem *p)
{
    GridRoom r = {.tile   = p->tile * p->tile * p->result,
                  .panel  = p->tile * p->panel * p->operand,
                  .turned = p->symmetric && p->full};
    for (size_t i = 0; i < g->n; i++) {
        size_t n = count_panels(g, p, i);
        r.slots  = n > r.slots ? n : r.slots;
    }
    return r;
}

/* What is there from the call before will do. */
static bool is_there(WwGrid *g, const GridRoom *room)
{
    if (g->room.tile != room->tile || g->room.panel != room->panel || g->room.slots != room->slots ||
        g->room.turned != room->turned)
        return false;
    for (size_t i = 0; i < g->n; i++)
        for (size_t s = 0; s < g->member[i].nslots; s++)
            g->member[i].slot[s].of = NULL;
    return true;
}

Status grid_shape(WwGrid *g, GridProblem *p)
{
    size_t sides = grid_pitch(p->m > p->n ? p->m : p->n), all = p->k ? grid_pitch(p->k) : STEP;
    if (!may_cut(p) && p->panel && p->panel < p->k)
        return grid_fail(g, WW_ERR_INVALID, "panel = %zu is less than k = %zu: each panel would round 16-bit results",
                         p->panel, p->k);
    p->tile  = at_most(p->tile ? p->tile : choose_tile(g, p), sides);
    p->panel = at_most(p->panel ? p->panel : choose_panel(p, all), all);
    share_out(g, p);
    GridRoom room = room_for(g, p);
    if (is_there(g, &room))
        return WW_OK;
    grid_release(g);
    for (size_t i = 0; i < g->n; i++) {
        Status s = take(&g->member[i], &room);
        if (s == WW_OK)
            continue;
        grid_release(g);
        if (s != WW_ERR_NO_MEMORY)
            return grid_fail(g, s, "device %zu: %s", i, ww_device_error(g->member[i].device));
        if (!smaller(p))
            return grid_fail(g, s, "device %zu: not even tiles of %zu x %zu with panels of %zu fit: %s", i, p->tile,
                             p->tile, p->panel, ww_device_error(g->member[i].device));
        share_out(g, p);
        room = room_for(g, p);
        i    = (size_t)-1; /* again, on all of them */
    }
    g->room = room;
    return WW_OK;
}
