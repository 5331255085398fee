/* SPDX-License-Identifier: Apache-2.0
 *
 * Evaluates an expression of `lane` while parsing it: precedence climbing, one pass for each lane, nothing built.  Values are
 * 64 bits with sign; what does not fit is an error.
 * Branches that C would not evaluate (of ?:, && and ||) are parsed with `live` unset: they must be well formed, but dividing by
 * zero there is no error.  Nesting is limited, so no text can exhaust the stack. */
#include "base/expr.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

typedef struct Parser {
    const char *text, *at;
    int64_t     lane;
    char        where[32]; /* " for lane 3", or nothing */
    unsigned    depth;
    bool        failed;
    ExprError  *error;
} Parser;

static int64_t parse_choice(Parser *p, bool live);

__attribute__((format(printf, 3, 4))) static int64_t fail(Parser *p, const char *at, const char *fmt, ...)
{
    if (!p->failed) {
        va_list ap;
        va_start(ap, fmt);
        (void)vsnprintf(p->error->text, sizeof p->error->text, fmt, ap);
        va_end(ap);
        p->error->at = (size_t)(at - p->text);
        p->failed    = true;
    }
    return 0;
}

/* Bytes of the UTF-8 character there. */
static int character(const char *at)
{
    int n = 1;
    while (((unsigned char)at[n] & 0xc0) == 0x80)
        n++;
    return n;
}

static void skip_blanks(Parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static int64_t parse_number(Parser *p)
{
    const char *start = p->at;
    unsigned    base  = 10;
    if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X'))
        base = 16;
    else if (p->at[0] == '0' && (p->at[1] == 'b' || p->at[1] == 'B'))
        base = 2;
    if (base != 10)
        p->at += 2;
    const char *digits = p->at;
    uint64_t    v      = 0;
    for (; isalnum((unsigned char)*p->at); p->at++) {
        int      c = tolower((unsigned char)*p->at);
        unsigned d = isdigit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
        if (d >= base)
            return fail(p, p->at, "'%c' is not a digit of this number", *p->at);
        if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v) || v > INT64_MAX)
            return fail(p, start, "the number does not fit in 63 bits");
    }
    if (p->at == digits)
        return fail(p, start, "digits expected after the prefix");
    return (int64_t)v;
}

static int64_t parse_primary(Parser *p, bool live)
{
    skip_blanks(p);
    if (isdigit((unsigned char)*p->at))
        return parse_number(p);
    if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        size_t n = 0;
        while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
            n++;
        if (p->lane == EXPR_NO_LANE)
            return fail(p, p->at, "'%.*s' is not known; only numbers are", n > 40 ? 40 : (int)n, p->at);
        if (n != 4 || strncmp(p->at, "lane", 4) != 0)
            return fail(p, p->at, "'%.*s' is not known; the only name is lane", n > 40 ? 40 : (int)n, p->at);
        p->at += n;
        return p->lane;
    }
    if (*p->at == '(') {
        const char *open = p->at++;
        int64_t     v    = parse_choice(p, live);
        skip_blanks(p);
        if (p->failed)
            return 0;
        if (*p->at != ')')
            return *p->at ? fail(p, p->at, "')' or an operator expected, not '%.*s'", character(p->at), p->at)
                          : fail(p, open, "this '(' is not closed");
        p->at++;
        return v;
    }
    const char *names = p->lane == EXPR_NO_LANE ? "" : ", lane";
    return *p->at ? fail(p, p->at, "a number%s or '(' expected, not '%.*s'", names, character(p->at), p->at)
                  : fail(p, p->at, "a number%s or '(' expected at the end", names);
}

static int64_t parse_unary(Parser *p, bool live)
{
    skip_blanks(p);
    char op = *p->at;
    if (!op || !strchr("+-~!", op))
        return parse_primary(p, live);
    if (++p->depth > MAX_DEPTH)
        return fail(p, p->at, "nested more than %d deep", MAX_DEPTH);
    p->at++;
    int64_t v = parse_unary(p, live);
    p->depth--;
    switch (op) {
    case '-': return (int64_t)(0 - (uint64_t)v);
    case '~': return ~v;
    case '!': return !v;
    default: return v;
    }
}

typedef enum BinaryOp {
    MUL,
    DIV,
    MOD,
    ADD,
    SUB,
    SHL,
    SHR,
    LE,
    GE,
    LT,
    GT,
    EQ,
    NE,
    AND,
    XOR,
    OR,
    LAND,
    LOR,
    BINARY_OPS
} BinaryOp;

