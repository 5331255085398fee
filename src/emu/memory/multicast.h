/* SPDX-License-Identifier: Apache-2.0
 *
 * Multicast objects: a range of which every device of a team has a copy, where it has bound memory.  Kernels reach it through windows
 * (memory_window), with multimem instructions alone (multimem.c).  Memory is bound in whole granules. */
#ifndef WW_EMU_MULTICAST_H
#define WW_EMU_MULTICAST_H

#include <stdint.h>

#define MULTICAST_GRANULE (UINT64_C(2) << 20)
enum { MULTICAST_TEAM = 16 };

typedef struct Multicast { /* the owner's; it outlives its windows */
    uint64_t  bytes;
    unsigned  team;                    /* devices that have a copy */
    int       device[MULTICAST_TEAM];  /* in the order in which they were added */
    uint8_t **granule[MULTICAST_TEAM]; /* by device and granule: host address of the memory bound there, or NULL */
} Multicast;

typedef struct MulticastWindow { /* addresses that mean the object from `offset` on */
    uint64_t         base, bytes, offset;
    const Multicast *object;
} MulticastWindow;

#endif
