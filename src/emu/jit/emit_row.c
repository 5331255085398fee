/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: of lane 0 alone, of one number for all lanes, of vectors.
 *
 * Where only some lanes run (Emit.crossing), a row is computed for all 32 and the result blended into values that other lanes have, too; a
 * value that nobody else reads needs no blending.  Handlers see those lanes in w->mask and blend in the frame. */
#include <stdio.h>

#include "emu/jit/emit.h"

/* Does it hold of a number that is known? */
static bool holds(Guard guard, uint64_t x, unsigned bytes, int64_t least, int64_t most)
{
    __int128 limit = (__int128)1 << (guard == GUARD_SIGNED ? 8 * bytes - 1 : 8 * bytes);
    __int128 v     = (__int128)x;
    if (guard == GUARD_SIGNED && v >= limit)
        v -= 2 * limit;
    return v + least >= (guard == GUARD_SIGNED ? -limit : 0) && v + most < limit;
}

static void check_guard(Emit *e, const Item *it, Guard guard)
{
    uint32_t source = it->read[0];
    if (guard != GUARD_NONE && it->nread > 1 && !emit_spread(e, source).pattern)
        source = it->read[1];
    Spread   x     = emit_spread(e, source);
    unsigned bytes = e->p->value[source].bytes;
    int64_t  least, most;
    if (guard == GUARD_NONE || x.kind != SPREAD_LINEAR || !x.pattern)
        return;
    pattern_ends(&e->p->patterns, x.pattern, &least, &most);
    if (x.known && holds(guard, x.value, bytes, least, most))
        return;
    OUT("if (COLD(wraps_%c%u(", guard == GUARD_SIGNED ? 's' : 'u', bytes);
    emit_scalar(e, source);
    OUT(", %lldll, %lldll)))\n", (long long)least, (long long)most);
    emit_leave_at(e, e->before, it->uop);
}

/* Its sources' lanes 0. */
static void row_sources(Emit *e, const Item *it)
{
    const RowShape *s = &it->shape;
    for (uint32_t k = 0; k < s->sources; k++) {
        bool hidden = emit_hidden(e, it, k);
        OUT("u%u a%u = ", s->bytes[1 + k] ? s->bytes[1 + k] : 4, k);
        if (hidden)
            OUT("h%u", k);
        else
            emit_scalar(e, it->read[k]);
        OUT("; ");
    }
}

static void row_arguments(Emit *e, const Item *it)
{
    const RowShape *s = &it->shape;
    for (uint32_t k = 0; k < s->sources; k++) {
        const char *comma = k || s->bytes[0] ? ", " : "";
        if (s->bytes[1 + k])
            OUT("%s(const %s *)&a%u", comma, s->type[1 + k], k);
        else
            OUT("%sa%u", comma, k);
    }
    if (s->table)
        OUT(", %uu", e->p->code->uops[it->uop].x);
    OUT(");");
}

void emit_row_lane(Emit *e, const Item *it)
{
    row_sources(e, it);
    OUT("u%u t; s_%s((%s *)&t", it->shape.bytes[0], it->shape.name, it->shape.type[0]);
    row_arguments(e, it);
}

/* A row with one result for all lanes, or computed for lane 0 alone. */
static void row_scalar(Emit *e, const Item *it, Spread d)
{
    uint32_t to = it->write[0];
    OUT("{ ");
    if (it->shape.bytes[0]) {
        emit_row_lane(e, it);
        OUT(" s%u = t; }\n", to);
    } else {
        row_sources(e, it);
        OUT("p%u = s_%s(", to, it->shape.name);
        row_arguments(e, it);
        OUT(" }\n");
    }
    emit_made(e, to, d);
}

static bool is_raw(const Emit *e, const Item *it)
{
    const Segment *s = e->raw_of;
    return s && it >= s->item && it < s->item + s->nitems && e->raw[it - s->item];
}

/* One of the row's functions on a0, a1 ..., whose result goes to `name`. */
static void row_call(Emit *e, const Item *it, char which, const char *name)
{
    const RowShape *s = &it->shape;
    if (s->bytes[0])
        OUT("%c_%s((%s *)&%s", which, s->name, s->type[0], name);
    else
        OUT("%s = %c_%s(", name, which, s->name);
    for (uint32_t k = 0; k < s->sources; k++) {
        OUT("%s", k || s->bytes[0] ? ", " : "");
        if (s->bytes[1 + k])
            OUT("(const %s *)&a%u", s->type[1 + k], k);
        else
            emit_scalar(e, it->read[k]);
    }
    if (s->table)
        OUT(", %uu", e->p->code->uops[it->uop].x);
    OUT(");");
}

static void row_vector(Emit *e, const Item *it, Spread d)
{
    const RowShape *s  = &it->shape;
    uint32_t        to = it->write[0];
    char            name[16];
    OUT("{ ");
    for (uint32_t k = 0; k < s->sources; k++)
        if (s->bytes[1 + k] && emit_hidden(e, it, k)) {
            OUT("V%u a%u = (V%u){} + h%u; ", s->bytes[1 + k], k, s->bytes[1 + k], k);
        } else if (s->bytes[1 + k]) {
            snprintf(name, sizeof name, "a%u", k);
            emit_vector(e, it->read[k], name);
        }
    emit_begin_result(e, to, name);
    row_call(e, it, s->checked || is_raw(e, it) ? 'x' : 'v', name);
    if (s->checked && !emit_in_trial(e, it)) {
        OUT(" if (COLD(w_nan((const double *)&%s))) ", name);
        row_call(e, it, 'v', name);
    }
    emit_end_result(e, to, d);
    e->odd[to] = is_raw(e, it);
}

/* Logic on predicates: one function of three masks, whatever the row uses of them. */
static void row_masks(Emit *e, const Item *it, Spread d)
{
    char name[16];
    OUT("{ ");
    emit_begin_result(e, it->write[0], name);
    OUT("%s = v_%s(", name, it->shape.name);
    for (uint32_t k = 0; k < 3; k++) {
        OUT("%s", k ? ", " : "");
        if (k < it->shape.sources)
            emit_scalar(e, it->read[k]);
        else
            OUT("0u");
    }
    OUT(");");
    emit_end_result(e, it->write[0], d);
}

void emit_row(Emit *e, const Item *it, Spread d, Guard guard)
{
    check_guard(e, it, guard);
    if (it->what.lane == LT_pred)
        row_masks(e, it, d);
    else if (d.kind == SPREAD_LINEAR && d.known && it->shape.bytes[0])
        emit_made(e, it->write[0], d);
    else if (d.kind == SPREAD_LINEAR)
        row_scalar(e, it, d);
    else
        row_vector(e, it, d);
}
