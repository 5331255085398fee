/* SPDX-License-Identifier: Apache-2.0
 *
 * An instruction's operands against the signature of its form: how many, of which kind and type.
 *
 * Types agree as the manual says: same size, and a bit type on either side, or integers of any sign, or floats.  Where the form
 * has '~' (ld, st, cvt) an integer or bit register may be wider than the type, for a float type only a bit register may.
 * An integer constant fits any integer or bit type, a predicate (0, 1), never a float; a float constant fits a float type, and
 * 0f... a 32-bit, 0d... a 64-bit bit type.  What the assembler refuses beyond that (which spaces an atom takes, which targets
 * have an instruction) is not decided here. */
#include <stdio.h>
#include <string.h>

#include "ptx/matrix_form.h"
#include "ptx/parser.h"

typedef struct Check {
    Parser      *p;
    const Instr *in;
    const Sig   *sig;
    unsigned     number; /* of the operand, from 1 */
} Check;

static const char *describe(Parser *p, const Operand *o)
{
    switch (o->kind) {
    case OPD_REG:
        return arena_printf(p->scratch, "register '%s', a .%s%s", o->reg->name,
                            o->reg->vec && o->part < 0 ? (o->reg->vec == 2   ? "v2 ."
                                                          : o->reg->vec == 4 ? "v4 ."
                                                                             : "v8 .")
                                                       : "",
                            type_text(o->reg->type));
    case OPD_PAIR: return "a pair a|b";
    case OPD_INT: return "an integer";
    case OPD_FLOAT: return "a float";
    case OPD_VAR: return arena_printf(p->scratch, "the address of '%s'", o->var->name);
    case OPD_FUNC: return arena_printf(p->scratch, "function '%s'", o->func->name);
    case OPD_LABEL: return "a label";
    case OPD_SREG: return arena_printf(p->scratch, "special register '%%%s', a .%s", o->name, type_text((Type)o->ival));
    case OPD_MEM: return "an address in brackets";
    case OPD_VECTOR: return arena_printf(p->scratch, "a vector of %u", o->count);
    case OPD_SINK: return "'_'";
    default: return "a name";
    }
}

static bool fail(Check *c, const Operand *o, const char *want)
{
    return parser_error(c->p, o->line, o->col, "operand %u of '%s': expected %s, found %s", c->number, c->in->op->text,
                        want, describe(c->p, o));
}

/* The same, from the specification. */
static bool fail_type(Check *c, const Spec *s, const Operand *o)
{
    const char *what = s->written ? "a register" : "a value";
    return fail(c, o,
                s->type == TY_NONE ? what : arena_printf(c->p->scratch, "%s .%s", what, type_text((Type)s->type)));
}

static bool types_agree(Type have, Type want, bool relaxed)
{
    char     h = type_kind(have), w = type_kind(want);
    unsigned hb = type_bytes(have), wb = type_bytes(want);
    if (h == 'p' || w == 'p')
        return h == w;
    if (wb == 0)
        return true;
    if (hb != wb)
        return relaxed && hb > wb && (h == 'b' || (w != 'f' && h != 'f') || w == 'b');
    return h == 'b' || w == 'b' || (h == 'f') == (w == 'f');
}

static bool check_reg(Check *c, const Spec *s, const Operand *o)
{
    if (o->part == PART_SEL && !s->sel)
        return parser_error(c->p, o->line, o->col, "'%s' takes no part like .%s of a register", c->in->op->text,
                            o->sel);
    if (o->neg && s->type != TY_PRED && s->type != TY_NONE && !s->sel)
        return parser_error(c->p, o->line, o->col, "'%s' takes no negated operand", c->in->op->text);
    if (o->neg && s->written)
        return parser_error(c->p, o->line, o->col, "operand %u of '%s' is written: it cannot be negated", c->number,
                            c->in->op->text);
    if (s->type == TY_NONE || o->part == PART_SEL)
        return true;
    if ((o->reg->vec && o->part < 0) || !types_agree(o->reg->type, (Type)s->type, s->relaxed))
        return fail_type(c, s, o);
    return true;
}

static bool float_fits(const Operand *o, Type t)
{
    if (type_kind(t) == 'b')
        return type_bytes(t) == (o->is_f32 ? 4u : 8u);
    return type_kind(t) == 'f';
}

static bool sreg_fits(const Check *c, const Operand *o, Type want)
{
    Type have = (Type)o->ival;
    if (!c->sig->sregs || o->count > 0 || type_kind(want) == 'f')
        return false;
    if (type_bytes(want) == 4 && strcmp(o->name, "gridid") == 0) /* it was 32 bits wide once */
        return true;
    return types_agree(have, want, false) || (type_bytes(want) == 2 && type_bytes(have) == 4);
}

