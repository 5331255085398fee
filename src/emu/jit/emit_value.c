/* SPDX-License-Identifier: Apache-2.0
 *
 * Values in the text.
 *
 * What always holds where the text stands: a value has the spread e->now says, in its own variables, and the frame may hold something older.
 * So before a handler runs, what it reads is flushed; before the interpreter goes on (lanes part, a spread ends), every value that is wanted
 * from there on.  Where native code itself will go on (a quantum is spent, a barrier waits), linear values are kept as lane 0 only, and
 * nobody asks whether they are what was planned (help.h).  Behind a barrier all are kept so; those that are not written again need not be
 * kept at the next one, and those that nobody looks at stay away from their variables (flow_homes). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/jit/emit.h"
#include "emu/jit/flow.h"

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

void emit_lanes(const Emit *e, uint32_t v)
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
    emit_lanes(e, v);
    OUT("; ");
}

void emit_flush(Emit *e, uint32_t v)
{
    const Value *x = &e->p->value[v];
    if (x->constant || e->clean[v])
        return;
    if (e->odd[v])
        OUT("w_canonical((float *)&r%u);\n", v);
    if (x->bytes) {
        OUT("*(F%u *)(r + %u) = ", x->bytes, x->slot);
        emit_lanes(e, v);
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
    e->kept[v]  = true;
    e->away[v]  = false;
    e->odd[v]   = false;
}

void emit_made(Emit *e, uint32_t v, Spread f)
{
    e->now[v]   = f;
    e->clean[v] = false;
    e->kept[v]  = false;
    e->away[v]  = false;
    e->odd[v]   = false;
}

bool emit_blends(const Emit *e, uint32_t v)
{
    return e->crossing && bit_get(e->crossing, v);
}

void emit_convert(Emit *e, uint32_t v, Spread want)
{
    Spread have = emit_spread(e, v);
    if (want.kind == SPREAD_UNSEEN || have.kind == SPREAD_VECTOR)
        return;
    if (!e->p->value[v].bytes) { /* a mask, whatever it is */
        if (have.known && !want.known)
            OUT("p%u = %uu;\n", v, have.value ? UINT32_MAX : 0);
    } else if (want.kind == SPREAD_VECTOR) {
        OUT("r%u = ", v);
        emit_lanes(e, v);
        OUT(";\n");
    } else if (have.known && !want.known) {
        OUT("s%u = ", v);
        emit_scalar(e, v);
        OUT(";\n");
    }
}

/* ---- the frame ---- */

static bool is_linear(const Emit *e, uint32_t v)
{
    return emit_spread(e, v).kind == SPREAD_LINEAR;
}

static void keep(Emit *e, uint32_t v)
{
    const Value *x = &e->p->value[v];
    if (x->constant || e->clean[v] || e->kept[v] || emit_spread(e, v).known)
        return;
    if (!is_linear(e, v) || !x->bytes)
        emit_flush(e, v);
    else
        OUT("*(u%u *)(r + %u) = s%u;\n", x->bytes, x->slot, v);
}

void emit_keep(Emit *e, const uint64_t *set)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(set, v))
            keep(e, v);
}

static void fetch(Emit *e, uint32_t v)
{
    const Value *x = &e->p->value[v];
    if (x->constant || emit_spread(e, v).known)
        return;
    if (!x->bytes)
        OUT("p%u = *(u4 *)(r + %u);\n", v, x->slot);
    else if (is_linear(e, v))
        OUT("s%u = *(u%u *)(r + %u);\n", v, x->bytes, x->slot);
    else
        OUT("r%u = *(F%u *)(r + %u);\n", v, x->bytes, x->slot);
}

void emit_fetch(Emit *e, const uint64_t *set)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(set, v) && !e->away[v])
            fetch(e, v);
}

/* ---- what stays in the frame ---- */

void emit_homes(Emit *e, const Segment *s)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++) {
        e->kept[v] = bit_get(s->kept, v);
        e->away[v] = bit_get(s->away, v);
    }
}

void emit_present(Emit *e, uint32_t v)
{
    if (e->away[v])
        fetch(e, v);
    e->away[v] = false;
}

void emit_present_set(Emit *e, const uint64_t *set)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(set, v))
            emit_present(e, v);
}

void emit_present_item(Emit *e, const Item *it)
{
    for (uint32_t i = 0; i < it->nread; i++)
        emit_present(e, it->read[i]);
    for (uint32_t k = 0; k < it->ninner; k++) {
        emit_present_item(e, &it->inner[k]);
        for (uint32_t i = 0; i < it->inner[k].nwrite; i++) /* lanes that do not run keep theirs */
            emit_present(e, it->inner[k].write[i]);
    }
}

void emit_bring(Emit *e, uint32_t v, const Segment *to)
{
    bool stays = bit_get(to->away, v) && flow_same_home(emit_spread(e, v), to->spread[v]);
    if (e->away[v] && !stays)
        fetch(e, v);
    emit_convert(e, v, to->spread[v]);
}

