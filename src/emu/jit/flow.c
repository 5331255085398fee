/* SPDX-License-Identifier: Apache-2.0
 *
 * Three flows to a fixed point.  Backwards: the values that are read later.  Forwards: spreads, which only ever get weaker, and then where
 * values are: behind a barrier all are in the frame, because the warp may have waited, and stay there alone until somebody asks for them.
 *
 * Lanes part at a branch whose predicate is not the same for all, and meet at the nearest segment that every path from there passes.  What
 * was written on the way may differ from lane to lane, so it is a vector there, whatever its spread on each path. */
#include "emu/jit/flow.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/dom.h"
#include "ptx/sregs.h"

static uint32_t words(const Plan *p)
{
    return (p->nvalues + 63) / 64;
}

/* ---- backwards ---- */

void flow_back(const Item *it, uint64_t *live)
{
    for (uint32_t i = 0; i < it->nwrite; i++)
        bit_clear(live, it->write[i]);
    for (uint32_t i = 0; i < it->nread; i++)
        bit_set(live, it->read[i]);
    for (uint32_t k = it->ninner; k-- > 0;) /* lanes that are left out keep what they have */
        for (uint32_t i = 0; i < it->inner[k].nread; i++)
            bit_set(live, it->inner[k].read[i]);
}

static void join_live(const Plan *p, uint64_t *live, uint32_t segment)
{
    for (uint32_t w = 0; w < words(p); w++)
        live[w] |= p->segment[segment].live[w];
}

static void note_writes(const Item *it, uint64_t *wrote)
{
    for (uint32_t i = 0; i < it->nwrite; i++)
        bit_set(wrote, it->write[i]);
    for (uint32_t k = 0; k < it->ninner; k++)
        note_writes(&it->inner[k], wrote);
}

void flow_live(Plan *p)
{
    uint32_t n = words(p);
    for (uint32_t i = 0; i < p->nsegments; i++) {
        Segment *s = &p->segment[i];
        s->live    = ARENA_ARRAY(p->arena, uint64_t, n + 1);
        s->wrote   = ARENA_ARRAY(p->arena, uint64_t, n + 1);
        s->mixed   = ARENA_ARRAY(p->arena, uint64_t, n + 1);
        for (uint32_t k = 0; k < s->nitems; k++)
            note_writes(&s->item[k], s->wrote);
    }
    uint64_t *live = xcalloc(n + 1, sizeof *live);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = p->nsegments; i-- > 0;) {
            Segment *s = &p->segment[i];
            memset(live, 0, n * sizeof *live);
            for (uint32_t k = 0; k < s->nsucc; k++)
                join_live(p, live, s->succ[k]);
            for (uint32_t k = 0; k < s->nmore; k++)
                join_live(p, live, s->more[k]);
            for (uint32_t k = s->nitems; k-- > 0;)
                flow_back(&s->item[k], live);
            for (uint32_t v = 0; v < p->nvalues; v++)
                if (p->value[v].constant)
                    bit_clear(live, v);
            again |= memcmp(live, s->live, n * sizeof *live) != 0;
            memcpy(s->live, live, n * sizeof *live);
        }
    }
    free(live);
}

/* ---- where paths meet ---- */

static void find_meets(Plan *p)
{
    uint32_t end = p->nsegments;
    size_t   n   = 0;
    for (uint32_t i = 0; i < p->nsegments; i++)
        n += p->segment[i].nsucc + p->segment[i].nmore + 1;
    Edge *edge = ARENA_ARRAY(p->arena, Edge, n);
    n          = 0;
    for (uint32_t i = 0; i < p->nsegments; i++) { /* reversed, from the end */
        const Segment *s = &p->segment[i];
        for (uint32_t k = 0; k < s->nsucc; k++)
            edge[n++] = (Edge){s->succ[k], i};
        for (uint32_t k = 0; k < s->nmore; k++)
            edge[n++] = (Edge){s->more[k], i};
        if (s->nsucc + s->nmore == 0)
            edge[n++] = (Edge){end, i};
    }
    Graph     g  = graph_new(p->arena, end + 1, edge, n);
    uint32_t *up = dom_tree(p->arena, &g, end);
    for (uint32_t i = 0; i < p->nsegments; i++)
        p->segment[i].meets = up[i] == CFG_NONE || up[i] == end ? UINT32_MAX : up[i];
}

/* What segments between the branch that ends s and its meeting point write, they may have written for some lanes only. */
static bool mix(Plan *p, const Segment *s)
{
    if (s->meets == UINT32_MAX)
        return false;
    uint32_t *stack = xcalloc(p->nsegments + 2, sizeof *stack), n = 0;
    bool     *seen = xcalloc(p->nsegments + 1, sizeof *seen), changed = false;
    uint64_t *mixed = p->segment[s->meets].mixed;
    seen[s->meets]  = true;
    for (uint32_t k = 0; k < s->nsucc; k++)
        if (!seen[s->succ[k]])
            seen[stack[n++] = s->succ[k]] = true;
    while (n) {
        const Segment *t = &p->segment[stack[--n]];
        for (uint32_t w = 0; w < words(p); w++) {
            changed |= (t->wrote[w] & ~mixed[w]) != 0;
            mixed[w] |= t->wrote[w];
        }
        for (uint32_t k = 0; k < t->nsucc + t->nmore; k++) {
            uint32_t next = k < t->nsucc ? t->succ[k] : t->more[k - t->nsucc];
            if (!seen[next])
                seen[stack[n++] = next] = true;
        }
    }
    free(stack);
    free(seen);
    return changed;
}

