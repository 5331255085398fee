/* SPDX-License-Identifier: Apache-2.0
 *
 * One result field of the results file, readable and diffable:
 *   v8:0000000a3f800000...         TUPLES values of 8 hex digits (4 bytes) one after the other
 *   d8:00000000,ffffffff:0110...   at most 16 distinct values, then one hex digit per tuple: which of them
 * The result of a predicate has 1 digit. */
#include <stdlib.h>
#include <string.h>

#include "forms.h"

enum { DISTINCT = 16 };

void result_widths(const Case *c, Results *r)
{
    r->n = 0;
    for (unsigned i = 0; i < c->noperands; i++)
        if (c->operand[i].written)
            r->width[r->n++] = c->operand[i].bytes;
    if (c->carry_out)
        r->width[r->n++] = 4;
}

static unsigned digits_of(unsigned width)
{
    return width ? 2 * width : 1;
}

static size_t distinct(const uint64_t *v, uint64_t *list, uint8_t *index)
{
    size_t n = 0;
    for (size_t i = 0; i < TUPLES; i++) {
        size_t k = 0;
        while (k < n && list[k] != v[i])
            k++;
        if (k == n && n++ == DISTINCT)
            return 0;
        list[k]  = v[i];
        index[i] = (uint8_t)k;
    }
    return n;
}

static void field_write(const uint64_t *v, unsigned width, Str *out)
{
    uint64_t list[DISTINCT + 1];
    uint8_t  index[TUPLES];
    unsigned digits = digits_of(width);
    size_t   n      = distinct(v, list, index);
    str_printf(out, "\t%c%u:", n ? 'd' : 'v', digits);
    if (!n) {
        for (size_t i = 0; i < TUPLES; i++)
            str_printf(out, "%0*llx", (int)digits, (unsigned long long)v[i]);
        return;
    }
    for (size_t k = 0; k < n; k++)
        str_printf(out, "%s%0*llx", k ? "," : "", (int)digits, (unsigned long long)list[k]);
    str_addc(out, ':');
    for (size_t i = 0; i < TUPLES; i++)
        str_addc(out, "0123456789abcdef"[index[i]]);
}

void line_write(const Results *r, Str *out)
{
    for (unsigned i = 0; i < r->n; i++)
        field_write(r->value + i * TUPLES, r->width[i], out);
}

static bool hex_read(const char **s, unsigned digits, uint64_t *v)
{
    *v = 0;
    for (unsigned k = 0; k < digits; k++) {
        const char *at = **s ? strchr("0123456789abcdef", **s) : NULL;
        if (!at)
            return false;
        *v = *v << 4 | (uint64_t)(at - "0123456789abcdef");
        ++*s;
    }
    return true;
}

static bool dictionary_read(const char **s, unsigned digits, uint64_t *v)
{
    uint64_t list[DISTINCT], k;
    size_t   n = 0;
    do {
        if (n == DISTINCT || !hex_read(s, digits, &list[n++]))
            return false;
    } while (*(*s)++ == ',');
    for (size_t i = 0; i < TUPLES; i++) {
        if (!hex_read(s, 1, &k) || k >= n)
            return false;
        v[i] = list[k];
    }
    return true;
}

static bool field_read(const char **s, unsigned width, uint64_t *v)
{
    if (*(*s)++ != '\t')
        return false;
    char kind = **s;
    if (kind != 'd' && kind != 'v')
        return false;
    char    *end    = NULL;
    unsigned digits = (unsigned)strtoul(++*s, &end, 10);
    if (digits != digits_of(width) || *end != ':')
        return false;
    *s = end + 1;
    if (kind == 'd')
        return dictionary_read(s, digits, v);
    for (size_t i = 0; i < TUPLES; i++)
        if (!hex_read(s, digits, &v[i]))
            return false;
    return true;
}

bool line_read(const char *s, Results *r)
{
    for (unsigned i = 0; i < r->n; i++)
        if (!field_read(&s, r->width[i], r->value + i * TUPLES))
            return false;
    return *s == 0;
}
