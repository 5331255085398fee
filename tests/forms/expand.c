/* SPDX-License-Identifier: Apache-2.0
 *
 * Which opcodes there are to try: every row of isa.def that computes, is supported and has a form, with
 * every word of its sets and every choice of its optional words.  Most combinations are not instructions of any GPU: which ones are
 * is decided by the assembler (make_list.py), not here.
 *
 * A form with a constant operand (the table of lop3) is tried with a few constants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forms.h"
#include "ptx/op.h"
#include "ptx/traits.h"

typedef struct Walk {
    void (*f)(void *user, const char *text);
    void       *user;
    const char *operands; /* of the form */
    char        text[160];
} Walk;

static const struct {
    const char *name, *words;
} sets[] = {
#define SET(name, words) {#name, words},
#include "ptx/sets.def"
#undef SET
};

/* Truth tables of lop3: and, or, xor, select, majority, odd ones, constants. */
static const uint32_t tables[] = {0x80, 0xfe, 0x96, 0xca, 0xe8, 0x1b, 0x47, 0x00, 0xff, 0xaa};

/* Addresses, handles and states have no values to try; video instructions have a sweep of their own. */
static bool form_in_sweep(Op op)
{
    static const char *const others[] = {"isspacep",   "cvta",         "istypep", "mapa",
                                         "getctarank", "createpolicy", "mbarrier"};
    const Form              *f        = op_form(op);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(f->form, others[i], strlen(others[i])) == 0)
            return false;
    return op_traits(op).is & TRAIT_COMPUTE && f->exactness != UNSUPPORTED && f->form[0] && !strstr(f->form, "{sel}");
}

static const char *set_words(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strlen(sets[i].name) == len && memcmp(sets[i].name, name, len) == 0)
            return sets[i].words;
    return NULL;
}

static void walk_done(Walk *w, size_t at)
{
    w->text[at] = 0;
    if (!strstr(w->operands, "e:u32") || !strstr(w->text, "lop3")) {
        w->f(w->user, w->text);
        return;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(w->text + at, sizeof w->text - at, " e=0x%02x", tables[i]);
        w->f(w->user, w->text);
    }
}

/* rest: the elements of the form not yet spelled out; at: the length of w->text. */
static void walk(Walk *w, const char *rest, size_t at)
{
    bool optional = rest[0] == '{' && rest[1] == '.';
    if (!optional && rest[0] != '.') {
        walk_done(w, at);
        return;
    }
    const char *name  = rest + (optional ? 2 : 1);
    size_t      len   = strcspn(name, ".{} ");
    const char *next  = name + len + (optional && name[len] == '}');
    const char *words = set_words(name, len);
    if (optional)
        walk(w, next, at);
    for (const char *s = words ? words : name; *s;) {
        size_t n = words ? strcspn(s, " ") : len;
        if (at + n + 16 < sizeof w->text) {
            w->text[at] = '.';
            memcpy(w->text + at + 1, s, n);
            walk(w, next, at + 1 + n);
        }
        if (!words)
            return;
        s += n + (s[n] == ' ');
    }
}

void forms_expand(void (*f)(void *user, const char *text), void *user)
{
    for (int op = OP_NONE + 1; op < OP_COUNT; op++) {
        if (!form_in_sweep((Op)op))
            continue;
        const char *form = op_form((Op)op)->form;
        size_t      base = strcspn(form, ".{ ");
        Walk        w    = {.f = f, .user = user, .operands = strchr(form, ' ')};
        memcpy(w.text, form, base);
        if (w.operands)
            walk(&w, form + base, base);
    }
}

/* ---- a case from its text ---- */

static Type operand_type(const Opcode *o, const char *spec, size_t len, bool *wide2)
{
    *wide2 = len == 1 && spec[0] == 'w';
    if (len == 0 || *wide2)
        return o->types[0];
    if (len == 1 && spec[0] >= '0' && spec[0] <= '9')
        return o->types[spec[0] - '0'];
    for (int t = TY_NONE + 1; t < TY_COUNT; t++)
        if (strlen(type_text((Type)t)) == len && memcmp(type_text((Type)t), spec, len) == 0)
            return (Type)t;
    return TY_NONE;
}

