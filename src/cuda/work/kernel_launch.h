/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches: from a kernel handle and its arguments to the emulator and the report. */
#ifndef WW_CUDA_LAUNCH_H
#define WW_CUDA_LAUNCH_H

#include "cuda/image/image.h"

typedef struct LaunchAsk {
    WwDim3   grid, block;
    size_t   shared;
    void   **args;
    bool     cooperative;
    CuErr    refused;  /* what an attribute makes of the launch */
    WwDim3   cluster;  /* x = 0: none */
    void    *event;    /* recorded behind it; NULL: none */
    const struct Ranges *ranges; /* that were open around the call; NULL: those that are open now */
    bool     programmatic; /* it may begin while the kernel before it runs (programmatic stream serialization) */
} LaunchAsk;

typedef struct Running Running;

/* What a launch's attributes say; those that only advise the scheduler or the caches are accepted, and the event of one that has begun is
 * that of one that has ended. */
void launch_read_attributes(LaunchAsk *a, const LaunchAttribute *attrs, unsigned n);

/* Arguments packed in one buffer, as the driver's `extra` has them, become a->args, until the next call. (accept.c) */
CuErr launch_unpack(Kernel *k, void **extra, LaunchAsk *a);

/* Runs the kernel on the current device.  Refusals are returned; faults are kept for the next call (state_fail_later). */
CuErr launch_run(Kernel *k, const LaunchAsk *ask);
/* What of that is known before it runs. */
CuErr launch_check(Kernel *k, const LaunchAsk *ask);
/* Runs it as far as it comes at once: *out is what is left of it, or NULL.  The arguments are not needed any more. */
CuErr launch_start(Kernel *k, const LaunchAsk *ask, Running **out);
/* The same before the kernels that it depends on have ended: as far as it comes without passing griddepcontrol.wait. */
CuErr launch_start_early(Kernel *k, const LaunchAsk *ask, Running **out);
/* They have ended. */
void  launch_let_on(Running *p);
/* Does its code say griddepcontrol.launch_dependents, and are asynchronous copies to land late? */
bool  launch_leaves_early(Kernel *k);
/* Goes on with it: true when it has ended (p is gone). */
bool  launch_go_on(Running *p);
/* How it paused. */
typedef struct LaunchPause {
    bool waits;   /* it only waits */
    bool changed; /* memory, or it read a clock */
} LaunchPause;
const LaunchPause *launch_pause(const Running *p);
/* What it is for standstill.h. */
const struct Standstill *launch_standstill(const Running *p);
CuErr  launch_attributes(Kernel *k, FuncAttributes *out);
CuErr  launch_set_attribute(Kernel *k, int attribute, int value);
/* Blocks of `threads` threads and `shared` dynamic bytes that one multiprocessor holds. */
CuErr  launch_occupancy(Kernel *k, int threads, size_t shared, int *blocks);
/* Clusters of that launch that the device holds, and the most blocks that a cluster of it may have (0: it cannot be launched). */
CuErr  launch_clusters(Kernel *k, const LaunchAsk *a, int *clusters);
CuErr  launch_largest_cluster(Kernel *k, const LaunchAsk *a, int *size);

#endif
