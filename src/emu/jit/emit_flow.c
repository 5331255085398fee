/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments, and the edges between them.  Edges bring values to the spreads that the segment behind them expects, which only ever are weaker.
 *
 * When a warp must wait at a barrier, its values are kept for the segment behind it, where native code goes on without asking what they are
 * (emit_keep), and if the block's next warp waits for its turn so, native code goes on with that one at once. */
#include <stdlib.h>
#include <string.h>

#include "emu/core/run.h"
#include "emu/jit/emit_mem.h"
#include "emu/jit/flow.h"
#include "emu/sync/sync.h"

/* Values as segment `to` expects them. */
static void convert_for(Emit *e, uint32_t to)
{
    const Segment *t = &e->p->segment[to];
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(t->live, v))
            emit_bring(e, v, t);
}

/* All of them go to the frame. */
static void keep_for(Emit *e, uint32_t to)
{
    const Segment *t = &e->p->segment[to];
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(t->live, v))
            emit_keep_for(e, v, t);
}

void emit_go(Emit *e, uint32_t to)
{
    convert_for(e, to);
    OUT("goto B%u;\n", to);
}

static void emit_branch(Emit *e, const Item *it, uint32_t index)
{
    const Segment *s    = &e->p->segment[index];
    const Uop     *u    = &e->p->code->uops[it->uop];
    bool           same = spread_is_same(emit_spread(e, it->read[0]));
    OUT("g = %s", u->x ? "~" : "");
    emit_scalar(e, it->read[0]);
    OUT(";\nif (g == 0) {\n");
    emit_go(e, s->succ[0]);
    OUT("}\n");
    if (!same) {
        OUT("if (g != ~0u) ");
        if (emit_parting(e, index))
            OUT("goto P%u;\n", index);
        else
            emit_leave_at(e, e->before, it->uop);
    }
    emit_go(e, s->nsucc > 1 ? s->succ[1] : s->succ[0]);
}

static void emit_arrive(Emit *e, const Item *it, uint32_t barrier)
{
    for (uint32_t i = 0; i < it->nread; i++)
        emit_flush(e, it->read[i]); /* the handler may run all the same */
    OUT("n = w_arrive(w, w_uop(U, %u), %u);\n", it->uop, barrier);
}

static void emit_barrier(Emit *e, const Item *it, const Segment *s)
{
    const Uop *u  = &e->p->code->uops[it->uop];
    uint32_t   to = s->succ[0], id;
    if (u->x == BAR_SYNC && !u->y && !e->p->heard && emit_known_at(e, u->a, &id) && id < MAX_BARRIERS)
        emit_arrive(e, it, id);
    else
        emit_call_handler(e, it);
    convert_for(e, to);
    keep_for(e, to);
    OUT("if (n == w_uop(U, %u)) goto B%u;\n", it->uop + it->span, to);
    OUT("if (w_waits(w)) goto K%u;\nreturn n;\n", to);
    e->resumed[to] = true;
}

static void emit_last(Emit *e, const Item *it, const Segment *s)
{
    if (segment_waits(s)) {
        emit_barrier(e, it, s);
        return;
    }
    emit_keep(e, e->after);
    emit_fill(e, e->after);
    emit_call_handler(e, it);
    if (!s->nsucc) {
        OUT("return n;\n");
        return;
    }
    OUT("if (n != w_uop(U, %u) || w_mask(w) != ~0u%s) return n;\n", it->uop + it->span,
        e->p->tracked ? " || w_poisoned(w)" : "");
    for (uint32_t i = 0; i < it->nwrite; i++)
        if (bit_get(e->after, it->write[i]))
            emit_reload(e, it->write[i], spread_vector());
    emit_go(e, s->succ[0]);
}

uint64_t *emit_wanted(const Plan *p, const Segment *s)
{
    uint32_t  words = emit_words(p);
    uint64_t *live  = xcalloc((size_t)(s->nitems + 1) * words, sizeof *live);
    for (uint32_t k = 0; k < s->nsucc + s->nmore; k++)
        for (uint32_t w = 0; w + 1 < words; w++)
            live[s->nitems * words + w] |= p->segment[k < s->nsucc ? s->succ[k] : s->more[k - s->nsucc]].live[w];
    for (uint32_t k = s->nitems; k-- > 0;) {
        memcpy(live + k * words, live + (k + 1) * words, words * sizeof *live);
        flow_back(&s->item[k], live + k * words);
    }
    return live;
}

/* ---- which NaN a result is ---- */