static Type twice(Type t)
{
    return t == TY_U16 ? TY_U32 : t == TY_S16 ? TY_S32 : t == TY_U32 ? TY_U64 : TY_S64;
}

/* Positions, lengths and shift amounts deserve small numbers: the forms give them a type of their own. */
static bool is_amount(Op op, char name, const char *spec, size_t len)
{
    if (op == OP_bmsk_clamp || op == OP_bmsk_wrap)
        return name == 'a' || name == 'b';
    if (op == OP_fns)
        return name != 'a' && name != 'd';
    return name > 'a' && name < 'd' + 3 && name != 'd' && len == 3 && memcmp(spec, "u32", 3) == 0;
}

static bool operand_add(Case *c, const Opcode *o, char name, const char *spec, size_t len)
{
    bool w2;
    if (c->noperands == MAX_OPERANDS)
        return false;
    FormOperand *p = &c->operand[c->noperands++];
    p->name        = name;
    p->written     = name == 'd' || name == 'p' || name == 'q';
    p->type        = name == 'q' ? TY_PRED : operand_type(o, spec, len, &w2);
    if (name != 'q' && w2)
        p->type = twice(p->type);
    p->bytes  = (uint8_t)type_bytes(p->type);
    p->bytes  = p->bytes == 1 ? 4 : p->bytes; /* 8-bit types live in wider registers */
    p->amount = is_amount(c->op, name, spec, len);
    if (name == 'e' && c->constant)
        return true;
    c->nresults += p->written;
    c->nsources += !p->written;
    return p->type == TY_PRED || (p->bytes > 0 && p->bytes <= 8);
}

/* "d{|q}, a, b:u32{, c:u32}": optional operands are left out, optional destinations are not. */
static bool operands_read(Case *c, const Opcode *o, const char *s)
{
    while (*s == ' ') {
        s++;
        char name = *s++;
        bool q    = strncmp(s, "{|q}", 4) == 0 || strncmp(s, "|q", 2) == 0;
        s += q ? (*s == '{' ? 4 : 2) : 0;
        q                = q && o->types[0] != TY_F16 && o->types[0] != TY_BF16; /* one predicate only */
        const char *spec = s + (*s == ':');
        size_t      len  = *s == ':' ? strcspn(spec, ",~{ ") : 0;
        s                = spec + len;
        s += *s == '~';
        s += strncmp(s, "{pack}", 6) == 0 ? 6 : 0;
        if (!operand_add(c, o, name, spec, len) || (q && !operand_add(c, o, 'q', "", 0)))
            return false;
        if (*s == '{')
            break;
        s += *s == ',';
    }
    return *s == 0 || *s == '{';
}

static void carries(Case *c)
{
    Op op = c->op;
    c->carry_in =
        op == OP_addc || op == OP_addc_cc || op == OP_subc || op == OP_subc_cc || op == OP_madc || op == OP_madc_cc;
    c->carry_out = op == OP_add_cc || op == OP_addc_cc || op == OP_sub_cc || op == OP_subc_cc || op == OP_mad_cc ||
                   op == OP_madc_cc;
    c->nsources += c->carry_in;
    c->nresults += c->carry_out;
}

bool case_make(Arena *a, const char *text, Case *c)
{
    const char *why, *space = strchr(text, ' ');
    size_t      n = space ? (size_t)(space - text) : strlen(text);
    memset(c, 0, sizeof *c);
    if (strlen(text) >= sizeof c->text || n >= sizeof c->opcode)
        return false;
    strcpy(c->text, text);
    memcpy(c->opcode, text, n);
    const Opcode *o = opcode_match(a, text, n, &why);
    if (!o || !form_in_sweep(o->op))
        return false;
    c->op        = o->op;
    c->exactness = op_form(o->op)->exactness;
    c->constant  = space && strncmp(space, " e=", 3) == 0;
    c->value     = c->constant ? (uint32_t)strtoul(space + 3, NULL, 0) : 0;
    if (!operands_read(c, o, strchr(op_form(o->op)->form, ' ')))
        return false;
    carries(c);
    return c->nresults >= 1 && c->nresults <= MAX_RESULTS && c->nsources <= MAX_SOURCES;
}
