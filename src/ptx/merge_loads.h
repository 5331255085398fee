/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside merge.c: which shared loads become one.
 *
 *     MergeLoads *l = merge_loads_new(f, cfg);
 *     ... for each instruction in order: merge_loads_block where a block begins, merge_loads_close, merge_loads_add, merge_loads_forget
 *     merge_loads_end(l, role);
 */
#ifndef WW_PTX_MERGE_LOADS_H
#define WW_PTX_MERGE_LOADS_H

#include "ptx/cfg.h"

enum { MERGE_SLOT = 16 }; /* bytes that one access serves */

typedef struct MergeItem { /* a plain access to shared memory */
    uint32_t   instr, block, window;
    unsigned   bytes;
    bool       store;
    uint8_t    words; /* 0: all; else a load of four words of which these, a bit each, are read: it counts as loads of those */
    uint8_t    power; /* the base is a multiple of this power of two, for sure (multiples.h) */
    const Reg *base; /* NULL: the block's shared memory */
    int64_t    offset;
} MergeItem;

/* The same bytes, or bytes of the same slot, by the same base. */
bool merge_same_place(const MergeItem *a, const MergeItem *b);
bool merge_same_slot(const MergeItem *a, const MergeItem *b);

typedef struct MergeLoads MergeLoads;

MergeLoads *merge_loads_new(const Func *f, const Cfg *cfg);
/* A block begins: goes on where the block that leads there ended, if nothing on any way between keeps loads apart.  opaque: by block,
 * whether something in it does. */
void merge_loads_block(MergeLoads *l, uint32_t block, const bool *opaque);
void merge_loads_close(MergeLoads *l); /* later loads do not join earlier ones */
void merge_loads_add(MergeLoads *l, const MergeItem *x);
void merge_loads_forget(MergeLoads *l, const Reg *written);
/* Is the register written more than once, or not known? */
bool merge_loads_varies(const MergeLoads *l, const Reg *r);
/* A register that is another one and a number, or a variable's place, all their lives long: that one; *offset grows.  The operand is a
 * variable then, or the register left. */
const Operand *merge_loads_base(const MergeLoads *l, const Operand *base, int64_t *offset);
/* Makes the load of four words one of those that are read, where these are two at most. */
void merge_loads_narrow(const MergeLoads *l, const Instr *in, MergeItem *x);
/* Writes the roles and frees. */
void merge_loads_end(MergeLoads *l, uint32_t *role);
/* Joins n accesses of one slot as far as they fill it.  least: words of four that are enough. */
void merge_join(const MergeItem *l, size_t n, unsigned least, uint32_t *role);

#endif
