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
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                           \
    {                                                                                                                  \
        T_##t       *d = LANE_OUT(T_##t, u, w);                                                                        \
        const T_##t *a = SLOT(w, const T_##t, u->a), *b = SLOT(w, const T_##t, u->b), *c = SLOT(w, const T_##t, u->c); \
        LANE_LOOP(N_##t) d[i] = op_##id##_##t(a[i], b[i], c[i]);                                                       \
        LANE_DONE(t, w, u);                                                                                            \
    }

#define GENW3(t, id, expr)                                                                                             \
    INLINE W_##t op_##id##_##t(T_##t a, T_##t b, W_##t c)                                                              \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                           \
    {                                                                                                                  \
        W_##t       *d = LANE_OUT(W_##t, u, w);                                                                        \
        const T_##t *a = SLOT(w, const T_##t, u->a), *b = SLOT(w, const T_##t, u->b);                                  \
        const W_##t *c        = SLOT(w, const W_##t, u->c);                                                            \
        LANE_LOOP(N_##t) d[i] = op_##id##_##t(a[i], b[i], c[i]);                                                       \
        LANE_DONE_WIDE(t, w, u);                                                                                       \
    }

#define LANE3(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GEN3, id, expr)
#define WIDE3(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GENW3, id, expr)
#include "emu/rows/lane3.def"

void EXEC_SYM(exec_fill_lane3)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define LANE3(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#define WIDE3(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#include "emu/rows/lane3.def"
}
