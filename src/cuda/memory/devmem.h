/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory as the CUDA interfaces see it: which range is of which kind and device, and copies and sets that check both ends.
 * Device addresses are host addresses, so pinned and managed memory are device allocations that the host may touch too. */
#ifndef WW_CUDA_DEVMEM_H
#define WW_CUDA_DEVMEM_H

#include "cuda/process/state.h"

typedef struct Range {
    uint64_t base;
    size_t   bytes;
    int      kind;     /* MEMORY_... */
    int      device;
    unsigned flags;    /* of cudaHostAlloc, cudaHostRegister */
    bool     registered, variable; /* host memory of the program; a module's variable */
    bool     closable;             /* registered: private memory that may be read and written, so its whole pages can be closed for a while */
    bool     mapped, imported;             /* by cuMemMap; of another process */
    bool     asleep;                       /* a graph's allocation, freed until the graph runs again */
    unsigned graphs;                       /* nodes that allocate it, of graphs and executable graphs */
    bool     sync_memops;                  /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
    uint64_t id;                           /* unique in the process */
    Caller   caller;                       /* who allocated it; only where something is checked */
    void    *pool;                         /* the memory pool it came from, or NULL */
    void    *context;                      /* the one that was current then */
    bool     read_mostly;                  /* advice: managed memory */
    int      preferred, prefetched;        /* device, DEVICE_HOST or DEVICE_NONE */
    unsigned accessed_by;                  /* devices, one bit each; bit 31: the host */
} Range;

enum { DEVICE_HOST = -1, DEVICE_NONE = -2 };

void         devmem_note(Range r);
/* The range that holds the address, or NULL. */
const Range *devmem_range(uint64_t address);
Range       *devmem_entry(uint64_t address);
void         devmem_drop(uint64_t base);
/* Frees everything the program allocated on device n (cudaDeviceReset). */
void         devmem_drop_device(int n);
/* What was allocated while a context was current that is destroyed now. */
void         devmem_drop_context(const void *context);

/* Lets device `to` reach the allocations of device `from`, present and future (or takes that back). */
CuErr        devmem_share(int to, int from, bool on);
bool         devmem_sees(int device, int other);

/* The same for what came from one memory pool. */
void         devmem_share_pool(const void *pool, int to, bool on);

/* The first range at or behind that address, or NULL. */
const Range *devmem_next(uint64_t from);
/* The first range at or behind that address that the host's code sees and that can be closed to it (pinned, managed, closable), or NULL. */
const Range *devmem_next_shared(uint64_t from);
/* emulator_host_memory: pinned and registered memory, managed memory that prefers the host; and other managed memory, which moves. */
size_t       devmem_host_memory(HostRange **out);
/* Grows with every change of the table. */
uint64_t     devmem_version(void);
/* Is there memory that host code may write by itself (pinned, registered, managed)? */
bool         devmem_host_writes(void);

/* Memory that a graph allocates keeps its place until the last graph with a node for it is destroyed: freeing it only puts it to sleep. */
void         devmem_give_to_graph(void *p);
void         devmem_take_from_graph(void *p);
void         devmem_sleep(void *p);
void         devmem_wake(void *p);
/* Memory of a graph that is free at the moment, or none of a graph. */
bool         devmem_asleep(const void *p);
/* Bytes that graphs use (or have reserved) on device n, and the most there were since the reset.  What was used stays
 * reserved until a trim. */
void         devmem_of_graphs(int n, bool reserved, uint64_t *now, uint64_t *high);
void         devmem_graphs_reset(int n);
void         devmem_graphs_trim(int n);

/* Bytes the program holds on device n; is p in any device's memory? */
size_t       devmem_used(int n);
bool         devmem_is_device(const void *p);

CuErr devmem_new(int kind, size_t bytes, unsigned flags, void **out);
CuErr devmem_free(void *p, int kind);
/* Checks a range as a copy's device or host end; kind COPY_... as given to the copy. */
CuErr devmem_check_copy(const void *dst, size_t dbytes, const void *src, size_t sbytes, int kind);
CuErr devmem_copy(void *dst, const void *src, size_t bytes, int kind);
CuErr devmem_copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind);
/* Tells the checkers that the host wrote there by other means than the functions here. */
void  devmem_tell_written(const void *dst, size_t bytes);
/* That a library's call, whose name is for ever valid, read there. */
void  devmem_tell_read(const char *by, const void *src, size_t bytes);
/* Tells them that memory was allocated in rows, of whose pitch the program asked for width; gives e back. */
CuErr devmem_tell_rows(CuErr e, const void *p, size_t pitch, size_t width);
/* Tells them that a stream's work allocated p, or frees it. */
void  devmem_tell_ordered(const void *p, bool given);
/* A copy of slices of rows; the pitches of one row are not looked at. */
typedef struct NodeCopy {
    void       *dst;
    const void *src;
    size_t      dpitch, spitch, width, height, depth, dslice, sslice;
    int         kind;
    void       *owned; /* the source, if it is a copy */
} NodeCopy;
CuErr devmem_copy_3d(const NodeCopy *c);
/* Both ends of all of it, as devmem_check_copy. */
CuErr devmem_check_node(const NodeCopy *c);
CuErr devmem_set_2d(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height);

#endif