static bool scalar_fits(const Check *c, const Spec *s, const Operand *o)
{
    Type t    = (Type)s->type;
    bool any  = t == TY_NONE;
    char kind = type_kind(t);
    switch (o->kind) {
    case OPD_SINK: return s->written;
    case OPD_INT: return !s->written && (any || kind != 'f');
    case OPD_FLOAT: return !s->written && (any || float_fits(o, t));
    case OPD_VAR:
    case OPD_FUNC:
        return !s->written && (any || (kind != 'f' && kind != 'p' && type_bytes(t) >= 4 && type_bytes(t) <= 8));
    case OPD_SREG: return !s->written && (any || sreg_fits(c, o, t));
    case OPD_VECTOR:
    case OPD_MEM: return any;
    default: return false;
    }
}

static bool check_scalar(Check *c, const Spec *s, const Operand *o)
{
    if (o->kind == OPD_REG)
        return check_reg(c, s, o);
    return scalar_fits(c, s, o) ? true : fail_type(c, s, o);
}

/* {a, b} where the opcode has .v2 */
static bool check_vector(Check *c, const Spec *s, const Operand *o)
{
    unsigned n = c->sig->vec;
    if (o->kind != OPD_VECTOR || o->count != n)
        return fail(c, o, n == 2 ? "a vector of 2" : n == 4 ? "a vector of 4" : "a vector of 8");
    for (unsigned i = 0; i < n; i++)
        if (!check_scalar(c, s, &o->elem[i]))
            return false;
    return true;
}

/* {a, b} whose elements together are as wide as the type (mov) */
static bool check_pack(Check *c, const Spec *s, const Operand *o)
{
    unsigned bytes = type_bytes((Type)s->type);
    Spec     part  = *s;
    part.type      = TY_NONE;
    if (bytes == 0 || (o->count != 2 && o->count != 4 && o->count != 8))
        return fail(c, o, "a value, or a vector of 2 or 4");
    for (unsigned i = 0; i < o->count; i++) {
        const Operand *e = &o->elem[i];
        if (e->kind == OPD_VECTOR || e->kind == OPD_MEM || !check_scalar(c, &part, e))
            return e->kind == OPD_VECTOR || e->kind == OPD_MEM ? fail(c, e, "an element") : false;
        if (e->kind == OPD_REG && type_bytes(e->reg->type) * o->count != bytes)
            return parser_error(c->p, e->line, e->col, "%u elements of .%s do not make a .%s", o->count,
                                type_text(e->reg->type), type_text((Type)s->type));
    }
    return true;
}

static bool check_value(Check *c, const Spec *s, const Operand *o)
{
    if (o->kind == OPD_PAIR) {
        Spec second = {.shape = 'r', .type = TY_PRED, .written = true};
        if (!s->pair)
            return fail(c, o, "one operand");
        return check_scalar(c, s, &o->elem[0]) && check_scalar(c, &second, &o->elem[1]);
    }
    if (s->pair == 2)
        return fail(c, o, "a pair d|p");
    if (s->vec && c->sig->vec && s->type != TY_NONE)
        return check_vector(c, s, o);
    if (s->pack && o->kind == OPD_VECTOR)
        return check_pack(c, s, o);
    return check_scalar(c, s, o);
}

static bool check_address(Check *c, const Operand *o)
{
    if (o->kind != OPD_MEM)
        return fail(c, o, "an address in brackets");
    const Operand *base = &o->elem[0];
    if (base->kind != OPD_REG)
        return true;
    char kind = type_kind(base->reg->type);
    if (kind == 'f' || kind == 'p' || (base->reg->vec && base->part < 0))
        return parser_error(c->p, base->line, base->col, "'%s' is a .%s: an address must be an integer or bit register",
                            base->reg->name, type_text(base->reg->type));
    return true;
}

static bool check_list(Check *c, const Operand *o, size_t want, const char *what)
{
    size_t have = o->kind == OPD_LIST ? o->count : 0;
    if (have != want)
        return parser_error(c->p, o->line, o->col, "the call gives %zu %s, '%s' has %zu", have, what,
                            c->in->opd[1].kind == OPD_FUNC ? c->in->opd[1].func->name : "the prototype", want);
    for (size_t i = 0; i < have; i++) {
        const Operand *e   = &o->elem[i];
        bool           var = e->kind == OPD_VAR && e->var->space == SPACE_PARAM;
        if (!var && e->kind != OPD_REG && e->kind != OPD_SINK && e->kind != OPD_INT && e->kind != OPD_FLOAT)
            return parser_error(c->p, e->line, e->col, "a call takes .param variables, registers and numbers, found %s",
                                describe(c->p, e));
    }
    return true;
}

