/* SPDX-License-Identifier: Apache-2.0
 *
 * From handlers back to rows.  Lowering leaves nothing in a uop but its handler; the tables that lowering took the handlers from say whose
 * they are.  Where the compiler made one function of two equal handlers, either row says what it does. */
#include "emu/jit/what.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/op.h"
#include "ptx/traits.h"

typedef struct Entry {
    UopFn fn;
    What  what;
} Entry;

struct WhatMap {
    Entry *entry;
    size_t n;
};

static int by_handler(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const Entry *)a)->fn, y = (uintptr_t)((const Entry *)b)->fn;
    return x < y ? -1 : x > y;
}

static void note(WhatMap *m, UopFn fn, What what)
{
    if (fn)
        m->entry[m->n++] = (Entry){fn, what};
}

WhatMap *what_map(const ExecTable *exec, const UopFn *ctl)
{
    WhatMap *m = xcalloc(1, sizeof *m);
    m->entry   = xcalloc((size_t)OP_COUNT * LT_COUNT + CTL_COUNT + 2 * MEM_COUNT, sizeof *m->entry);
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned t = 0; t < LT_COUNT; t++)
            note(m, exec->lane[op][t], (What){WHAT_ROW, false, (uint8_t)t, (uint16_t)op});
    for (unsigned c = 0; c < CTL_COUNT; c++)
        note(m, ctl[c], (What){WHAT_CTL, false, 0, (uint16_t)c});
    for (unsigned i = 0; i < MEM_COUNT; i++)
        for (int seen = 1; seen >= 0; seen--) /* where both are one handler, nothing is told */
            note(m, exec->mem[i][seen], (What){WHAT_MEM, seen, 0, (uint16_t)i});
    qsort(m->entry, m->n, sizeof *m->entry, by_handler);
    return m;
}

void what_free(WhatMap *m)
{
    if (!m)
        return;
    free(m->entry);
    free(m);
}

What what_is(const WhatMap *m, const Uop *u)
{
    const Entry  want  = {u->fn, {0}};
    const Entry *found = bsearch(&want, m->entry, m->n, sizeof *m->entry, by_handler);
    return found ? found->what : (What){0};
}

/* ---- rows ---- */

typedef struct LaneProps {
    const char *name, *type, *wide;
    uint8_t     bytes;
} LaneProps;

/* LANE_TYPES of code.h with the C types that lanes.h gives their elements and those twice as wide. */
static const LaneProps props[LT_COUNT] = {
    [LT_u8]     = {"u8", "unsigned char", "unsigned short", 1},
    [LT_s8]     = {"s8", "signed char", "short", 1},
    [LT_u16]    = {"u16", "unsigned short", "unsigned", 2},
    [LT_s16]    = {"s16", "short", "int", 2},
    [LT_u32]    = {"u32", "unsigned", "unsigned long", 4},
    [LT_s32]    = {"s32", "int", "long", 4},
    [LT_u64]    = {"u64", "unsigned long", "unsigned long", 8},
    [LT_s64]    = {"s64", "long", "long", 8},
    [LT_f32]    = {"f32", "float", "double", 4},
    [LT_f64]    = {"f64", "double", "double", 8},
    [LT_f16]    = {"f16", "unsigned short", "unsigned", 2},
    [LT_bf16]   = {"bf16", "unsigned short", "unsigned", 2},
    [LT_f16x2]  = {"f16x2", "unsigned short", "unsigned", 4},
    [LT_bf16x2] = {"bf16x2", "unsigned short", "unsigned", 4},
    [LT_u16x2]  = {"u16x2", "unsigned short", "unsigned", 4},
    [LT_s16x2]  = {"s16x2", "short", "int", 4},
    [LT_pred]   = {"pred", "unsigned", "unsigned", 0},
};

typedef enum RowKind { ROW_NONE, ROW_LANE, ROW_WIDE2, ROW_WIDE3, ROW_CONV, ROW_PRED, ROW_MASK, ROW_HAND } RowKind;

