/* SPDX-License-Identifier: Apache-2.0
 *
 * What the instructions of a launch have counted, those that made accesses alone: most of a kernel's make none. */
#ifndef WW_CHECK_TOTALS_H
#define WW_CHECK_TOTALS_H

#include "base/arena.h"
#include "base/parcel.h"
#include "check/count/joined.h"

typedef struct Total { /* one instruction of the launch */
    WwCounters sum;
    Joined     joined;
    uint64_t   others[3]; /* other shared accesses as the assembler makes them: passes, their ideal, rounds of loops */
    uint32_t   role;
    bool       store; /* what may be joined are stores */
} Total;

typedef struct Totals {
    Total  **of; /* by instruction id; NULL: it made no access */
    uint32_t n;
    Arena   *arena; /* of these; NULL until there are some */
} Totals;

/* Room for n instructions. */
void totals_size(Totals *t, uint32_t n);
void totals_add(Totals *t, uint32_t id, const Total *more);
void totals_put(const Totals *t, Parcel *p);
/* Adds what totals_put put. */
void totals_take(Totals *t, Parcel *p);
void totals_free(Totals *t);

#endif
