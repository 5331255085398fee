/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions: guard, opcode, operands.  Operands are read by their own shape alone (a register, {..}, [..], a constant
 * expression, a name); whether an opcode takes such operands is typecheck.c's question.  Only three families are read by opcode:
 * bra takes a label that may be defined later, brx.idx a list of labels, call the manual's four-part form.
 *
 * Operands being read lie on the stack p->opds and are copied to the arena when their list is complete. */
#include <string.h>

#include "ptx/op.h"
#include "ptx/parser.h"
#include "ptx/sregs.h"

static bool parse_operand(Parser *p, Operand *o);
static bool parse_name_operand(Parser *p, Operand *o);
static void match_opcode(Parser *p, Name *name);

static Operand operand_at(const Token *t, OperandKind kind)
{
    return (Operand){.kind = (uint8_t)kind, .part = -1, .line = t->line, .col = t->col};
}

/* The operands pushed since `from`, popped and copied to the arena. */
static Operand *pop_operands(Parser *p, size_t from, size_t *n)
{
    *n         = p->opds.n - from;
    Operand *o = NULL;
    if (*n) {
        o = arena_alloc_aligned(p->arena, *n * sizeof *o, _Alignof(Operand));
        memcpy(o, p->opds.v + from, *n * sizeof *o);
    }
    p->opds.n = from;
    return o;
}

/* "operand, operand ... close" into o->elem. */
static bool parse_list(Parser *p, Operand *o, int close, const char *what)
{
    size_t from = p->opds.n, n;
    if (p->nest >= MAX_NEST)
        return parser_error(p, o->line, o->col, "operands are nested more than %d deep", MAX_NEST);
    p->nest++;
    while (p->tok.kind != close) {
        Operand e;
        if (p->opds.n - from == MAX_LIST || !parse_operand(p, &e)) {
            if (p->opds.n - from == MAX_LIST)
                parser_error(p, o->line, o->col, "a list may have %d elements", MAX_LIST);
            p->opds.n = from;
            p->nest--;
            return false;
        }
        *VEC_PUSH(&p->opds) = e;
        if (p->tok.kind == close || !parser_take(p, ','))
            break;
    }
    p->nest--;
    o->elem  = pop_operands(p, from, &n);
    o->count = (uint16_t)n;
    return parser_need(p, close, what);
}

/* .x .y .z .w and .r .g .b .a, or a video selector */
static bool parse_part(Parser *p, Operand *o)
{
    static const char parts[] = "xyzwrgba";
    const Name       *w       = p->tok.name;
    const char       *c       = w->len == 1 ? strchr(parts, w->text[0]) : NULL;
    if (c && o->reg->vec) {
        o->part = (int8_t)((c - parts) & 3);
        if (o->part >= o->reg->vec)
            return parser_error(p, p->tok.line, p->tok.col, "'%s' has only %u elements", o->reg->name, o->reg->vec);
    } else if ((w->text[0] == 'b' || w->text[0] == 'h') && w->len > 1 &&
               strspn(w->text + 1, "0123456789") == w->len - 1) {
        o->part = PART_SEL;
        o->sel  = w->text;
    } else {
        return parser_error(p, p->tok.line, p->tok.col, "'%s' is not a vector register: it has no .%s", o->reg->name,
                            w->text);
    }
    parser_next(p);
    return true;
}

/* %tid.x with "%tid" as the current token; false without a message if it is not a special register. */
static bool parse_sreg(Parser *p, Operand *o, bool *failed)
{
    Token           t = p->tok;
    const SregInfo *s = *t.name->text == '%' ? sreg_find(t.name->text + 1, t.name->len - 1u, NULL) : NULL;
    if (!s)
        return false;
    parser_next(p);
    *o      = operand_at(&t, OPD_SREG);
    o->ival = s->type;
    o->name = names_intern(&p->names, t.name->text + 1, t.name->len - 1u)->text;
    if (p->tok.kind == TOK_WORD && s->parts) {
        const Name *part = p->tok.name;
        if (part->len != 1 || !strchr("xyzw", part->text[0])) {
            *failed = true;
            parser_error(p, p->tok.line, p->tok.col, "'%s' has the parts .x, .y and .z", t.name->text);
            return true;
        }
        char   full[64];
        size_t n = t.name->len - 1u;
        memcpy(full, t.name->text + 1, n);
        full[n]     = '.';
        full[n + 1] = part->text[0];
        o->name     = names_intern(&p->names, full, n + 2)->text;
        parser_next(p);
    } else if (s->parts) {
        o->count = 3; /* the whole vector */
    }
    return true;
}

