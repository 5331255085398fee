/* SPDX-License-Identifier: Apache-2.0
 *
 * What a checker has found out once of each Sweep (observer.h), by its number: rows of one size, zeros until the checker fills them in. */
#ifndef WW_CHECK_BY_SWEEP_H
#define WW_CHECK_BY_SWEEP_H

#include <string.h>

#include "base/arena.h"

typedef struct BySweep { /* free(row) */
    unsigned char *row;
    uint32_t       n;
} BySweep;

/* Valid until the next call. */
static inline void *by_sweep(BySweep *s, uint32_t number, size_t bytes)
{
    if (__builtin_expect(number >= s->n, 0)) {
        uint32_t n = number + 16;
        s->row     = xrealloc(s->row, n * bytes);
        memset(s->row + s->n * bytes, 0, (n - s->n) * bytes);
        s->n = n;
    }
    return s->row + number * bytes;
}

#endif
