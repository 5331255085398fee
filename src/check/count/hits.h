/* SPDX-License-Identifier: Apache-2.0
 *
 * Hits by place: how often a pattern was seen at each of thousands of places, most of them never. */
#ifndef WW_CHECK_HITS_H
#define WW_CHECK_HITS_H

#include <stdint.h>
#include <string.h>

/* The first place from i on that was hit; n: none below n. */
static inline uint32_t hits_next(const uint64_t *hits, uint32_t i, uint32_t n)
{
    static const uint64_t none[32];
    const uint32_t        chunk = sizeof none / sizeof *none;
    while (i < n) {
        uint32_t end = n - i > chunk ? i + chunk : n;
        if (end == i + chunk && !memcmp(hits + i, none, sizeof none)) {
            i = end;
            continue;
        }
        while (i < end && !hits[i])
            i++;
        if (i < end)
            break;
    }
    return i;
}

#endif
