/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of expectations: C's operators on 64-bit integers (wrapping), i, the arguments by name (a scalar's value, or
 * name[index]), popc(x), min(a, b), max(a, b).  Evaluated while it is read: there are few elements.  An index must be in
 * bounds, and a divisor not zero, but in a branch of ?: that is not taken. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

typedef struct Expr {
    const PtxCase *c;
    const char    *s;
    int64_t        i;
    unsigned       dead; /* inside a branch of ?: that was not taken */
    const char    *why;
} Expr;

static int64_t ternary(Expr *e);

static void skip(Expr *e)
{
    while (isspace((unsigned char)*e->s))
        e->s++;
}

static bool take(Expr *e, const char *op)
{
    skip(e);
    size_t n = strlen(op);
    if (strncmp(e->s, op, n) != 0)
        return false;
    e->s += n;
    return true;
}

static int64_t fail(Expr *e, const char *why)
{
    e->why = e->why ? e->why : why;
    e->s   = "";
    return 0;
}

static int64_t call(Expr *e, const char *name, size_t len)
{
    int64_t a = ternary(e), b = take(e, ",") ? ternary(e) : 0;
    if (!take(e, ")"))
        return fail(e, "')' is missing behind a function's arguments");
    if (len == 4 && memcmp(name, "popc", 4) == 0)
        return __builtin_popcountll((uint64_t)a);
    if (len == 3 && memcmp(name, "min", 3) == 0)
        return a < b ? a : b;
    if (len == 3 && memcmp(name, "max", 3) == 0)
        return a > b ? a : b;
    return fail(e, "unknown function in an expression");
}

static int64_t name_value(Expr *e)
{
    const char *name = e->s;
    size_t      len  = 0;
    while (isalnum((unsigned char)e->s[len]) || e->s[len] == '_')
        len++;
    e->s += len;
    if (len == 1 && *name == 'i')
        return e->i;
    if (take(e, "("))
        return call(e, name, len);
    for (size_t k = 0; k < e->c->nargs; k++) {
        const Argument *a = &e->c->arg[k];
        if (strlen(a->name) != len || memcmp(a->name, name, len) != 0)
            continue;
        bool    index = take(e, "[");
        int64_t at    = index ? ternary(e) : 0;
        if (index && !take(e, "]"))
            return fail(e, "']' is missing");
        if (at < 0 || (size_t)at >= a->count)
            return e->dead ? 0 : fail(e, "index out of an argument's bounds");
        return element_value(a, (size_t)at);
    }
    return fail(e, "unknown name in an expression");
}

static int64_t primary(Expr *e)
{
    skip(e);
    if (take(e, "(")) {
        int64_t v = ternary(e);
        return take(e, ")") ? v : fail(e, "')' is missing");
    }
    if (take(e, "-"))
        return (int64_t)(0 - (uint64_t)primary(e));
    if (take(e, "~"))
        return ~primary(e);
    if (take(e, "!"))
        return !primary(e);
    if (isdigit((unsigned char)*e->s)) {
        char    *end;
        uint64_t v = strtoull(e->s, &end, 0);
        e->s       = end;
        return (int64_t)v;
    }
    return isalpha((unsigned char)*e->s) || *e->s == '_' ? name_value(e)
                                                         : fail(e, "a value is missing in an expression");
}

/* By precedence, weakest first; longer operators before their prefixes. */
static const char *const operators[][5] = {
    {"||"},       {"&&"},     {"|"},           {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};
enum { LEVELS = sizeof operators / sizeof *operators };

static int64_t apply(Expr *e, const char *op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    if ((*op == '/' || *op == '%') && (b == 0 || b == -1))
        return e->dead ? 0 : fail(e, "division by zero or minus one");
    switch (op[0] | op[1] << 8) {
    case '|' | '|' << 8: return a || b;
    case '&' | '&' << 8: return a && b;
    case '=' | '=' << 8: return a == b;
    case '!' | '=' << 8: return a != b;
    case '<' | '=' << 8: return a <= b;
    case '>' | '=' << 8: return a >= b;
    case '<' | '<' << 8: return (int64_t)(x << (y & 63));
    case '>' | '>' << 8: return (int64_t)(x >> (y & 63));
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '<': return a < b;
    case '>': return a > b;
    case '+': return (int64_t)(x + y);
    case '-': return (int64_t)(x - y);
    case '*': return (int64_t)(x * y);
    case '/': return a / b;
    default: return a % b;
    }
}

static const char *operator_at(Expr *e, size_t level)
{
    for (size_t k = 0; k < 5 && operators[level][k]; k++) {
        const char *op = operators[level][k];
        skip(e);
        size_t n = strlen(op);
        if (strncmp(e->s, op, n) != 0)
            continue;
        if (n == 1 && (e->s[1] == op[0] || ((op[0] == '<' || op[0] == '>') && e->s[1] == '=')) && strchr("|&<>", op[0]))
            continue; /* a longer operator, of another level */
        e->s += n;
        return op;
    }
    return NULL;
}

static int64_t binary(Expr *e, size_t level)
{
    if (level == LEVELS)
        return primary(e);
    int64_t     v = binary(e, level + 1);
    const char *op;
    while ((op = operator_at(e, level)) != NULL)
        v = apply(e, op, v, binary(e, level + 1));
    return v;
}

static int64_t ternary(Expr *e)
{
    int64_t v = binary(e, 0);
    if (!take(e, "?"))
        return v;
    e->dead += !v;
    int64_t yes = ternary(e);
    e->dead -= !v;
    if (!take(e, ":"))
        return fail(e, "':' is missing");
    e->dead += !!v;
    int64_t no = ternary(e);
    e->dead -= !!v;
    return v ? yes : no;
}

bool expr_value(const PtxCase *c, const char *text, int64_t i, int64_t *out, const char **why)
{
    Expr e = {.c = c, .s = text, .i = i};
    *out   = ternary(&e);
    skip(&e);
    if (!e.why && *e.s)
        e.why = "text behind an expression";
    *why = e.why;
    return !e.why;
}