/* name + n, name - n behind an address */
static bool parse_offset(Parser *p, int64_t *offset)
{
    int   sign = p->tok.kind;
    Value v;
    if (sign != '+' && sign != '-')
        return true;
    parser_next(p);
    if (p->tok.kind == TOK_IDENT && p->tok.name->sym && p->tok.name->sym->kind == SYM_REG)
        return parser_error(p, p->tok.line, p->tok.col,
                            "a register cannot be added to an address here: '+' takes a constant number of bytes; "
                            "variable[register] is an element of an array, and any other sum is an add of its own");
    if (!parse_int_expr(p, &v, "an offset in bytes"))
        return false;
    *offset = (int64_t)(sign == '+' ? v.bits : 0 - v.bits);
    return true;
}

static Operand register_operand(const Operand *at, const Reg *r)
{
    return (Operand){.kind = OPD_REG, .part = -1, .line = at->line, .col = at->col, .reg = r};
}

/* A register that the text does not have, and an instruction before the one that is being read, under its guard. */
static Reg *hidden_register(Parser *p, Type type)
{
    Str  text = {0};
    Reg *r    = NULL;
    *VEC_PUSH(&p->marks) =
        (Mark){.at = (uint32_t)p->instrs.n, .kind = MARK_REGS, .index = (uint32_t)p->regs.n, .count = 1, .type = type};
    str_printf(&text, "%%__element%zu", p->regs.n);
    r = parser_add_reg(p, names_intern(&p->names, text.s, text.len)->text, type, 0);
    str_free(&text);
    return r;
}

static void put_before(Parser *p, const char *opcode, size_t n, const Operand *opd)
{
    Name *name = names_intern(&p->names, opcode, strlen(opcode));
    Instr in   = *p->reading;
    if (!name->op_known)
        match_opcode(p, name);
    in.op   = name->op;
    in.nopd = (uint8_t)n;
    in.opd  = ARENA_ARRAY(p->arena, Operand, n);
    memcpy(in.opd, opd, n * sizeof *opd);
    check_instr(p, &in, name);
    *VEC_PUSH(&p->instrs) = in;
}

/* x[%r + 2], behind the '[', an index of elements.  The assembler (ptxas 13.0) multiplies in 32 bits, whatever the register has; an address of
 * shared, constant or local memory is added in as many, and has zeros above where mov wants 64.  Constants have addresses of 64 bits here. */
static bool parse_register_index(Parser *p, Operand *o)
{
    const Var *v     = o->var;
    bool       small = v->space == SPACE_SHARED || v->space == SPACE_LOCAL;
    bool wide = small && p->nest == 0 && p->reading->op->op == OP_mov && type_bytes(p->reading->op->types[0]) == 8;
    const char *mad  = small ? "mad.lo.u32" : v->space == SPACE_CONST ? "mad.wide.s32" : "mad.wide.u32";
    int64_t     more = 0;
    Operand     i, start = *o;
    Token       t = p->tok;
    if (!parse_name_operand(p, &i) || !parse_offset(p, &more) || !parser_need(p, ']', "']'"))
        return false;
    unsigned bytes = i.kind == OPD_REG ? type_bytes(i.reg->type) : 0;
    if (bytes < 2 || i.part >= 0 || i.reg->vec || type_kind(i.reg->type) == 'f' || type_kind(i.reg->type) == 'p')
        return parser_error(p, t.line, t.col, "an element's number is an integer or an integer register");
    if (!parser_room_for_regs(p, 3, &t))
        return false;
    if (bytes != 4) {
        Operand narrow[] = {register_operand(&i, hidden_register(p, TY_U32)), i};
        put_before(p, bytes == 2 ? "cvt.u32.u16" : "cvt.u32.u64", 2, narrow);
        i = narrow[0];
    }
    Operand at   = register_operand(&i, hidden_register(p, small ? TY_U32 : TY_U64));
    Operand size = {.kind = OPD_INT, .part = -1, .line = i.line, .col = i.col, .ival = type_bytes(v->type)};
    start.ival   = (int64_t)((uint64_t)more * type_bytes(v->type));
    put_before(p, small ? "mov.u32" : "mov.u64", 2, (Operand[]){at, start});
    put_before(p, mad, 4, (Operand[]){at, i, size, at});
    if (wide) {
        Operand whole[] = {register_operand(&i, hidden_register(p, TY_U64)), at};
        put_before(p, "cvt.u64.u32", 2, whole);
        at = whole[0];
    }
    o->elem  = ARENA_NEW(p->arena, Operand);
    *o->elem = at;
    return true;
}

