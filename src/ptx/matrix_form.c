/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shapes and types matrix instructions combine (PTX manual, "Warp-level matrix instructions"), and how many registers their
 * operands take.  A row of a table is a shape, the types of A and B, and which accumulators it has.
 * Not here: the block-scaled forms, and what sm_100 and later have beyond sm_90a. */
#include "ptx/matrix_form.h"

#include <string.h>

enum { ACC_F16 = 1, ACC_F32 = 2, ACC_S32 = 4, ACC_F64 = 8 };

typedef enum Kind { KIND_F16, KIND_BF16, KIND_TF32, KIND_F64, KIND_F8, KIND_I8, KIND_I4, KIND_B1, KINDS } Kind;

typedef struct Shape {
    uint8_t  kind, acc;
    uint8_t  m, n;
    uint16_t k;
} Shape;

static const Shape mma_shapes[] = {
    {KIND_F16, ACC_F16 | ACC_F32, 16, 8, 16},
    {KIND_F16, ACC_F16 | ACC_F32, 16, 8, 8},
    {KIND_F16, ACC_F16 | ACC_F32, 8, 8, 4},
    {KIND_BF16, ACC_F32, 16, 8, 16},
    {KIND_BF16, ACC_F32, 16, 8, 8},
    {KIND_TF32, ACC_F32, 16, 8, 8},
    {KIND_TF32, ACC_F32, 16, 8, 4},
    {KIND_F64, ACC_F64, 8, 8, 4},
    {KIND_F64, ACC_F64, 16, 8, 4},
    {KIND_F64, ACC_F64, 16, 8, 8},
    {KIND_F64, ACC_F64, 16, 8, 16},
    {KIND_F8, ACC_F16 | ACC_F32, 16, 8, 16},
    {KIND_F8, ACC_F16 | ACC_F32, 16, 8, 32},
    {KIND_I8, ACC_S32, 8, 8, 16},
    {KIND_I8, ACC_S32, 16, 8, 16},
    {KIND_I8, ACC_S32, 16, 8, 32},
    {KIND_I4, ACC_S32, 8, 8, 32},
    {KIND_I4, ACC_S32, 16, 8, 32},
    {KIND_I4, ACC_S32, 16, 8, 64},
    {KIND_B1, ACC_S32, 8, 8, 128},
    {KIND_B1, ACC_S32, 16, 8, 128},
    {KIND_B1, ACC_S32, 16, 8, 256},
};

static const Shape sparse_shapes[] = {
    {KIND_F16, ACC_F16 | ACC_F32, 16, 8, 16},
    {KIND_F16, ACC_F16 | ACC_F32, 16, 8, 32},
    {KIND_BF16, ACC_F32, 16, 8, 16},
    {KIND_BF16, ACC_F32, 16, 8, 32},
    {KIND_TF32, ACC_F32, 16, 8, 8},
    {KIND_TF32, ACC_F32, 16, 8, 16},
    {KIND_F8, ACC_F32, 16, 8, 64},
    {KIND_I8, ACC_S32, 16, 8, 32},
    {KIND_I8, ACC_S32, 16, 8, 64},
    {KIND_I4, ACC_S32, 16, 8, 64},
    {KIND_I4, ACC_S32, 16, 8, 128},
};

/* Any n of sizes that valid_n knows; k of a dense A. */
static const Shape wgmma_shapes[] = {
    {KIND_F16, ACC_F16 | ACC_F32, 64, 0, 16}, {KIND_BF16, ACC_F32, 64, 0, 16}, {KIND_TF32, ACC_F32, 64, 0, 8},
    {KIND_F8, ACC_F16 | ACC_F32, 64, 0, 32},  {KIND_I8, ACC_S32, 64, 0, 32},   {KIND_B1, ACC_S32, 64, 0, 256},
};