/* ---- spreads ---- */

static Spread spread_of_tid(Plan *p, unsigned axis)
{
    const uint32_t *b       = p->block;
    uint32_t        threads = b[0] * b[1] * b[2];
    Spread          all     = {0};
    for (uint32_t warp = 0; warp + LANES <= threads; warp += LANES) { /* whole warps only: native code runs no others */
        int64_t at[LANES];
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t t = warp + i;
            at[i]      = axis == 0 ? t % b[0] : axis == 1 ? t / b[0] % b[1] : axis == 2 ? t / b[0] / b[1] : 0;
        }
        Spread f  = spread_known((uint64_t)at[0]);
        f.pattern = pattern_of(&p->patterns, at, 4);
        all       = spread_meet(all, f);
    }
    return all.kind == SPREAD_UNSEEN ? spread_vector() : all;
}

static Spread spread_of_sreg(Plan *p, const Item *it)
{
    const Uop *u = &p->code->uops[it->uop];
    int64_t    at[LANES];
    if (it->what.id != CTL_sreg)
        return spread_same();
    switch ((SReg)u->x) {
    case SREG_tid: return spread_of_tid(p, u->y);
    case SREG_ntid: return spread_known(u->y < 3 ? p->block[u->y] : 0);
    case SREG_laneid:
        for (int i = 0; i < LANES; i++)
            at[i] = i;
        Spread f  = spread_known(0);
        f.pattern = pattern_of(&p->patterns, at, 4);
        return f;
    case SREG_lanemask_eq:
    case SREG_lanemask_le:
    case SREG_lanemask_lt:
    case SREG_lanemask_ge:
    case SREG_lanemask_gt: return spread_vector();
    default: return spread_same();
    }
}

static Spread spread_of_param(const Plan *p, const Item *it)
{
    uint32_t at = p->code->uops[it->uop].e, word = at / 4, x;
    if (p->value[it->write[0]].bytes != 4 || at % 4 || word >= 64 || !(p->known >> word & 1))
        return spread_same();
    memcpy(&x, p->args + at, sizeof x);
    Spread s = spread_known(x);
    s.from   = UINT64_C(1) << word;
    return s;
}

static Spread source(const Plan *p, const Spread *spread, uint32_t v)
{
    if (p->value[v].constant)
        return spread_known(p->value[v].value);
    return spread[v].kind == SPREAD_UNSEEN ? spread_vector() : spread[v];
}

static void set_all(const Item *it, Spread *spread, Spread f)
{
    for (uint32_t i = 0; i < it->nwrite; i++)
        spread[it->write[i]] = f;
}

static void step_guard(Plan *p, const Item *it, Spread *spread)
{
    bool    same   = spread_is_same(source(p, spread, it->read[0]));
    Spread *before = xcalloc(p->nvalues + 1, sizeof *before);
    Guard   guard;
    memcpy(before, spread, p->nvalues * sizeof *before);
    for (uint32_t k = 0; k < it->ninner; k++)
        plan_step(p, &it->inner[k], spread, &guard);
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++) {
            uint32_t v = it->inner[k].write[i];
            spread[v]  = same ? spread_meet(source(p, before, v), spread[v]) : spread_vector();
        }
    free(before);
}

void plan_step(Plan *p, const Item *it, Spread *spread, Guard *guard)
{
    Spread from[ROW_SOURCES], d;
    *guard = GUARD_NONE;
    for (uint32_t k = 0; k < it->nread && k < ROW_SOURCES; k++)
        from[k] = source(p, spread, it->read[k]);
    switch ((ItemKind)it->kind) {
    case ITEM_ROW:
        d = spread_of_row(&p->patterns, it->what, &it->shape, from, guard);
        set_all(it, spread, d);
        return;
    case ITEM_PLUS:
        d = spread_plus(from[0], (uint64_t)p->code->uops[it->uop].imm, p->value[it->write[0]].bytes);
        set_all(it, spread, d);
        return;
    case ITEM_NOT: set_all(it, spread, spread_is_same(from[0]) ? spread_same() : spread_vector()); return;
    case ITEM_LOAD: set_all(it, spread, plan_loads_one(p, it, from[0]) ? spread_same() : spread_vector()); return;
    case ITEM_PARAM: set_all(it, spread, spread_of_param(p, it)); return;
    case ITEM_SREG: set_all(it, spread, spread_of_sreg(p, it)); return;
    case ITEM_GUARD: step_guard(p, it, spread); return;
    case ITEM_ATOM:
    case ITEM_CALL:
    case ITEM_LEAVE: set_all(it, spread, spread_vector()); return;
    case ITEM_STORE:
    case ITEM_HEAD:
    case ITEM_JUMP:
    case ITEM_BRANCH: return;
    }
}

