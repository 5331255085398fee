/* SPDX-License-Identifier: Apache-2.0
 *
 * What a handle of virtual memory management stands for: memory (cuMemCreate), or a multicast object (cuMulticastCreate). */
#ifndef WW_CUDA_VMM_H
#define WW_CUDA_VMM_H

#include "cuda/process/state.h"
#include "emu/memory/multicast.h"

#define VMM_GRANULE ((size_t)2 << 20)
_Static_assert(VMM_GRANULE == MULTICAST_GRANULE, "what is bound fills granules of both");
enum { HANDLE_FD = 1 };

typedef struct AllocationProp { /* CUmemAllocationProp */
    int   type, handle_types, location_type, location_id;
    void *win32;
    char  flags[8];
} AllocationProp;
_Static_assert(sizeof(AllocationProp) == 32, "layout of CUmemAllocationProp");

typedef struct Physical {
    uint64_t          handle;
    int               fd;      /* a multicast object's is empty: it only tells the object */
    size_t            bytes;
    unsigned          uses;    /* each time the handle was given out, each mapping, each granule bound */
    unsigned          handles; /* of these, handles; 0: released, alive through the others */
    AllocationProp    prop;
    uint8_t          *view;    /* the host's own mapping, made when it is first bound to a multicast object */
    struct Team      *team;    /* a multicast object (multicast.c), or NULL */
    struct Physical  *next;
} Physical;

/* The memory or object of a handle; NULL: there is none. */
Physical *vmm_physical(uint64_t handle);
/* The memory mapped at an address, and how far into it that is; NULL: none. */
Physical *vmm_mapped(uint64_t at, size_t bytes, size_t *offset);
/* A new handle.  Takes the descriptor. */
Physical *vmm_make(int fd, size_t bytes, const AllocationProp *prop);
void      vmm_unuse(Physical *p);
bool      vmm_whole(size_t bytes); /* granules, at least one */

/* ---- multicast.c ---- */

/* Waits until every device of the team has been added, as the driver does.  false: meanwhile the handle was released. */
bool             multicast_complete(Physical *p);
const Multicast *multicast_object(const Physical *p);
bool             multicast_has(const Physical *p, int device);
void             multicast_free(Physical *p);

#endif
