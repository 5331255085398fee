/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the operand part of a form (notation: head of isa.def) once per distinct opcode of a module.  Forms are our own text,
 * so a malformed one is a bug of ours and asserted. */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "ptx/parser.h"
#include "ptx/traits.h"

static Type wide(Type t)
{
    switch (t) {
    case TY_U8: return TY_U16;
    case TY_S8: return TY_S16;
    case TY_B8: return TY_B16;
    case TY_U16: return TY_U32;
    case TY_S16: return TY_S32;
    case TY_B16: return TY_B32;
    case TY_U32: return TY_U64;
    case TY_S32: return TY_S64;
    case TY_B32: return TY_B64;
    case TY_F32: return TY_F64;
    default: return t;
    }
}

/* The type named by the n characters behind a ':'. */
static Type named_type(const Opcode *op, const char *s, size_t n)
{
    if (n == 1 && isdigit((unsigned char)*s))
        return *s - '0' < op->ntypes ? op->types[*s - '0'] : TY_NONE;
    if (n == 1 && *s == 'w')
        return wide(op->types[0]);
    for (int t = TY_NONE + 1; t < TY_COUNT; t++)
        if (strlen(type_text((Type)t)) == n && memcmp(type_text((Type)t), s, n) == 0)
            return (Type)t;
    return TY_NONE; /* any */
}

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* What may follow a value's name: {|q} |q :T ~ {v} {pack} {sel}, in any order. */
static const char *read_tail(const Opcode *op, Spec *sp, const char *s)
{
    for (;;) {
        if (starts(s, "{|q}")) {
            sp->pair = 1;
            s += 4;
        } else if (starts(s, "|q")) {
            sp->pair = 2;
            s += 2;
        } else if (starts(s, "{v}")) {
            sp->vec = true;
            s += 3;
        } else if (starts(s, "{pack}")) {
            sp->pack = true;
            s += 6;
        } else if (starts(s, "{sel}")) {
            sp->sel = true;
            s += 5;
        } else if (*s == '~') {
            sp->relaxed = true;
            s++;
        } else if (*s == ':') {
            size_t n = 0;
            while (isalnum((unsigned char)s[1 + n]))
                n++;
            sp->type = (uint8_t)named_type(op, s + 1, n);
            s += 1 + n;
        } else {
            return s;
        }
    }
}

static const char *read_spec(const Opcode *op, Spec *sp, const char *s)
{
    *sp = (Spec){.shape = 'r', .type = (uint8_t)(op->ntypes ? op->types[0] : TY_NONE)};
    if (*s == '[') {
        const char *close = strchr(s, ']');
        assert(close);
        sp->shape = 'm';
        return close + 1;
    }
    if (*s == '(') {
        const char *close = strchr(s, ')');
        assert(close);
        sp->shape = '(';
        return close + 1;
    }
    assert(isalpha((unsigned char)*s));
    if (isupper((unsigned char)*s))
        sp->shape = *s;
    sp->written = *s == 'd' || *s == 'p' || *s == 'q';
    while (isalnum((unsigned char)*s))
        s++;
    return read_tail(op, sp, s);
}

static uint8_t vector_size(const char *text)
{
    for (const char *v = strstr(text, ".v"); v; v = strstr(v + 1, ".v"))
        if ((v[2] == '2' || v[2] == '4' || v[2] == '8') && (v[3] == '.' || v[3] == 0))
            return (uint8_t)(v[2] - '0');
    return 0;
}

const Sig *sig_compile(Arena *a, const Opcode *op)
{
    Sig        *sig      = ARENA_NEW(a, Sig);
    const char *s        = strchr(op_form(op->op)->form, ' ');
    int         optional = 0;
    sig->vec             = vector_size(op->text);
    sig->sregs           = (op_traits(op->op).is & TRAIT_SREG) != 0;
    while (s && *s) {
        if (*s == ' ' || *s == ',') {
            s++;
        } else if (*s == '{') {
            optional++;
            s++;
        } else if (*s == '}') {
            optional--;
            s++;
        } else if (*s == '*') {
            sig->free = true;
            return sig;
        } else {
            assert(sig->n < MAX_SPECS);
            Spec *sp     = &sig->spec[sig->n++];
            s            = read_spec(op, sp, s);
            sp->optional = optional > 0;
            sig->optional += sp->optional;
        }
    }
    return sig;
}
