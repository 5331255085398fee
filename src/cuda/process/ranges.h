/* SPDX-License-Identifier: Apache-2.0
 *
 * The NVTX ranges of the program: each thread's stacks of pushed ranges and the ranges that were started, by domain.  A launch carries what was
 * open around the call that made it. */
#ifndef WW_CUDA_RANGES_H
#define WW_CUDA_RANGES_H

#include <stdint.h>

#include "report/ranges.h"

typedef struct RangeDomain RangeDomain; /* NULL: the default one */

RangeDomain *ranges_domain(const char *name);
/* How many ranges of the domain were open before in this thread. */
int          ranges_push(const RangeDomain *d, const char *name);
/* How many are open now; -1: there was none. */
int          ranges_pop(const RangeDomain *d);
uint64_t     ranges_start(const RangeDomain *d, const char *name);
void         ranges_end(uint64_t id);

/* What is open at a launch: one of each kind, kept for as long as the process. */
typedef struct Ranges {
    size_t             n;
    const char *const *shown; /* each path as range_text has it */
    bool               chosen; /* do --nvtx-include and --nvtx-exclude leave such launches to be looked at? */
} Ranges;

/* Of the thread that calls; the state is locked. */
const Ranges *ranges_now(void);

#endif
