/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ways through a segment that divides (spread_floor): the bold one takes each result for linear, which it asks before it goes on; the
 * careful one knows nothing of it.  Where lanes lie on both sides of a multiple, the bold way hands over to the careful one, which it may
 * enter at each such row; both end in front of what ends the segment.  So the careful way is what stood there anyhow, and what follows
 * expects no more than it has. */
#include <stdlib.h>
#include <string.h>

#include "emu/jit/emit_mem.h"

/* ---- where ---- */

static Floor floor_of(const Emit *e, const Item *it)
{
    Spread from[ROW_SOURCES];
    if (it->kind != ITEM_ROW || e->crossing || !it->shape.bytes[0])
        return (Floor){.kind = FLOOR_NONE};
    for (uint32_t k = 0; k < it->nread; k++)
        from[k] = emit_spread(e, it->read[k]);
    return spread_floor(&e->p->patterns, it->what, &it->shape, from);
}

void emit_fork_find(Emit *e, const Segment *s)
{
    size_t  bytes = e->p->nvalues * sizeof *e->now;
    Spread *now   = xmalloc(bytes + 1);
    memcpy(now, e->now, bytes);
    e->fork.first = UINT32_MAX;
    e->fork.at    = xcalloc(s->nitems + 1, sizeof *e->fork.at);
    e->fork.odd   = xcalloc(e->p->nvalues + 1, 1);
    for (uint32_t k = 0; k < s->nitems; k++) {
        Floor f = floor_of(e, &s->item[k]);
        Guard guard;
        plan_step(e->p, &s->item[k], e->now, &guard);
        if (f.kind == FLOOR_NONE || e->now[s->item[k].write[0]].kind == SPREAD_LINEAR)
            continue;
        e->now[s->item[k].write[0]] = f.result;
        e->fork.at[k]               = xcalloc(1, bytes + 1);
        if (e->fork.first == UINT32_MAX)
            e->fork.first = k;
    }
    if (e->fork.first != UINT32_MAX)
        e->fork.at[s->nitems] = xcalloc(1, bytes + 1);
    memcpy(e->now, now, bytes);
    free(now);
}

void emit_fork_free(Emit *e, const Segment *s)
{
    for (uint32_t k = 0; k <= s->nitems; k++)
        free(e->fork.at[k]);
    free(e->fork.at);
    free(e->fork.odd);
    e->fork = (Fork){0};
}

bool emit_has_fork(const Emit *e)
{
    return e->fork.first != UINT32_MAX;
}

bool emit_forks(const Emit *e, uint32_t item)
{
    return e->fork.at && e->fork.at[item];
}

/* ---- from one way to the other ---- */

/* Nothing is believed of the frame there. */
static void forget_frame(Emit *e)
{
    memset(e->clean, 0, e->p->nvalues);
    memset(e->kept, 0, e->p->nvalues);
    memset(e->away, 0, e->p->nvalues);
}

void emit_fork_door(Emit *e, uint32_t index, uint32_t item, const uint64_t *wanted)
{
    if (!emit_forks(e, item))
        return;
    emit_present_set(e, wanted);
    forget_frame(e);
    if (item == e->fork.first) {
        OUT("goto F%u;\n", index);
        memcpy(e->fork.odd, e->odd, e->p->nvalues);
    }
    OUT("V%u_%u:;\n", index, item);
    memcpy(e->fork.at[item], e->now, e->p->nvalues * sizeof *e->now);
}

void emit_fork_back(Emit *e, uint32_t index, uint32_t item, const uint64_t *wanted)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(wanted, v))
            emit_convert(e, v, e->fork.at[item][v]);
    OUT("goto V%u_%u;\n", index, item);
}

/* ---- the bold way ---- */

void emit_fork_begin(Emit *e, uint32_t index)
{
    memcpy(e->now, e->fork.at[e->fork.first], e->p->nvalues * sizeof *e->now);
    memcpy(e->odd, e->fork.odd, e->p->nvalues);
    forget_frame(e);
    OUT("F%u:;\n", index);
}

/* The row for lane 0, if all lanes lie between the same two multiples. */
static void floor_row(Emit *e, const Item *it, const Floor *f, uint32_t index, uint32_t item)
{
    unsigned b         = it->shape.bytes[0];
    bool     is_signed = it->what.lane == LT_s32 || it->what.lane == LT_s64;
    uint64_t top       = f->by || b == 8 ? UINT64_MAX : UINT32_MAX;
    int64_t  least, most;
    pattern_ends(&e->p->patterns, emit_spread(e, it->read[f->x]).pattern, &least, &most);
    OUT("{ ");
    emit_row_lane(e, it);
    if (f->by)
        OUT(" u8 y = %lluull, z = a%u & (y - 1)", (unsigned long long)f->by, f->x);
    else if (f->kind == FLOOR_REMAINDER)
        OUT(" u8 y = a1, z = t");
    else
        OUT(" u8 y = a1, z = (u%u)(a0 - t * a1)", b);
    OUT(";\nif (COLD(w_parts(a%u, y, z, %lluull, %lldll, %lldll))) {\n", f->x,
        (unsigned long long)(is_signed && !f->by ? top >> 1 : top), (long long)least, (long long)most);
    emit_fork_back(e, index, item, e->before);
    OUT("}\ns%u = t; }\n", it->write[0]);
    emit_made(e, it->write[0], f->result);
}

bool emit_fork_row(Emit *e, const Item *it, uint32_t index, uint32_t item)
{
    Floor f = emit_forks(e, item) ? floor_of(e, it) : (Floor){.kind = FLOOR_NONE};
    if (f.kind != FLOOR_NONE)
        floor_row(e, it, &f, index, item);
    return f.kind != FLOOR_NONE;
}
