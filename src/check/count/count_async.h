/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters of asynchronous operations and of distributed shared memory. */
#ifndef WW_CHECK_COUNT_ASYNC_H
#define WW_CHECK_COUNT_ASYNC_H

#include "emu/observer.h"
#include "warpwright/warpwright.h"

/* The lane of a warp instruction that was told last: st.async is told lane by lane. */
typedef struct AsyncLane {
    uint32_t instr, warp, lane;
    uint64_t block, owner, sector;
} AsyncLane;

void count_async_add(WwCounters *to, AsyncLane *last, const AsyncAccess *a);
/* An access to other blocks' shared memory. */
void count_remote_add(WwCounters *to, const Access *a);

#endif
