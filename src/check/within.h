/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about the addresses of 32 lanes, compiled once for each SIMD level: what the checkers ask of every access. */
#ifndef WW_CHECK_WITHIN_H
#define WW_CHECK_WITHIN_H

#include <stdbool.h>
#include <stdint.h>

/* All 32 entries count, those of idle lanes too: false may mean that only such a one is outside.  room < 2^63 (2^31 of offsets). */
typedef struct Within {
    bool (*far)(const uint64_t *addr, uint64_t base, uint64_t room);  /* is each of them in [base, base + room]? */
    bool (*near)(const uint32_t *off, uint32_t base, uint32_t room);  /* the same for offsets */
    bool (*row)(const uint64_t *addr, uint64_t bytes);                /* is each `bytes` behind the one before? */
} Within;

const Within *within_best(void); /* for this CPU */

#endif
