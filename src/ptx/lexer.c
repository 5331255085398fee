/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX tokens.  Identifiers follow the manual ([a-zA-Z] or one of _ $ % first, then letters, digits, _ and $); a word behind a
 * dot may hold "::" parts.  Numbers: decimal, 0x, 0 octal, 0b, with an optional U; 0f and 0d with exactly 8 and 16 hexadecimal
 * digits; decimal floats.  A backslash in a string is itself, as for the assembler (think of C:\).  Lines that begin with #
 * (left by a preprocessor) and comments are blanks.
 *
 * The text ends in a zero byte that stops every scan; a zero byte before the end is a bad token like any other. */
#include "ptx/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { C_FOLLOW = 1, C_START = 2, C_DIGIT = 4, C_HEX = 8, C_BLANK = 16 };

static const uint8_t classes[256] = {
    ['0' ... '9'] = C_FOLLOW | C_DIGIT | C_HEX,
    ['a' ... 'f'] = C_FOLLOW | C_START | C_HEX,
    ['A' ... 'F'] = C_FOLLOW | C_START | C_HEX,
    ['g' ... 'z'] = C_FOLLOW | C_START,
    ['G' ... 'Z'] = C_FOLLOW | C_START,
    ['_']         = C_FOLLOW | C_START,
    ['$']         = C_FOLLOW | C_START,
    ['%']         = C_START,
    [' ']         = C_BLANK,
    ['\t']        = C_BLANK,
    ['\r']        = C_BLANK,
    ['\v']        = C_BLANK,
    ['\f']        = C_BLANK,
    ['\n']        = C_BLANK,
};

static bool is(char c, int class)
{
    return classes[(unsigned char)c] & class;
}

void lexer_init(Lexer *lx, Names *names, const char *text, size_t len)
{
    *lx = (Lexer){.p = text, .end = text + len, .line_start = text, .line = 1, .names = names};
}

static void newline(Lexer *lx, const char *at)
{
    lx->line++;
    lx->line_start = at + 1;
}

/* Skips a comment; false (and stays) if it never ends. */
static bool skip_comment(Lexer *lx)
{
    const char *p = lx->p, *close;
    if (p[1] == '/') {
        close = memchr(p, '\n', (size_t)(lx->end - p));
        lx->p = close ? close : lx->end;
        return true;
    }
    close = p + 2;
    do {
        close = memchr(close, '*', (size_t)(lx->end - close));
    } while (close && *++close != '/');
    if (!close)
        return false;
    close--;
    for (; p < close; p++)
        if (*p == '\n')
            newline(lx, p);
    lx->p = close + 2;
    return true;
}

/* To the next token; false at a comment without an end. */
static bool skip_blank(Lexer *lx)
{
    for (;;) {
        char c = *lx->p;
        if (is(c, C_BLANK)) {
            if (c == '\n')
                newline(lx, lx->p);
            lx->p++;
        } else if (c == '/' && (lx->p[1] == '/' || lx->p[1] == '*')) {
            if (!skip_comment(lx))
                return false;
        } else if (c == '#' && lx->p == lx->line_start) {
            const char *nl = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
            lx->p          = nl ? nl : lx->end;
        } else {
            return true;
        }
    }
}

bool lexer_skip_braces(Lexer *lx)
{
    static const uint8_t stop[256] = {['{'] = 1, ['}'] = 1, ['\n'] = 1, ['"'] = 1, ['/'] = 1, [0] = 1};
    Lexer                at        = *lx;
    for (size_t depth = 1; depth;) {
        while (!stop[(unsigned char)*at.p])
            at.p++;
        char c = *at.p;
        depth += (c == '{') - (size_t)(c == '}');
        if (c == '/' && (at.p[1] == '/' || at.p[1] == '*')) {
            if (!skip_comment(&at))
                return false;
            continue;
        }
        if (c == '"') {
            at.p += 1 + strcspn(at.p + 1, "\"\n");
            c = *at.p;
        }
        if (!c)
            return false;
        at.p++;
        if (c == '\n') {
            newline(&at, at.p - 1);
            if (*at.p == '#') /* a preprocessor's line */
                at.p += strcspn(at.p, "\n");
        }
    }
    *lx = at;
    return true;
}

