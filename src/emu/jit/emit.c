/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk over a plan's segments: entries, edges, rows, calls of handlers, branches.
 *
 * What always holds where the text stands: a value has the spread e->now says, in its own variables, and the frame may hold something older.
 * So before a handler runs, what it reads is flushed; before the interpreter goes on (a quantum is spent, lanes part, a spread ends), every
 * value that is wanted from there on.  Edges bring values to the spreads that the segment behind them expects, which only ever are weaker. */
#include "emu/jit/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/jit/flow.h"

#define OUT(...) str_printf(e->out, __VA_ARGS__)

/* ---- values ---- */

Spread emit_spread(const Emit *e, uint32_t v)
{
    const Value *x = &e->p->value[v];
    if (x->constant)
        return spread_known(x->value);
    return e->now[v].kind == SPREAD_UNSEEN ? spread_vector() : e->now[v];
}

void emit_scalar(const Emit *e, uint32_t v)
{
    Spread f = emit_spread(e, v);
    if (!e->p->value[v].bytes && f.known)
        OUT("%uu", f.value ? UINT32_MAX : 0);
    else if (f.known)
        OUT("(u%u)%lluull", e->p->value[v].bytes, (unsigned long long)f.value);
    else
        OUT("%c%u", e->p->value[v].bytes ? 's' : 'p', v);
}

/* All lanes, as an expression. */
static void vector_of(const Emit *e, uint32_t v)
{
    Spread   f     = emit_spread(e, v);
    unsigned bytes = e->p->value[v].bytes;
    if (f.kind == SPREAD_VECTOR) {
        OUT("r%u", v);
        return;
    }
    OUT("((V%u){} + ", bytes);
    emit_scalar(e, v);
    if (f.pattern)
        OUT(" + P%u_%u_%u", e->index, f.pattern, bytes);
    OUT(")");
}

void emit_vector(const Emit *e, uint32_t v, const char *name)
{
    OUT("V%u %s = ", e->p->value[v].bytes, name);
    vector_of(e, v);
    OUT("; ");
}

void emit_flush(Emit *e, uint32_t v)
{
    const Value *x = &e->p->value[v];
    if (x->constant || e->clean[v])
        return;
    if (x->bytes) {
        OUT("*(F%u *)(r + %u) = ", x->bytes, x->slot);
        vector_of(e, v);
    } else {
        OUT("*(u4 *)(r + %u) = ", x->slot);
        emit_scalar(e, v);
    }
    OUT(";\n");
}

void emit_reload(Emit *e, uint32_t v, Spread want)
{
    const Value *x = &e->p->value[v];
    if (!x->bytes)
        OUT("p%u = *(u4 *)(r + %u);\n", v, x->slot);
    else if (want.kind == SPREAD_LINEAR)
        OUT("s%u = *(u%u *)(r + %u);\n", v, x->bytes, x->slot);
    else
        OUT("r%u = *(F%u *)(r + %u);\n", v, x->bytes, x->slot);
    if (want.kind == SPREAD_LINEAR && x->bytes)
        want.known = false;
    e->now[v]   = want;
    e->clean[v] = true;
}

/* A write has made v's value: its spread from here on. */
static void made(Emit *e, uint32_t v, Spread f)
{
    e->now[v]   = f;
    e->clean[v] = false;
}

/* ---- leaving and edges ---- */

/* The frame gets all values of the set.  The text behind is another path: what is clean there stays as it was. */
static void flush_set(Emit *e, const uint64_t *set)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(set, v))
            emit_flush(e, v);
}

static void leave(Emit *e, const uint64_t *wanted, const char *next)
{
    OUT("{\n");
    flush_set(e, wanted);
    OUT("return %s;\n}\n", next);
}

/* From the spread a value has to the one that is wanted. */
static void convert(Emit *e, uint32_t v, Spread want)
{
    Spread have = emit_spread(e, v);
    if (want.kind == SPREAD_UNSEEN || have.kind == SPREAD_VECTOR)
        return;
    if (!e->p->value[v].bytes) { /* a mask, whatever it is */
        if (have.known && !want.known)
            OUT("p%u = %uu;\n", v, have.value ? UINT32_MAX : 0);
    } else if (want.kind == SPREAD_VECTOR) {
        OUT("r%u = ", v);
        vector_of(e, v);
        OUT(";\n");
    } else if (have.known && !want.known) {
        OUT("s%u = ", v);
        emit_scalar(e, v);
        OUT(";\n");
    }
}

