/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane handlers that no single expression describes (HAND rows of isa.def): four sources, a 32-bit operand beside 64-bit ones, the
 * carry flag, selection by a predicate, copies.
 *
 * Operands:  shl, shr   a, b = amount (always 32-bit lanes)
 *            bfe        a, b = start, c = length (32-bit)          bfi   a into b, c = start, e = length
 *            lop3       a, b, c, x = truth table                   selp  a, b, c = predicate
 *            add.cc ... a, b, e = slot of the carry (one mask)     copy  a */
#include "emu/core/video.h"
#include "emu/exec/lane_half.h"
#include "emu/exec/lanes.h"

/* ---- shifts: amounts at or above the width give 0 or copies of the sign ---- */
#define SHIFTS(t, id, expr)                                                                                            \
    INLINE T_##t op_##id##_##t(T_##t a, uint32_t n)                                                                    \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    BODY2(id, t, LANES, BYTES_##t, T_##t, T_##t, uint32_t)
#define GEN_SHL(t, unused) SHIFTS(t, shl_lane, n < BITS(T) ? (T)(1u * (U)a << (n & (BITS(T) - 1))) : (T)0)
#define GEN_SHR(t, unused)                                                                                             \
    SHIFTS(t, shr_lane, n < BITS(T) ? (T)(a >> (n & (BITS(T) - 1))) : (T)(IS_SIGNED(T) && a < 0 ? -1 : 0))
LANES_UINT(GEN_SHL, 0)
LANES_INT(GEN_SHR, 0)

