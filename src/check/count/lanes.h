/* SPDX-License-Identifier: Apache-2.0
 *
 * Which index should run along the lanes: the global accesses that one instruction made in one block, replayed with the same
 * addresses handed to the lanes in another order.  Pure functions. */
#ifndef WW_CHECK_LANES_H
#define WW_CHECK_LANES_H

#include "check/count/shapes.h"
#include "emu/observer.h"
#include "model/profile.h"

typedef struct BlockAccess { /* one warp access */
    uint64_t first;          /* address of the first active lane */
    uint32_t warp, shape;    /* shape: its number */
} BlockAccess;

typedef struct BlockUse { /* one instruction in one block, accesses in the order in which they happened */
    uint32_t           block[3]; /* threads */
    uint8_t            op, cache, bytes;
    const Shape       *shape; /* by number */
    const BlockAccess *access;
    size_t             n;
    uint64_t           base, room; /* the allocation that was accessed and its bytes; 0: not known, or several */
} BlockUse;

/* Orders of the threads: as they are; two of threadIdx's components in each other's place (and the block's sides with them); the
 * loop: what a lane accesses one after the other is accessed by neighbouring lanes at once.  SPLIT is not an order but a layout: the lanes'
 * addresses are multiples of a stride apart, as in an array of structures, and each member lies in an array of its own. */
typedef enum LaneOrder {
    LANES_AS_IS,
    LANES_SWAP_XY,
    LANES_SWAP_XZ,
    LANES_SWAP_YZ,
    LANES_LOOP,
    LANES_SPLIT,
    LANE_ORDERS
} LaneOrder;

typedef struct LaneCost {
    uint64_t ideal; /* sectors that the accesses' bytes would fill when packed, access by access */
    uint64_t sectors[LANE_ORDERS];
    bool     valid[LANE_ORDERS]; /* the order could be replayed: every warp made the accesses equally often, ... */
    uint64_t stride;             /* of SPLIT; 0: no access of more than one address */
} LaneCost;

/* The first access of a block in each order, where it is valid and the access as it is moves more than the ideal. */
typedef struct LaneShow {
    uint32_t mask[LANE_ORDERS]; /* 0: none */
    uint64_t addr[LANE_ORDERS][LANES];
} LaneShow;

/* Other orders are replayed only when the one as it is moves more than the ideal. */
void lanes_replay(const Profile *p, const BlockUse *u, LaneCost *out);
void lanes_show(const BlockUse *u, const LaneCost *c, LaneShow *out);

#endif