static void go(Emit *e, uint32_t to)
{
    const Segment *t = &e->p->segment[to];
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(t->live, v))
            convert(e, v, t->spread[v]);
    OUT("goto B%u;\n", to);
}

/* ---- items ---- */

static void call_handler(Emit *e, const Item *it)
{
    for (uint32_t i = 0; i < it->nread; i++)
        emit_flush(e, it->read[i]);
    OUT("n = w_call(w, %u);\n", it->uop);
}

void emit_call(Emit *e, const Item *it, Spread want)
{
    call_handler(e, it);
    OUT("if (n != w_uop(w, %u)) return n;\n", it->uop + it->span);
    for (uint32_t i = 0; i < it->nwrite; i++)
        if (bit_get(e->after, it->write[i]))
            emit_reload(e, it->write[i], want);
}

static void check_guard(Emit *e, const Item *it, Guard guard)
{
    Spread   x     = emit_spread(e, it->read[0]);
    unsigned bytes = e->p->value[it->read[0]].bytes;
    int64_t  least, most;
    if (guard == GUARD_NONE || x.kind != SPREAD_LINEAR || !x.pattern)
        return;
    pattern_ends(&e->p->patterns, x.pattern, &least, &most);
    OUT("if (COLD(wraps_%c%u(", guard == GUARD_SIGNED ? 's' : 'u', bytes);
    emit_scalar(e, it->read[0]);
    OUT(", %lldll, %lldll)))\n", (long long)least, (long long)most);
    char next[32];
    snprintf(next, sizeof next, "w_uop(w, %u)", it->uop);
    leave(e, e->before, next);
}

/* A row with one result for all lanes, or computed for lane 0 alone. */
static void row_scalar(Emit *e, const Item *it, Spread d)
{
    const RowShape *s  = &it->shape;
    uint32_t        to = it->write[0];
    OUT("{ ");
    for (uint32_t k = 0; k < s->sources; k++) {
        OUT("u%u a%u = ", s->bytes[1 + k] ? s->bytes[1 + k] : 4, k);
        emit_scalar(e, it->read[k]);
        OUT("; ");
    }
    if (s->bytes[0])
        OUT("u%u t; s_%s((%s *)&t", s->bytes[0], s->name, s->type[0]);
    else
        OUT("p%u = s_%s(", to, s->name);
    for (uint32_t k = 0; k < s->sources; k++) {
        const char *comma = k || s->bytes[0] ? ", " : "";
        if (s->bytes[1 + k])
            OUT("%s(const %s *)&a%u", comma, s->type[1 + k], k);
        else
            OUT("%sa%u", comma, k);
    }
    if (s->table)
        OUT(", %uu", e->p->code->uops[it->uop].x);
    if (s->bytes[0])
        OUT("); s%u = t; }\n", to);
    else
        OUT("); }\n");
    made(e, to, d);
}

static void row_vector(Emit *e, const Item *it)
{
    const RowShape *s  = &it->shape;
    uint32_t        to = it->write[0];
    char            name[8];
    OUT("{ ");
    for (uint32_t k = 0; k < s->sources; k++)
        if (s->bytes[1 + k]) {
            snprintf(name, sizeof name, "a%u", k);
            emit_vector(e, it->read[k], name);
        }
    if (s->bytes[0])
        OUT("v_%s((%s *)&r%u", s->name, s->type[0], to);
    else
        OUT("p%u = v_%s(", to, s->name);
    for (uint32_t k = 0; k < s->sources; k++) {
        OUT("%s", k || s->bytes[0] ? ", " : "");
        if (s->bytes[1 + k])
            OUT("(const %s *)&a%u", s->type[1 + k], k);
        else
            emit_scalar(e, it->read[k]);
    }
    if (s->table)
        OUT(", %uu", e->p->code->uops[it->uop].x);
    OUT("); }\n");
    made(e, to, spread_vector());
}

/* Logic on predicates: one function of three masks, whatever the row uses of them. */
static void row_masks(Emit *e, const Item *it, Spread d)
{
    OUT("p%u = v_%s(", it->write[0], it->shape.name);
    for (uint32_t k = 0; k < 3; k++) {
        OUT("%s", k ? ", " : "");
        if (k < it->shape.sources)
            emit_scalar(e, it->read[k]);
        else
            OUT("0u");
    }
    OUT(");\n");
    made(e, it->write[0], d);
}