/* ---- bit fields ---- */
#define GEN_BFE(t, unused)                                                                                             \
    INLINE T_##t op_bfe_lane_##t(T_##t a, uint32_t b, uint32_t c)                                                      \
    {                                                                                                                  \
        return bfe_##t(a, b, c);                                                                                       \
    }                                                                                                                  \
    BODY3(bfe_lane, t, LANES, BYTES_##t, T_##t, T_##t, uint32_t, uint32_t)
#define GEN_BFI(t, unused)                                                                                             \
    INLINE T_##t op_bfi_lane_##t(T_##t a, T_##t b, uint32_t c, uint32_t e)                                             \
    {                                                                                                                  \
        return bfi_##t(a, b, c, e);                                                                                    \
    }                                                                                                                  \
    BODY4(bfi_lane, t, LANES, BYTES_##t, T_##t, T_##t, T_##t, uint32_t, uint32_t)
LANES_INT32(GEN_BFE, 0)
LANES_UINT32(GEN_BFI, 0)

/* ---- carry chains: r = a + b + k, where a difference is a + ~b + k.  The flag is the carry of that sum, as of the machine's adder: a
 * difference without borrow sets it, and addc behind sub.cc reads that (the compiler's division of 128 bits does). ---- */
#define CARRY(t, id, in, b_or_not, write)                                                                              \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                           \
    {                                                                                                                  \
        typedef T_##t T;                                                                                               \
        const T      *a = SLOT(w, const T, u->a), *b = SLOT(w, const T, u->b);                                         \
        T            *d     = SLOT(w, T, u->d);                                                                        \
        uint32_t      carry = (in);                                                                                    \
        uint8_t       o[LANES];                                                                                        \
        T             r[LANES];                                                                                        \
        for (uint32_t i = 0; i < LANES; i++) {                                                                         \
            T k  = (T)(carry >> i & 1);                                                                                \
            r[i] = a[i] + (T)(b_or_not) + k;                                                                           \
            o[i] = k ? r[i] <= a[i] : r[i] < a[i];                                                                     \
        }                                                                                                              \
        for (uint32_t i = 0; i < LANES; i++)                                                                           \
            d[i] = w->mask >> i & 1 ? r[i] : d[i];                                                                     \
        if (write)                                                                                                     \
            pred_write(w, u->e, pack_bytes(o));                                                                        \
        return u + 1;                                                                                                  \
    }
#define GEN_CARRY(t, unused)                                                                                           \
    CARRY(t, add_cc, 0, b[i], 1)                                                                                       \
    CARRY(t, addc, pred_read(w, u->e), b[i], 0)                                                                        \
    CARRY(t, addc_cc, pred_read(w, u->e), b[i], 1)                                                                     \
    CARRY(t, sub_cc, UINT32_MAX, ~b[i], 1)                                                                             \
    CARRY(t, subc, pred_read(w, u->e), ~b[i], 0)                                                                       \
    CARRY(t, subc_cc, pred_read(w, u->e), ~b[i], 1)
LANES_UINT32(GEN_CARRY, 0)

/* ---- selection and copies ---- */
#define GEN_SELP(t, bytes)                                                                                             \
    static const Uop *lane_selp_##t(Warp *w, const Uop *u)                                                             \
    {                                                                                                                  \
        uint8_t *d = (uint8_t *)LANE_OUT(uint8_t, u, w);                                                               \
        select##bytes(d, w->r + u->a, w->r + u->b, pred_read(w, u->c));                                                \
        LANE_DONE(t, w, u);                                                                                            \
    }
GEN_SELP(u16, 2)
GEN_SELP(u32, 4)
GEN_SELP(u64, 8)

#define GEN_COPY(t, bytes)                                                                                             \
    static const Uop *lane_copy_##t(Warp *w, const Uop *u)                                                             \
    {                                                                                                                  \
        if (warp_full(w))                                                                                              \
            memmove(__builtin_assume_aligned(w->r + u->d, 32), __builtin_assume_aligned(w->r + u->a, 32),              \
                    LANES *bytes);                                                                                     \
        else                                                                                                           \
            select##bytes(w->r + u->d, w->r + u->a, w->r + u->d, w->mask);                                             \
        return u + 1;                                                                                                  \
    }
GEN_COPY(u8, 1)
GEN_COPY(u16, 2)
GEN_COPY(u32, 4)
GEN_COPY(u64, 8)
GEN_COPY(b128, 16)

/* ---- 128-bit lanes: joined from and split into 64-bit ones ---- */
static const Uop *lane_pack2_b128_u64(Warp *w, const Uop *u)
{
    const uint64_t *a = SLOT(w, const uint64_t, u->a), *b = SLOT(w, const uint64_t, u->b);
    uint64_t       *d = LANE_OUT(uint64_t, u, w);
    for (uint32_t i = 0; i < LANES; i++) {
        d[2 * i]     = a[i];
        d[2 * i + 1] = b[i];
    }
    LANE_DONE(b128, w, u);
}

#define GEN_HALF128(id, k)                                                                                             \
    static const Uop *lane_##id##_b128(Warp *w, const Uop *u)                                                          \
    {                                                                                                                  \
        const uint64_t *a = SLOT(w, const uint64_t, u->a);                                                             \
        uint64_t       *d = LANE_OUT(uint64_t, u, w);                                                                  \
        for (uint32_t i = 0; i < LANES; i++)                                                                           \
            d[i] = a[2 * i + k];                                                                                       \
        LANE_DONE(u64, w, u);                                                                                          \
    }
GEN_HALF128(low64, 0)
GEN_HALF128(high64, 1)

/* ---- lop3: a table of eight bits; one multiplexer over c per pair of a and b ---- */
INLINE uint32_t lop3(uint32_t x, uint32_t y, uint32_t z, uint32_t table)
{
    uint32_t k[8];
    for (uint32_t i = 0; i < 8; i++)
        k[i] = 0u - (table >> i & 1u);
    uint32_t y1 = (x & y & ((z & k[7]) | (~z & k[6]))) | (~x & y & ((z & k[3]) | (~z & k[2])));
    uint32_t y0 = (x & ~y & ((z & k[5]) | (~z & k[4]))) | (~x & ~y & ((z & k[1]) | (~z & k[0])));
    return y1 | y0;
}

static const Uop *lane_lop3_u32(Warp *w, const Uop *u)
{
    uint32_t       *d = LANE_OUT(uint32_t, u, w);
    const uint32_t *a = SLOT(w, const uint32_t, u->a), *b = SLOT(w, const uint32_t, u->b),
                   *c     = SLOT(w, const uint32_t, u->c);
    const uint32_t table  = u->x;
    LANE_LOOP(LANES) d[i] = lop3(a[i], b[i], c[i], table);
    LANE_DONE(u32, w, u);
}

/* ---- packed video operations; u->x and u->y as emu/core/video.h draws them ---- */
INLINE int32_t video_part(uint32_t x, uint32_t k, uint32_t bits, bool is_signed)
{
    uint32_t v = x >> k * bits & ((1u << bits) - 1);
    return (int32_t)(is_signed && v >> (bits - 1) ? v - (1u << bits) : v);
}

INLINE int32_t video_one(int32_t a, int32_t b, VideoOp op, VideoCompare cmp)
{
    switch (op) {
    case VIDEO_ADD: return a + b;
    case VIDEO_SUB: return a - b;
    case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
    case VIDEO_MIN: return a < b ? a : b;
    case VIDEO_MAX: return a > b ? a : b;
    default: return (cmp & VIDEO_LESS && a < b) || (cmp & VIDEO_EQUAL && a == b) || (cmp & VIDEO_GREATER && a > b);
    }
}

static const Uop *lane_video_lane_u32(Warp *w, const Uop *u)
{
    uint32_t       *d = LANE_OUT(uint32_t, u, w);
    const uint32_t *a = SLOT(w, const uint32_t, u->a), *b = SLOT(w, const uint32_t, u->b),
                   *c = SLOT(w, const uint32_t, u->c);
    uint32_t bits = u->x & VIDEO_FOUR ? 8 : 16, parts = 32 / bits;
    int32_t  low = u->x & VIDEO_SIGNED_D ? -(1 << (bits - 1)) : 0, high = low + (1 << bits) - 1;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t sum = c[i], word = 0;
        for (uint32_t k = 0; k < parts; k++) {
            int32_t r = video_one(video_part(a[i], k, bits, u->x & VIDEO_SIGNED_A),
                                  video_part(b[i], k, bits, u->x & VIDEO_SIGNED_B), (VideoOp)(u->y & 15),
                                  (VideoCompare)(u->y >> 4));
            r         = u->x & VIDEO_SAT ? (r < low ? low : r > high ? high : r) : r;
            word |= ((uint32_t)r & ((1u << bits) - 1)) << k * bits;
            sum += (uint32_t)r;
        }
        d[i] = u->x & VIDEO_SUM ? sum : word;
    }
    LANE_DONE(u32, w, u);
}

void EXEC_SYM(exec_fill_hand)(UopFn (*lane)[LT_COUNT], const Op *op)
{
#define HAND(id, lanes, ...) LANES_##lanes(FILL, id) op++;
#include "emu/rows/hand.def"
}
