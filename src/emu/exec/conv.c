/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of the CONV rows of isa.def: d = expr(a) where the result has the row's own lane type D.  The table's lane type is the
 * source's. */
#include "emu/exec/lane_half.h"
#include "emu/exec/lanes.h"

#define GENC(t, id, dt, expr)                                                                                          \
    INLINE T_##dt op_##id##_##t(T_##t a)                                                                               \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        typedef T_##dt D __attribute__((unused));                                                                      \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODY1(id, t, N_##t, BYTES_##dt, T_##dt, T_##t)

#define CONV(id, D, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GENC, id, D, expr)
#include "emu/rows/conv.def"

void EXEC_SYM(exec_fill_conv)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define CONV(id, D, lanes, ...) LANES_##lanes(FILL, id) op++;
#include "emu/rows/conv.def"
}