static const struct {
    uint8_t     kind, sources, result; /* result: CONV's LaneType */
    const char *id;
    const char *lanes, *pipe;
} rows[OP_COUNT] = {
#define ISA_ANY(id, exactness, pipe, traits, flow, form, note)        [OP_##id] = {ROW_NONE, 0, 0, #id, "", ""},
#define LANE1(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {ROW_LANE, 1, 0, #id, "", ""},
#define LANE2(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {ROW_LANE, 2, 0, #id, #lanes, #pipe},
#define LANE3(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {ROW_LANE, 3, 0, #id, #lanes, #pipe},
#define WIDE2(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {ROW_WIDE2, 2, 0, #id, "", ""},
#define WIDE3(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {ROW_WIDE3, 3, 0, #id, "", ""},
#define CONV(id, D, lanes, exactness, pipe, traits, flow, form, expr) [OP_##id] = {ROW_CONV, 1, LT_##D, #id, "", ""},
#define PRED1(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {ROW_PRED, 1, 0, #id, "", ""},
#define PRED2(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {ROW_PRED, 2, 0, #id, "", ""},
#define MASK1(id, exactness, pipe, traits, flow, form, expr)          [OP_##id] = {ROW_MASK, 1, 0, #id, "", ""},
#define MASK2(id, exactness, pipe, traits, flow, form, expr)          [OP_##id] = {ROW_MASK, 2, 0, #id, "", ""},
#define MASK3(id, exactness, pipe, traits, flow, form, expr)          [OP_##id] = {ROW_MASK, 3, 0, #id, "", ""},
#define HAND(id, lanes, exactness, pipe, traits, flow, form, note)    [OP_##id] = {ROW_HAND, 0, 0, #id, "", ""},
#include "ptx/isa.def"
#undef ISA_ANY
};

/* HAND rows that rows.c has a function of: operands after the first `wide` ones have 32 bits, whatever the row's type. */
static const struct {
    Op      op;
    uint8_t sources, wide;
} hand[] = {
    {OP_copy, 1, 1},     {OP_shl_lane, 2, 1}, {OP_shr_lane, 2, 1}, {OP_bfe_lane, 3, 1},
    {OP_bfi_lane, 4, 2}, {OP_lop3, 3, 3},     {OP_selp, 3, 2},
};

static bool hand_shape(What w, RowShape *s)
{
    for (size_t i = 0; i < sizeof hand / sizeof *hand; i++) {
        if (hand[i].op != w.id)
            continue;
        s->sources = hand[i].sources;
        for (int k = 1 + hand[i].wide; k <= hand[i].sources; k++) {
            s->bytes[k] = w.id == OP_selp ? 0 : 4;
            s->type[k]  = "unsigned";
        }
        s->table = w.id == OP_lop3;
        return w.lane != LT_b128;
    }
    return false;
}

/* Halves are computed in floats. */
static bool is_integer(LaneType t)
{
    switch (t) {
    case LT_f32:
    case LT_f64:
    case LT_f16:
    case LT_bf16:
    case LT_f16x2:
    case LT_bf16x2: return false;
    default: return true;
    }
}

bool what_shape(What w, RowShape *s)
{
    if (w.kind != WHAT_ROW || rows[w.id].kind == ROW_NONE || w.lane == LT_b128)
        return false;
    const LaneProps *p = &props[w.lane], *conv = &props[rows[w.id].result];
    snprintf(s->name, sizeof s->name, "%s_%s", rows[w.id].id, p->name);
    s->sources = rows[w.id].sources;
    s->table   = false;
    /* isa.def: all of FLT on the pipe FMA are NAN2 or NAN3 of something */
    bool arithmetic = strcmp(rows[w.id].lanes, "FLT") == 0 && strcmp(rows[w.id].pipe, "FMA") == 0;
    s->canonical    = arithmetic && w.lane == LT_f32;
    s->checked      = arithmetic && w.lane == LT_f64;
    s->steady       = (is_integer((LaneType)w.lane) || op_traits((Op)w.id).is & TRAIT_UNROUNDED) &&
                (rows[w.id].kind != ROW_CONV || is_integer((LaneType)rows[w.id].result));
    for (int i = 0; i <= ROW_SOURCES; i++) {
        s->bytes[i] = p->bytes;
        s->type[i]  = p->type;
    }
    switch ((RowKind)rows[w.id].kind) {
    case ROW_WIDE3:
        s->bytes[3] = (uint8_t)(2 * p->bytes);
        s->type[3]  = p->wide;
        __attribute__((fallthrough));
    case ROW_WIDE2:
        s->bytes[0] = (uint8_t)(2 * p->bytes);
        s->type[0]  = p->wide;
        return true;
    case ROW_CONV:
        s->bytes[0] = conv->bytes;
        s->type[0]  = conv->type;
        return true;
    case ROW_PRED: s->bytes[0] = 0; return true;
    case ROW_HAND: return hand_shape(w, s);
    default: return true;
    }
}
