/* SPDX-License-Identifier: Apache-2.0
 *
 * What a place releases that atomic accesses or mbarrier operations go to. */
#ifndef WW_CHECK_RACE_OBJECT_H
#define WW_CHECK_RACE_OBJECT_H

#include <uthash.h>

#include "check/race/race_order.h"

struct SyncObject {
    uint64_t       key;
    Clock         *wide;     /* released at cluster scope or wider; an mbarrier: by its phases that are over */
    Clock         *narrow;   /* released at .cta by a thread of the block `birth` */
    uint32_t       birth;
    Stamp          last;     /* of the last read-modify-write; 0: another write came behind it */
    Clock         *arriving; /* an mbarrier: released in the running phase */
    uint32_t       agent;    /* its number, plus 1; 0: nothing has completed there */
    UT_hash_handle hh;
};

#endif