static void emit_row(Emit *e, const Item *it, Spread d, Guard guard)
{
    check_guard(e, it, guard);
    if (it->what.lane == LT_pred)
        row_masks(e, it, d);
    else if (d.kind == SPREAD_LINEAR && d.known && it->shape.bytes[0])
        made(e, it->write[0], d);
    else if (d.kind == SPREAD_LINEAR)
        row_scalar(e, it, d);
    else
        row_vector(e, it);
}

static void emit_plus(Emit *e, const Item *it, Spread d)
{
    uint64_t imm = (uint64_t)e->p->code->uops[it->uop].imm;
    unsigned b   = e->p->value[it->write[0]].bytes;
    if (d.kind == SPREAD_LINEAR) {
        OUT("s%u = ", it->write[0]);
        emit_scalar(e, it->read[0]);
    } else {
        OUT("r%u = ", it->write[0]);
        vector_of(e, it->read[0]);
    }
    OUT(" + (u%u)%lluull;\n", b, (unsigned long long)imm);
    made(e, it->write[0], d);
}

static void emit_item(Emit *e, const Item *it);

/* What the guarded items wrote gets the spread that it has whether they ran or not. */
static void settle(Emit *e, const Item *it, const Spread *want)
{
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++) {
            uint32_t v = it->inner[k].write[i];
            if (bit_get(e->after, v))
                convert(e, v, want[v]);
        }
}

/* Some lanes: the interpreter's handler, prefix and all. */
static void guard_some(Emit *e, const Item *it)
{
    emit_flush(e, it->read[0]);
    for (uint32_t k = 0; k < it->ninner; k++) {
        for (uint32_t i = 0; i < it->inner[k].nread; i++)
            emit_flush(e, it->inner[k].read[i]);
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++)
            if (bit_get(e->before, it->inner[k].write[i]))
                emit_flush(e, it->inner[k].write[i]);
    }
    OUT("n = w_call(w, %u); if (n != w_uop(w, %u)) return n;\n", it->uop, it->uop + it->span);
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++)
            if (bit_get(e->after, it->inner[k].write[i]))
                emit_reload(e, it->inner[k].write[i], spread_vector());
}

static void emit_guard(Emit *e, const Item *it)
{
    Plan   *p       = e->p;
    size_t  spreads = (p->nvalues + 1) * sizeof(Spread), bools = (p->nvalues + 1) * sizeof(bool);
    Spread *before = xmalloc(spreads), *want = xmalloc(spreads);
    bool   *clean   = xmalloc(bools);
    bool    same    = spread_is_same(emit_spread(e, it->read[0]));
    bool    negated = p->code->uops[it->uop].x;
    Guard   guard;
    memcpy(before, e->now, spreads);
    memcpy(want, e->now, spreads);
    memcpy(clean, e->clean, bools);
    plan_step(p, it, want, &guard);
    const uint64_t *wanted_before = e->before, *wanted_after = e->after;
    uint64_t       *all = xcalloc(p->nvalues / 64 + 1, sizeof *all); /* inside, whatever is wanted on any way */
    for (uint32_t w = 0; w < (p->nvalues + 63) / 64; w++)
        all[w] = wanted_before[w] | wanted_after[w];
    for (uint32_t k = 0; k < it->ninner; k++) {
        for (uint32_t i = 0; i < it->inner[k].nread; i++)
            bit_set(all, it->inner[k].read[i]);
    }
    OUT("{ u4 g = %s", negated ? "~" : "");
    emit_scalar(e, it->read[0]);
    OUT(";\nif (g == ~0u) {\n");
    e->after = all;
    for (uint32_t k = 0; k < it->ninner; k++)
        emit_item(e, &it->inner[k]);
    e->after = wanted_after;
    settle(e, it, want);
    memcpy(e->now, before, spreads);
    memcpy(e->clean, clean, bools);
    if (!same) {
        OUT("} else if (g) {\n");
        guard_some(e, it);
        settle(e, it, want);
        memcpy(e->now, before, spreads);
        memcpy(e->clean, clean, bools);
    }
    OUT("} else {\n");
    settle(e, it, want);
    OUT("} }\n");
    memcpy(e->now, want, spreads);
    for (uint32_t k = 0; k < it->ninner; k++)
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++)
            e->clean[it->inner[k].write[i]] = false;
    free(before), free(want), free(clean), free(all);
}

