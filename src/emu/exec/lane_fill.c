/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the lane handlers of this SIMD level.  A kind's file knows the rows of its kind only and is told here which Op they are, so a new row
 * compiles the handlers of its kind again and no others. */
#include "emu/exec/lanes.h"
#include "ptx/op.h"

static const Op lane1[] = {
#define LANE1(id, ...) OP_##id,
#include "emu/rows/lane1.def"
};

static const Op lane2[] = {
#define LANE2(id, ...) OP_##id,
#define WIDE2(id, ...) OP_##id,
#include "emu/rows/lane2.def"
};

static const Op lane3[] = {
#define LANE3(id, ...) OP_##id,
#define WIDE3(id, ...) OP_##id,
#include "emu/rows/lane3.def"
};

static const Op conv[] = {
#define CONV(id, ...) OP_##id,
#include "emu/rows/conv.def"
};

static const Op pred[] = {
#define PRED1(id, ...) OP_##id,
#define PRED2(id, ...) OP_##id,
#define MASK1(id, ...) OP_##id,
#define MASK2(id, ...) OP_##id,
#define MASK3(id, ...) OP_##id,
#include "emu/rows/pred.def"
};

static const Op hand[] = {
#define HAND(id, ...) OP_##id,
#include "emu/rows/hand.def"
};

void exec_fill_lane(ExecTable *t)
{
    static UopFn lane[OP_COUNT][LT_COUNT];
    t->lane = lane;
    EXEC_SYM(exec_fill_lane1)(lane, lane1);
    EXEC_SYM(exec_fill_lane2)(lane, lane2);
    EXEC_SYM(exec_fill_lane3)(lane, lane3);
    EXEC_SYM(exec_fill_conv)(lane, conv);
    EXEC_SYM(exec_fill_pred)(lane, pred);
    EXEC_SYM(exec_fill_hand)(lane, hand);
}