static const Shape wmma_shapes[] = {
    {KIND_F16, ACC_F16 | ACC_F32, 16, 16, 16},
    {KIND_F16, ACC_F16 | ACC_F32, 32, 8, 16},
    {KIND_F16, ACC_F16 | ACC_F32, 8, 32, 16},
    {KIND_BF16, ACC_F32, 16, 16, 16},
    {KIND_BF16, ACC_F32, 32, 8, 16},
    {KIND_BF16, ACC_F32, 8, 32, 16},
    {KIND_TF32, ACC_F32, 16, 16, 8},
    {KIND_F64, ACC_F64, 8, 8, 4},
    {KIND_I8, ACC_S32, 16, 16, 16},
    {KIND_I8, ACC_S32, 32, 8, 16},
    {KIND_I8, ACC_S32, 8, 32, 16},
    {KIND_I4, ACC_S32, 8, 8, 32},
    {KIND_B1, ACC_S32, 8, 8, 128},
};

static Kind kind_of(Type t)
{
    switch (t) {
    case TY_F16: return KIND_F16;
    case TY_BF16: return KIND_BF16;
    case TY_TF32: return KIND_TF32;
    case TY_F64: return KIND_F64;
    case TY_E4M3:
    case TY_E5M2: return KIND_F8;
    case TY_S8:
    case TY_U8: return KIND_I8;
    case TY_S4:
    case TY_U4: return KIND_I4;
    case TY_B1: return KIND_B1;
    default: return KINDS;
    }
}

static unsigned acc_of(Type t)
{
    return t == TY_F16 ? ACC_F16 : t == TY_F32 ? ACC_F32 : t == TY_S32 ? ACC_S32 : t == TY_F64 ? ACC_F64 : 0;
}

unsigned matrix_bits(Type t)
{
    switch (t) {
    case TY_S4:
    case TY_U4: return 4;
    case TY_B1: return 1;
    default: return 8 * type_bytes(t);
    }
}

bool matrix_shape(const Opcode *o, unsigned *m, unsigned *n, unsigned *k)
{
    for (const char *s = o->text; (s = strstr(s, ".m")); s++) {
        unsigned   *part[] = {m, n, k};
        const char *at     = s + 1;
        unsigned    i;
        for (i = 0; i < 3 && *at == "mnk"[i]; i++)
            for (*part[i] = 0, at++; *at >= '0' && *at <= '9' && *part[i] < 10000; at++)
                *part[i] = *part[i] * 10 + (unsigned)(*at - '0');
        if (i == 3 && (*at == '.' || *at == 0))
            return true;
    }
    return false;
}

static const Shape *find(const Shape *s, size_t count, unsigned m, unsigned n, unsigned k, Kind kind)
{
    for (size_t i = 0; i < count; i++)
        if (s[i].m == m && s[i].n == n && s[i].k == k && s[i].kind == kind)
            return &s[i];
    return NULL;
}

/* 32 lanes hold the elements once. */
static unsigned regs(unsigned elements, Type t)
{
    return elements * matrix_bits(t) / 32 / (t == TY_F64 ? 64 : 32);
}

unsigned matrix_wmma_regs(unsigned m, unsigned n, unsigned k, char which, Type t)
{
    unsigned elements = which == 'a' ? m * k : which == 'b' ? k * n : m * n;
    Kind     kind     = kind_of(t);
    bool     factor   = which == 'a' || which == 'b';
    for (size_t i = 0; i < sizeof wmma_shapes / sizeof *wmma_shapes; i++) {
        const Shape *s    = &wmma_shapes[i];
        bool         bits = s->kind == KIND_I4 ||
                    s->kind == KIND_B1; /* their accumulators move as f32 too, though no product takes them */
        if (s->m == m && s->n == n && s->k == k &&
            (factor ? s->kind == kind : (s->acc & acc_of(t)) != 0 || (bits && t == TY_F32)))
            return factor && kind == KIND_F16 ? 8 : regs(elements, t); /* half precision: always eight */
    }
    return 0;
}

#define FIND(table, n) find(table, sizeof(table) / sizeof *(table), f->m, n, f->k, kind_of(f->a))

static bool valid_n(Kind kind, unsigned n)
{
    bool whole = kind == KIND_I8 || kind == KIND_B1;
    return n >= 8 && n <= 256 && n % 8 == 0 && (!whole || n <= 32 || n % 16 == 0);
}

