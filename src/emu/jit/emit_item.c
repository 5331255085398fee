/* SPDX-License-Identifier: Apache-2.0
 *
 * Items inside a segment: calls of handlers, what stands under a guard.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/access/shuffle.h"
#include "emu/core/run.h"
#include "emu/jit/emit_mem.h"
#include "emu/sync/sync.h"
#include "ptx/sregs.h"

/* ---- handlers ---- */

void emit_call_handler(Emit *e, const Item *it)
{
    for (uint32_t i = 0; i < it->nread; i++)
        emit_flush(e, it->read[i]);
    for (uint32_t i = 0; i < it->nwrite; i++)
        if (emit_blends(e, it->write[i]))
            emit_flush(e, it->write[i]);
    if (e->crossing)
        OUT("w_only(w, m);\n");
    OUT("n = w_call(w, w_uop(U, %u));\n", it->uop);
}

/* Something has stopped the warp: lanes that parted go to the frame, each group to where it stands. */
static void stopped(Emit *e, const Item *it)
{
    OUT("if (COLD(n != w_uop(U, %u))) ", it->uop + it->span);
    if (!e->in) {
        OUT("%sreturn n;%s\n", e->crossing ? "{ w_only(w, ~0u); " : "", e->crossing ? " }" : "");
        return;
    }
    uint64_t *set = xcalloc(emit_words(e->p), sizeof *set);
    for (uint32_t k = 0; k + 1 < emit_words(e->p); k++)
        set[k] = e->before[k] & ~e->in->wanted[k];
    OUT("{\n");
    emit_keep(e, set);
    emit_fill(e, set);
    OUT("goto Q%u; }\n", e->in->branch);
    free(set);
}

void emit_hand_over(Emit *e, const uint64_t *wanted, uint32_t uop)
{
    uint64_t *set = xcalloc(emit_words(e->p), sizeof *set);
    for (uint32_t k = 0; k + 1 < emit_words(e->p); k++)
        set[k] = wanted[k] & ~e->in->wanted[k];
    OUT("{\nw_only(w, m);\nn = w_uop(U, %u);\n", uop);
    emit_keep(e, set);
    emit_fill(e, set);
    OUT("goto Q%u; }\n", e->in->branch);
    free(set);
}

static bool may_load(const Item *it)
{
    bool may =
        it->kind == ITEM_LOAD || it->kind == ITEM_ATOM || (it->kind == ITEM_CALL && it->what.kind == WHAT_MEM) ||
        (it->kind == ITEM_CALL && it->what.kind == WHAT_CTL && (it->what.id == CTL_tex || it->what.id == CTL_shfl));
    for (uint32_t k = 0; k < it->ninner; k++)
        may |= may_load(&it->inner[k]);
    return may;
}

void emit_poisoned(Emit *e, const Item *it)
{
    if (!e->p->tracked || !may_load(it) || emit_in_stretch(e, it))
        return;
    OUT("if (COLD(w_poisoned(w)))\n");
    if (!e->in) {
        emit_leave_at(e, e->after, it->uop + it->span);
        return;
    }
    emit_hand_over(e, e->after, it->uop + it->span);
}

void emit_call(Emit *e, const Item *it, Spread want)
{
    emit_call_handler(e, it);
    stopped(e, it);
    for (uint32_t i = 0; i < it->nwrite; i++)
        if (bit_get(e->after, it->write[i]))
            emit_reload(e, it->write[i], e->crossing ? spread_vector() : want);
}

/* ---- other operations ---- */

static void emit_plus(Emit *e, const Item *it, Spread d)
{
    uint64_t imm = (uint64_t)e->p->code->uops[it->uop].imm;
    unsigned b   = e->p->value[it->write[0]].bytes;
    char     name[16];
    OUT("{ ");
    if (d.kind == SPREAD_LINEAR) {
        OUT("s%u = ", it->write[0]);
        emit_scalar(e, it->read[0]);
    } else {
        emit_begin_result(e, it->write[0], name);
        OUT("%s = ", name);
        emit_lanes(e, it->read[0]);
    }
    OUT(" + (u%u)%lluull;", b, (unsigned long long)imm);
    emit_end_result(e, it->write[0], d);
}

static void emit_not(Emit *e, const Item *it, Spread d)
{
    char name[16];
    OUT("{ ");
    emit_begin_result(e, it->write[0], name);
    OUT("%s = ~", name);
    emit_scalar(e, it->read[0]);
    OUT(";");
    emit_end_result(e, it->write[0], d);
}

/* Special registers that are read from where they stand; how, as a function of lane 0's value and of all. */
static const struct {
    uint8_t     sreg;
    const char *one, *all;
} standing[] = {{SREG_tid, "w_tid", "w_tids"}, {SREG_ctaid, "w_ctaid", NULL}, {SREG_nctaid, "w_nctaid", NULL}};

