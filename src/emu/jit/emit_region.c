/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes that part at a branch and meet again: the segments between, a second time, for some lanes.
 *
 * The order is the interpreter's (turn.c): of the groups of lanes the one at the smallest pc runs, up to the next one's.  Segments are in the
 * order of their pcs and groups stand at heads, so each segment runs once for all lanes that wait there, then the next that has any.
 * A value that several segments, or who comes behind, have to do with is a vector meanwhile; a lane's write leaves the other lanes alone.
 * Where a quantum ends or lanes must wait, values go to the frame, each group to its place in the warp, and the interpreter goes on. */
#include <stdlib.h>
#include <string.h>

#include "emu/jit/emit.h"

enum { MOST_ITEMS = 200, MOST_PARTED = 1200 }; /* of a region; of a function, each as often as it is written */

/* ---- which ---- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The segments between s and where lanes meet; false: there are others than those that may run parted. */
static bool find_segments(const Plan *p, Region *r)
{
    bool    *seen    = xcalloc(p->nsegments + 1, 1);
    uint32_t items   = 0;
    bool     fine    = true;
    seen[r->meets]   = true;
    r->segment       = ARENA_ARRAY(p->arena, uint32_t, p->nsegments + 1);
    const Segment *s = &p->segment[r->branch];
    for (uint32_t done = 0; fine && done <= r->n; done++) {
        const Segment *t = done ? &p->segment[r->segment[done - 1]] : s;
        for (uint32_t k = 0; k < t->nsucc; k++)
            if (!seen[t->succ[k]])
                seen[r->segment[r->n++] = t->succ[k]] = true;
        if (!done)
            continue;
        items += t->nitems;
        fine = t->nsucc && t->item[t->nitems - 1].kind != ITEM_LEAVE && t->first < p->segment[r->meets].first &&
               items <= MOST_ITEMS;
    }
    qsort(r->segment, r->n, sizeof *r->segment, by_number);
    free(seen);
    return fine;
}

static void find_values(const Plan *p, Region *r)
{
    uint32_t words = emit_words(p);
    r->crossing    = ARENA_ARRAY(p->arena, uint64_t, words);
    r->wanted      = ARENA_ARRAY(p->arena, uint64_t, words);
    for (uint32_t i = 0; i <= r->n; i++) {
        const Segment *t = &p->segment[i < r->n ? r->segment[i] : r->meets];
        for (uint32_t w = 0; w + 1 < words; w++) {
            r->wanted[w] |= t->live[w];
            r->crossing[w] |= i < r->n ? t->wrote[w] : 0;
        }
    }
    for (uint32_t w = 0; w + 1 < words; w++)
        r->crossing[w] &= r->wanted[w];
}

/* Does it end in a branch whose lanes keep apart where paths meet (emu/core/apart.h)?  If they part there, the interpreter goes on. */
static bool parts_early(const Segment *s)
{
    const Item *last = &s->item[s->nitems - 1];
    return last->kind == ITEM_BRANCH && last->what.id == CTL_bra_early;
}

bool emit_parting(Emit *e, uint32_t s)
{
    Plan  *p = e->p;
    Region r = {.branch = s, .meets = p->segment[s].meets};
    if (r.meets == UINT32_MAX || parts_early(&p->segment[s]) || e->parted > MOST_PARTED || !find_segments(p, &r))
        return false;
    find_values(p, &r);
    r.now = ARENA_ARRAY(p->arena, Spread, p->nvalues + 1);
    memcpy(r.now, e->now, p->nvalues * sizeof *r.now);
    r.away = ARENA_ARRAY(p->arena, bool, p->nvalues + 1);
    memcpy(r.away, e->away, p->nvalues);
    r.before = ARENA_ARRAY(p->arena, uint64_t, emit_words(p));
    memcpy(r.before, e->before, (emit_words(p) - 1) * sizeof *r.before);
    for (uint32_t i = 0; i < r.n; i++)
        e->parted += p->segment[r.segment[i]].nitems;
    e->region                = xrealloc(e->region, (e->nregions + 1) * sizeof *e->region);
    e->region[e->nregions++] = r;
    return true;
}

/* ---- the text ---- */

static void begin_state(Emit *e, const Region *r)
{
    memcpy(e->now, r->now, e->p->nvalues * sizeof *e->now);
    memset(e->clean, 0, e->p->nvalues);
    memset(e->kept, 0, e->p->nvalues);
    memset(e->away, 0, e->p->nvalues);
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(r->crossing, v))
            e->now[v] = spread_vector();
}

/* On to the first place from segment `from` on where lanes wait. */
static void dispatch(Emit *e, const Region *r, uint32_t from)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->segment[i] >= from)
            OUT("if (d%u) goto M%u_%u;\n", r->segment[i], r->branch, r->segment[i]);
    OUT("goto X%u;\n", r->branch);
}

