/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of the LANE3 and WIDE3 rows of isa.def: d = expr(a, b, c) for 32 lanes of one type; in WIDE3 c and the result are
 * twice as wide. */
#include "emu/exec/lane_half.h"
#include "emu/exec/lanes.h"

#define GEN3(t, id, expr)                                                                                              \
    INLINE T_##t op_##id##_##t(T_##t a, T_##t b, T_##t c)                                                              \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODY3(id, t, N_##t, BYTES_##t, T_##t, T_##t, T_##t, T_##t)

#define GENW3(t, id, expr)                                                                                             \
    INLINE W_##t op_##id##_##t(T_##t a, T_##t b, W_##t c)                                                              \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODY3(id, t, N_##t, WIDE_BYTES_##t, W_##t, T_##t, T_##t, W_##t)

#define LANE3(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GEN3, id, expr)
#define WIDE3(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GENW3, id, expr)
#include "emu/rows/lane3.def"

void EXEC_SYM(exec_fill_lane3)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define LANE3(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#define WIDE3(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#include "emu/rows/lane3.def"
}
