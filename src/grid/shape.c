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
#include "grid/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sizes.h"

enum {
    STEP         = 64,
    LEAST_TILE   = 64,
    MOST_TILE    = 8192,
    HOST_PANEL   = 8192,
    DEVICE_PANEL = 16384,
    LEAST_PANEL  = 256,
    LEAST_SLOTS  = 4, /* a pair is multiplied while the next arrives */
    CHOICES      = 64,
    MOST_TILES   = 1 << 24 /* a matrix of 2^47 bytes has 2^19 of the largest */
};

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* Of tiles, or of panels that they take? */
static bool too_many(const GridProblem *p)
{
    size_t down = grid_cover(p->m, p->tile), across = grid_cover(p->n, p->tile), panels = grid_cover(p->k, p->panel);
    return size_mul(down, across) > MOST_TILES || size_mul(down + across, panels) > MOST_TILES;
}

/* ---- who ---- */

static double cost(const GridPlace *t)
{
    return (double)t->rows * (double)t->cols * (t->diagonal ? 0.5 : 1);
}

/* The worker that holds the tile's first element: as computed, or (turned) as mirrored. */
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

/* Of a result on the devices: first what only one device holds, then what two do; nobody gets more than a tile above his share. */
static void assign_held(const WwGrid *g, const GridProblem *p, double all, double most, uint32_t *by)
{
    size_t  workers = g->n * p->ranks;
    double *load    = xcalloc(workers, sizeof *load);
    for (int two = 0; two < 2; two++)
        for (size_t i = 0; i < grid_tiles(p); i++) {
            GridPlace t = grid_place(p, i);
            size_t    a = holder(p, &t, false), b = p->symmetric && p->full ? holder(p, &t, true) : a;
            if ((a != b) != two)
                continue;
            size_t d = load[b] < load[a] ? b : a;
            d        = load[d] + cost(&t) > all / (double)workers + most / 2 ? idlest(load, workers) : d;
            load[d] += cost(&t);
            by[i] = (uint32_t)d;
        }
    free(load);
}

static bool is_held(const GridProblem *p)
{
    return p->c.spread && !p->c.spread->everywhere;
}

/* The worker of each tile; of a result in host memory in order, since neighbours share panels.  The heaviest one's part of all work, times their
 * number: 1 is even. */
static double assign(const WwGrid *g, const GridProblem *p, uint32_t *by)
{
    size_t tiles = grid_tiles(p), workers = g->n * p->ranks;
    double all = 0, most = 0, sum = 0, heaviest = 0, *load = xcalloc(workers, sizeof *load);
    for (size_t i = 0; i < tiles; i++) {
        GridPlace t = grid_place(p, i);
        all += cost(&t);
        most = cost(&t) > most ? cost(&t) : most;
    }
    if (is_held(p))
        assign_held(g, p, all, most, by);
    for (size_t i = 0; i < tiles; i++) {
        GridPlace t = grid_place(p, i);
        if (!is_held(p))
            by[i] = (uint32_t)((sum + cost(&t) / 2) / all * (double)workers);
        sum += cost(&t);
        load[by[i]] += cost(&t);
        heaviest = load[by[i]] > heaviest ? load[by[i]] : heaviest;
    }
    free(load);
    return heaviest * (double)workers / all;
}

/* ---- tiles and panels ---- */

/* Do tiles of that side lie in one block of the result each? */
static bool fits_blocks(const GridProblem *p, size_t tile)
{
    for (int d = 0; is_held(p) && d < 2; d++)
        if (p->c.spread->block[d] != SIZE_MAX && p->c.spread->block[d] % tile)
            return false;
    return true;
}

static bool is_whole(const GridProblem *p)
{
    TypeScalar s = type_row(p->type)->scalar;
    return s == SCALAR_i32 || s == SCALAR_i64;
}

/* About what a GPU computes a second. */
static double rate(const GridProblem *p)
{
    return is_whole(p) ? 140e12 : p->operand <= 2 ? 700e12 : p->precision == WW_TENSOR ? 250e12 : 55e12;
}