static bool read_standing(Emit *e, const Item *it, Spread d)
{
    const Uop *u = &e->p->code->uops[it->uop];
    uint32_t   v = it->write[0];
    for (size_t i = 0; it->what.id == CTL_sreg && u->y < 3 && i < sizeof standing / sizeof *standing; i++) {
        bool one = d.kind == SPREAD_LINEAR;
        if (standing[i].sreg != u->x || !(one || standing[i].all))
            continue;
        if (one && !d.known)
            OUT("s%u = %s(w, %u);\n", v, standing[i].one, u->y);
        else if (!one)
            OUT("r%u = *(const F4 *)%s(w, %u);\n", v, standing[i].all, u->y);
        emit_made(e, v, d);
        return true;
    }
    return false;
}

static void emit_sreg(Emit *e, const Item *it, Spread d)
{
    if (e->crossing) {
        emit_call(e, it, spread_vector());
        return;
    }
    if (read_standing(e, it, d))
        return;
    OUT("n = w_call(w, w_uop(U, %u));\n", it->uop);
    uint32_t v = it->write[0];
    emit_reload(e, v, d);
    e->now[v] = d;
}

static void emit_param(Emit *e, const Item *it, Spread d)
{
    const Uop *u = &e->p->code->uops[it->uop];
    uint32_t   v = it->write[0];
    char       name[16];
    if (emit_blends(e, v)) {
        OUT("{ ");
        emit_begin_result(e, v, name);
        OUT("t = (V%u){} + *(const u%uu *)w_param(w, %u);", e->p->value[v].bytes, e->p->value[v].bytes, u->e);
        emit_end_result(e, v, spread_vector());
        return;
    }
    if (!d.known)
        OUT("s%u = *(const u%uu *)w_param(w, %u);\n", v, e->p->value[v].bytes, u->e);
    emit_made(e, v, d);
}

static void emit_head(Emit *e, const Item *it)
{
    const Uop *u = &e->p->code->uops[it->uop];
    if (e->in)
        OUT("w_only(w, m); n = w_head_some(w, w_uop(U, %u), %u, %u);\nif (COLD(n != 0)) goto Q%u;\n", it->uop, u->instr,
            u->n, e->in->branch);
    else
        OUT("n = w_head(w, w_uop(U, %u), %u, %u);\nif (COLD(n != 0)) goto K%u;\n", it->uop, u->instr, u->n,
            e->p->segment_of[it->uop]);
    if (!e->in)
        e->resumed[e->p->segment_of[it->uop]] = true;
}

/* ---- shuffles ---- */

static uint32_t value_at(const Emit *e, Slot slot)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (e->p->value[v].slot == slot)
            return v;
    return UINT32_MAX;
}

bool emit_known_at(const Emit *e, Slot slot, uint32_t *x)
{
    uint32_t v = value_at(e, slot);
    Spread   f = v == UINT32_MAX ? spread_vector() : emit_spread(e, v);
    *x         = (uint32_t)f.value;
    return spread_is_same(f) && f.known;
}

/* All lanes exchange with all, from places that are known: one permutation.  false: the handler's business. */
static bool emit_shuffle(Emit *e, const Item *it)
{
    const Uop *u = &e->p->code->uops[it->uop];
    uint32_t   b, c, members = UINT32_MAX, inside = 0, a = value_at(e, u->a), d = value_at(e, u->d);
    if (it->what.kind != WHAT_CTL || it->what.id != CTL_shfl || e->crossing || e->p->heard ||
        !emit_known_at(e, u->b, &b) || !emit_known_at(e, u->c, &c) ||
        (u->e != NO_SLOT && !emit_known_at(e, u->e, &members)) || members != UINT32_MAX || a == UINT32_MAX ||
        d == UINT32_MAX || e->p->value[a].bytes != 4 || e->p->value[d].bytes != 4)
        return false;
    OUT("{ ");
    emit_vector(e, a, "a");
    OUT("r%u = SH(a, a", d);
    for (unsigned i = 0; i < LANES; i++) {
        bool in;
        OUT(", %u", shuffle_source(u->x, i, b, c, &in));
        inside |= (uint32_t)in << i;
    }
    OUT("); }\n");
    emit_made(e, d, spread_vector());
    uint32_t p = u->n == NO_SLOT ? UINT32_MAX : value_at(e, u->n);
    if (p != UINT32_MAX) {
        OUT("p%u = %uu;\n", p, inside);
        emit_made(e, p, spread_vector());
    }
    return true;
}

/* ---- guards ---- */

static bool has_access(const Item *it)
{
    bool any = false;
    for (uint32_t k = 0; k < it->ninner; k++)
        any |= item_is_access(&it->inner[k]) || it->inner[k].kind == ITEM_ATOM || it->inner[k].kind == ITEM_CALL;
    return any;
}

/* What the guarded items wrote gets the spread that it has whether they ran or not. */
static void settle(Emit *e, const Item *it, const Spread *want)
{
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++) {
            uint32_t v = it->inner[k].write[i];
            if (bit_get(e->after, v))
                emit_convert(e, v, want[v]);
        }
}