static void bad(Lexer *lx, Token *t, const char *end, const char *why)
{
    t->kind = TOK_BAD;
    t->why  = why;
    t->len  = (size_t)(end - t->s);
    lx->p   = end;
}

/* Digits of `base` from s to e into t->value; false if they do not fit 64 bits. */
static bool read_digits(Token *t, const char *s, const char *e, unsigned base)
{
    uint64_t v = 0;
    for (; s < e; s++) {
        unsigned d = is(*s, C_DIGIT) ? (unsigned)(*s - '0') : (unsigned)((*s | 32) - 'a' + 10);
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, (uint64_t)d, &v))
            return false;
    }
    t->value = v;
    return true;
}

/* 0f3F800000, 0d3FF0000000000000 */
static void lex_hex_float(Lexer *lx, Token *t, bool is_f32)
{
    const char *s = t->s + 2, *e = s;
    while (is(*e, C_HEX))
        e++;
    t->len = (size_t)(e - t->s);
    if (e - s != (is_f32 ? 8 : 16) || is(*e, C_FOLLOW)) {
        while (is(*e, C_FOLLOW))
            e++;
        bad(lx, t, e,
            is_f32 ? "0f must be followed by exactly 8 hexadecimal digits"
                   : "0d must be followed by exactly 16 hexadecimal digits");
        return;
    }
    t->kind   = TOK_FLOAT;
    t->is_f32 = is_f32;
    read_digits(t, s, e, 16);
    lx->p = e;
}

/* 1.5, .5, 1., 1e5; e stands behind the digits before the point. */
static void lex_decimal_float(Lexer *lx, Token *t, const char *e)
{
    if (*e == '.')
        e++;
    while (is(*e, C_DIGIT))
        e++;
    if (*e == 'e' || *e == 'E') {
        e++;
        if (*e == '+' || *e == '-')
            e++;
        if (!is(*e, C_DIGIT)) {
            bad(lx, t, e, "an exponent needs digits");
            return;
        }
        while (is(*e, C_DIGIT))
            e++;
    }
    double d = strtod(t->s, NULL);
    t->kind  = TOK_FLOAT;
    t->len   = (size_t)(e - t->s);
    memcpy(&t->value, &d, sizeof d);
    lx->p = e;
}

static void lex_number(Lexer *lx, Token *t)
{
    const char *s      = t->s, *e;
    char        second = (char)(*s == '0' ? s[1] | 32 : 0);
    unsigned    base   = 10;
    if (second == 'f' || second == 'd') {
        lex_hex_float(lx, t, second == 'f');
        return;
    }
    if (second == 'x' || second == 'b') {
        base = second == 'x' ? 16 : 2;
        s += 2;
    }
    e = s;
    while (base == 16 ? is(*e, C_HEX) : is(*e, C_DIGIT))
        e++;
    if (base == 10 && (*e == '.' || *e == 'e' || *e == 'E')) {
        lex_decimal_float(lx, t, e);
        return;
    }
    if (base == 10 && *s == '0' && e > s + 1)
        base = 8;
    const char *tail = e;
    t->is_unsigned   = *tail == 'U' || *tail == 'u';
    if (t->is_unsigned)
        tail++;
    bool digits_ok = e > s && !is(*tail, C_FOLLOW);
    for (const char *c = s; c < e; c++)
        if ((base == 8 && *c > '7') || (base == 2 && *c > '1'))
            digits_ok = false;
    while (is(*tail, C_FOLLOW))
        tail++;
    t->kind = TOK_INT;
    t->len  = (size_t)(tail - t->s);
    lx->p   = tail;
    if (!digits_ok)
        bad(lx, t, tail, "malformed number");
    else if (!read_digits(t, s, e, base))
        bad(lx, t, tail, "the number does not fit in 64 bits");
    else
        t->is_unsigned |= t->value > INT64_MAX;
}

static void lex_string(Lexer *lx, Token *t)
{
    const char *e = t->s + 1;
    while (*e != '"' && *e != '\n' && e < lx->end)
        e++;
    if (*e != '"') {
        bad(lx, t, e, "the string has no closing quote on its line");
        return;
    }
    t->kind = TOK_STRING;
    t->s++;
    t->len = (size_t)(e - t->s);
    lx->p  = e + 1;
}

