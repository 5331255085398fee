/* SPDX-License-Identifier: Apache-2.0
 *
 * Global accesses of a function that stand side by side: same basic block, base register, width and direction, adjacent offsets. */
#ifndef WW_CHECK_ADJACENT_H
#define WW_CHECK_ADJACENT_H

#include "ptx/ptx.h"

typedef struct Adjacent {
    uint32_t    instr; /* index in the function */
    uint32_t    bytes;
    bool        store;
    const void *base;
    int64_t     offset;
} Adjacent;

typedef struct AdjacentRuns {
    Adjacent *access;
    struct { size_t first, n; } *run; /* of at least two, by offset */
    size_t    nruns;
} AdjacentRuns;

AdjacentRuns *adjacent_runs(const Func *f);
void          adjacent_free(AdjacentRuns *r);

#endif