static void emit_head(Emit *e, const Item *it)
{
    const Uop *u = &e->p->code->uops[it->uop];
    OUT("n = w_head(w, %u, %u, %u);\nif (COLD(n != 0))\n", it->uop, u->instr, u->n);
    leave(e, e->before, "n");
}

static void emit_branch(Emit *e, const Item *it, const Segment *s)
{
    const Uop *u    = &e->p->code->uops[it->uop];
    bool       same = spread_is_same(emit_spread(e, it->read[0]));
    char       next[32];
    OUT("{ u4 g = %s", u->x ? "~" : "");
    emit_scalar(e, it->read[0]);
    OUT(";\nif (g == 0) {\n");
    go(e, s->succ[0]);
    OUT("}\n");
    if (!same) {
        snprintf(next, sizeof next, "w_uop(w, %u)", it->uop);
        OUT("if (COLD(g != ~0u))\n");
        leave(e, e->before, next);
    }
    go(e, s->nsucc > 1 ? s->succ[1] : s->succ[0]);
    OUT("}\n");
}

static void emit_leave(Emit *e, const Item *it, const Segment *s)
{
    flush_set(e, e->after);
    call_handler(e, it);
    if (!s->nsucc) {
        OUT("return n;\n");
        return;
    }
    OUT("if (n != w_uop(w, %u) || w_mask(w) != ~0u) return n;\n", it->uop + it->span);
    for (uint32_t i = 0; i < it->nwrite; i++)
        if (bit_get(e->after, it->write[i]))
            emit_reload(e, it->write[i], spread_vector());
    go(e, s->succ[0]);
}

static void emit_sreg(Emit *e, const Item *it, Spread d)
{
    OUT("n = w_call(w, %u);\n", it->uop);
    uint32_t v = it->write[0];
    emit_reload(e, v, d);
    e->now[v] = d;
}

static void emit_param(Emit *e, const Item *it, Spread d)
{
    const Uop *u = &e->p->code->uops[it->uop];
    uint32_t   v = it->write[0];
    if (!d.known)
        OUT("s%u = *(const u%uu *)w_param(w, %u);\n", v, e->p->value[v].bytes, u->e);
    made(e, v, d);
}

static void emit_item(Emit *e, const Item *it)
{
    Guard    guard;
    uint32_t n    = it->nwrite ? it->write[0] : 0;
    Spread  *next = NULL, d = spread_vector();
    if (it->kind != ITEM_GUARD && it->nwrite) {
        next = xmalloc((e->p->nvalues + 1) * sizeof *next);
        memcpy(next, e->now, e->p->nvalues * sizeof *next);
        plan_step(e->p, it, next, &guard);
        d = next[n];
        free(next);
    }
    switch ((ItemKind)it->kind) {
    case ITEM_ROW: emit_row(e, it, d, guard); return;
    case ITEM_PLUS: emit_plus(e, it, d); return;
    case ITEM_NOT:
        OUT("p%u = ~", n);
        emit_scalar(e, it->read[0]);
        OUT(";\n");
        made(e, n, d);
        return;
    case ITEM_LOAD: emit_load(e, it); return;
    case ITEM_STORE: emit_store(e, it); return;
    case ITEM_PARAM: emit_param(e, it, d); return;
    case ITEM_SREG: emit_sreg(e, it, d); return;
    case ITEM_CALL: emit_call(e, it, spread_vector()); return;
    case ITEM_GUARD: emit_guard(e, it); return;
    case ITEM_HEAD: emit_head(e, it); return;
    default: return; /* the segment's end: emit_segment */
    }
}

/* ---- segments ---- */

/* The values with the spreads that were planned; else the interpreter goes on. */
static void emit_entry(Emit *e, uint32_t index)
{
    const Segment *s = &e->p->segment[index];
    OUT("E%u:\n", index);
    for (uint32_t v = 0; v < e->p->nvalues; v++) {
        const Value *x = &e->p->value[v];
        Spread       f = s->spread[v];
        if (!bit_get(s->live, v))
            continue;
        f = f.kind == SPREAD_UNSEEN ? spread_vector() : f;
        emit_reload(e, v, f);
        if (f.kind == SPREAD_VECTOR)
            continue;
        if (!x->bytes)
            OUT("if (p%u + 1 > 1) return 0;\n", v);
        else if (!f.pattern)
            OUT("if (!w_same%u(r + %u)) return 0;\n", x->bytes, x->slot);
        else
            OUT("if (!w_even%u(r + %u, (const u%u *)&P%u_%u_%u)) return 0;\n", x->bytes, x->slot, x->bytes, e->index,
                f.pattern, x->bytes);
        if (f.known)
            OUT("if (%c%u != (u%u)%lluull) return 0;\n", x->bytes ? 's' : 'p', v, x->bytes ? x->bytes : 4,
                (unsigned long long)(x->bytes  ? f.value
                                     : f.value ? UINT32_MAX
                                               : 0));
    }
    OUT("goto B%u;\n", index);
}

