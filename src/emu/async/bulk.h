/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk copies in flight (bulk.c) and what lowering tells the handlers that issue them (bulk_issue.c).
 *
 * An operation reads its source and writes its destination as a whole; then it completes, at an mbarrier (so many bytes of transactions) or
 * as part of a bulk group of the thread that issued it. */
#ifndef WW_EMU_BULK_H
#define WW_EMU_BULK_H

#include "emu/core/run.h"
#include "emu/async/tensor_box.h"

typedef enum BulkKind { BULK_LOAD, BULK_STORE, BULK_MOVE, BULK_PREFETCH, BULK_REGISTERS } BulkKind;

typedef struct BulkOp BulkOp;
struct BulkOp {
    BulkOp    *next;
    Warp      *warp;         /* who issued it; uop and lane: where */
    const Uop *uop;
    unsigned   lane;
    BulkKind   kind;         /* LOAD global to shared, STORE shared to global, MOVE shared to shared, REGISTERS: data holds the source from
                              * the start */
    bool       has_read;     /* data holds the source */
    bool       by_group;
    uint32_t   group;        /* the thread's commits when it was issued */
    Block     *from, *to;    /* whose shared memory; NULL: global */
    uint64_t   src, dst;     /* address, or offset in shared memory */
    Block     *mbar_block;
    uint32_t   mbar;
    uint32_t   bytes;        /* in shared memory */
    Swizzle    swizzle;      /* of the side in shared memory */
    uint32_t   row, pitch;   /* of a tensor's box there: bytes of a row, and from row to row */
    TensorReduction reduction;
    TensorBox *box;          /* of the side in global memory; NULL: bytes in a row */
    uint8_t   *data;
};

/* Takes a copy of op (and its data and box, which are malloced). Lands at once with eager copies.  Check worker->faulted afterwards. */
void bulk_issue(const BulkOp *op);
/* Tells the observers what it will read and write. */
void bulk_tell(const BulkOp *op);
/* Somebody of b looks at the mbarrier there: what completes at it lands now. */
void bulk_settle(Block *b, uint32_t offset);
/* Is there an operation in flight that completes at it? */
bool bulk_counts_on(const Block *b, uint32_t offset);
/* Random copies: some of what is in flight lands.  false: there is none. */
bool bulk_tick(Cluster *c, Worker *k);
/* All threads of the block have exited: nothing may be in flight that needs its shared memory. */
void bulk_block_ended(Block *b);
/* Drops what is in flight. */
void bulk_free(Cluster *c);
/* The thread's group that its next operation belongs to. */
uint32_t bulk_group(Warp *w, unsigned lane);
/* A block starts anew. */
void bulk_reset(Warp *w);

typedef struct BulkInfo {
    BulkKind kind;
    MemInfo  dst, src, mbar;    /* how the addresses are made; Uop a, b, c: their slots (of a tensor: its map's) */
    bool     tensor, im2col, no_offsets, by_group, cluster;
    Slot     size, mask;        /* NO_SLOT: none */
    unsigned dims, noffsets;
    Slot     coord[TENSOR_DIMS], offset[3];
    TensorReduction reduction;
    Slot     value[4];          /* st.async, red.async */
    unsigned nvalues;
} BulkInfo;

/* A lane's address: that of slot s, made as m says. */
static inline uint64_t bulk_address(const Warp *w, const MemInfo *m, Slot s, unsigned lane)
{
    uint64_t t = (uint64_t)m->offset + (m->no_base  ? 0
                                        : m->addr64 ? SLOT(w, uint64_t, s)[lane]
                                                    : SLOT(w, uint32_t, s)[lane]);
    return m->addr64 ? t : (uint32_t)t;
}

#endif
