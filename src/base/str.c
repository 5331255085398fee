/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing strings: capacity doubles, so n appends cost O(n). */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/stress.h"

static void reserve(Str *b, size_t more)
{
    if (b->len + more + 1 <= b->cap)
        return;
    size_t cap = b->cap ? b->cap : STRESSED(64, 1);
    while (cap < b->len + more + 1)
        cap *= 2;
    b->s   = xrealloc(b->s, cap);
    b->cap = cap;
}

char *str_room(Str *b, size_t n)
{
    reserve(b, n);
    return b->s + b->len;
}

void str_addn(Str *b, const char *s, size_t n)
{
    reserve(b, n);
    if (n)
        memcpy(b->s + b->len, s, n);
    b->len += n;
    b->s[b->len] = 0;
}

void str_add(Str *b, const char *s)
{
    str_addn(b, s, strlen(s));
}

void str_addc(Str *b, char c)
{
    str_addn(b, &c, 1);
}

void str_vprintf(Str *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0) { /* less than 0: no text has so many bytes, or fmt is none */
        reserve(b, (size_t)n);
        vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void str_printf(Str *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(b, fmt, ap);
    va_end(ap);
}

void str_clear(Str *b)
{
    b->len = 0;
    if (b->s)
        b->s[0] = 0;
}

void str_free(Str *b)
{
    free(b->s);
    *b = (Str){0};
}

const char *str_text(const Str *b)
{
    return b->s ? b->s : "";
}
