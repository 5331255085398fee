/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX tokens, one at a time.  The parser holds the current token; the lexer stands right behind it. */
#ifndef WW_PTX_LEXER_H
#define WW_PTX_LEXER_H

#include "ptx/names.h"

typedef enum TokenKind {
    TOK_END = 256, /* one-character tokens are their character */
    TOK_IDENT,     /* name */
    TOK_WORD,      /* .word: name, without the dot */
    TOK_INT,       /* value, is_unsigned */
    TOK_FLOAT,     /* value: bits of a double, or of a float if is_f32 */
    TOK_STRING,    /* text without the quotes */
    TOK_SHL, TOK_SHR, TOK_LE, TOK_GE, TOK_EQ, TOK_NE, TOK_AND, TOK_OR,
    TOK_BAD,       /* why */
} TokenKind;

typedef struct Token {
    int         kind;
    bool        is_unsigned, is_f32;
    uint32_t    line, col;
    const char *s;
    size_t      len;
    union {
        Name       *name;
        uint64_t    value;
        const char *why;
    };
} Token;

typedef struct Lexer {
    const char *p, *end;    /* *end is a zero byte */
    const char *line_start;
    uint32_t    line;
    Names      *names;
} Lexer;

void lexer_init(Lexer *lx, Names *names, const char *text, size_t len);
void lexer_next(Lexer *lx, Token *t);
/* The next character behind blanks and comments, without taking it; 0 at the end. */
int  lexer_peek(Lexer *lx);
/* Called behind a '{': goes past the '}' that closes it.  False, and nothing happened: there is none. */
bool lexer_skip_braces(Lexer *lx);
/* Called with an identifier as the current token: takes the dotted words that follow and makes `t` the whole opcode, an interned
 * name without blanks ("ld.global.L2::128B.u32"). */
void lexer_opcode(Lexer *lx, Token *t);

#endif
