/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared loads and stores that the assembler may join with their neighbours (ptx/merge.h): counted under each hypothesis until it shows which
 * holds. */
#ifndef WW_CHECK_COUNT_JOINED_H
#define WW_CHECK_COUNT_JOINED_H

#include "model/model.h"
#include "warpwright/warpwright.h"

/* It stays alone; it is the first of a pair; the first of a slot of 16 bytes. */
enum { JOINED_NOT, JOINED_PAIR, JOINED_QUAD, JOINED_WAYS };

typedef struct Joined {
    uint64_t times[JOINED_WAYS], passes[JOINED_WAYS], ideal[JOINED_WAYS], conflicts[JOINED_WAYS];
    uint32_t unaligned; /* or of the base addresses' low four bits; tells which hypothesis holds */
} Joined;

/* n accesses of such an instruction; alone: what one costs as PTX has it. */
void joined_count(Joined *g, const Profile *p, uint32_t role, const ModelAccess *m, const ModelCost *alone, uint64_t n);
void joined_add(Joined *to, const Joined *from);
/* The hypothesis that holds of all that was counted. */
int joined_as(const Joined *g, uint32_t role);
/* Puts what was counted under it into the counters of loads or of stores. */
void joined_tell(const Joined *g, int as, bool store, WwCounters *to);

#endif
