/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the lane handlers of this SIMD level. */
#include "emu/exec/lanes.h"

void exec_fill_lane(ExecTable *t)
{
    EXEC_SYM(exec_fill_lane1)(t);
    EXEC_SYM(exec_fill_lane2)(t);
    EXEC_SYM(exec_fill_lane3)(t);
    EXEC_SYM(exec_fill_conv)(t);
    EXEC_SYM(exec_fill_pred)(t);
    EXEC_SYM(exec_fill_hand)(t);
}
