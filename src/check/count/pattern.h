/* SPDX-License-Identifier: Apache-2.0
 *
 * The address patterns of a launch, by instruction: what the counting observer's memo saw, kept instead of only counted, so that
 * accesses can be replayed under another layout.
 *
 *     Patterns *p = patterns_new();
 *     count_tell(count, patterns_sink(p));
 *     ... launch ...
 *     for (size_t i = 0; i < patterns_count(p); i++) patterns_at(p, i) ...
 *
 * An instruction that shows more than PATTERN_MOST patterns is wild: nothing of it is kept, and patterns_wild says so. */
#ifndef WW_CHECK_PATTERN_H
#define WW_CHECK_PATTERN_H

#include "check/count/count.h"

enum { PATTERN_MOST = 256 };

typedef struct Pattern {
    uint32_t  instr;
    uint32_t  mask;
    uint8_t   space, op, cache, bytes; /* as in CountPattern */
    int64_t   delta[LANES];
    uint64_t *hits; /* of the places from `first` on */
    uint32_t  first, places;
    uint64_t  total; /* of the hits */
} Pattern;

typedef struct Patterns Patterns;

Patterns  *patterns_new(void);
void       patterns_free(Patterns *p); /* NULL is allowed */
CountSink *patterns_sink(Patterns *p);

/* Sorted by instruction, then by mask and address differences; after the launch. */
size_t         patterns_count(Patterns *p);
const Pattern *patterns_at(Patterns *p, size_t i);
bool           patterns_wild(const Patterns *p, uint32_t instr);

/* As count_put and count_add. */
void patterns_put(const Patterns *p, Parcel *out);
void patterns_add(Patterns *p, Parcel *from);

/* The lanes' addresses when the first active one is at the pattern's i-th place: offsets in shared and local memory; global ones are
 * far from 0 and tell only where in a sector and line they lie. */
void pattern_addresses(const Pattern *t, uint32_t i, uint64_t *addr);

#endif
