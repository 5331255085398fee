/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of the LANE2 and WIDE2 rows of isa.def: d = expr(a, b) for 32 lanes of one type; WIDE2 gives a result twice as wide. */
#include "emu/exec/lane_half.h"
#include "emu/exec/lanes.h"

#define GEN2(t, id, expr)                                                                                              \
    INLINE T_##t op_##id##_##t(T_##t a, T_##t b)                                                                       \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODY2(id, t, N_##t, BYTES_##t, T_##t, T_##t, T_##t)

#define GENW2(t, id, expr)                                                                                             \
    INLINE W_##t op_##id##_##t(T_##t a, T_##t b)                                                                       \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODY2(id, t, N_##t, WIDE_BYTES_##t, W_##t, T_##t, T_##t)

#define LANE2(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GEN2, id, expr)
#define WIDE2(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GENW2, id, expr)
#include "emu/rows/lane2.def"

void EXEC_SYM(exec_fill_lane2)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define LANE2(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#define WIDE2(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#include "emu/rows/lane2.def"
}