/* Seconds until a device has its first panel of x: from the host, from the others, or from itself where it holds no panel in one piece. */
static double arrival(const WwGrid *g, const GridProblem *p, const GridMatrix *x)
{
    const double host = 55e9, link = 390e9, own = 1300e9;
    double       kc = (double)at_most(p->panel, p->k), bytes = (double)p->tile * kc * (double)p->operand;
    size_t       along = x->trans ? 0 : 1;
    if (!x->spread)
        return bytes / host;
    if (x->spread->everywhere || g->n * p->ranks == 1 || x->spread->count[along] == 1 ||
        p->panel <= x->spread->block[along])
        return 0; /* there is one to begin with where it lies */
    double here = 1 / (double)x->spread->count[along];
    return bytes * (here / own + (1 - here) / link);
}

/* Of the whole time, what goes by before the first product, and behind the last one. */
static double idle_share(const WwGrid *g, const GridProblem *p)
{
    const double host = 55e9;
    double       whole =
        2.0 * (double)p->m * (double)p->n * (double)p->k / (p->symmetric ? 2 : 1) / (double)(g->n * p->ranks) / rate(p);
    double first = arrival(g, p, &p->x) + arrival(g, p, p->symmetric ? &p->x : &p->y);
    double last  = (double)p->tile * (double)p->tile * (double)p->result * (p->symmetric && p->full ? 2 : 1);
    first /= grid_comes_in_parts(p) ? GRID_PARTS : 1;
    last /= grid_leaves_in_parts(p) ? GRID_STRIPS : 1;
    return (first + (p->c.spread ? 0 : last / host)) / (whole + 1e-6);
}

/* Each product loses the more the smaller it is: those of integers cut their operands into bytes first, those of 16 bits are soon over. */
static double loss(const GridProblem *p)
{
    return 1 + (is_whole(p) ? 400 : p->operand <= 2 ? 240 : 160) / (double)p->tile;
}

/* From the largest tile on, until what the smaller ones lose is more than a larger one takes in all. */
static size_t choose_tile(const WwGrid *g, const GridProblem *p)
{
    size_t longest = p->m > p->n ? p->m : p->n, best = 0;
    double least = 0;
    for (size_t parts = grid_cover(longest, MOST_TILE), i = 0; i < CHOICES; i++, parts++) {
        GridProblem q = *p;
        q.tile        = grid_pitch(grid_cover(longest, parts));
        if (i && (q.tile < LEAST_TILE || grid_tiles(&q) > 1 << 16 || loss(&q) >= least))
            break;
        if (too_many(&q))
            return q.tile;
        uint32_t *by   = xcalloc(grid_tiles(&q), sizeof *by);
        double    time = assign(g, &q, by) * loss(&q) * (fits_blocks(p, q.tile) ? 1 : 1.1) + idle_share(g, &q);
        free(by);
        if (!best || time < least) {
            best  = q.tile;
            least = time;
        }
    }
    return best;
}

/* A panel of a matrix on the devices should lie in one block: then its holder copies nothing. */
static size_t block_along_k(const GridMatrix *x)
{
    return x->spread ? x->spread->block[x->trans ? 0 : 1] : SIZE_MAX;
}

