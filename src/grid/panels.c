/* SPDX-License-Identifier: Apache-2.0
 *
 * Panels of the operands on a device.  What the device holds itself in one piece is taken where it lies.  Any other panel is copied into a slot and
 * stays there for later tiles until its room is needed: the slot whose last use is longest ago is taken, and the copy waits for what is multiplied
 * with it.  So copies run ahead of the products as far as there is room, and where there is enough each panel comes once. */
#include "grid/grid.h"

Status grid_mark(GridMember *m, const WwStream *s, void **at)
{
    return m->device->ops->mark ? m->device->ops->mark(m->device, s, at) : WW_OK;
}

Status grid_follow(GridMember *m, const WwStream *s, void *at)
{
    return at ? m->device->ops->follow(m->device, s, at) : WW_OK;
}

static GridSlot *find(GridMember *m, const GridMatrix *x, size_t first, size_t k0)
{
    for (size_t i = 0; i < m->nslots; i++)
        if (m->slot[i].of == x && m->slot[i].first == first && m->slot[i].k0 == k0)
            return &m->slot[i];
    return NULL;
}

static GridSlot *oldest(GridMember *m)
{
    GridSlot *s = m->slot;
    for (size_t i = 1; i < m->nslots; i++)
        if (m->slot[i].turn < s->turn)
            s = &m->slot[i];
    return s;
}

static GridRect rect_of(const GridMatrix *x, size_t first, size_t count, size_t k0, size_t kc)
{
    return x->trans ? (GridRect){k0, kc, first, count} : (GridRect){first, count, k0, kc};
}

bool grid_panel_here(size_t member, const GridProblem *p, const GridMatrix *x, size_t first, size_t count, size_t k0,
                     size_t kc)
{
    GridRect r = rect_of(x, first, count, k0, kc);
    WwPtr    at;
    return grid_in_place(x, p->operand, &r, member, &at);
}

Status grid_panel(WwGrid *g, size_t member, const GridProblem *p, const GridMatrix *x, size_t first, size_t count,
                  size_t k0, size_t kc, WwPtr *at, size_t *ld, GridSlot **slot)
{
    GridMember *m = &g->member[member];
    GridRect    r = rect_of(x, first, count, k0, kc);
    *slot         = NULL;
    *ld           = x->ld;
    if (kc == 0 || grid_in_place(x, p->operand, &r, member, at)) {
        *at = kc ? *at : 0;
        *ld = kc ? *ld : grid_pitch(r.length ? r.length : 1);
        return WW_OK;
    }
    GridSlot *s = find(m, x, first, k0);
    *ld         = grid_pitch(r.length);
    if (!s) {
        s     = oldest(m);
        s->of = NULL;
        TRY(grid_follow(m, m->in, s->used));
        TRY(grid_move(g, member, m->in, x, p->operand, &r, s->at, *ld * p->operand, true));
        TRY(grid_mark(m, m->in, &s->arrived));
        TRY(grid_follow(m, m->work, s->arrived));
        s->of    = x;
        s->first = first;
        s->k0    = k0;
    }
    s->turn = ++m->turn;
    *at     = s->at;
    *slot   = s;
    return WW_OK;
}

Status grid_panel_used(GridMember *m, GridSlot *slot)
{
    return slot ? grid_mark(m, m->work, &slot->used) : WW_OK;
}