static bool meet_into(const Plan *p, uint32_t to, const Spread *spread)
{
    Segment *t       = &p->segment[to];
    bool     changed = !t->reached;
    t->reached       = true;
    for (uint32_t v = 0; v < p->nvalues; v++) {
        if (!bit_get(t->live, v))
            continue;
        Spread f = bit_get(t->mixed, v) ? spread_vector() : spread_meet(t->spread[v], spread[v]);
        changed |= !spread_equal(f, t->spread[v]);
        t->spread[v] = f;
    }
    return changed;
}

void flow_spreads(Plan *p)
{
    find_meets(p);
    for (uint32_t i = 0; i < p->nsegments; i++) {
        Segment *s = &p->segment[i];
        s->reached = false;
        s->spread  = ARENA_ARRAY(p->arena, Spread, p->nvalues + 1);
        memset(s->mixed, 0, words(p) * sizeof *s->mixed);
    }
    Spread *spread = xcalloc(p->nvalues + 1, sizeof *spread);
    for (uint32_t v = 0; v < p->nvalues; v++) /* read before it is written */
        if (p->nsegments && bit_get(p->segment[0].live, v))
            p->segment[0].spread[v] = spread_vector();
    if (p->nsegments)
        p->segment[0].reached = true;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < p->nsegments; i++) {
            Segment *s = &p->segment[i];
            if (!s->reached)
                continue;
            memcpy(spread, s->spread, p->nvalues * sizeof *spread);
            for (uint32_t k = 0; k < s->nitems; k++) {
                Guard       guard;
                const Item *it = &s->item[k];
                if (it->kind == ITEM_BRANCH && !spread_is_same(source(p, spread, it->read[0])))
                    again |= mix(p, s);
                plan_step(p, it, spread, &guard);
            }
            for (uint32_t k = 0; k < s->nsucc + s->nmore; k++)
                again |= meet_into(p, k < s->nsucc ? s->succ[k] : s->more[k - s->nsucc], spread);
        }
    }
    free(spread);
}

/* ---- where values are ---- */

bool flow_same_home(Spread a, Spread b)
{
    bool linear = a.kind == SPREAD_LINEAR;
    return linear == (b.kind == SPREAD_LINEAR) && (!linear || (a.known == b.known && a.pattern == b.pattern));
}

static void note_mentions(const Item *it, uint64_t *set)
{
    for (uint32_t i = 0; i < it->nread; i++)
        bit_set(set, it->read[i]);
    for (uint32_t i = 0; i < it->nwrite; i++)
        bit_set(set, it->write[i]);
    for (uint32_t k = 0; k < it->ninner; k++)
        note_mentions(&it->inner[k], set);
}

/* What is left of `kept` and `away` at the head of t, which comes behind s. */
static bool homes_into(const Plan *p, const Segment *s, const uint64_t *mentioned, Segment *t)
{
    bool changed = false;
    for (uint32_t v = 0; v < p->nvalues; v++) {
        bool stays = bit_get(s->kept, v) && !bit_get(s->wrote, v) && flow_same_home(s->spread[v], t->spread[v]);
        bool away  = stays && bit_get(s->away, v) && !bit_get(mentioned, v);
        changed |= (bit_get(t->kept, v) && !stays) || (bit_get(t->away, v) && !away);
        if (!stays)
            bit_clear(t->kept, v);
        if (!away)
            bit_clear(t->away, v);
    }
    return changed;
}

void flow_homes(Plan *p)
{
    uint32_t  n         = words(p);
    uint64_t *mentioned = xcalloc((size_t)p->nsegments * n + 1, sizeof *mentioned);
    for (uint32_t i = 0; i < p->nsegments; i++) {
        Segment *s = &p->segment[i];
        s->kept    = ARENA_ARRAY(p->arena, uint64_t, n + 1);
        s->away    = ARENA_ARRAY(p->arena, uint64_t, n + 1);
        memset(s->kept, 0xff, n * sizeof *s->kept);
        memset(s->away, 0xff, n * sizeof *s->away);
        for (uint32_t k = 0; k < s->nitems; k++)
            note_mentions(&s->item[k], mentioned + (size_t)i * n);
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < p->nsegments; i++) {
            const Segment *s = &p->segment[i];
            for (uint32_t k = 0; s->reached && !segment_waits(s) && k < s->nsucc + s->nmore; k++)
                again |= homes_into(p, s, mentioned + (size_t)i * n,
                                    &p->segment[k < s->nsucc ? s->succ[k] : s->more[k - s->nsucc]]);
        }
    }
    free(mentioned);
}
