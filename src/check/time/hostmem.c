/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks addresses up in a sorted list. */
#include "check/time/hostmem.h"

enum { SECTOR = 5, SECTORS = 64 };

size_t hostmem_behind(const HostMemory *h, uint64_t address)
{
    size_t low = 0, high = h->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->range[middle].to > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t hostmem_sectors(const HostMemory *h, uint64_t address, bool moves)
{
    uint64_t set = 0, end = address + ((uint64_t)SECTORS << SECTOR);
    for (size_t i = hostmem_behind(h, address); i < h->n && h->range[i].from < end; i++) {
        const HostRange *r = &h->range[i];
        if (r->moves != moves)
            continue;
        uint64_t from = r->from > address ? (r->from - address) >> SECTOR : 0;
        uint64_t last = r->to < end ? (r->to - 1 - address) >> SECTOR : SECTORS - 1;
        set |= UINT64_MAX << from & UINT64_MAX >> (SECTORS - 1 - last);
    }
    return set;
}
