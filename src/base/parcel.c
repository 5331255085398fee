/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and structs stand as they do in memory: who takes them is the same program on the same kind of machine, which the processes make
 * sure of when they meet (ranks.h).  A parcel that was cut off makes `bad`, never a read past its end. */
#include "base/parcel.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void parcel_put(Parcel *p, const void *bytes, size_t n)
{
    if (n > p->cap - p->n) {
        p->cap   = p->n + n > 2 * p->cap ? p->n + n : 2 * p->cap;
        p->bytes = xrealloc(p->bytes, p->cap);
    }
    if (n)
        memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
}

void parcel_put_number(Parcel *p, uint64_t v)
{
    parcel_put(p, &v, sizeof v);
}

void parcel_put_text(Parcel *p, const char *s)
{
    parcel_put_number(p, s ? strlen(s) + 1 : 0);
    parcel_put(p, s, s ? strlen(s) + 1 : 0);
}

const void *parcel_bytes(Parcel *p, size_t n)
{
    if (p->bad || n > p->n - p->at) {
        p->bad = true;
        return NULL;
    }
    const void *at = p->bytes + p->at;
    p->at += n;
    return at;
}

void parcel_take(Parcel *p, void *bytes, size_t n)
{
    const void *from = parcel_bytes(p, n);
    if (from && n)
        memcpy(bytes, from, n);
    else if (n)
        memset(bytes, 0, n);
}

uint64_t parcel_number(Parcel *p)
{
    uint64_t v;
    parcel_take(p, &v, sizeof v);
    return v;
}

size_t parcel_count(Parcel *p, size_t bytes)
{
    uint64_t n = parcel_number(p);
    if (bytes && n > (p->n - p->at) / bytes) {
        p->bad = true;
        n      = 0;
    }
    return (size_t)n;
}

const char *parcel_text(Parcel *p)
{
    size_t      n = parcel_count(p, 1);
    const char *s = n ? parcel_bytes(p, n) : NULL;
    if (s && s[n - 1]) {
        p->bad = true;
        s      = NULL;
    }
    return s;
}

void parcel_free(Parcel *p)
{
    free(p->bytes);
    *p = (Parcel){0};
}
