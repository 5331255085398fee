/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant expressions (the manual's "Constant Expressions"): C's operators and precedences over 64-bit integers and doubles.
 * An operation is unsigned when an operand is; comparisons give signed 0 or 1; floats allow + - * / and comparisons.
 * With `symbols` (initialisers) a primary may also be an address: name, name + n, generic(name) + n, and 0xff00(address), one
 * byte of it.  Total: overflow wraps, shifts of 64 and more give 0 or the sign, division by zero is an error. */
#include <string.h>

#include "base/bits.h"
#include "ptx/parser.h"

static bool parse_binary(Parser *p, Value *v, int min, bool symbols);

/* One level of nesting more; the caller takes it back. */
static bool deeper(Parser *p, const Token *at)
{
    if (p->nest >= MAX_NEST)
        return parser_error(p, at->line, at->col, "the expression is nested more than %d deep", MAX_NEST);
    p->nest++;
    return true;
}

static Value int_value(uint64_t bits, bool is_unsigned)
{
    return (Value){.kind = VAL_INT, .bits = bits, .is_unsigned = is_unsigned, .byte = -1};
}

static Value float_value(double d)
{
    Value v = {.kind = VAL_FLOAT, .byte = -1};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

double value_double(const Value *v)
{
    if (v->kind == VAL_INT)
        return v->is_unsigned ? (double)v->bits : (double)(int64_t)v->bits;
    return v->is_f32 ? (double)f32_of((uint32_t)v->bits) : f64_of(v->bits);
}

static bool truth(const Value *v)
{
    return v->kind == VAL_FLOAT ? value_double(v) != 0 : v->kind == VAL_SYM || v->bits != 0;
}

static bool no_symbols(Parser *p, const Token *at, const Value *a, const Value *b)
{
    if (a->kind != VAL_SYM && (!b || b->kind != VAL_SYM))
        return true;
    return parser_error(p, at->line, at->col, "only '+' and '-' with an integer may follow an address");
}

static bool parse_name(Parser *p, Value *v, bool symbols)
{
    Token t   = p->tok;
    Sym  *sym = t.name->sym;
    if (strcmp(t.name->text, "WARP_SZ") == 0) {
        *v = int_value(32, false);
        parser_next(p);
        return true;
    }
    if (!symbols)
        return parser_expected(p, "a constant");
    *v = (Value){.kind = VAL_SYM, .byte = -1};
    parser_next(p);
    if (strcmp(t.name->text, "generic") == 0 && p->tok.kind == '(') {
        parser_next(p);
        if (!parse_expr(p, v, true) || !parser_need(p, ')', "')'"))
            return false;
        if (v->kind != VAL_SYM || v->byte >= 0)
            return parser_error(p, t.line, t.col, "generic() takes the name of a variable");
        v->generic = true;
        return true;
    }
    if (!sym)
        return parser_error(p, t.line, t.col, "unknown name '%s' in an initialiser", t.name->text);
    if (sym->kind == SYM_VAR)
        v->var = sym->var;
    else if (sym->kind == SYM_FUNC)
        v->func = sym->func;
    else
        return parser_error(p, t.line, t.col, "'%s' has no address", t.name->text);
    return true;
}

/* 0xff00(address): one byte of it. */
static bool parse_mask(Parser *p, Value *v, uint64_t mask, const Token *at)
{
    int8_t byte = -1;
    for (int8_t i = 0; i < 8; i++)
        if (mask == UINT64_C(0xff) << 8 * i)
            byte = i;
    if (byte < 0)
        return parser_error(p, at->line, at->col, "the mask of an address must select one byte: 0xff, 0xff00, ...");
    parser_next(p);
    if (!parse_expr(p, v, true) || !parser_need(p, ')', "')'"))
        return false;
    if (v->kind != VAL_SYM)
        return parser_error(p, at->line, at->col, "a mask takes an address");
    v->byte = byte;
    return true;
}

static bool parse_primary(Parser *p, Value *v, bool symbols)
{
    Token t = p->tok;
    switch (t.kind) {
    case TOK_INT:
        *v = int_value(t.value, t.is_unsigned);
        parser_next(p);
        return symbols && p->tok.kind == '(' ? parse_mask(p, v, t.value, &t) : true;
    case TOK_FLOAT:
        *v = (Value){.kind = VAL_FLOAT, .is_f32 = t.is_f32, .bits = t.value, .byte = -1};
        parser_next(p);
        return true;
    case TOK_IDENT: return parse_name(p, v, symbols);
    default: return parser_expected(p, "a constant");
    }
}

/* "(.s64) x" with the word as the current token. */
static bool parse_cast(Parser *p, Value *v, bool symbols)
{
    Type  type = (Type)p->tok.name->type;
    Token at   = p->tok;
    if (type != TY_S64 && type != TY_U64)
        return parser_expected(p, ".s64 or .u64");
    parser_next(p);
    if (!parser_need(p, ')', "')'") || !parse_binary(p, v, 12, symbols))
        return false;
    if (v->kind == VAL_FLOAT)
        return parser_error(p, at.line, at.col, "a float cannot be cast: an integer was expected");
    v->is_unsigned = type == TY_U64;
    return true;
}

static bool apply_unary(Parser *p, Value *v, const Token *op)
{
    if (!no_symbols(p, op, v, NULL))
        return false;
    if (v->kind == VAL_FLOAT && op->kind == '-')
        v->bits ^= UINT64_C(1) << (v->is_f32 ? 31 : 63);
    else if (op->kind == '!')
        *v = int_value(!truth(v), false);
    else if (v->kind == VAL_FLOAT && op->kind == '~')
        return parser_error(p, op->line, op->col, "'~' takes an integer");
    else if (v->kind == VAL_INT && op->kind == '-') {
        v->bits        = 0 - v->bits;
        v->is_unsigned = v->is_unsigned && v->bits != UINT64_C(1) << 63; /* -9223372036854775808 */
    } else if (op->kind == '~')
        v->bits = ~v->bits;
    return true;
}

static bool parse_unary(Parser *p, Value *v, bool symbols)
{
    Token op = p->tok;
    bool  ok;
    if (op.kind != '(' && op.kind != '-' && op.kind != '+' && op.kind != '~' && op.kind != '!')
        return parse_primary(p, v, symbols);
    parser_next(p);
    if (op.kind == '(' && p->tok.kind != TOK_WORD)
        return parse_expr(p, v, symbols) && parser_need(p, ')', "')'");
    if (!deeper(p, &op))
        return false;
    ok = op.kind == '(' ? parse_cast(p, v, symbols) : parse_unary(p, v, symbols) && apply_unary(p, v, &op);
    p->nest--;
    return ok;
}

static int precedence(int op)
{
    switch (op) {
    case '?': return 1;
    case TOK_OR: return 2;
    case TOK_AND: return 3;
    case '|': return 4;
    case '^': return 5;
    case '&': return 6;
    case TOK_EQ:
    case TOK_NE: return 7;
    case '<':
    case '>':
    case TOK_LE:
    case TOK_GE: return 8;
    case TOK_SHL:
    case TOK_SHR: return 9;
    case '+':
    case '-': return 10;
    case '*':
    case '/':
    case '%': return 11;
    default: return 0;
    }
}

static int compare(const Value *a, const Value *b)
{
    if (a->kind == VAL_FLOAT || b->kind == VAL_FLOAT) {
        double x = value_double(a), y = value_double(b);
        return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
    }
    if (a->is_unsigned || b->is_unsigned)
        return a->bits < b->bits ? -1 : a->bits > b->bits;
    int64_t x = (int64_t)a->bits, y = (int64_t)b->bits;
    return x < y ? -1 : x > y;
}

static bool comparison(int op, const Value *a, const Value *b, bool *out)
{
    int c = compare(a, b);
    switch (op) {
    case TOK_EQ: *out = c == 0; return true;
    case TOK_NE: *out = c != 0; return true;
    case '<': *out = c == -1; return true;
    case '>': *out = c == 1; return true;
    case TOK_LE: *out = c == -1 || c == 0; return true;
    case TOK_GE: *out = c == 1 || c == 0; return true;
    case TOK_AND: *out = truth(a) && truth(b); return true;
    case TOK_OR: *out = truth(a) || truth(b); return true;
    default: return false;
    }
}

static uint64_t divide(int op, const Value *a, const Value *b, bool is_unsigned)
{
    uint64_t x = a->bits, y = b->bits;
    if (is_unsigned)
        return op == '/' ? x / y : x % y;
    if (y == UINT64_MAX) /* INT64_MIN / -1 wraps */
        return op == '/' ? 0 - x : 0;
    return (uint64_t)(op == '/' ? (int64_t)x / (int64_t)y : (int64_t)x % (int64_t)y);
}

static uint64_t shift(int op, const Value *a, uint64_t n)
{
    if (op == TOK_SHL)
        return n < 64 ? a->bits << n : 0;
    if (a->is_unsigned)
        return n < 64 ? a->bits >> n : 0;
    return (uint64_t)((int64_t)a->bits >> (n < 64 ? n : 63));
}

static bool apply_floats(Parser *p, Value *a, const Value *b, const Token *op)
{
    double x = value_double(a), y = value_double(b);
    switch (op->kind) {
    case '+': *a = float_value(x + y); return true;
    case '-': *a = float_value(x - y); return true;
    case '*': *a = float_value(x * y); return true;
    case '/': *a = float_value(x / y); return true;
    default: return parser_error(p, op->line, op->col, "this operator takes integers");
    }
}

static bool apply_binary(Parser *p, Value *a, const Value *b, const Token *op)
{
    bool     flag, is_unsigned = a->is_unsigned || b->is_unsigned;
    uint64_t x = a->bits, y = b->bits;
    if (a->kind == VAL_SYM && b->kind == VAL_INT && (op->kind == '+' || op->kind == '-')) {
        a->addend = (int64_t)((uint64_t)a->addend + (op->kind == '+' ? y : 0 - y));
        return true;
    }
    if (!no_symbols(p, op, a, b))
        return false;
    if (comparison(op->kind, a, b, &flag)) {
        *a = int_value(flag, false);
        return true;
    }
    if (a->kind == VAL_FLOAT || b->kind == VAL_FLOAT)
        return apply_floats(p, a, b, op);
    switch (op->kind) {
    case '+': x += y; break;
    case '-': x -= y; break;
    case '*': x *= y; break;
    case '&': x &= y; break;
    case '|': x |= y; break;
    case '^': x ^= y; break;
    case TOK_SHL:
    case TOK_SHR:
        x           = shift(op->kind, a, y);
        is_unsigned = a->is_unsigned;
        break;
    default:
        if (y == 0)
            return parser_error(p, op->line, op->col, "division by zero in a constant expression");
        x = divide(op->kind, a, b, is_unsigned);
    }
    *a = int_value(x, is_unsigned);
    return true;
}

/* a ? b : c, with '?' as the current token. */
static bool parse_choice(Parser *p, Value *v, bool symbols)
{
    bool  first = truth(v), ok;
    Value yes, no;
    parser_next(p);
    ok = parse_expr(p, &yes, symbols) && parser_need(p, ':', "':'") && parse_expr(p, &no, symbols);
    if (ok)
        *v = first ? yes : no;
    return ok;
}

/* Operators of at least precedence `min` behind v. */
static bool parse_tail(Parser *p, Value *v, int min, bool symbols)
{
    for (;;) {
        Token op   = p->tok;
        int   prec = precedence(op.kind);
        if (prec == 0 || prec < min)
            return true;
        if (op.kind == '?') {
            if (!parse_choice(p, v, symbols))
                return false;
            continue;
        }
        Value right;
        parser_next(p);
        if (!parse_binary(p, &right, prec + 1, symbols) || !apply_binary(p, v, &right, &op))
            return false;
    }
}

static bool parse_binary(Parser *p, Value *v, int min, bool symbols)
{
    return parse_unary(p, v, symbols) && parse_tail(p, v, min, symbols);
}

bool parse_expr(Parser *p, Value *v, bool symbols)
{
    Token at = p->tok;
    if (!deeper(p, &at))
        return false;
    bool ok = parse_binary(p, v, 1, symbols);
    p->nest--;
    return ok;
}

bool parse_expr_rest(Parser *p, Value *v, bool symbols)
{
    return parse_tail(p, v, 1, symbols);
}

bool parse_int_expr(Parser *p, Value *v, const char *what)
{
    Token at = p->tok;
    if (at.kind != TOK_INT && at.kind != '(' && at.kind != '-' && at.kind != '+' && at.kind != '~' && at.kind != '!' &&
        !(at.kind == TOK_IDENT && strcmp(at.name->text, "WARP_SZ") == 0))
        return parser_expected(p, what);
    if (!parse_expr(p, v, false))
        return false;
    if (v->kind != VAL_INT)
        return parser_error(p, at.line, at.col, "expected %s, found a float", what);
    return true;
}
