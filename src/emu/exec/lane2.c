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
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                           \
    {                                                                                                                  \
        T_##t       *d = LANE_OUT(T_##t, u, w);                                                                        \
        const T_##t *a = SLOT(w, const T_##t, u->a), *b = SLOT(w, const T_##t, u->b);                                  \
        LANE_LOOP(N_##t) d[i] = op_##id##_##t(a[i], b[i]);                                                             \
        LANE_DONE(t, w, u);                                                                                            \
    }

#define GENW2(t, id, expr)                                                                                             \
    INLINE W_##t op_##id##_##t(T_##t a, T_##t b)                                                                       \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                           \
    {                                                                                                                  \
        W_##t       *d = LANE_OUT(W_##t, u, w);                                                                        \
        const T_##t *a = SLOT(w, const T_##t, u->a), *b = SLOT(w, const T_##t, u->b);                                  \
        LANE_LOOP(N_##t) d[i] = op_##id##_##t(a[i], b[i]);                                                             \
        LANE_DONE_WIDE(t, w, u);                                                                                       \
    }

#define LANE2(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GEN2, id, expr)
#define WIDE2(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GENW2, id, expr)
#include "emu/rows/lane2.def"

void EXEC_SYM(exec_fill_lane2)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define LANE2(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#define WIDE2(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#include "emu/rows/lane2.def"
}
