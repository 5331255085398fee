/* SPDX-License-Identifier: Apache-2.0
 *
 * Which sectors of global memory a launch touches at all, and what L2 has to read of device memory for it.  A union: neither the order of blocks
 * nor the number of workers matters. */
#ifndef WW_CHECK_TIME_FOOTPRINT_H
#define WW_CHECK_TIME_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parcel.h"
#include "check/time/hostmem.h"

typedef struct Chunk Chunk;

typedef struct Footprint { /* zeros: nothing was touched */
    Chunk **slot;
    size_t  n, cap;
    Chunk  *last;
} Footprint;

typedef enum TouchKind { TOUCH_LOAD, TOUCH_STORE, TOUCH_UPDATE } TouchKind;

typedef struct Touch { /* of one line of 128 bytes, by one access of a warp */
    uint64_t line;
    uint8_t  sectors;  /* a bit each, 0 to 3 */
    uint32_t bytes[4]; /* of a store: by sector, a bit for each byte that is stored */
} Touch;

typedef struct FootprintSum {      /* sectors, each counted once; the first five of the card's memory */
    uint64_t all, written;         /* touched, and stored or updated */
    uint64_t missed;               /* loaded or updated, and not in an empty L2 when they were asked for */
    uint64_t fetched;              /* that these bring there */
    uint64_t partly;               /* stored, but not all of their bytes, and never fetched */
    uint64_t host_read, host_written; /* loaded, stored or updated: of memory that stays with the host */
    uint64_t moved;                /* touched: of managed memory, which counts as the card's as well */
} FootprintSum;

void footprint_add(Footprint *f, const Touch *t, TouchKind kind);
void footprint_join(Footprint *to, const Footprint *from);
/* pairs: a sector that L2 misses comes with its neighbour, as aligned 64 bytes. */
void footprint_sum(const Footprint *f, bool pairs, const HostMemory *host, FootprintSum *out);
/* For the same launch's process elsewhere; and what such a one put is joined. */
void footprint_put(const Footprint *f, Parcel *p);
void footprint_take(Footprint *to, Parcel *p);
void footprint_free(Footprint *f);

#endif
