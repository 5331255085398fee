/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers with predicate results: PRED1, PRED2 (comparisons; the expression is applied to whole vectors, so it may use only
 * operators that vectors have: no '!', '&&', '?:') and MASK1/2/3 (logic on the masks of 32 lanes). */
#include "emu/exec/lane_half.h"
#include "emu/exec/lanes.h"

#define PACK_(bytes, v) pack##bytes((Vec##bytes)(v))
#define PACK(bytes, v)  PACK_(bytes, v)
#define SIZE_u16        2
#define SIZE_s16        2
#define SIZE_u32        4
#define SIZE_s32        4
#define SIZE_f32        4
#define SIZE_u64        8
#define SIZE_s64        8
#define SIZE_f64        8

#define GENP2(t, id, expr)                                                                                             \
    INLINE bool op_##id##_##t(T_##t a, T_##t b)                                                                        \
    {                                                                                                                  \
        return (expr) != 0;                                                                                            \
    }                                                                                                                  \
    INLINE uint32_t mask_##id##_##t(const T_##t *x, const T_##t *y)                                                    \
    {                                                                                                                  \
        typedef T_##t V __attribute__((vector_size(VECTOR)));                                                          \
        const V      *pa = (const V *)x, *pb = (const V *)y;                                                           \
        uint32_t      m = 0;                                                                                           \
        for (uint32_t k = 0; k < LANES * sizeof(T_##t) / VECTOR; k++) {                                                \
            V a = pa[k], b = pb[k];                                                                                    \
            m |= PACK(SIZE_##t, expr) << (k * (VECTOR / sizeof(T_##t)));                                               \
        }                                                                                                              \
        return m;                                                                                                      \
    }                                                                                                                  \
    BODYP2(id, t, T_##t)

#define GENP1(t, id, expr)                                                                                             \
    INLINE bool op_##id##_##t(T_##t a)                                                                                 \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }                                                                                                                  \
    INLINE uint32_t mask_##id##_##t(const T_##t *a)                                                                    \
    {                                                                                                                  \
        uint8_t r[LANES];                                                                                              \
        LANE_LOOP(LANES) r[i] = op_##id##_##t(a[i]);                                                                   \
        return pack_bytes(r);                                                                                          \
    }                                                                                                                  \
    BODYP1(id, t, T_##t)

#define GENM(id, expr)                                                                                                 \
    INLINE uint32_t op_##id##_pred(uint32_t a, uint32_t b, uint32_t c)                                                 \
    {                                                                                                                  \
        (void)a, (void)b, (void)c;                                                                                     \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODYM(id)

#define PRED1(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GENP1, id, expr)
#define PRED2(id, lanes, exactness, pipe, traits, flow, form, expr) LANES_##lanes(GENP2, id, expr)
#define MASK1(id, exactness, pipe, traits, flow, form, expr)        GENM(id, expr)
#define MASK2(id, exactness, pipe, traits, flow, form, expr)        GENM(id, expr)
#define MASK3(id, exactness, pipe, traits, flow, form, expr)        GENM(id, expr)
#include "emu/rows/pred.def"

void EXEC_SYM(exec_fill_pred)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define PRED1(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#define PRED2(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#define MASK1(id, ...)        FILL(pred, id) op++;
#define MASK2(id, ...)        FILL(pred, id) op++;
#define MASK3(id, ...)        FILL(pred, id) op++;
#include "emu/rows/pred.def"
}
