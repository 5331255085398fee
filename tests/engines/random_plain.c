/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions on registers: every opcode of the list that the form sweep goes through, each row as often as another, and half of the time one
 * of those that kernels are made of.  The carry flag never lives longer than one statement. */
#include <stdio.h>
#include <string.h>

#include "ptx/op.h"
#include "tests/engines/random.h"

/* What compilers write most. */
static const char *const common[] = {
    "add.s32",     "add.u32",     "add.s64",     "sub.s32",        "mul.lo.s32",  "mul.wide.u32", "mul.wide.s32",
    "mad.lo.s32",  "shl.b32",     "shl.b64",     "shr.u32",        "shr.s32",     "and.b32",      "or.b32",
    "xor.b32",     "min.s32",     "max.s32",     "fma.rn.f32",     "add.f32",     "mul.f32",      "sub.f32",
    "fma.rn.f64",  "add.f64",     "cvt.u64.u32", "cvt.s64.s32",    "cvt.u32.u64", "selp.b32",     "setp.lt.s32",
    "setp.eq.s32", "setp.ge.u32", "setp.gt.f32", "mov.b32",        "mov.b64",     "cvt.u16.u32",  "cvt.u32.u16",
    "add.s16",     "not.b32",     "neg.s32",     "abs.s32",        "selp.b64",    "setp.ne.s32",  "and.pred",
    "or.pred",     "not.pred",    "mov.pred",    "cvt.rn.f32.s32", "rem.u32",     "rem.s32",      "div.u32",
    "div.s32",     "rem.u64",     "div.s64"};

Vocabulary *vocabulary_read(Arena *a, const char *path, const char **why)
{
    char        line[256];
    uint32_t    cap = 0;
    Vocabulary *v   = ARENA_NEW(a, Vocabulary);
    FILE       *f   = fopen(path, "r");
    *v              = (Vocabulary){0};
    *why            = "cannot be opened";
    if (!f)
        return NULL;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || !line[0])
            continue;
        if (v->n == cap) {
            Case *more = ARENA_ARRAY(a, Case, cap = 2 * cap + 1024);
            if (v->n)
                memcpy(more, v->opcode, v->n * sizeof *more);
            v->opcode = more;
        }
        v->n += case_make(a, line, &v->opcode[v->n]);
    }
    fclose(f);
    *why = "holds no opcode";
    if (!v->n)
        return NULL;
    v->row = ARENA_ARRAY(a, uint32_t, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++)
        if (!i || v->opcode[i].op != v->opcode[i - 1].op)
            v->row[v->nrows++] = i;
    v->row[v->nrows] = v->n;
    return v;
}

static const Case *named(const Vocabulary *v, const char *opcode)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->opcode[i].text, opcode) == 0)
            return &v->opcode[i];
    return NULL;
}

static const Case *choose(Grow *g)
{
    const Vocabulary *v = g->v;
    const Case       *c = NULL;
    if (grow_chance(g, 50))
        c = named(v, common[grow_random(g, sizeof common / sizeof *common)]);
    if (c)
        return c;
    uint32_t row = (uint32_t)grow_random(g, v->nrows);
    return &v->opcode[v->row[row] + grow_random(g, v->row[row + 1] - v->row[row])];
}

/* The assembler may make one fma of it and of another one; and ptxas 13.0 takes a + b - b for a, though the difference saturates. */
static bool may_join(const Case *c)
{
    static const char *const words[] = {"add", "sub", "mul"};
    if (strstr(c->opcode, ".sat.s32"))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(c->opcode, words[i], 3) == 0)
            return !strstr(c->opcode, ".r") && (strstr(c->opcode, ".f") || strstr(c->opcode, ".bf"));
    return false;
}

/* ptxas 13.0 runs guarded testp and set for all lanes: in its machine code no predicate stands before them. */
static bool loses_guard(const Case *c)
{
    return strncmp(c->opcode, "testp", 5) == 0 || strncmp(c->opcode, "set.", 4) == 0;
}

/* Which NaN comes out is the assembler's choice, who may swap operands and fold an instruction: all become one.  Of halves of a register
 * that would be long. */