/* x[2]: the variable's third element; where a value stands, its address (check_operand).  An element of a vector's type is one
 * component: so an H200 answers (tests/ptx/element_address.ptx). */
static bool parse_index(Parser *p, Operand *o)
{
    const Operand base = *o;
    Value         n    = {0};
    if (!o->var->ndim)
        return parser_error(p, p->tok.line, p->tok.col, "'%s' is no array: only those have elements", o->var->name);
    parser_next(p);
    if (p->tok.kind == TOK_IDENT && p->tok.name->sym && p->tok.name->sym->kind == SYM_REG) {
        if (!parse_register_index(p, o))
            return false;
    } else {
        if (!parse_int_expr(p, &n, "an element's number") || !parser_need(p, ']', "']'"))
            return false;
        o->elem  = ARENA_NEW(p->arena, Operand);
        *o->elem = base;
    }
    o->kind        = OPD_MEM;
    o->count       = 1;
    o->is_unsigned = true;
    o->ival        = (int64_t)(n.bits * type_bytes(base.var->type));
    return true;
}

static bool parse_symbol(Parser *p, Operand *o)
{
    Token t   = p->tok;
    Sym  *sym = t.name->sym;
    parser_next(p);
    switch (sym->kind) {
    case SYM_REG:
        *o     = operand_at(&t, OPD_REG);
        o->reg = sym->reg;
        return p->tok.kind == TOK_WORD ? parse_part(p, o) : true;
    case SYM_VAR:
        if (sym->var->reg) { /* a .reg parameter of a .func */
            *o     = operand_at(&t, OPD_REG);
            o->reg = sym->var->reg;
            return p->tok.kind == TOK_WORD ? parse_part(p, o) : true;
        }
        *o     = operand_at(&t, OPD_VAR);
        o->var = sym->var;
        return p->tok.kind == '[' ? parse_index(p, o) : parse_offset(p, &o->ival);
    case SYM_FUNC:
        *o      = operand_at(&t, OPD_FUNC);
        o->func = sym->func;
        return true;
    default:
        *o       = operand_at(&t, OPD_LABEL);
        o->label = sym->label;
        return true;
    }
}

static bool parse_name_operand(Parser *p, Operand *o)
{
    Token t      = p->tok;
    bool  failed = false;
    if (t.name->sym)
        return parse_symbol(p, o);
    if (t.len == 1 && *t.s == '_') {
        *o = operand_at(&t, OPD_SINK);
        parser_next(p);
        return true;
    }
    if (parse_sreg(p, o, &failed))
        return !failed;
    return parser_error(p, t.line, t.col,
                        "unknown name '%s': no register, variable, function or special register has it", t.name->text);
}

static bool parse_constant(Parser *p, Operand *o)
{
    Token t = p->tok;
    Value v;
    if (t.kind == TOK_INT || t.kind == TOK_FLOAT) { /* nearly always all there is */
        v = (Value){.kind        = t.kind == TOK_INT ? VAL_INT : VAL_FLOAT,
                    .bits        = t.value,
                    .is_unsigned = t.is_unsigned,
                    .is_f32      = t.is_f32,
                    .byte        = -1};
        parser_next(p);
        if (!parse_expr_rest(p, &v, false))
            return false;
    } else if (!parse_expr(p, &v, false)) {
        return false;
    }
    *o             = operand_at(&t, v.kind == VAL_INT ? OPD_INT : OPD_FLOAT);
    o->is_unsigned = v.kind == VAL_INT && v.is_unsigned;
    o->is_f32      = v.kind == VAL_FLOAT && v.is_f32;
    o->fbits       = v.bits;
    return true;
}

