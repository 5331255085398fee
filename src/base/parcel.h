/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes that one process of ours hands to another one of the same build: put in one after the other, taken out in the same order. */
#ifndef WW_BASE_PARCEL_H
#define WW_BASE_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Parcel { /* zero it first */
    unsigned char *bytes;
    size_t         n, cap;
    size_t         at;  /* taken so far */
    bool           bad; /* more was taken than there was: everything taken since then is zero */
} Parcel;

void parcel_put(Parcel *p, const void *bytes, size_t n);
void parcel_put_number(Parcel *p, uint64_t v);
void parcel_put_text(Parcel *p, const char *s); /* NULL stays NULL */

void     parcel_take(Parcel *p, void *bytes, size_t n);
uint64_t parcel_number(Parcel *p);
/* How many pieces of `bytes` bytes follow, as parcel_put_number said; never more than there can be. */
size_t   parcel_count(Parcel *p, size_t bytes);
/* In the parcel; lives as long as that. */
const char *parcel_text(Parcel *p);
const void *parcel_bytes(Parcel *p, size_t n); /* NULL: there are not so many */

void parcel_free(Parcel *p);

#endif
