/* SPDX-License-Identifier: Apache-2.0
 *
 * The text as a whole: what every text begins with, a function's tables and variables, where it is entered, its segments. */
#include "emu/jit/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the whole ---- */

static void emit_prototype(Emit *e, const RowShape *s, bool mask)
{
    static const char kinds[] = {'v', 's', 'x'}; /* rows.c */
    for (int kind = 0; kind < (mask ? 1 : s->canonical || s->checked ? 3 : 2); kind++) {
        bool first = true;
        OUT("%s %c_%s(", s->bytes[0] ? "void" : "u4", kinds[kind], s->name);
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
    "typedef struct { u8 value; u4 slot; u2 pattern; u1 bytes, known; } Linear;\n"
    "u1 *w_regs(const Warp *); u8 *w_tally(const Warp *); u4 w_index(const Warp *, const Uop *); u4 w_mask(const Warp "
    "*);\n"
    "const Uop *w_uops(const Warp *); const Uop *w_uop(const Uop *, u4); const Uop *w_call(Warp *, const Uop *);\n"
    "void w_again(Warp *, const Uop *, const Uop *);\n"
    "const Uop *w_head(Warp *, const Uop *, u4, u4); const Uop *w_head_some(Warp *, const Uop *, u4, u4);\n"
    "u1 *w_shared(const Warp *, u4, u4, u4); u1 *w_global(const Warp *, u4, u8, u8, u8); u1 *w_ahead(const Warp *, u4, "
    "u1 *); const u1 *w_param(const Warp "
    "*, u4);\n"
    "u4 w_far_global(const Warp *, u4, const u8 *, u8, u4, u4, u8 *); u4 w_far_shared(const Warp *, u4, const u4 *, "
    "u4, "
    "u4, u4, u4 *);\n"
    "u4 w_far_local(const Warp *, u4, const u8 *, u8, u4, u4, u4 *); u1 *w_window_shared(const Warp *); u1 "
    "*w_window_local(const Warp *);\n"
    "u8 w_pitch_local(const Warp *); void w_tell_far(Warp *, const Uop *, u4, const u8 *);\n"
    "void w_tell_near(Warp *, const Uop *, u4, const u4 *); u4 w_atom_begins(Warp *, u4);\n"
    "#define ANYWHERE(b) void w_load_far##b(u##b *, const u8 *, u4);\\\n"
    " void w_load_near##b(u##b *, const u1 *, u8, const u4 *, u4);\\\n"
    " void w_store_far##b(const u8 *, u4, const u##b *, u4);\\\n"
    " void w_store_near##b(u1 *, u8, const u4 *, u4, const u##b *, u4);\n"
    "#define ATOMICS(b) void w_atom_near##b(u##b *, u1 *, const u4 *, const u##b *, const u##b *, u4, u4, u4);\\\n"
    " void w_atom_far##b(u##b *, const u8 *, const u##b *, const u##b *, u4, u4, u4);\n"
    "ANYWHERE(1) ANYWHERE(2) ANYWHERE(4) ANYWHERE(8) ATOMICS(4) ATOMICS(8)\n"
    "u4 w_tid(const Warp *, u4); u4 w_ctaid(const Warp *, u4); u4 w_nctaid(const Warp *, u4); const void *w_tids(const "
    "Warp *, u4);\n"
    "u4 w_lean(Warp *); void w_keep(Warp *, u4); u4 w_check(const Warp *, const Linear *, u4, const i8 (*)[32]);\n"
    "void w_fill(const Warp *, const Linear *, u4, const i8 (*)[32]); void w_only(Warp *, u4); void w_part(const Warp "
    "*, u4); u4 w_looks(const Warp *);\n"
    "u4 w_swept(const Warp *); u4 w_sweep(Warp *, u4, const u1 *const *); u4 w_poisoned(const Warp *);\n"
    "void w_put(Warp *, u4, u4); void w_merge(Warp *); u4 w_parted(const Warp *, const u4 *, u4, u4 *); void "
    "w_gather(Warp *); u4 w_waits(const Warp *);\n"
    "const Uop *w_arrive(Warp *, const Uop *, u4); Warp *w_next(Warp *);\n"
    "#define TIE(x) __asm__ volatile(\"\" : \"+r\"(x))\n"
    "void w_mode(u4); void w_tie1(void *); void w_tie2(void *); void w_tie4(void *); void w_tie8(void *);\n"
    "void w_canonical(float *); u4 w_nan(const double *); void w_blend1(u1 *, const u1 *, u4); void w_blend2(u1 *, "
    "const u1 *, u4); void "
    "w_blend4(u1 *, const u1 *, u4); "
    "void "
    "w_blend8(u1 *, const u1 *, u4);\n"
    "u4 w_parts(u8, u8, u8, u8, i8, i8);\n"
    "u4 w_even4(const u4 *, const u4 *); u4 w_even8(const u8 *, const u8 *);\n"
    "u4 w_same1(const u1 *); u4 w_same2(const u1 *); u4 w_same4(const u1 *); u4 w_same8(const u1 *);\n"
    "static inline int wraps_s4(u4 x, i8 a, i8 b) { i8 y = (i4)x; return y + a < -0x80000000l || y + b > 0x7fffffffl; "
    "}\n"
    "static inline int wraps_u4(u4 x, i8 a, i8 b) { i8 y = x; return y + a < 0 || y + b > 0xffffffffl; }\n"
    "static inline int wraps_s8(u8 x, i8 a, i8 b) { i8 t; return __builtin_add_overflow((i8)x, a, &t) || "
    "__builtin_add_overflow((i8)x, b, &t); }\n"
    "static inline int wraps_u8(u8 x, i8 a, i8 b) { return x < (u8)-a || x + (u8)b < x; }\n";

static void emit_patterns(Emit *e)
{
    OUT("static const i8 L%u[][32] = {", e->index);
    for (uint32_t k = 0; k < e->p->patterns.n; k++) {
        OUT("{");
        for (int i = 0; i < LANES; i++)
            OUT("%s%lldll", i ? ", " : "", (long long)e->p->patterns.lane[k][i]);
        OUT("},\n");
    }
    OUT("};\n");
    for (uint32_t k = 1; k < e->p->patterns.n; k++)
        for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
            OUT("static const V%u P%u_%u_%u = {", bytes, e->index, k, bytes);
            for (int i = 0; i < LANES; i++)
                OUT("%s(u%u)%lldll", i ? ", " : "", bytes, (long long)e->p->patterns.lane[k][i]);
            OUT("};\n");
        }
}

/* Of linear values; they are freed. */
static void emit_tables(Emit *e)
{
    for (uint32_t k = 0; k < e->ntables; k++) {
        OUT("static const Linear T%u_%u[] = {%s};\n", e->index, k, str_text(&e->table[k]));
        str_free(&e->table[k]);
    }
    free(e->table);
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
    OUT("u4 m, g;\n");
    for (uint32_t i = 0; i < e->ntrials; i++) /* how trials went */
        OUT("u4 n%u = 0;\n", i);
    if (e->nregions) /* where segments' lanes wait */
        for (uint32_t i = 0; i < e->p->nsegments; i++)
            OUT("u4 d%u;\n", i);
}

/* Where native code is entered: by the interpreter with values that are checked, and where it left itself. */
static void emit_entries(Emit *e)
{
    const Plan *p = e->p;
    OUT("if (COLD(w_mask(w) != ~0u)) goto PARTED;\nswitch (w_lean(w) - 1) {\n");
    for (uint32_t i = 0; i < p->nsegments; i++)
        if (e->resumed[i])
            OUT("case %u: goto I%u;\n", i, i);
    OUT("}\nswitch (w_index(w, u)) {\n");
    for (uint32_t i = 0; i < p->nsegments; i++)
        if (e->entered[i])
            OUT("case %u: goto E%u;\n", p->segment[i].first, i);
    OUT("default: return 0;\n}\n");
}

static void emit_doors(Emit *e, uint32_t i)
{
    const Segment *s = &e->p->segment[i];
    memcpy(e->now, s->spread, e->p->nvalues * sizeof *e->now);
    memset(e->clean, 0, e->p->nvalues);
    emit_homes(e, s);
    if (e->entered[i]) {
        OUT("E%u:\n", i);
        emit_check(e, s->live);
    }
    if (e->entered[i] || e->resumed[i]) {
        OUT("I%u:;\n", i);
        emit_fetch(e, s->live);
        OUT("goto B%u;\n", i);
    }
    if (e->resumed[i]) {
        OUT("K%u:;\n", i);
        emit_keep(e, s->live);
        OUT("if (COLD(w_looks(w))) {\n");
        emit_fill(e, s->live);
        OUT("return (const Uop *)~0ul; }\nw_keep(w, %u);\nreturn (const Uop *)~0ul;\n", i + 1);
    }
}

void emit_prelude(Str *out)
{
    str_add(out, prelude);
}

static void emit_body(Emit *e)
{
    const Plan *p = e->p;
    for (uint32_t i = 0; i < p->nsegments; i++)
        if (p->segment[i].reached)
            emit_segment(e, i);
    emit_regions(e);
    for (uint32_t i = 0; i < p->nsegments; i++)
        if (p->segment[i].reached)
            emit_doors(e, i);
}

/* Not every head: control comes from the interpreter where a loop begins again, behind what may wait, and where lanes meet. */
static void mark_entries(Emit *e)
{
    const Plan *p = e->p;
    e->entered[0] = true;
    for (uint32_t i = 0; i < p->nsegments; i++) {
        const Segment *s    = &p->segment[i];
        const Item    *last = &s->item[s->nitems - 1];
        if (last->kind == ITEM_BRANCH && s->meets != UINT32_MAX)
            e->entered[s->meets] = true;
        for (uint32_t k = 0; k < s->nsucc; k++)
            if (s->succ[k] <= i || last->kind == ITEM_LEAVE)
                e->entered[s->succ[k]] = true;
        for (uint32_t k = 0; k < s->nmore; k++)
            e->entered[s->more[k]] = true;
    }
    for (uint32_t i = 0; i < p->nsegments; i++)
        e->entered[i] &= p->segment[i].reached;
}

/* The body, once for each of its ways: of blocks that observers sweep, and of others.  A way is no function that others are made of: clang
 * would work on the whole of it again where it stands in those. */
static void emit_way(Emit *e, const char *head, int swept, const Str *body)
{
    OUT("%s(Warp *w, const Uop *u)\n{\nenum { swept = %d };\n"
        "u1 *r = w_regs(w); u8 *tally = w_tally(w); const Uop *n, *U = w_uops(w);\n",
        head, swept);
    emit_variables(e);
    emit_entries(e);
    str_add(e->out, str_text(body));
    OUT("}\n");
}

/* The function itself.  Where it has barriers, the warps behind take their turns in it (w_next); what it calls for each is no part of that
 * loop, because clang takes twice as long for a function that is one. */
static void emit_ways(Emit *e, const Str *body)
{
    bool skips = e->sweeps && emit_may_skip(e);
    char head[64];
    if (!e->waits && !skips) {
        snprintf(head, sizeof head, "const Uop *native%u", e->index);
        emit_way(e, head, 1, body);
        return;
    }
    for (int swept = skips ? 0 : 1; swept < 2; swept++) {
        snprintf(head, sizeof head, "static __attribute__((noinline)) const Uop *way%u_%d", e->index, swept);
        emit_way(e, head, swept, body);
    }
    OUT("const Uop *native%u(Warp *w, const Uop *u)\n{\nconst Uop *n;\n%s", e->index, e->waits ? "do\n" : "");
    if (skips)
        OUT("n = w_swept(w) ? way%u_1(w, u) : way%u_0(w, u);\n", e->index, e->index);
    else
        OUT("n = way%u_1(w, u);\n", e->index);
    OUT("%sreturn n;\n}\n", e->waits ? "while (n == (const Uop *)~0ul && (w = w_next(w)));\n" : "");
}

void emit_function(Plan *p, uint32_t index, Str *out)
{
    Emit  emit  = {.p       = p,
                   .index   = index,
                   .now     = xcalloc(p->nvalues + 1, sizeof(Spread)),
                   .clean   = xcalloc(p->nvalues + 1, 1),
                   .kept    = xcalloc(p->nvalues + 1, 1),
                   .away    = xcalloc(p->nvalues + 1, 1),
                   .odd     = xcalloc(p->nvalues + 1, 1),
                   .entered = xcalloc(p->nsegments + 1, 1),
                   .resumed = xcalloc(p->nsegments + 1, 1)};
    Emit *e     = &emit;
    Names names = {0};
    Str   body  = {0};
    e->out      = &body;
    for (uint32_t i = 0; i < p->nsegments; i++)
        e->waits |= p->segment[i].reached && segment_waits(&p->segment[i]);
    mark_entries(e);
    emit_body(e);
    e->out = out;
    for (uint32_t i = 0; i < p->nsegments; i++)
        for (uint32_t k = 0; k < p->segment[i].nitems; k++)
            prototypes_of(e, &p->segment[i].item[k], &names);
    emit_patterns(e);
    emit_tables(e);
    emit_ways(e, &body);
    str_free(&body);
    free(names.seen);
    free(e->now), free(e->clean), free(e->kept), free(e->away), free(e->odd), free(e->entered), free(e->resumed),
        free(e->region);
}