/* !p, -r: the sign as the current token, before a name */
static bool parse_negated(Parser *p, Operand *o)
{
    Token t = p->tok;
    parser_next(p);
    if (p->tok.kind != TOK_IDENT)
        return parser_expected(p, "a register");
    if (!parse_name_operand(p, o))
        return false;
    if (o->kind != OPD_REG)
        return parser_error(p, o->line, o->col, "'%c' must stand before a register or a number", t.kind);
    o->neg  = true;
    o->line = t.line;
    o->col  = t.col;
    return true;
}

/* [base + n {, coordinates}] with '[' as the current token */
static bool parse_memory(Parser *p, Operand *o)
{
    Token   t      = p->tok;
    size_t  from   = p->opds.n, n;
    Operand e      = {0};
    int64_t offset = 0;
    parser_next(p);
    *o = operand_at(&t, OPD_MEM);
    if (p->nest >= MAX_NEST)
        return parser_error(p, t.line, t.col, "operands are nested more than %d deep", MAX_NEST);
    p->nest++;
    bool ok = parse_operand(p, &e);
    if (ok && e.kind == OPD_REG)
        ok = parse_offset(p, &offset);
    if (ok && e.kind != OPD_REG && e.kind != OPD_VAR && e.kind != OPD_INT)
        ok = parser_error(p, e.line, e.col, "an address is a register, a variable or an integer, each with an offset");
    if (ok && e.kind == OPD_VAR) {
        offset = e.ival;
        e.ival = 0;
    }
    while (ok) {
        *VEC_PUSH(&p->opds) = e;
        if (!parser_take(p, ','))
            break;
        ok = parse_operand(p, &e);
    }
    p->nest--;
    o->elem  = pop_operands(p, from, &n);
    o->count = (uint16_t)(n < MAX_LIST ? n : MAX_LIST);
    o->ival  = offset;
    ok       = ok && parser_need(p, ']', "']'");
    if (ok && p->tok.kind == TOK_WORD && strcmp(p->tok.name->text, "unified") == 0) {
        o->neg = true;
        parser_next(p);
    }
    return ok;
}

/* d|p with '|' as the current token */
static bool parse_pair(Parser *p, Operand *o)
{
    Operand *elem = ARENA_ARRAY(p->arena, Operand, 2);
    parser_next(p);
    elem[0] = *o;
    if (p->tok.kind != TOK_IDENT)
        return parser_expected(p, "a predicate register or '_' behind '|'");
    if (!parse_name_operand(p, &elem[1]))
        return false;
    o->kind  = OPD_PAIR;
    o->neg   = false;
    o->part  = -1;
    o->elem  = elem;
    o->count = 2;
    o->ival  = 0;
    return true;
}