static void emit_segment(Emit *e, uint32_t index)
{
    Plan          *p     = e->p;
    const Segment *s     = &p->segment[index];
    uint32_t       words = (p->nvalues + 63) / 64 + 1;
    uint64_t      *live  = xcalloc((size_t)(s->nitems + 1) * words, sizeof *live);
    for (uint32_t k = 0; k < s->nsucc + s->nmore; k++)
        for (uint32_t w = 0; w + 1 < words; w++)
            live[s->nitems * words + w] |= p->segment[k < s->nsucc ? s->succ[k] : s->more[k - s->nsucc]].live[w];
    for (uint32_t k = s->nitems; k-- > 0;) {
        memcpy(live + k * words, live + (k + 1) * words, words * sizeof *live);
        flow_back(&s->item[k], live + k * words);
    }
    memcpy(e->now, s->spread, p->nvalues * sizeof *e->now);
    memset(e->clean, 0, p->nvalues);
    OUT("B%u:;\n", index);
    for (uint32_t k = 0; k < s->nitems; k++) {
        e->before = live + k * words;
        e->after  = live + (k + 1) * words;
        emit_item(e, &s->item[k]);
    }
    const Item *last = &s->item[s->nitems - 1];
    if (last->kind == ITEM_BRANCH)
        emit_branch(e, last, s);
    else if (last->kind == ITEM_LEAVE)
        emit_leave(e, last, s);
    else
        go(e, s->succ[0]);
    free(live);
}

/* ---- the whole ---- */

static void emit_prototype(Emit *e, const RowShape *s, bool mask)
{
    for (int scalar = 0; scalar < (mask ? 1 : 2); scalar++) {
        bool first = true;
        OUT("%s %c_%s(", s->bytes[0] ? "void" : "u4", scalar ? 's' : 'v', s->name);
        if (s->bytes[0]) {
            OUT("%s *", s->type[0]);
            first = false;
        }
        for (unsigned k = 0; k < (mask ? 3u : s->sources); k++) {
            if (s->bytes[1 + k] && !mask)
                OUT("%sconst %s *", first ? "" : ", ", s->type[1 + k]);
            else
                OUT("%su4", first ? "" : ", ");
            first = false;
        }
        OUT("%s);\n", s->table ? ", u4" : "");
    }
}

typedef struct Names {
    char (*seen)[40];
    uint32_t n;
} Names;

static void prototypes_of(Emit *e, const Item *it, Names *names)
{
    for (uint32_t k = 0; k < it->ninner; k++)
        prototypes_of(e, &it->inner[k], names);
    if (it->kind != ITEM_ROW)
        return;
    for (uint32_t k = 0; k < names->n; k++)
        if (strcmp(names->seen[k], it->shape.name) == 0)
            return;
    names->seen = xrealloc(names->seen, (names->n + 1) * sizeof *names->seen);
    memcpy(names->seen[names->n++], it->shape.name, sizeof it->shape.name);
    emit_prototype(e, &it->shape, it->what.lane == LT_pred);
}