/* Longer spellings stand before their beginnings. */
static const struct {
    const char *text;
    BinaryOp    op;
    int         level; /* binds tighter when higher */
} binary[] = {
    {"<<", SHL, 8},  {">>", SHR, 8}, {"<=", LE, 7},  {">=", GE, 7},  {"==", EQ, 6},  {"!=", NE, 6},
    {"&&", LAND, 2}, {"||", LOR, 1}, {"*", MUL, 10}, {"/", DIV, 10}, {"%", MOD, 10}, {"+", ADD, 9},
    {"-", SUB, 9},   {"<", LT, 7},   {">", GT, 7},   {"&", AND, 5},  {"^", XOR, 4},  {"|", OR, 3},
};

static int find_binary(const char *at)
{
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (strncmp(at, binary[i].text, strlen(binary[i].text)) == 0)
            return (int)i;
    return -1;
}

static int64_t overflow(Parser *p, const char *at)
{
    return fail(p, at, "the result does not fit in 63 bits%s", p->where);
}

/* INT64_MIN / -1 wraps. */
static int64_t divide(Parser *p, const char *at, bool live, bool modulo, int64_t a, int64_t b)
{
    if (b == 0)
        return live ? fail(p, at, "division by zero%s", p->where) : 0;
    if (b == -1)
        return modulo ? 0 : (int64_t)(0 - (uint64_t)a);
    return modulo ? a % b : a / b;
}

static int64_t shift(Parser *p, const char *at, bool live, bool left, int64_t a, int64_t b)
{
    if (b < 0 || b > 63)
        return live ? fail(p, at, "shift by %lld%s; 0 to 63 expected", (long long)b, p->where) : 0;
    int64_t v = (int64_t)((uint64_t)a << b);
    if (left && live && v >> b != a)
        return overflow(p, at);
    return left ? v : a >> b;
}

static int64_t apply(Parser *p, const char *at, bool live, BinaryOp op, int64_t a, int64_t b)
{
    int64_t v;
    switch (op) {
    case MUL: return !__builtin_mul_overflow(a, b, &v) || !live ? v : overflow(p, at);
    case DIV: return divide(p, at, live, false, a, b);
    case MOD: return divide(p, at, live, true, a, b);
    case ADD: return !__builtin_add_overflow(a, b, &v) || !live ? v : overflow(p, at);
    case SUB: return !__builtin_sub_overflow(a, b, &v) || !live ? v : overflow(p, at);
    case SHL: return shift(p, at, live, true, a, b);
    case SHR: return shift(p, at, live, false, a, b);
    case LE: return a <= b;
    case GE: return a >= b;
    case LT: return a < b;
    case GT: return a > b;
    case EQ: return a == b;
    case NE: return a != b;
    case AND: return a & b;
    case XOR: return a ^ b;
    case OR: return a | b;
    case LAND: return a && b;
    case LOR: return a || b;
    case BINARY_OPS: break;
    }
    return 0;
}

/* Operators of at least `level`, left to right. */
static int64_t parse_binary(Parser *p, int level, bool live)
{
    int64_t a = parse_unary(p, live);
    while (!p->failed) {
        skip_blanks(p);
        int i = find_binary(p->at);
        if (i < 0 || binary[i].level < level)
            break;
        const char *at = p->at;
        p->at += strlen(binary[i].text);
        bool    needed = binary[i].op == LAND ? a != 0 : binary[i].op == LOR ? a == 0 : true;
        int64_t b      = parse_binary(p, binary[i].level + 1, live && needed);
        if (!p->failed)
            a = apply(p, at, live, binary[i].op, a, b);
    }
    return p->failed ? 0 : a;
}

static int64_t parse_choice(Parser *p, bool live)
{
    if (++p->depth > MAX_DEPTH)
        return fail(p, p->at, "nested more than %d deep", MAX_DEPTH);
    int64_t v = parse_binary(p, 1, live);
    skip_blanks(p);
    if (!p->failed && *p->at == '?') {
        p->at++;
        int64_t yes = parse_choice(p, live && v);
        skip_blanks(p);
        if (!p->failed && *p->at != ':')
            return fail(p, p->at, "':' expected in the choice");
        if (p->failed)
            return 0;
        p->at++;
        int64_t no = parse_choice(p, live && !v);
        v          = v ? yes : no;
    }
    p->depth--;
    return p->failed ? 0 : v;
}

bool expr_eval(const char *text, int64_t lane, int64_t *out, ExprError *error)
{
    Parser p = {.text = text, .at = text, .lane = lane, .error = error};
    if (lane != EXPR_NO_LANE)
        (void)snprintf(p.where, sizeof p.where, " for lane %lld", (long long)lane);
    *out = parse_choice(&p, true);
    skip_blanks(&p);
    if (!p.failed && *p.at)
        (void)fail(&p, p.at, "an operator or the end expected, not '%.*s'", character(p.at), p.at);
    return !p.failed;
}
