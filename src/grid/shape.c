/* SPDX-License-Identifier: Apache-2.0
 *
 * How large tiles of C and panels of the operands are, and each device's memory for them.
 *
 * A tile of t x t results needs 2 t k elements of the operands for 2 t t k operations: the larger, the less is copied.  At 8192 a float product
 * of 54 TFLOP/s takes 26 GB/s, half of what PCI Express 5 brings.  There are four tiles a device or more, where the result is large enough, so that
 * copies of one hide behind the products of another and the last round is short.  All devices have the same shapes, those of the one with the
 * least memory: a panel is halved until it fits, then the tile, unless other processes have tiles of the
 * same product. */
#include "grid/grid_own.h"

#include <math.h>

enum { STEP = 64, LEAST_TILE = 256, MOST_TILE = 8192, MOST_PANEL = 8192, LEAST_PANEL = 256, TILES_EACH = 4 };

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

static size_t choose_tile(const WwGrid *g, const GridProblem *p)
{
    double side = sqrt((double)p->m * (double)p->n / (double)(TILES_EACH * g->n * p->ranks));
    size_t tile = at_most(grid_pitch((size_t)side), MOST_TILE);
    return tile > LEAST_TILE ? tile : LEAST_TILE;
}

static bool may_cut(const GridProblem *p)
{
    return p->result > 2; /* each panel would round 16-bit results */
}

void grid_release(WwGrid *g)
{
    for (size_t i = 0; i < g->n; i++) {
        GridBuffers *b     = &g->member[i].at;
        WwPtr       *all[] = {b->x, b->y, b->c, b->turned};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            for (int s = 0; s < SLOTS; s++)
                if (all[j][s])
                    ww_free(g->member[i].device, all[j][s]);
        *b = (GridBuffers){0};
    }
}

static Status take(const GridProblem *p, GridMember *m)
{
    GridBuffers *b       = &m->at;
    size_t       operand = p->tile * p->panel * p->operand, result = p->tile * p->tile * p->result;
    for (int s = 0; s < SLOTS; s++) {
        TRY(ww_alloc(m->device, operand, &b->x[s]));
        TRY(ww_alloc(m->device, operand, &b->y[s]));
        TRY(ww_alloc(m->device, result, &b->c[s]));
        if (p->symmetric && p->full)
            TRY(ww_alloc(m->device, result, &b->turned[s]));
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

Status grid_shape(WwGrid *g, GridProblem *p)
{
    size_t sides = grid_pitch(p->m > p->n ? p->m : p->n), all = p->k ? grid_pitch(p->k) : STEP;
    if (!may_cut(p) && p->panel && p->panel < p->k)
        return grid_fail(g, WW_ERR_INVALID, "panel = %zu is less than k = %zu: each panel would round 16-bit results",
                         p->panel, p->k);
    p->tile  = at_most(p->tile ? p->tile : choose_tile(g, p), sides);
    p->panel = at_most(p->panel ? p->panel : may_cut(p) ? MOST_PANEL : all, all);
    for (size_t i = 0; i < g->n; i++) {
        Status s = take(p, &g->member[i]);
        if (s == WW_OK)
            continue;
        grid_release(g);
        if (s != WW_ERR_NO_MEMORY)
            return grid_fail(g, s, "device %zu: %s", i, ww_device_error(g->member[i].device));
        if (!smaller(p))
            return grid_fail(g, s, "device %zu: not even tiles of %zu x %zu with panels of %zu fit: %s", i, p->tile,
                             p->tile, p->panel, ww_device_error(g->member[i].device));
        i = (size_t)-1; /* again, on all of them */
    }
    return WW_OK;
}
