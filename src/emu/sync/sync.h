/* SPDX-License-Identifier: Apache-2.0
 *
 * Warp-wide and block-wide synchronising handlers (sync.c) and the small parameters lower_ctl.c gives them. */
#ifndef WW_EMU_SYNC_H
#define WW_EMU_SYNC_H

#include "emu/core/warp.h"

typedef struct BranchTable {
    uint32_t count;
    const Uop **target;
    uint32_t   *block;  /* CFG block of each; lowering turns them into targets */
} BranchTable;

typedef enum BarKind { BAR_SYNC, BAR_ARRIVE, BAR_RED_POPC, BAR_RED_AND, BAR_RED_OR } BarKind;
typedef enum ShflMode { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY } ShflMode;
typedef enum VoteMode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT } VoteMode;
typedef enum ReduxOp { REDUX_ADD, REDUX_MIN_U, REDUX_MAX_U, REDUX_MIN_S, REDUX_MAX_S, REDUX_AND, REDUX_OR, REDUX_XOR } ReduxOp;

/* 1 << lane, for loops over lanes without shifts. */
extern const uint32_t lane_bit[LANES];

/* True when all 32 lanes are here; otherwise the lanes wait for the others, or, when some have exited, a fault was raised. */
bool sync_whole_warp(Warp *w, const Uop *u);
/* True when the lanes in w->mask (cut to those that are complete) can run the instruction now; members: its member mask, or NO_SLOT. */
bool sync_members_ready(Warp *w, const Uop *u, Slot members);

#endif
