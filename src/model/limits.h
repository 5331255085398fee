/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits: what a launch may take on the card of a profile, and the figures that a program is told of it.  One for each device, made from
 * profiles.def and handed to everybody who asks what the card can: the emulator, the CUDA interfaces, occupancy, the checkers, the matrix
 * library.  An architecture's own profile has the figures of the card that its row names; without a profile: an H200. */
#ifndef WW_MODEL_LIMITS_H
#define WW_MODEL_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum { MOST_GROUPS = 16 };

typedef struct Limits {
    unsigned cc; /* compute capability times ten */

    /* in the order of the columns of profiles.def; a block, and a grid's blocks */
    unsigned block_threads, block[3];
    uint32_t grid[3];
    /* a multiprocessor; shared memory in bytes */
    unsigned sm_threads, sm_blocks, sm_registers, sm_shared;
    /* a block: the shared memory of its own variables, all that it may ask for, and what the system keeps beside it */
    unsigned block_registers, block_shared, block_shared_most, block_shared_kept;
    unsigned thread_registers, local_bytes; /* of local memory */
    unsigned cluster_portable, cluster; /* blocks of one; 0: there are no clusters */
    /* the units in which a multiprocessor gives out warps (for registers), registers and bytes of shared memory */
    unsigned warp_unit, register_unit, shared_unit;
    unsigned double_ratio; /* floats that are computed in the time of a double; 0: there are no doubles */

    unsigned group[MOST_GROUPS]; /* multiprocessors that the blocks of one cluster can share, largest first; all 0: not known */

    const Profile *card; /* for its own figures: multiprocessors, clocks, memory */
} Limits;

/* Of a profile; NULL: the default's. */
Limits limits_of(const Profile *p);
/* Device memory that a program sees. */
uint64_t limits_memory(const Limits *l);

/* Clusters of so many blocks that the card holds, where a multiprocessor holds so many blocks; an upper bound where its groups of
 * multiprocessors are not known. */
unsigned limits_clusters(const Limits *l, unsigned size, unsigned blocks);

/* How the card refuses a launch. */
typedef enum Refusal { REFUSED_NOT, REFUSED_CONFIGURATION, REFUSED_VALUE, REFUSED_CLUSTER, REFUSED_TOO_LARGE } Refusal;
enum { REFUSAL_TEXT = 160 };

/* Of a grid of blocks; of a block's own and dynamic shared memory; of a thread's local memory; of a cluster.  `why` gets the limit, where it is refused. */
Refusal limits_grid(const Limits *l, const uint32_t grid[3], const uint32_t block[3], char why[REFUSAL_TEXT]);
Refusal limits_shared(const Limits *l, uint64_t fixed, uint64_t dynamic, char why[REFUSAL_TEXT]);
Refusal limits_local(const Limits *l, uint64_t bytes, char why[REFUSAL_TEXT]);
Refusal limits_cluster(const Limits *l, const uint32_t size[3], char why[REFUSAL_TEXT]);
/* The CUDA error of a refusal, by its name; NULL of REFUSED_NOT. */
const char *refusal_error(Refusal r);

#endif
