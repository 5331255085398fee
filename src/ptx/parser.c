/* SPDX-License-Identifier: Apache-2.0
 *
 * What all parts of the parser use: the current token, errors with their place, going on after one, growing arrays.
 *
 * Recovery is coarse on purpose: one mistake should give one message.  In a body everything up to the next ';' is dropped; at
 * module scope everything up to the end of the declaration, a body included. */
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

#include "base/stress.h"

void vec_grow(void **v, size_t *n, size_t *cap, size_t size)
{
    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : STRESSED(16, 1);
        *v   = xrealloc(*v, *cap * size);
    }
    memset((char *)*v + *n * size, 0, size);
    ++*n;
}

void vec_free(void *v)
{
    free(v);
}

void parser_next(Parser *p)
{
    lexer_next(&p->lx, &p->tok);
}

bool parser_error(Parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
{
    if (p->stop)
        return false;
    va_list ap;
    va_start(ap, fmt);
    const char *message = arena_vprintf(p->scratch, fmt, ap);
    va_end(ap);
    diag_add(p->diags, DIAG_ERROR, p->m->name, line, col, ptx_source_line(p->m, line), "%s", message);
    p->stop = p->diags->errors - p->first_error >= MAX_ERRORS;
    return false;
}

/* The current token as it stands in the text, cut, for messages. */
static const char *parser_token_text(Parser *p)
{
    enum { LONGEST = 40 };
    const Token *t = &p->tok;
    if (t->kind == TOK_END)
        return "the end of the text";
    const char *s   = t->s;
    size_t      len = t->len;
    if (t->kind == TOK_STRING) {
        s--;
        len += 2;
    }
    Str out = {0};
    str_addc(&out, '\'');
    for (size_t i = 0; i < len && i < LONGEST; i++)
        str_addc(&out, (unsigned char)s[i] < 32 || (unsigned char)s[i] > 126 ? '?' : s[i]);
    str_add(&out, len > LONGEST ? "...'" : "'");
    const char *text = arena_strdup(p->scratch, out.s);
    str_free(&out);
    return text;
}

bool parser_expected(Parser *p, const char *what)
{
    const Token *t = &p->tok;
    if (t->kind == TOK_BAD)
        return parser_error(p, t->line, t->col, "%s", t->why);
    return parser_error(p, t->line, t->col, "expected %s, found %s", what, parser_token_text(p));
}

bool parser_take(Parser *p, int kind)
{
    if (p->tok.kind != kind)
        return false;
    parser_next(p);
    return true;
}

bool parser_need(Parser *p, int kind, const char *what)
{
    return parser_take(p, kind) || parser_expected(p, what);
}

bool parser_is_word(const Parser *p, Keyword kw)
{
    return p->tok.kind == TOK_WORD && p->tok.name->keyword == kw;
}

bool parser_take_word(Parser *p, Keyword kw)
{
    if (!parser_is_word(p, kw))
        return false;
    parser_next(p);
    return true;
}

bool parser_uint(Parser *p, uint32_t *out, const char *what)
{
    if (p->tok.kind != TOK_INT || p->tok.value > UINT32_MAX)
        return parser_expected(p, what);
    *out = (uint32_t)p->tok.value;
    parser_next(p);
    return true;
}

/* A '}' that ends an operand or initialiser rather than a scope. */
static bool inner_brace(Parser *p)
{
    int c = lexer_peek(&p->lx);
    return c == ',' || c == ';' || c == ']';
}

static void recover_body(Parser *p)
{
    while (p->tok.kind != TOK_END) {
        if (p->tok.kind == '}' && !inner_brace(p))
            return;
        if (p->tok.kind == TOK_WORD && (p->tok.name->keyword == KW_entry || p->tok.name->keyword == KW_func))
            return;
        bool end = p->tok.kind == ';';
        parser_next(p);
        if (end)
            return;
    }
}

static bool begins_declaration(const Parser *p)
{
    if (p->tok.kind != TOK_WORD)
        return false;
    switch (p->tok.name->keyword) {
    case KW_extern:
    case KW_visible:
    case KW_weak:
    case KW_common:
    case KW_entry:
    case KW_func:
    case KW_section: return true;
    default: return false;
    }
}

static void recover_var(Parser *p)
{
    bool end = false;
    while (!end && p->tok.kind != TOK_END && !begins_declaration(p)) {
        end = p->tok.kind == ';';
        parser_next(p);
    }
}

static void recover_func(Parser *p)
{
    size_t depth = 0;
    while (p->tok.kind != TOK_END && !begins_declaration(p)) {
        int kind = p->tok.kind;
        depth += kind == '{';
        parser_next(p);
        if ((kind == ';' && depth == 0) || (kind == '}' && depth > 0 && --depth == 0))
            return;
    }
}

void parser_recover(Parser *p, Recover what)
{
    p->nest = 0;
    if (p->stop)
        return;
    if (what == RECOVER_BODY)
        recover_body(p);
    else if (what == RECOVER_VAR)
        recover_var(p);
    else
        recover_func(p);
}

void parser_order(Parser *p, char kind, size_t index)
{
    *VEC_PUSH(&p->order) = (struct ModuleItem){.kind = (uint8_t)kind, .index = (uint32_t)index};
}

Sym *parser_bind(Parser *p, Name *name, SymKind kind, uint32_t line, uint32_t col)
{
    static const char *const kinds[] = {"a register", "a variable", "a function", "a label"};
    Sym                     *sym     = names_bind(&p->names, name, kind);
    if (!sym)
        parser_error(p, line, col, "'%s' is declared twice: it is %s of this scope already", name->text,
                     kinds[name->sym->kind]);
    return sym;
}