static const char prelude[] =
    "typedef unsigned char u1; typedef unsigned short u2; typedef unsigned u4; typedef unsigned long u8;\n"
    "typedef signed char i1; typedef short i2; typedef int i4; typedef long i8;\n"
    "typedef u2 __attribute__((aligned(1))) u2u; typedef u4 __attribute__((aligned(1))) u4u; typedef u8 "
    "__attribute__((aligned(1))) u8u;\n"
    "typedef u1 u1u;\n"
    "#define VEC(b, n) typedef u##b V##b##_##n __attribute__((vector_size(b * n)));\\\n"
    " typedef u##b V##b##_##n##u __attribute__((vector_size(b * n), aligned(1)));\n"
    "#define VECS(b) VEC(b, 8) VEC(b, 16) VEC(b, 32) VEC(b, 64) VEC(b, 128)\\\n"
    " typedef u##b V##b __attribute__((vector_size(b * 32))); typedef u##b F##b __attribute__((vector_size(b * 32), "
    "aligned(32)));\\\n"
    " typedef i##b W##b __attribute__((vector_size(b * 32)));\n"
    "VECS(1) VECS(2) VECS(4) VECS(8)\n"
    "#define COLD(x) __builtin_expect(!!(x), 0)\n"
    "#define SH __builtin_shufflevector\n"
    "typedef struct Warp Warp; typedef struct Uop Uop;\n"
    "u1 *w_regs(const Warp *); u8 *w_tally(const Warp *); u4 w_index(const Warp *, const Uop *); const Uop "
    "*w_uop(const Warp *, u4); u4 w_mask(const Warp *);\n"
    "const Uop *w_call(Warp *, u4); const Uop *w_head(Warp *, u4, u4, u4);\n"
    "u1 *w_shared(const Warp *, u4, u4, u4); u1 *w_global(const Warp *, u4, u8, u8, u8); const u1 *w_param(const Warp "
    "*, u4);\n"
    "u4 w_even4(const u1 *, const u4 *); u4 w_even8(const u1 *, const u8 *);\n"
    "u4 w_same1(const u1 *); u4 w_same2(const u1 *); u4 w_same4(const u1 *); u4 w_same8(const u1 *);\n"
    "static inline int wraps_s4(u4 x, i8 a, i8 b) { i8 y = (i4)x; return y + a < -0x80000000l || y + b > 0x7fffffffl; "
    "}\n"
    "static inline int wraps_u4(u4 x, i8 a, i8 b) { i8 y = x; return y + a < 0 || y + b > 0xffffffffl; }\n"
    "static inline int wraps_s8(u8 x, i8 a, i8 b) { i8 t; return __builtin_add_overflow((i8)x, a, &t) || "
    "__builtin_add_overflow((i8)x, b, &t); }\n"
    "static inline int wraps_u8(u8 x, i8 a, i8 b) { return x < (u8)-a || x + (u8)b < x; }\n";

static void emit_patterns(Emit *e)
{
    for (uint32_t k = 1; k < e->p->patterns.n; k++)
        for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
            OUT("static const V%u P%u_%u_%u = {", bytes, e->index, k, bytes);
            for (int i = 0; i < LANES; i++)
                OUT("%s(u%u)%lldll", i ? ", " : "", bytes, (long long)e->p->patterns.lane[k][i]);
            OUT("};\n");
        }
}

static void emit_variables(Emit *e)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++) {
        const Value *x = &e->p->value[v];
        if (x->constant)
            continue;
        if (x->bytes)
            OUT("V%u r%u; u%u s%u;\n", x->bytes, v, x->bytes, v);
        else
            OUT("u4 p%u;\n", v);
    }
}

void emit_prelude(Str *out)
{
    str_add(out, prelude);
}

void emit_function(Plan *p, uint32_t index, Str *out)
{
    Emit  emit  = {.p     = p,
                   .out   = out,
                   .index = index,
                   .now   = xcalloc(p->nvalues + 1, sizeof(Spread)),
                   .clean = xcalloc(p->nvalues + 1, 1)};
    Emit *e     = &emit;
    Names names = {0};
    Str   body  = {0};
    e->out      = &body;
    OUT("const Uop *native%u(Warp *w, const Uop *u)\n{\nu1 *r = w_regs(w); u8 *tally = w_tally(w); const Uop *n;\n",
        index);
    emit_variables(e);
    OUT("switch (w_index(w, u)) {\n");
    for (uint32_t i = 0; i < p->nsegments; i++)
        if (p->segment[i].reached)
            OUT("case %u: goto E%u;\n", p->segment[i].first, i);
    OUT("default: return 0;\n}\n");
    for (uint32_t i = 0; i < p->nsegments; i++)
        if (p->segment[i].reached)
            emit_entry(e, i);
    for (uint32_t i = 0; i < p->nsegments; i++)
        if (p->segment[i].reached)
            emit_segment(e, i);
    OUT("}\n");
    e->out = out;
    for (uint32_t i = 0; i < p->nsegments; i++)
        for (uint32_t k = 0; k < p->segment[i].nitems; k++)
            prototypes_of(e, &p->segment[i].item[k], &names);
    emit_patterns(e);
    str_add(out, str_text(&body));
    str_free(&body);
    free(names.seen);
    free(emit.now);
    free(emit.clean);
}