static bool check_call(Check *c)
{
    const Operand *o = c->in->opd, *callee = &o[1], *proto = &o[3];
    const Func    *f = NULL;
    if (callee->kind == OPD_FUNC) {
        f = callee->func;
    } else if (callee->kind == OPD_REG) {
        if (type_bytes(callee->reg->type) < 4 || type_kind(callee->reg->type) == 'f')
            return parser_error(c->p, callee->line, callee->col, "a function's address is a 64-bit integer, found %s",
                                describe(c->p, callee));
        if (proto->kind == OPD_NONE)
            return parser_error(
                c->p, callee->line, callee->col,
                "a call through a register needs a .callprototype or .calltargets list as its last operand");
        const Label *l = &c->p->labels.v[proto->ival];
        f              = l->prototype ? l->prototype : l->ncallees ? l->callees[0] : NULL;
        if (!f)
            return parser_error(c->p, proto->line, proto->col, "'%s' is neither a prototype nor a list of functions",
                                proto->name);
    } else {
        return parser_error(c->p, callee->line, callee->col,
                            "expected a function or a register with its address, found %s", describe(c->p, callee));
    }
    return check_list(c, &o[0], f->nrets, "results") && check_list(c, &o[2], f->nparams, "arguments");
}

static bool check_target(Check *c, const Spec *s, const Operand *o)
{
    if (o->kind == OPD_NAME && !c->p->labels.v[o->ival].targets)
        return parser_error(c->p, o->line, o->col, "'%s' is not a .branchtargets list", o->name);
    if (o->kind == OPD_NAME && (c->p->branch_edges += c->p->labels.v[o->ival].ntargets) > c->p->max_regs)
        return parser_error(c->p, o->line, o->col, "the module's brx.idx have more than %zu targets together",
                            c->p->max_regs);
    return o->kind == OPD_LABEL || o->kind == OPD_NAME ? true : fail(c, o, s->shape == 'L' ? "a label" : "a name");
}

/* A whole vector register, or a special register with parts, becomes the vector of its elements. */
static void spell_out(const Check *c, Operand *o)
{
    static const char part[] = "xyzw";
    bool              sreg   = o->kind == OPD_SREG && o->count > 0 && c->sig->vec == 4;
    unsigned          n      = sreg ? 4u : o->kind == OPD_REG && o->part < 0 ? o->reg->vec : 0u;
    if (n == 0 || o->neg)
        return;
    Operand *elem = ARENA_ARRAY(c->p->arena, Operand, n);
    for (unsigned i = 0; i < n; i++) {
        elem[i]       = *o;
        elem[i].count = 0;
        if (sreg) {
            const char *name = arena_printf(c->p->scratch, "%s.%c", o->name, part[i]);
            elem[i].name     = names_intern(&c->p->names, name, strlen(name))->text;
        } else {
            elem[i].part = (int8_t)i;
        }
    }
    o->kind  = OPD_VECTOR;
    o->elem  = elem;
    o->count = (uint16_t)n;
    o->ival  = 0;
}

static bool check_operand(Check *c, const Spec *s, Operand *o)
{
    if (o->kind == OPD_MEM && o->is_unsigned) { /* x[2]: an element, or its address */
        Operand element = o->elem[0];
        element.ival    = o->ival;
        o->is_unsigned  = false;
        if (s->shape == 'r')
            *o = element;
    }
    if ((s->vec && c->sig->vec) || s->pack || (s->shape == 'r' && s->type == TY_NONE))
        spell_out(c, o);
    for (unsigned i = 1; o->kind == OPD_MEM && i < o->count; i++)
        spell_out(c, &o->elem[i]); /* coordinates */
    if (s->vec && !c->sig->vec && o->kind == OPD_VECTOR && o->count == 1)
        *o = o->elem[0]; /* ld.f32 {r}, [a]: the same as without braces */
    switch (s->shape) {
    case 'm': return check_address(c, o);
    case 'r': return check_value(c, s, o);
    default: return check_target(c, s, o);
    }
}

void check_instr(Parser *p, const Instr *in, Name *opcode)
{
    if (!opcode->sig)
        opcode->sig = sig_compile(p->scratch, in->op);
    const Sig *sig = opcode->sig;
    Check      c   = {.p = p, .in = in, .sig = sig};
    if (opcode->flow == FLOW_CALL) {
        if (in->nopd == 4)
            check_call(&c);
        else
            parser_error(p, in->line, in->col, "a call needs a function");
        return;
    }
    if (sig->free)
        return;
    unsigned least = sig->n - sig->optional, spare;
    if (in->nopd < least || in->nopd > sig->n) {
        parser_error(p, in->line, in->col, "'%s' takes %u operand%s%s, found %u; form: %s", in->op->text, sig->n,
                     sig->n == 1 ? "" : "s", sig->optional ? " (some optional)" : "", in->nopd,
                     op_form(in->op->op)->form);
        return;
    }
    spare = in->nopd - least;
    for (unsigned i = 0, k = 0; i < sig->n; i++) {
        const Spec *s = &sig->spec[i];
        if (s->optional && spare == 0)
            continue;
        spare -= s->optional;
        c.number = k + 1;
        if (!check_operand(&c, s, &in->opd[k++]))
            return;
    }
    const char    *why;
    const Operand *bad = matrix_misfit(p->scratch, in, &why);
    if (bad)
        parser_error(p, bad->line, bad->col, "%s: %s", in->op->text, why);
}