/* The types in the opcode's order; those it leaves out follow from the others. */
static void types_of(const Opcode *o, MatrixForm *f)
{
    f->d = o->types[0];
    if (o->ntypes >= 3) {
        f->a = o->types[1], f->b = o->types[2], f->c = o->ntypes > 3 ? o->types[3] : f->d;
    } else { /* wmma of f16: only D and C are named */
        f->a = f->b = f->unit == MATRIX_WMMA ? TY_F16 : TY_NONE;
        f->c        = o->types[1];
    }
}

/* How many selectors name the lanes of a quad that hold a row's metadata: the more bits a row has, the fewer. */
static unsigned selectors_of(const MatrixForm *f)
{
    unsigned bits = f->k / (f->a == TY_TF32 ? 2 : kind_of(f->a) == KIND_I4 ? 8 : 4) * 4;
    return bits <= 16 ? 4 : bits <= 32 ? 2 : 1;
}

static bool wgmma_form(MatrixForm *f)
{
    f->k /= f->sparse ? 2 : 1;
    const Shape *s = FIND(wgmma_shapes, 0);
    f->k *= f->sparse ? 2 : 1;
    if (!s || !(s->acc & acc_of(f->d)) || !valid_n((Kind)s->kind, f->n) || (f->sparse && s->kind == KIND_B1) ||
        (f->satfinite && s->kind != KIND_I8))
        return false;
    f->na = 4;
    f->nc = f->nd = f->n / (f->d == TY_F16 ? 4 : 2);
    f->b_col      = true;
    f->selectors  = f->sparse ? (matrix_bits(f->a) == 8 ? 1 : 2) : 0;
    return true;
}

bool matrix_form(const Opcode *o, MatrixForm *f)
{
    *f           = (MatrixForm){0};
    f->unit      = o->text[1] == 'g' ? MATRIX_WGMMA : o->text[0] == 'w' ? MATRIX_WMMA : MATRIX_MMA;
    bool wmma    = f->unit == MATRIX_WMMA;
    f->sparse    = o->field[FIELD_mmasp] != WORD_NONE || opcode_has(o, WORD_sp);
    f->is_and    = opcode_has(o, WORD_and);
    f->satfinite = opcode_has(o, WORD_satfinite);
    f->a_col     = o->field[FIELD_layout] == WORD_col;
    f->b_col     = o->field[FIELD_layout2] == WORD_col;
    types_of(o, f);
    if (!matrix_shape(o, &f->m, &f->n, &f->k) || kind_of(f->a) == KINDS || kind_of(f->a) != kind_of(f->b))
        return false;
    if (f->unit == MATRIX_WGMMA)
        return wgmma_form(f);
    const Shape *s = f->sparse ? FIND(sparse_shapes, f->n) : wmma ? FIND(wmma_shapes, f->n) : FIND(mma_shapes, f->n);
    bool quads     = f->unit == MATRIX_MMA && f->m == 8 && s && s->kind == KIND_F16; /* four products of eight lanes */
    if (!s || !(s->acc & acc_of(f->c)) || !(s->acc & acc_of(f->d)) || (f->c != f->d && !wmma && !quads))
        return false;
    if (!wmma && !quads && (f->a_col || !f->b_col))
        return false;
    if (f->satfinite && (s->kind < KIND_I8 || s->kind == KIND_B1))
        return false;
    unsigned copies = quads ? 4 : 1;
    f->na           = wmma && s->kind == KIND_F16 ? 8 : regs(f->m * f->k * copies, f->a) / (f->sparse ? 2 : 1);
    f->nb           = wmma && s->kind == KIND_F16 ? 8 : regs(f->k * f->n * copies, f->b);
    f->nc           = regs(f->m * f->n * copies, f->c);
    f->nd           = regs(f->m * f->n * copies, f->d);
    f->selectors    = f->sparse ? selectors_of(f) : 0;
    return true;
}

unsigned matrix_wgmma_immediates(const MatrixForm *f, bool a_in_registers)
{
    Kind kind = kind_of(f->a);
    if (kind == KIND_I8 || kind == KIND_B1)
        return 0;
    return kind == KIND_F16 || kind == KIND_BF16 ? (a_in_registers ? 3 : 4) : 2;
}