static const char *word_end(const char *p)
{
    while (is(*p, C_FOLLOW) || (p[0] == ':' && p[1] == ':' && is(p[2], C_FOLLOW)))
        p += *p == ':' ? 2 : 1;
    return p;
}

static void lex_operator(Lexer *lx, Token *t)
{
    static const struct {
        char text[3];
        int  kind;
    } pairs[] = {{"<<", TOK_SHL}, {">>", TOK_SHR}, {"<=", TOK_LE},  {">=", TOK_GE},
                 {"==", TOK_EQ},  {"!=", TOK_NE},  {"&&", TOK_AND}, {"||", TOK_OR}};
    char c = *lx->p, next = lx->p[1];
    t->kind = (unsigned char)c;
    t->len  = 1;
    if (!strchr("<>=!&|", c) || c == 0) {
        lx->p++;
        if (c == 0 || !strchr("+-*/%~^(){}[],;:@?<>=!&|", c))
            bad(lx, t, lx->p, c == 0 ? "a zero byte: this is not PTX text" : "a character that PTX does not use");
        return;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].text[0] == c && pairs[i].text[1] == next) {
            t->kind = pairs[i].kind;
            t->len  = 2;
        }
    lx->p += t->len;
}

void lexer_next(Lexer *lx, Token *t)
{
    bool        closed = skip_blank(lx);
    const char *s      = lx->p;
    *t                 = (Token){.line = lx->line, .col = (uint32_t)(s - lx->line_start) + 1, .s = s};
    if (!closed) {
        bad(lx, t, lx->end, "the comment that begins here has no end");
        return;
    }
    if (is(*s, C_START)) {
        const char *e = s + 1;
        while (is(*e, C_FOLLOW))
            e++;
        t->len  = (size_t)(e - s);
        t->kind = (unsigned char)*s;
        if (t->len == 1 && *s == '%') { /* the operator */
            lx->p = e;
            return;
        }
        t->kind = TOK_IDENT;
        t->name = names_intern(lx->names, s, t->len);
        lx->p   = e;
    } else if (*s == '.' && is(s[1], C_START) && s[1] != '%') {
        const char *e = word_end(s + 1);
        t->kind       = TOK_WORD;
        t->len        = (size_t)(e - s);
        t->name       = names_intern(lx->names, s + 1, t->len - 1);
        lx->p         = e;
    } else if (is(*s, C_DIGIT)) {
        lex_number(lx, t);
    } else if (*s == '.' && is(s[1], C_DIGIT)) {
        lex_decimal_float(lx, t, s);
    } else if (*s == '"') {
        lex_string(lx, t);
    } else if (s == lx->end) {
        t->kind = TOK_END;
    } else {
        lex_operator(lx, t);
    }
}

int lexer_peek(Lexer *lx)
{
    return skip_blank(lx) ? (unsigned char)*lx->p : '/';
}

/* The rare case: there may be blanks inside an opcode ("add .s32").  Collects the words without them. */
static void spaced_opcode(Lexer *lx, Token *t)
{
    Str all = {0};
    str_addn(&all, t->name->text, t->name->len);
    for (;;) {
        if (lexer_peek(lx) != '.' || !is(lx->p[1], C_FOLLOW))
            break;
        const char *e = word_end(lx->p + 1);
        str_addn(&all, lx->p, (size_t)(e - lx->p));
        lx->p = e;
    }
    t->name = names_intern(lx->names, all.s, all.len);
    str_free(&all);
}

void lexer_opcode(Lexer *lx, Token *t)
{
    const char *e = lx->p;
    if (e != t->s + t->len) { /* a look-ahead has skipped blanks */
        spaced_opcode(lx, t);
        return;
    }
    while (*e == '.' && is(e[1], C_FOLLOW))
        e = word_end(e + 1);
    if (e != lx->p) {
        t->len  = (size_t)(e - t->s);
        t->name = names_intern(lx->names, t->s, t->len);
        lx->p   = e;
    }
    if ((is(*e, C_BLANK) || *e == '/') && lexer_peek(lx) == '.')
        spaced_opcode(lx, t);
}