static const struct {
    Type        type;
    const char *name, *bits, *nan; /* NULL: not portable */
} nans[] = {{TY_F16, "f16", "b16", "0x7fff"},     {TY_BF16, "bf16", "b16", "0x7fff"},
            {TY_F32, "f32", "b32", "0x7fffffff"}, {TY_F64, "f64", "b64", "0x7ff8000000000000"},
            {TY_F16X2, NULL, NULL, NULL},         {TY_BF16X2, NULL, NULL, NULL}};

static void settle_nan(Type type, const char *r, Str *out)
{
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        if (nans[i].type == type && nans[i].name)
            str_printf(out, " setp.nan.%s %%y, %s, %s; selp.%s %s, %s, %s, %%y;", nans[i].name, r, r, nans[i].bits, r,
                       nans[i].nan, r);
}

static bool settles(const Case *c)
{
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        for (unsigned k = 0; !nans[i].name && k < c->noperands; k++)
            if (c->operand[k].written && c->operand[k].type == nans[i].type)
                return false;
    return true;
}

static bool possible(const Grow *g, const Case *c)
{
    for (unsigned i = 0; i < c->noperands; i++)
        if (c->operand[i].bytes > 8)
            return false;
    return !g->k->portable || (c->exactness == EXACT && !may_join(c) && settles(c));
}

static bool takes_constant(const FormOperand *p)
{
    switch (p->type) {
    case TY_U32:
    case TY_S32:
    case TY_B32:
    case TY_U64:
    case TY_S64:
    case TY_B64: return true;
    default: return false;
    }
}

/* Also what is to stand behind the instruction. */
static void operands(Grow *g, const Case *c, Str *out, Str *behind)
{
    unsigned    read  = 0;
    const char *first = "";
    for (unsigned i = 0; i < c->noperands; i++) {
        const FormOperand *p = &c->operand[i];
        str_add(out, i == 0 ? " " : p->name == 'q' ? "|" : ", ");
        if (p->written) { /* two results go to two registers */
            const char *r = grow_register(g, p->bytes);
            while (strcmp(r, first) == 0)
                r = grow_register(g, p->bytes);
            str_add(out, first = r);
            if (g->k->portable)
                settle_nan(p->type, r, behind);
            continue;
        }
        read++;
        if (c->constant && p->name == 'e')
            str_printf(out, "0x%x", c->value);
        else if (p->bytes && (read > 1 || p->amount) && takes_constant(p) && grow_chance(g, 25))
            str_printf(out, "%u",
                       (unsigned)grow_random(g, grow_chance(g, 50) ? 32
                                                : p->amount        ? (g->k->portable ? 32 : 256)
                                                                   : 100000));
        else
            str_add(out, grow_register(g, p->bytes));
    }
    str_add(out, ";");
}

void plain_statement(Grow *g)
{
    const Case *c = choose(g);
    for (int tries = 0; !possible(g, c); tries++)
        c = tries < 20 ? choose(g) : named(g->v, "add.s32");
    Str  out = {0}, behind = {0};
    bool carries  = c->carry_in || c->carry_out;
    bool subtract = c->op == OP_sub_cc || c->op == OP_subc || c->op == OP_subc_cc;
    if (c->carry_in)
        str_printf(&out, "%s.cc.u32 %%x0, %s, %s; ", subtract ? "sub" : "add", grow_register(g, 4),
                   grow_register(g, 4));
    if (!carries && !(g->k->portable && loses_guard(c)) && grow_chance(g, 12))
        str_printf(&out, "@%s%s ", grow_chance(g, 50) ? "!" : "", grow_register(g, 0));
    str_add(&out, c->opcode);
    operands(g, c, &out, &behind);
    if (c->carry_out)
        str_printf(&out, " %s.u32 %s, 0, 0;", subtract ? "subc" : "addc", grow_register(g, 4));
    str_addn(&out, str_text(&behind), behind.len);
    grow_line(g, false, "%s", str_text(&out));
    str_free(&out);
    str_free(&behind);
}