static void part(Emit *e, const Region *r)
{
    const Segment *s    = &e->p->segment[r->branch];
    uint32_t       fall = s->succ[0], taken = s->nsucc > 1 ? s->succ[1] : s->succ[0];
    memcpy(e->now, r->now, e->p->nvalues * sizeof *e->now);
    memset(e->clean, 0, e->p->nvalues);
    memset(e->kept, 0, e->p->nvalues);
    memcpy(e->away, r->away, e->p->nvalues);
    OUT("P%u:;\n", r->branch);
    emit_present_set(e, r->before);
    memset(e->away, 0, e->p->nvalues);
    OUT("if (COLD(w_looks(w)))\n");
    emit_leave_at(e, r->before, s->item[s->nitems - 1].uop);
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(r->crossing, v))
            emit_convert(e, v, spread_vector());
    for (uint32_t i = 0; i < r->n; i++)
        OUT("d%u = 0; ", r->segment[i]);
    OUT("d%u = 0;\nd%u |= g; d%u |= ~g;\nw_part(w, %u);\n", r->meets, taken, fall,
        e->p->code->uops[s->item[s->nitems - 1].uop].instr);
    dispatch(e, r, 0);
}

/* The interpreter goes on with all groups. */
static void give_up(Emit *e, const Region *r)
{
    begin_state(e, r);
    OUT("Q%u:;\n", r->branch);
    emit_keep(e, r->wanted);
    emit_fill(e, r->wanted);
    for (uint32_t i = 0; i <= r->n; i++) {
        uint32_t t = i < r->n ? r->segment[i] : r->meets;
        OUT("if (d%u) w_put(w, %u, d%u);\n", t, e->p->segment[t].first, t);
    }
    OUT("w_merge(w);\nreturn n;\n");
}

/* A turn ended in the region: after one block where a warp begins (turn.c), or with the quantum; now all groups stand there. */
static void come_back(Emit *e, const Region *r)
{
    begin_state(e, r);
    OUT("{ static const u4 head[] = {");
    for (uint32_t i = 0; i < r->n; i++)
        OUT("%u, ", e->p->segment[r->segment[i]].first);
    uint32_t meets = e->p->segment[r->meets].first;
    OUT("%u};\nu4 d[%u];\nif (k >= %u && k <= %u && w_parted(w, head, %u, d)) {\n", meets, r->n + 1,
        r->n ? e->p->segment[r->segment[0]].first : meets, meets, r->n + 1);
    emit_check(e, r->wanted);
    OUT("w_gather(w);\n");
    for (uint32_t i = 0; i <= r->n; i++)
        OUT("d%u = d[%u];\n", i < r->n ? r->segment[i] : r->meets, i);
    emit_fetch(e, r->wanted);
    dispatch(e, r, 0);
    OUT("} }\n");
}

static void emit_parted(Emit *e, const Region *r, uint32_t index)
{
    const Plan    *p     = e->p;
    const Segment *s     = &p->segment[index];
    const Item    *last  = &s->item[s->nitems - 1];
    uint32_t       words = emit_words(p), from = s->succ[0];
    uint64_t      *live = emit_wanted(p, s);
    begin_state(e, r);
    OUT("M%u_%u:;\nm = d%u; d%u = 0;\n", r->branch, index, index, index);
    for (uint32_t k = 0; k < s->nitems; k++) {
        e->before = live + k * words;
        e->after  = live + (k + 1) * words;
        emit_item(e, &s->item[k]);
        emit_poisoned(e, &s->item[k]);
    }
    emit_mode(e, 0);
    if (last->kind == ITEM_BRANCH) {
        uint32_t taken = s->nsucc > 1 ? s->succ[1] : s->succ[0];
        OUT("g = %s", p->code->uops[last->uop].x ? "~" : "");
        emit_scalar(e, last->read[0]);
        OUT(" & m;\n");
        if (parts_early(s)) {
            OUT("if (COLD(g != 0 && g != m)) ");
            e->before = live + (s->nitems - 1) * words;
            emit_hand_over(e, e->before, last->uop);
        } else {
            OUT("if (g != 0 && g != m) w_part(w, %u);\n", p->code->uops[last->uop].instr);
        }
        OUT("d%u |= g; d%u |= m & ~g;\n", taken, s->succ[0]);
        from = taken < from ? taken : from;
    } else {
        OUT("d%u |= m;\n", s->succ[0]);
    }
    dispatch(e, r, from <= index ? from : index + 1);
    free(live);
}

void emit_regions(Emit *e)
{
    for (uint32_t i = 0; i < e->nregions; i++) {
        const Region *r = &e->region[i];
        e->crossing     = NULL;
        e->in           = NULL;
        part(e, r);
        e->crossing = r->crossing;
        e->in       = r;
        for (uint32_t k = 0; k < r->n; k++)
            emit_parted(e, r, r->segment[k]);
        give_up(e, r);
        OUT("X%u:;\nw_only(w, ~0u);\n", r->branch);
        begin_state(e, r);
        emit_go(e, r->meets);
    }
    e->crossing = NULL;
    e->in       = NULL;
    OUT("PARTED:;\n{ u4 k = w_index(w, u);\n");
    for (uint32_t i = 0; i < e->nregions; i++)
        come_back(e, &e->region[i]);
    OUT("}\nreturn 0;\n");
}
