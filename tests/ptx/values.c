/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of arguments and expectations: lists, iota, random, expressions; to and from the bytes of an element type.
 * In a list for a float type, a decimal number is that number, a hexadecimal one its bits. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

static void put(const ElementType *t, uint8_t *at, int64_t v)
{
    float  f = (float)v;
    double d = (double)v;
    if (t->kind == 'f')
        memcpy(at, t->bytes == 4 ? (void *)&f : (void *)&d, t->bytes);
    else
        memcpy(at, &v, t->bytes);
}

static void put_text(const ElementType *t, uint8_t *at, const char *s)
{
    bool     hex  = strncmp(s, "0x", 2) == 0;
    uint64_t bits = hex || *s != '-' ? strtoull(s, NULL, 0) : (uint64_t)strtoll(s, NULL, 0);
    double   d    = hex ? 0 : strtod(s, NULL);
    float    f    = (float)d;
    if (t->kind == 'f' && !hex)
        memcpy(at, t->bytes == 4 ? (void *)&f : (void *)&d, t->bytes);
    else
        memcpy(at, &bits, t->bytes);
}

int64_t element_value(const Argument *a, size_t k)
{
    int64_t  v = 0;
    unsigned b = 64 - 8 * a->type->bytes;
    float    f;
    double   d;
    memcpy(&v, a->initial + k * a->type->bytes, a->type->bytes);
    if (a->type->kind == 's')
        v = (int64_t)((uint64_t)v << b) >> b;
    if (a->type->kind == 'f') {
        memcpy(&f, &v, 4);
        memcpy(&d, &v, 8);
        v = (int64_t)(a->type->bytes == 4 ? (double)f : d);
    }
    return v;
}

const char *value_text(Arena *a, const ElementType *t, const uint8_t *at)
{
    uint64_t u = 0;
    float    f;
    double   d;
    memcpy(&u, at, t->bytes);
    memcpy(&f, &u, 4);
    memcpy(&d, &u, 8);
    if (t->kind == 'f')
        return arena_printf(a, "%.9g (0x%" PRIx64 ")", t->bytes == 4 ? (double)f : d, u);
    return arena_printf(a, u < 10 ? "%" PRIu64 : "%" PRIu64 " (0x%" PRIx64 ")", u, u);
}

static bool is_number(const char *s, size_t n)
{
    size_t k = *s == '-';
    if (k == n || !isdigit((unsigned char)s[k]))
        return false;
    bool hex = n > k + 2 && s[k] == '0' && s[k + 1] == 'x';
    for (k += hex ? 2 : 0; k < n; k++)
        if (!(hex ? isxdigit((unsigned char)s[k]) : isdigit((unsigned char)s[k]) || strchr(".e*-+", s[k])))
            return hex && s[k] == '*' ? is_number(s + k + 1, n - k - 1) : false;
    return true;
}

static bool is_list(const char *s)
{
    size_t found = 0;
    while (*(s += strspn(s, " "))) {
        size_t n = strcspn(s, " ");
        if (!is_number(s, n))
            return false;
        s += n;
        found++;
    }
    return found > 0;
}

static bool list_fill(const char *s, const ElementType *t, size_t count, uint8_t *out, const char **why)
{
    size_t n = 0;
    while (*(s += strspn(s, " "))) {
        size_t      len  = strcspn(s, " ");
        const char *star = memchr(s, '*', len);
        size_t      many = star ? (size_t)strtoull(star + 1, NULL, 10) : 1;
        for (; many && n < count; many--)
            put_text(t, out + n++ * t->bytes, s);
        if (many) {
            *why = "the list has more values than there are elements";
            return false;
        }
        s += len;
    }
    for (size_t k = 1; n == 1 && k < count; k++)
        memcpy(out + k * t->bytes, out, t->bytes);
    *why = "the list has fewer values than there are elements";
    return n == count || n == 1;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32 ^ *state << 13;
}

bool values_fill(const PtxCase *c, const char *values, const ElementType *t, size_t count, uint8_t *out,
                 const char **why)
{
    if (is_list(values))
        return list_fill(values, t, count, out, why);
    uint64_t seed = strncmp(values, "random", 6) == 0 ? strtoull(values + 6, NULL, 10) + 1 : 0;
    bool     iota = strcmp(values, "iota") == 0;
    int64_t  v    = 0;
    for (size_t k = 0; k < count; k++) {
        if (seed)
            v = t->kind == 'f' ? (int64_t)(next_random(&seed) % 2001) - 1000 : (int64_t)next_random(&seed);
        else if (iota)
            v = (int64_t)k;
        else if (!expr_value(c, values, (int64_t)k, &v, why))
            return false;
        put(t, out + k * t->bytes, v);
    }
    return true;
}