/* The values that inner items write and somebody wants later, or they themselves read. */
static uint64_t *guarded_values(const Emit *e, const Item *it)
{
    uint64_t *set = xcalloc(emit_words(e->p), sizeof *set);
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++)
            if (bit_get(e->after, it->inner[k].write[i]) ||
                (e->crossing && bit_get(e->crossing, it->inner[k].write[i])))
                bit_set(set, it->inner[k].write[i]);
    return set;
}

/* Lanes g, which may be some or all: `within` becomes what runs. */
static void guard_lanes(Emit *e, const Item *it)
{
    const uint64_t *outer = e->crossing;
    uint64_t       *set   = guarded_values(e, it);
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(set, v)) {
            emit_convert(e, v, spread_vector());
            emit_made(e, v, spread_vector());
        }
    OUT("if (g) { %sm = g;\n", outer ? "u4 outer = m; " : "");
    e->crossing = set;
    for (uint32_t k = 0; k < it->ninner; k++)
        emit_item(e, &it->inner[k]);
    emit_mode(e, 0);
    e->crossing = outer;
    OUT("%s }\n", outer ? "m = outer;" : has_access(it) ? "w_only(w, ~0u);" : "");
    free(set);
}

static void guard_all(Emit *e, const Item *it, const Spread *want)
{
    for (uint32_t k = 0; k < it->ninner; k++)
        emit_item(e, &it->inner[k]);
    emit_mode(e, 0);
    settle(e, it, want);
}

static void guard_ways(Emit *e, const Item *it, bool same)
{
    Guard     guard;
    EmitState before = emit_state(e), want = emit_state(e);
    plan_step(e->p, it, want.now, &guard);
    if (e->crossing) { /* lanes have parted already */
        guard_lanes(e, it);
        emit_state_back(e, &want);
        for (uint32_t k = 0; k < it->ninner; k++)
            for (uint32_t i = 0; i < it->inner[k].nwrite; i++)
                e->now[it->inner[k].write[i]] = spread_vector();
    } else if (!same && !has_access(it)) {
        guard_lanes(e, it);
        emit_state_back(e, &want);
    } else {
        OUT("if (g == ~0u) {\n");
        guard_all(e, it, want.now);
        emit_state_back(e, &before);
        OUT("} else {\n");
        if (!same)
            guard_lanes(e, it);
        settle(e, it, want.now);
        emit_state_back(e, &want);
        OUT("}\n");
    }
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++)
            e->clean[it->inner[k].write[i]] = e->kept[it->inner[k].write[i]] = false;
    emit_state_free(&before);
    emit_state_free(&want);
}

static void emit_guard(Emit *e, const Item *it)
{
    const Plan     *p      = e->p;
    bool            same   = spread_is_same(emit_spread(e, it->read[0]));
    const uint64_t *before = e->before, *after = e->after;
    uint64_t       *all = xcalloc(emit_words(p), sizeof *all); /* inside, whatever is wanted on any way */
    for (uint32_t w = 0; w + 1 < emit_words(p); w++)
        all[w] = before[w] | after[w];
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nread; i++)
            bit_set(all, it->inner[k].read[i]);
    OUT("{ u4 g = %s", p->code->uops[it->uop].x ? "~" : "");
    emit_scalar(e, it->read[0]);
    OUT("%s;\n", e->crossing ? " & m" : "");
    e->after = all;
    guard_ways(e, it, same);
    e->after = after;
    OUT("}\n");
    free(all);
}

/* ---- all of them ---- */

/* The spread of what the item writes. */
static Spread planned(Emit *e, const Item *it, Guard *guard)
{
    *guard = GUARD_NONE;
    if (it->kind == ITEM_GUARD || !it->nwrite)
        return spread_vector();
    Spread *next = xmalloc((e->p->nvalues + 1) * sizeof *next);
    memcpy(next, e->now, e->p->nvalues * sizeof *next);
    plan_step(e->p, it, next, guard);
    Spread d = next[it->write[0]];
    free(next);
    if (e->crossing && (*guard != GUARD_NONE || emit_blends(e, it->write[0]))) {
        *guard = GUARD_NONE;
        d      = spread_vector();
    }
    return d;
}

void emit_item(Emit *e, const Item *it)
{
    Guard  guard;
    Spread d = planned(e, it, &guard);
    emit_mode(e, emit_mode_of(e, it));
    switch ((ItemKind)it->kind) {
    case ITEM_ROW: emit_row(e, it, d, guard); return;
    case ITEM_PLUS: emit_plus(e, it, d); return;
    case ITEM_NOT: emit_not(e, it, d); return;
    case ITEM_LOAD: emit_load(e, it); return;
    case ITEM_STORE: emit_store(e, it); return;
    case ITEM_ATOM: emit_atom(e, it); return;
    case ITEM_PARAM: emit_param(e, it, d); return;
    case ITEM_SREG: emit_sreg(e, it, d); return;
    case ITEM_CALL:
        if (!emit_shuffle(e, it))
            emit_call(e, it, spread_vector());
        return;
    case ITEM_GUARD: emit_guard(e, it); return;
    case ITEM_HEAD: emit_head(e, it); return;
    default: return; /* the segment's end: emit_segment */
    }
}