static bool reads(const Item *it, uint32_t v)
{
    for (uint32_t k = 0; k < it->ninner; k++)
        if (reads(&it->inner[k], v))
            return true;
    for (uint32_t i = 0; i < it->nread; i++)
        if (it->read[i] == v)
            return true;
    return false;
}

/* All readers of item k's result are arithmetic whose own NaN is canonical.  Where it goes to the frame meanwhile, emit_flush sees to it. */
static bool is_raw(const Segment *s, uint32_t k, const uint64_t *behind)
{
    const Item *of = &s->item[k];
    if (of->kind != ITEM_ROW || !of->shape.canonical)
        return false;
    uint32_t v = of->write[0];
    for (uint32_t j = k + 1; j < s->nitems; j++) {
        const Item *it = &s->item[j];
        if (reads(it, v) && (it->kind != ITEM_ROW || !it->shape.canonical))
            return false;
        for (uint32_t i = 0; i < it->nwrite; i++)
            if (it->write[i] == v)
                return true;
    }
    return !bit_get(behind, v);
}

static void mark_raw(Emit *e, const Segment *s, const uint64_t *behind)
{
    e->raw_of = s;
    e->raw    = xcalloc(s->nitems + 1, 1);
    for (uint32_t k = 0; k < s->nitems; k++)
        e->raw[k] = is_raw(s, k, behind);
}

/* ---- segments ---- */

/* Does it only say where control goes, which is written behind all items? */
static bool is_end(const Item *it)
{
    return it->kind == ITEM_BRANCH || it->kind == ITEM_LEAVE || it->kind == ITEM_JUMP;
}

/* The items from one on, on one of the segment's ways. */
static void emit_items(Emit *e, uint32_t index, const uint64_t *live, uint32_t from, bool bold)
{
    const Segment *s     = &e->p->segment[index];
    uint32_t       words = emit_words(e->p), asked = from;
    for (uint32_t k = from; k < s->nitems; k++) {
        const Item *it = &s->item[k];
        e->before      = live + k * words;
        e->after       = live + (k + 1) * words;
        if (e->trial.of && k == e->trial.end)
            emit_trial_end(e, live + e->trial.from * words, e->before);
        if (emit_forks(e, k) || item_is_access(it) || it->kind == ITEM_ATOM)
            emit_mode(e, 0);
        if (!bold)
            emit_fork_door(e, index, k, e->before);
        if (k >= asked && item_is_access(it))
            asked = emit_stretch(e, s, k);
        if (k >= asked && !e->trial.of)
            emit_trial(e, s, k);
        emit_present_item(e, it);
        if (!bold || !emit_fork_row(e, it, index, k))
            emit_item(e, it);
        emit_poisoned(e, it);
    }
    if (e->trial.of)
        emit_trial_end(e, live + e->trial.from * words, e->after);
    emit_mode(e, 0);
    e->stretch = (Stretch){0};
    (bold ? emit_fork_back : emit_fork_door)(e, index, s->nitems,
                                             is_end(&s->item[s->nitems - 1]) ? e->before : e->after);
}

static void emit_end(Emit *e, uint32_t index)
{
    const Segment *s    = &e->p->segment[index];
    const Item    *last = &s->item[s->nitems - 1];
    memset(e->odd, 0, e->p->nvalues);
    if (last->kind == ITEM_BRANCH)
        emit_branch(e, last, index);
    else if (last->kind == ITEM_LEAVE)
        emit_last(e, last, s);
    else
        emit_go(e, s->succ[0]);
}

void emit_segment(Emit *e, uint32_t index)
{
    Plan          *p    = e->p;
    const Segment *s    = &p->segment[index];
    uint64_t      *live = emit_wanted(p, s);
    memcpy(e->now, s->spread, p->nvalues * sizeof *e->now);
    memset(e->clean, 0, p->nvalues);
    emit_homes(e, s);
    OUT("B%u:;\n", index);
    e->party = xcalloc(s->nitems + 1, sizeof *e->party);
    e->place = xcalloc(s->nitems + 1, sizeof *e->place);
    mark_raw(e, s, live + s->nitems * emit_words(p));
    emit_fork_find(e, s);
    emit_items(e, index, live, 0, false);
    emit_end(e, index);
    if (emit_has_fork(e)) {
        emit_fork_begin(e, index);
        emit_items(e, index, live, e->fork.first, true);
        memset(e->odd, 0, p->nvalues);
    }
    emit_fork_free(e, s);
    e->raw_of = NULL;
    free(e->raw);
    free(e->party);
    free(e->place);
    free(live);
}
