/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of the LANE1 rows of isa.def: d = expr(a) for 32 lanes of one type. */
#include "emu/exec/lane_half.h"
#include "emu/exec/lanes.h"

#define GEN1(t, id, expr)                                                                                              \
    INLINE T_##t op_##id##_##t(T_##t a)                                                                                \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODY1(id, t, N_##t, BYTES_##t, T_##t, T_##t)

#define LANE1(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GEN1, id, expr)
#include "emu/rows/lane1.def"

void EXEC_SYM(exec_fill_lane1)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define LANE1(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#include "emu/rows/lane1.def"
}