void emit_keep_for(Emit *e, uint32_t v, const Segment *to)
{
    Spread now   = e->now[v];
    bool   clean = e->clean[v], kept = e->kept[v], same = flow_same_home(emit_spread(e, v), to->spread[v]);
    e->now[v]   = to->spread[v];
    e->clean[v] = clean && same;
    e->kept[v]  = kept && same;
    keep(e, v);
    e->now[v]   = now;
    e->clean[v] = clean;
    e->kept[v]  = kept;
}

/* The number of the table that has these rows, which stands in the text once. */
static uint32_t table_of(Emit *e, const Str *rows)
{
    uint32_t k = 0;
    while (k < e->ntables && strcmp(str_text(&e->table[k]), str_text(rows)) != 0)
        k++;
    if (k == e->ntables) {
        e->table             = xrealloc(e->table, (e->ntables + 1) * sizeof *e->table);
        e->table[e->ntables] = (Str){0};
        str_add(&e->table[e->ntables++], str_text(rows));
    }
    return k;
}

/* The linear values of the set as a table; how many they are. */
static uint32_t table(Emit *e, const uint64_t *set, uint32_t *number)
{
    uint32_t n    = 0;
    Str      rows = {0};
    for (uint32_t v = 0; v < e->p->nvalues; v++) {
        const Value *x = &e->p->value[v];
        Spread       f = emit_spread(e, v);
        if (!bit_get(set, v) || x->constant || f.kind != SPREAD_LINEAR || e->clean[v])
            continue;
        uint64_t value = f.known ? x->bytes ? f.value : f.value ? UINT32_MAX : 0 : 0;
        str_printf(&rows, "{%lluull, %u, %u, %u, %u},\n", (unsigned long long)value, x->slot, f.pattern, x->bytes,
                   f.known);
        n++;
    }
    if (n)
        *number = table_of(e, &rows);
    str_free(&rows);
    return n;
}

void emit_fill(Emit *e, const uint64_t *set)
{
    uint32_t k, n = table(e, set, &k);
    if (n)
        OUT("w_fill(w, T%u_%u, %u, L%u);\n", e->index, k, n, e->index);
}

bool emit_check(Emit *e, const uint64_t *set)
{
    uint32_t k, n = table(e, set, &k);
    if (n)
        OUT("if (!w_check(w, T%u_%u, %u, L%u)) return 0;\n", e->index, k, n, e->index);
    return n != 0;
}

void emit_leave(Emit *e, const uint64_t *wanted, const char *next)
{
    OUT("{\n");
    emit_keep(e, wanted);
    emit_fill(e, wanted);
    if (e->mode)
        OUT("w_mode(0);\n");
    OUT("return %s;\n}\n", next);
}

void emit_leave_at(Emit *e, const uint64_t *wanted, uint32_t uop)
{
    char next[32];
    snprintf(next, sizeof next, "w_uop(U, %u)", uop);
    emit_leave(e, wanted, next);
}

/* ---- results ---- */

void emit_begin_result(Emit *e, uint32_t v, char name[16])
{
    bool blends = emit_blends(e, v);
    if (blends)
        strcpy(name, "t");
    else
        snprintf(name, 16, "%c%u", e->p->value[v].bytes ? 'r' : 'p', v);
    if (blends && e->p->value[v].bytes)
        OUT("V%u t; ", e->p->value[v].bytes);
    else if (blends)
        OUT("u4 t; ");
}

void emit_end_result(Emit *e, uint32_t v, Spread f)
{
    unsigned bytes = e->p->value[v].bytes;
    if (emit_blends(e, v)) {
        if (bytes)
            OUT(" w_blend%u((u1 *)&r%u, (const u1 *)&t, m);", bytes, v);
        else
            OUT(" p%u = (p%u & ~m) | (t & m);", v, v);
    }
    OUT(" }\n");
    emit_made(e, v, f);
}

/* ---- the text's state ---- */

EmitState emit_state(const Emit *e)
{
    size_t    n = e->p->nvalues + 1;
    EmitState s = {xmalloc(n * sizeof *s.now), xmalloc(n), xmalloc(n), xmalloc(n)};
    memcpy(s.now, e->now, (n - 1) * sizeof *s.now);
    memcpy(s.clean, e->clean, n - 1);
    memcpy(s.kept, e->kept, n - 1);
    memcpy(s.away, e->away, n - 1);
    return s;
}

void emit_state_back(Emit *e, const EmitState *s)
{
    memcpy(e->now, s->now, e->p->nvalues * sizeof *e->now);
    memcpy(e->clean, s->clean, e->p->nvalues);
    memcpy(e->kept, s->kept, e->p->nvalues);
    memcpy(e->away, s->away, e->p->nvalues);
}

void emit_state_free(EmitState *s)
{
    free(s->now);
    free(s->clean);
    free(s->kept);
    free(s->away);
}