static bool sign_of_register(Parser *p)
{
    if (p->tok.kind != '!' && p->tok.kind != '-')
        return false;
    const char *c = (lexer_peek(&p->lx), p->lx.p);
    return (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z' && strncmp(c, "WARP_SZ", 7) != 0) || *c == '%' ||
           *c == '_' || *c == '$';
}

static bool parse_operand(Parser *p, Operand *o)
{
    Token t = p->tok;
    bool  ok;
    switch (t.kind) {
    case TOK_IDENT:
        if (strcmp(t.name->text, "WARP_SZ") == 0)
            return parse_constant(p, o);
        ok = parse_name_operand(p, o);
        break;
    case '{':
        parser_next(p);
        *o = operand_at(&t, OPD_VECTOR);
        ok = parse_list(p, o, '}', "',' or '}' in a vector");
        break;
    case '[': return parse_memory(p, o);
    case TOK_INT:
    case TOK_FLOAT:
    case '(':
    case '~':
    case '+': return parse_constant(p, o);
    case '!':
    case '-': ok = sign_of_register(p) ? parse_negated(p, o) : parse_constant(p, o); break;
    default: return parser_expected(p, "an operand");
    }
    return ok && p->tok.kind == '|' && (o->kind == OPD_REG || o->kind == OPD_SINK || o->kind == OPD_VECTOR)
               ? parse_pair(p, o)
               : ok;
}

/* A label by its name: o->name until the operands are in their place (place_labels). */
static bool parse_label_operand(Parser *p, Operand *o)
{
    Token t = p->tok;
    if (t.kind != TOK_IDENT)
        return parser_expected(p, "a label");
    *o      = operand_at(&t, OPD_LABEL);
    o->name = t.name->text;
    parser_next(p);
    return true;
}

/* A list or prototype: "ts: .branchtargets ...", defined before. */
static bool parse_list_name(Parser *p, Operand *o, const char *what)
{
    Token t = p->tok;
    if (t.kind != TOK_IDENT)
        return parser_expected(p, what);
    if (!t.name->sym || t.name->sym->kind != SYM_LABEL)
        return parser_error(p, t.line, t.col, "'%s' is not %s defined before", t.name->text, what);
    *o      = operand_at(&t, OPD_NAME);
    o->name = t.name->text;
    o->ival = t.name->sym->label;
    parser_next(p);
    return true;
}

/* (a, b) or nothing */
static bool parse_call_list(Parser *p, Operand *o)
{
    Token t = p->tok;
    *o      = operand_at(&t, OPD_NONE);
    if (t.kind != '(')
        return true;
    parser_next(p);
    *o = operand_at(&t, OPD_LIST);
    return parse_list(p, o, ')', "',' or ')' in the list of a call");
}

static bool parse_callee(Parser *p, Operand *o)
{
    Token t = p->tok;
    if (t.kind != TOK_IDENT)
        return parser_expected(p, "a function or a register with its address");
    if (!t.name->sym)
        return parser_error(p, t.line, t.col, "unknown function '%s': declare it before it is called", t.name->text);
    return parse_symbol(p, o);
}

/* call (rets), f, (args), prototype: always four operands */
static bool parse_call(Parser *p)
{
    Operand rets, callee, args, proto;
    if (!parse_call_list(p, &rets))
        return false;
    if (rets.kind == OPD_LIST && !parser_need(p, ',', "',' behind the results of a call"))
        return false;
    if (!parse_callee(p, &callee))
        return false;
    args = proto = operand_at(&p->tok, OPD_NONE);
    bool more    = parser_take(p, ',');
    if (more && p->tok.kind == '(') {
        if (!parse_call_list(p, &args))
            return false;
        more = parser_take(p, ',');
    }
    if (more && !parse_list_name(p, &proto, "a .callprototype or .calltargets list"))
        return false;
    *VEC_PUSH(&p->opds) = rets;
    *VEC_PUSH(&p->opds) = callee;
    *VEC_PUSH(&p->opds) = args;
    *VEC_PUSH(&p->opds) = proto;
    return true;
}

/* %r + n, where an instruction reads an integer register: the assembler (ptxas 13.0) adds n in the register's own width, before the instruction.
 * It takes no '-' there and nothing in lists.  Sums of floats crash it, and it never ends with predicates. */
static bool parse_sum(Parser *p, Operand *o)
{
    Token    t     = p->tok;
    unsigned bytes = type_bytes(o->reg->type);
    Value    v     = {0};
    if (p->opds.n == 0)
        return parser_error(p, t.line, t.col, "the first operand is a register, not a sum: add the number before");
    if (!strchr("usb", type_kind(o->reg->type)) || bytes < 2 || bytes > 8 || o->reg->vec || o->part >= 0 || o->neg)
        return parser_error(p, t.line, t.col,
                            "only to an integer register of 16, 32 or 64 bits can a number be added here");
    parser_next(p);
    if (!parse_int_expr(p, &v, "a number") || !parser_room_for_regs(p, 1, &t))
        return false;
    Operand sum    = register_operand(o, hidden_register(p, o->reg->type));
    Operand number = {.kind = OPD_INT, .part = -1, .line = t.line, .col = t.col};
    number.ival    = bytes == 2 ? (int64_t)(uint16_t)v.bits : bytes == 4 ? (int64_t)(uint32_t)v.bits : (int64_t)v.bits;
    put_before(p, bytes == 2 ? "add.u16" : bytes == 4 ? "add.u32" : "add.u64", 3, (Operand[]){sum, *o, number});
    *o = sum;
    return true;
}

static bool parse_operands(Parser *p, Flow flow)
{
    Operand o;
    if (p->tok.kind == ';')
        return true;
    if (flow == FLOW_CALL)
        return parse_call(p);
    do {
        bool ok;
        if (flow == FLOW_BRA)
            ok = parse_label_operand(p, &o);
        else if (flow == FLOW_BRX && p->opds.n > 0)
            ok = parse_list_name(p, &o, "a .branchtargets list");
        else
            ok = parse_operand(p, &o);
        if (ok && o.kind == OPD_REG && p->tok.kind == '+')
            ok = parse_sum(p, &o);
        if (!ok)
            return false;
        *VEC_PUSH(&p->opds) = o;
    } while (parser_take(p, ','));
    return true;
}

static bool parse_guard(Parser *p, Instr *in)
{
    parser_next(p);
    in->guard_neg = parser_take(p, '!');
    Token t       = p->tok;
    if (t.kind != TOK_IDENT)
        return parser_expected(p, "a predicate register behind '@'");
    if (!t.name->sym || t.name->sym->kind != SYM_REG)
        return parser_error(p, t.line, t.col, "'%s' is not a register", t.name->text);
    in->guard = t.name->sym->reg;
    if (in->guard->type != TY_PRED)
        return parser_error(p, t.line, t.col, "the guard '%s' is a .%s, expected a .pred", t.name->text,
                            type_text(in->guard->type));
    parser_next(p);
    return true;
}

static void match_opcode(Parser *p, Name *name)
{
    const char *dot  = memchr(name->text, '.', name->len);
    size_t      base = dot ? (size_t)(dot - name->text) : name->len;
    name->op         = opcode_match(p->arena, name->text, name->len, &name->why);
    name->op_known   = true;
    if (base == 3 && memcmp(name->text, "bra", 3) == 0)
        name->flow = FLOW_BRA;
    else if (base == 3 && memcmp(name->text, "brx", 3) == 0)
        name->flow = FLOW_BRX;
    else if (base == 4 && memcmp(name->text, "call", 4) == 0)
        name->flow = FLOW_CALL;
}

/* Labels of a bra: resolved when their scope closes. */
static void place_labels(Parser *p, Operand *opd, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Name *name   = names_of(opd[i].name);
        opd[i].name  = NULL;
        opd[i].label = UINT32_MAX;
        parser_label_use(p, name, &opd[i].label, opd[i].line, opd[i].col);
    }
}