static size_t choose_panel(const GridProblem *p, size_t all)
{
    size_t x = block_along_k(&p->x), y = block_along_k(p->symmetric ? &p->x : &p->y),
           block = at_most(at_most(x, y), all);
    if (!grid_may_cut(p))
        return all;
    if (!p->x.spread || !p->y.spread)
        return HOST_PANEL;
    return grid_pitch(grid_cover(block, grid_cover(block, DEVICE_PANEL)));
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
static bool is_copied(const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0, size_t worker)
{
    return !grid_panel_here(worker, p, x, first, count, k0, at_most(p->k - k0, p->panel));
}

/* How many different panels the device's tiles need in slots. */
static size_t count_panels(const WwGrid *g, const GridProblem *p, size_t member)
{
    size_t panels = grid_cover(p->k, p->panel), down = grid_cover(p->m, p->tile), across = grid_cover(p->n, p->tile),
           n = 0, worker = p->rank * g->n + member;
    bool *seen = xcalloc((down + across) * panels + 1, sizeof *seen);
    for (size_t i = 0; i < grid_tiles(p); i++) {
        if (g->by[i] != worker)
            continue;
        GridPlace t = grid_place(p, i);
        for (size_t q = 0; q < panels; q++) {
            bool *x = &seen[t.row / p->tile * panels + q], *y;
            y       = &seen[((p->symmetric ? 0 : down) + t.col / p->tile) * panels + q];
            if (!*x)
                n += is_copied(p, &p->x, t.row, t.rows, q * p->panel, worker);
            *x = true;
            if (!*y && !t.diagonal)
                n += is_copied(p, p->symmetric ? &p->x : &p->y, t.col, t.cols, q * p->panel, worker);
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
static bool smaller(const WwGrid *g, GridProblem *p)
{
    if (grid_may_cut(p) && p->panel > LEAST_PANEL)
        p->panel = grid_pitch(p->panel / 2);
    else if (p->tile > STEP && (p->ranks == 1 || g->link)) /* all ranks have the same tiles */
        p->tile = grid_pitch(p->tile / 2);
    else
        return false;
    return true;
}

static void share_out(WwGrid *g, const GridProblem *p)
{
    free(g->by);
    g->by = xcalloc(grid_tiles(p), sizeof *g->by);
    (void)assign(g, p, g->by);
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
static bool is_there(const WwGrid *g, const GridRoom *room)
{
    return g->room.tile == room->tile && g->room.panel == room->panel && g->room.slots == room->slots &&
           g->room.turned == room->turned;
}

/* Room on every device for tiles and panels of that shape; on failure what was there before is gone. */
static Status take_all(WwGrid *g, const GridProblem *p)
{
    GridRoom room = room_for(g, p);
    Status   s    = WW_OK;
    if (!is_there(g, &room))
        grid_release(g);
    for (size_t i = 0; i < g->n && s == WW_OK; i++) {
        s = is_there(g, &room) ? WW_OK : take(&g->member[i], &room);
        s = s == WW_OK && g->link ? grid_link_begin(g, i, p) : s;
        if (s == WW_ERR_NO_MEMORY)
            grid_fail(g, s, "device %zu: not even tiles of %zu x %zu with panels of %zu fit: %s", i, p->tile, p->tile,
                      p->panel, ww_device_error(g->member[i].device));
        else if (s != WW_OK)
            grid_fail(g, s, "device %zu: %s", i, ww_device_error(g->member[i].device));
    }
    if (s == WW_OK)
        g->room = room;
    else
        grid_release(g);
    return s;
}

/* The shape that is asked for, or chosen. */
static Status first_shape(WwGrid *g, GridProblem *p)
{
    size_t sides = grid_pitch(p->m > p->n ? p->m : p->n), all = p->k ? grid_pitch(p->k) : STEP;
    if (!grid_may_cut(p) && p->panel && p->panel < p->k)
        return grid_fail(g, WW_ERR_INVALID, "panel = %zu is less than k = %zu: each panel would round 16-bit results",
                         p->panel, p->k);
    p->panel = at_most(p->panel ? p->panel : choose_panel(p, all), all);
    p->tile  = at_most(p->tile ? p->tile : choose_tile(g, p), sides);
    if (too_many(p))
        return grid_fail(
            g, WW_ERR_INVALID,
            "%zu x %zu x %zu in tiles of %zu and panels of %zu are more than 2^24 of either: choose larger ones", p->m,
            p->n, p->k, p->tile, p->panel);
    return WW_OK;
}

Status grid_shape(WwGrid *g, GridProblem *p, const char *text)
{
    Status s = first_shape(g, p);
    if (s != WW_OK)
        return grid_agree(g, s, text);
    for (;;) {
        share_out(g, p);
        s = grid_agree(g, take_all(g, p), text);
        if (s != WW_ERR_NO_MEMORY || !smaller(g, p) || too_many(p))
            break;
    }
    if (s != WW_OK)
        grid_release(g);
    return s;
}
