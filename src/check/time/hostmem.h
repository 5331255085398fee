/* SPDX-License-Identifier: Apache-2.0
 *
 * Which memory lies with the host: a kernel that uses it goes over the link each time that L1 has not what it wants. */
#ifndef WW_CHECK_TIME_HOSTMEM_H
#define WW_CHECK_TIME_HOSTMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct HostRange {
    uint64_t from, to;
    bool     moves; /* managed: its pages are with whoever used them last */
} HostRange;

typedef struct HostMemory { /* ranges by address, none of which meets another */
    const HostRange *range;
    size_t           n;
} HostMemory;

/* The first range that ends behind the address; n: there is none. */
size_t   hostmem_behind(const HostMemory *h, uint64_t address);
/* Of the 64 sectors from an address on, a multiple of their size: those that touch a range; of memory that moves, or that stays. */
uint64_t hostmem_sectors(const HostMemory *h, uint64_t address, bool moves);

#endif