bool parse_instr(Parser *p)
{
    Instr  in = {0};
    size_t n;
    in.line   = p->tok.line;
    in.col    = p->tok.col;
    in.srcloc = p->srcloc;
    p->opds.n = 0;
    if (p->tok.kind == '@' && !parse_guard(p, &in))
        return false;
    if (p->tok.kind != TOK_IDENT)
        return parser_expected(p, "an instruction");
    if (!in.guard) {
        in.line = p->tok.line;
        in.col  = p->tok.col;
    }
    Token at = p->tok;
    lexer_opcode(&p->lx, &at);
    Name *name = at.name;
    if (!name->op_known)
        match_opcode(p, name);
    if (!name->op)
        return parser_error(p, at.line, at.col, "%s", name->why ? name->why : "unknown opcode");
    parser_next(p);
    in.op      = name->op;
    p->reading = &in;
    bool ok    = parse_operands(p, (Flow)name->flow);
    p->reading = NULL;
    if (!ok)
        return false;
    if (p->tok.kind != ';')
        return parser_expected(p, "',' or ';' behind an operand");
    in.opd = pop_operands(p, 0, &n);
    if (n > UINT8_MAX)
        return parser_error(p, at.line, at.col, "more operands than any instruction takes");
    in.nopd = (uint8_t)n;
    if (name->flow == FLOW_BRA)
        place_labels(p, in.opd, n);
    check_instr(p, &in, name);
    *VEC_PUSH(&p->instrs) = in;
    parser_next(p);
    return true;
}
