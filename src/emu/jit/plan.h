/* SPDX-License-Identifier: Apache-2.0
 *
 * What the JIT knows of a function before it writes code: its values, its uops as items, its segments, which values live where, and the
 * spread of each value at the head of each segment.
 *
 * A segment is a run of uops that control enters at its head only: at a basic block, at a branch's target, behind a branch, or where the
 * interpreter goes on with a warp that has waited.  Native code is entered at segments with all 32 lanes, after their values' spreads were
 * checked, so a spread need not be proven against lanes that part and meet again: what is wrong is seen at the entry. */
#ifndef WW_EMU_JIT_PLAN_H
#define WW_EMU_JIT_PLAN_H

#include "emu/jit/spread.h"

enum { PLAN_UOPS = NATIVE_UOPS, PLAN_VALUES = 1500 }; /* larger functions have no native code */

typedef struct Value { /* a register, a constant or a temporary: a slot of the frame */
    Slot     slot;
    uint8_t  bytes;    /* of a lane; 0: a predicate */
    bool     constant; /* it has `value` in all lanes and is never written */
    uint64_t value;
} Value;

typedef enum ItemKind {
    ITEM_ROW,   /* shape */
    ITEM_PLUS,  /* addr_add */
    ITEM_NOT,   /* pred_not */
    ITEM_LOAD,  /* of global, shared or local memory, by MemInfo; reads[0]: the address */
    ITEM_STORE, /* reads[0]: the address, then the data */
    ITEM_ATOM,  /* of global or shared memory; reads[0]: the address, then the operands; it may write nothing */
    ITEM_PARAM, /* ld_param_32, ld_param_64 */
    ITEM_SREG,  /* its handler is called, then its value has a known spread */
    ITEM_CALL, /* its handler is called: it reads and writes nothing but these values, and comes back to the next uop or not at all */
    ITEM_LEAVE, /* the same, but it may give the warp up: every live value goes to the frame first */
    ITEM_HEAD,  /* a basic block's */
    ITEM_JUMP,
    ITEM_BRANCH,
    ITEM_GUARD /* the items `inner`, for the lanes of a predicate: reads[0] */
} ItemKind;

typedef struct Item {
    uint32_t     uop, span; /* the first uop, and how many */
    uint8_t      kind;      /* ItemKind */
    What         what;
    RowShape     shape;        /* ROW */
    uint32_t    *read, *write; /* values */
    uint32_t     nread, nwrite;
    uint16_t     mode;  /* ROW: what it sets in MXCSR (ctl_fpmode); 0: it runs in the plain mode, if it asks for one at all */
    bool         exact; /* CALL of a prefix: they are all that what is under it reads and writes */
    struct Item *inner;
    uint32_t     ninner;
} Item;

typedef struct Segment {
    Item     *item;
    uint32_t  nitems;
    uint32_t  first;          /* uop */
    bool      reached;        /* control may come here */
    uint32_t  succ[2], nsucc; /* succ[0] of a branch: where it goes when it is not taken */
    uint32_t *more;
    uint32_t  nmore;  /* of a table of branches */
    uint32_t  meets;  /* where the paths from it meet; UINT32_MAX: nowhere */
    Spread   *spread; /* of each value at its head */
    uint64_t *live;   /* bits: values that are read before they are written */
    uint64_t *wrote;  /* bits: values that it writes */
    uint64_t *mixed;  /* bits: values that lanes which parted may have written differently */
    uint64_t *kept;   /* bits: values that the frame holds at its head, too, of linear ones lane 0; flow_homes */
    uint64_t *away;   /* bits: of those, values that nothing but the frame holds there */
} Segment;

/* Does it end at a barrier where the warp may wait?  Behind it the frame holds all values. */
static inline bool segment_waits(const Segment *s)
{
    const Item *last = &s->item[s->nitems - 1];
    return last->kind == ITEM_LEAVE && last->what.kind == WHAT_CTL && last->what.id == CTL_bar && s->nsucc == 1 &&
           !last->nwrite;
}

/* Accesses that native code counts by their place: in a worker's array, how often the first lane's address was where. */
typedef struct TallySite {
    const MemInfo *info;
    uint8_t        space;         /* AccessSpace */
    uint8_t        shift;         /* places are 2^shift bytes apart */
    bool           whole;         /* a place is an offset in the block's shared window */
    uint32_t       places, first; /* first: index of its place 0 */
    int64_t        lane[LANES];   /* differences to the first lane */
} TallySite;

typedef struct Tally { /* of all functions of a set */
    TallySite *site;
    uint32_t   nsites;
    uint32_t   places;
    Sweep    **sweep;
    uint32_t   nsweeps;
} Tally;

typedef struct Plan {
    Arena           *arena;
    const Code      *code;
    const Program   *prog;
    uint32_t         block[3]; /* dimensions */
    const uint8_t   *args; /* the launch's parameter block, whose words `known` (a bit each) are taken for constants */
    uint64_t         known;
    bool             heard; /* an observer wants to hear of exchanges between lanes */
    Observer *const *observer;
    size_t           nobservers; /* the launch's */
    uint32_t         window;     /* bytes of a block's shared memory, at most; a power of two */
    const Observer  *count;      /* NULL, or the one that takes accesses of one pattern by their number */
    bool       tracked; /* one of them follows values that nobody wrote: a load may end native code's turn (poison.h) */
    Tally     *tally;   /* what they are told */
    Value     *value;
    uint32_t   nvalues;
    Segment   *segment;
    uint32_t   nsegments;
    uint32_t  *segment_of; /* by uop; UINT32_MAX: not a head */
    SpreadPool patterns;
} Plan;

/* args: the launch's parameter block, where its words may be taken for constants: those without which a pattern would be unknown are
 * (SpreadPool.used); NULL: none.  NULL: the function is one of those that stay with the interpreter, for the reason *why.  jit_plan_free. */
Plan *jit_plan(const WhatMap *map, const Program *p, const Code *code, const uint32_t block[3], const uint8_t *args,
               const char **why);
void  jit_plan_free(Plan *p);

/* The spreads of the values after the item, of those before it.  *guard: what native code must ask of the source that has a pattern. */
void plan_step(Plan *p, const Item *it, Spread *spread, Guard *guard);

/* Does a load from addresses of that spread give all lanes the same?  Each has local memory of its own. */
static inline bool plan_loads_one(const Plan *p, const Item *it, Spread address)
{
    const MemInfo *info = p->code->uops[it->uop].ptr;
    return info->space != SPACE_LOCAL && spread_is_same(address);
}

static inline bool bit_get(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> i % 64 & 1;
}
static inline void bit_set(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << i % 64;
}
static inline void bit_clear(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << i % 64);
}

#endif
