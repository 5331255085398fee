/* SPDX-License-Identifier: Apache-2.0
 *
 * What one multiprocessor has fetched of global memory, and when: so it is known how far an access has to go. */
#ifndef WW_CHECK_TIME_FETCH_H
#define WW_CHECK_TIME_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HOST: told by who knows whose memory it is (hostmem.h), of what would come from device memory. */
typedef enum FetchFrom { FETCH_NEAR, FETCH_L2, FETCH_DRAM, FETCH_HOST, FETCH_FROMS } FetchFrom;

enum { FETCH_ASKED = 1 << 12 };

typedef struct FetchedLine FetchedLine;

typedef struct Fetched {
    FetchedLine *line;
    size_t       cap, n;
    bool         pairs;              /* L2 fetches a sector with its neighbour */
    uint32_t     asked[FETCH_ASKED]; /* by line: the last round in which L2 was asked for one of these lines */
} Fetched;

/* From where an access to these sectors of a line comes, of which `near` are in L1, in this round; rounds count from 1 on. */
FetchFrom fetched_load(Fetched *f, uint64_t line, unsigned sectors, unsigned near, uint32_t round);
/* What is stored is in L2. */
void      fetched_store(Fetched *f, uint64_t line, unsigned sectors);
/* Of the sectors that a multiprocessor asks for, the share that all n, at least two, ask for first in the same round. */
double    fetched_together(const Fetched *f, size_t n);
void      fetched_free(Fetched *f);

#endif
