/* SPDX-License-Identifier: Apache-2.0
 *
 * Global memory: one reserved range of host addresses, allocations in it, and what a fault may say about an address. */
#ifndef WW_EMU_MEMORY_H
#define WW_EMU_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "emu/memory/multicast.h"

/* Generic addresses of the other state spaces: windows below every host mapping. */
#define SHARED_WINDOW UINT64_C(0x010000000000)
#define LOCAL_WINDOW  UINT64_C(0x020000000000)
#define CODE_WINDOW   UINT64_C(0x030000000000) /* function n of the module is CODE_WINDOW + 16 * n */
#define WINDOW_BYTES  UINT64_C(0x010000000000)
/* Allocations fill whole granules of as many bytes, as cudaMalloc's do. */
#define MEMORY_GRANULE 512u
/* And a card maps memory in pages of as many. */
#define MEMORY_PAGE (UINT64_C(2) << 20)
/* The hardware keeps the first KiB of a block's shared memory for itself; so do we, which makes small shared addresses invalid. */
#define SHARED_RESERVED 1024u
/* Shared addresses of a cluster: the block's rank above, the offset in its window below, as on the hardware. */
enum { CLUSTER_SHIFT = 24 };
#define CLUSTER_OFFSET ((UINT64_C(1) << CLUSTER_SHIFT) - 1)

typedef enum AllocKind { ALLOC_USER, ALLOC_GLOBAL_VAR, ALLOC_CONST_VAR, ALLOC_PARAM, ALLOC_HEAP, ALLOC_FOREIGN } AllocKind;

typedef struct Alloc {
    uint64_t    base, bytes; /* as asked for */
    uint64_t    span;        /* rounded up to the granule */
    AllocKind   kind;
    uint64_t    serial;      /* the n-th allocation of the device, from 1 */
    const char *name;        /* variables: owned by their module */
    uint64_t    resting;     /* its bytes, while nobody may use it and `bytes` is 0 (memory_rest) */
} Alloc;

typedef struct Reserved { /* addresses of virtual memory management: kept, or mapped where this device has no access */
    uint64_t base, bytes;
    bool     mapped;
} Reserved;

typedef struct Freed { Alloc *list; size_t n; } Freed; /* the last FREED_KEPT, newest last */

typedef struct Memory {
    uint64_t base, size;     /* the reserved range */
    uint64_t used, top;      /* bytes in live allocations; everything at or above top was never used */
    uint64_t serial;
    Alloc   *live;  size_t nlive, cap; /* sorted by base; among them entries that were freed (memory.c) */
    size_t   ngone;          /* of those */
    uint64_t full;           /* no room for anything below */
    Freed    freed;
    MulticastWindow *window; size_t nwindows; /* where multicast objects are mapped; in no allocation */
    Reserved *reserved; size_t nreserved; /* what is mapped comes behind what it lies in */
    bool     apart; /* what was freed is given out again only when there is no other room, so that its use shows */
    /* device-side malloc: blocks inside one ALLOC_HEAP, made on first use */
    pthread_mutex_t heap_lock;
    uint64_t heap_base, heap_bytes, heap_next, heap_serial; /* next: behind the last block that was made */
    Alloc   *heap;  size_t nheap, heap_cap; /* sorted by base */
    Freed    heap_freed;
} Memory;

Status memory_open(Memory *m, uint64_t bytes);
void   memory_close(Memory *m);
Status memory_alloc(Memory *m, uint64_t bytes, uint64_t align, AllocKind kind, const char *name, uint64_t *out);
Status memory_free(Memory *m, uint64_t address);
/* Whether the allocation that begins there may be used: at rest it keeps its place, and whoever touches it uses freed memory. */
void   memory_rest(Memory *m, uint64_t address, bool rests);
/* A range of one allocation of ours becomes zero; pages of it take no memory until they are written. */
void   memory_zero(uint64_t address, uint64_t bytes);
/* The same, for one that may be cleared often: pages that take memory go on taking it. */
void   memory_clear(uint64_t address, uint64_t bytes);
/* Enters a range outside of ours as an allocation (ALLOC_FOREIGN): memory_free forgets it and leaves its pages alone.
 * WW_ERR_INVALID when it meets a live allocation or the reserved range. */
Status memory_adopt(Memory *m, uint64_t address, uint64_t bytes);
/* Names the allocation that begins there, if one does. */
void   memory_name(Memory *m, uint64_t address, const char *name);
/* Maps a multicast object from `offset` on; takes the window that begins at the address away. */
void   memory_window_add(Memory *m, MulticastWindow window);
void   memory_window_drop(Memory *m, uint64_t address);
const MulticastWindow *memory_window(const Memory *m, uint64_t address); /* that the address lies in, or NULL */
/* Addresses that are kept, or have memory that this device may not use; takes away all such that begin in the range. */
void   memory_reserve(Memory *m, uint64_t address, uint64_t bytes, bool mapped);
void   memory_unreserve(Memory *m, uint64_t address, uint64_t bytes);
const Reserved *memory_reserved(const Memory *m, uint64_t address); /* the last one that the address lies in, or NULL */
/* Does the host have memory there?  Device memory is the host's, too: for addresses that are none. */
bool   memory_of_host(uint64_t address);
/* The live allocation that contains the address, or NULL.  Device-side heap blocks are found too (under the lock; a copy in *tmp). */
const Alloc *memory_find(Memory *m, uint64_t address, Alloc *tmp);
/* The allocation made by the host whose last granule holds the `bytes` at address, though they reach past its end; NULL if none does. */
const Alloc *memory_find_granule(Memory *m, uint64_t address, uint64_t bytes);
/* Does a card have memory there, though no allocation does?  It has whole pages: those in which a live allocation of the host has bytes.
 * What was freed does not count. */
bool memory_is_paged(Memory *m, uint64_t address, uint64_t bytes);
/* One clause about an address that is in no allocation: "12 bytes past allocation 3 (4096 bytes)", "inside allocation 2, freed". */
/* The allocation, live or freed, that holds the address or lies nearest to it; false: none is near. */
bool memory_nearest(Memory *m, uint64_t address, uint64_t *base, uint64_t *bytes);
void memory_explain(Memory *m, uint64_t address, uint64_t bytes, char *out, size_t cap);
/* True if the address was in an allocation that is freed now. */
bool memory_was_freed(Memory *m, uint64_t address);
/* Drops the names of freed variables: their module, which owns the text, goes away. */
void memory_forget_names(Memory *m);
/* Device-side malloc and free; 0 and false on failure. Thread-safe. */
uint64_t memory_heap_alloc(Memory *m, uint64_t bytes);
bool     memory_heap_free(Memory *m, uint64_t address);

#endif
