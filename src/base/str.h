/* SPDX-License-Identifier: Apache-2.0
 *
 * Str: a growing byte string, always zero-terminated.  Start from a zeroed Str; str_free when done. */
#ifndef WW_BASE_STR_H
#define WW_BASE_STR_H

#include <stdarg.h>
#include <stddef.h>

typedef struct Str {
    char  *s; /* NULL while empty */
    size_t len, cap;
} Str;

void str_add(Str *b, const char *s);
void str_addn(Str *b, const char *s, size_t n);
void str_addc(Str *b, char c);
void str_printf(Str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(Str *b, const char *fmt, va_list ap);
/* Room for n bytes more, and a zero, behind the text; the caller fills it in and counts it into len. */
char *str_room(Str *b, size_t n);
void str_clear(Str *b); /* keeps the memory */
void str_free(Str *b);
/* The text; "" when empty. */
const char *str_text(const Str *b);

#endif
