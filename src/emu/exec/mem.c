/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast memory handlers (compiled per SIMD level): 4- and 8-byte elements of global, shared and local memory, vectors and
 * narrow elements of global and shared memory, kernel parameters.
 *
 * All work on 32 addresses at once: inactive lanes are given the first active lane's address, so that checks and loads need no mask.
 * One vector pass checks bounds and alignment against the last allocation this instruction hit; a second looks at each half warp's
 * pattern, because most accesses are consecutive or one address: those become plain vector moves.  A handful of lanes are served one by
 * one, without looking for patterns. */
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emu/access/access.h"
#include "emu/core/fault.h"
#include "emu/exec/level.h"

#define INLINE static inline __attribute__((always_inline))
enum { HALF = 16 };

/* 64-byte vectors, whatever the level: the compiler splits them where registers are narrower. */
typedef uint32_t V16 __attribute__((vector_size(64), aligned(64), may_alias));
typedef uint64_t V8 __attribute__((vector_size(64), aligned(64), may_alias));

typedef union Addr64 {
    uint64_t t[LANES];
    V8       v[4];
} Addr64;
typedef union Addr32 {
    uint32_t t[LANES];
    V16      v[2];
} Addr32;

INLINE bool zero16(V16 x)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) == 0;
#elif defined(__AVX__)
    const __m256i *h    = (const __m256i *)&x;
    __m256         both = _mm256_or_ps(_mm256_castsi256_ps(h[0]), _mm256_castsi256_ps(h[1]));
    return _mm256_testz_si256(_mm256_castps_si256(both), _mm256_castps_si256(both));
#else
    const uint64_t *q = (const uint64_t *)&x;
    return (q[0] | q[1] | q[2] | q[3] | q[4] | q[5] | q[6] | q[7]) == 0;
#endif
}

INLINE int32_t offset_of(const Uop *u)
{
    return (int32_t)u->e;
}

INLINE void addresses64(const Warp *w, const Uop *u, Addr64 *x)
{
    const uint64_t *a   = SLOT(w, uint64_t, u->a);
    const uint64_t  off = (uint64_t)(int64_t)offset_of(u);
    const uint32_t  m   = w->mask;
    for (int i = 0; i < 4; i++)
        x->v[i] = ((const V8 *)a)[i] + off;
    if (__builtin_expect(m != UINT32_MAX, 0)) {
        const uint64_t first = x->t[__builtin_ctz(m)];
        for (int i = 0; i < LANES; i++)
            x->t[i] = (m >> i & 1) ? x->t[i] : first;
    }
}

INLINE void addresses32(const Warp *w, const Uop *u, Addr32 *x)
{
    const uint32_t *a   = SLOT(w, uint32_t, u->a);
    const uint32_t  off = (uint32_t)offset_of(u) - w->shared_base, m = w->mask;
    for (int i = 0; i < 2; i++)
        x->v[i] = ((const V16 *)a)[i] + off;
    if (__builtin_expect(m != UINT32_MAX, 0)) {
        const uint32_t first = x->t[__builtin_ctz(m)];
        for (int i = 0; i < LANES; i++)
            x->t[i] = (m >> i & 1) ? x->t[i] : first;
    }
}

/* One pass: every address within the remembered allocation and aligned.  A shared pass uses base = SHARED_RESERVED. */
INLINE bool good64(const Addr64 *x, uint64_t base, uint64_t limit, unsigned bytes)
{
    V8 bad = {0};
    for (int i = 0; i < 4; i++) {
        V8 o = x->v[i] - base;
        bad |= (V8)(o > limit) | (o & (uint64_t)(bytes - 1));
    }
    return zero16((V16)bad);
}

INLINE bool good32(const Addr32 *x, uint32_t base, uint32_t limit, unsigned bytes)
{
    V16 bad = {0};
    for (int i = 0; i < 2; i++) {
        V16 o = x->v[i] - base;
        bad |= (V16)(o > limit) | (o & (uint32_t)(bytes - 1));
    }
    return zero16(bad);
}

/* Half a warp's pattern. */
typedef enum Pattern { CONSECUTIVE, UNIFORM, SCATTERED } Pattern;

INLINE Pattern pattern64(const uint64_t *t, unsigned bytes)
{
    const V8 *v = (const V8 *)t, steps = {0, 1, 2, 3, 4, 5, 6, 7};
    V8        lo = v[0] - t[0], hi = v[1] - t[0];
    if (zero16((V16)((lo ^ steps * bytes) | (hi ^ (steps + 8) * bytes))))
        return CONSECUTIVE;
    return zero16((V16)(lo | hi)) ? UNIFORM : SCATTERED;
}

INLINE Pattern pattern32(const uint32_t *t, unsigned bytes)
{
    const V16 steps = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    V16       d     = *(const V16 *)t - t[0];
    if (zero16(d ^ steps * bytes))
        return CONSECUTIVE;
    return zero16(d) ? UNIFORM : SCATTERED;
}

/* So few lanes that one after the other is quickest. */
INLINE bool few(const Warp *w)
{
    return __builtin_popcount(w->mask) <= 4;
}

/* 16 values of T from base + t[i] into v. */
#define GATHER_HALF(T, v, base, t, pattern)                                                                            \
    do {                                                                                                               \
        if ((pattern) == CONSECUTIVE) {                                                                                \
            memcpy((v), (base) + (t)[0], HALF * sizeof(T));                                                            \
        } else if ((pattern) == UNIFORM) {                                                                             \
            T one_;                                                                                                    \
            memcpy(&one_, (base) + (t)[0], sizeof(T));                                                                 \
            for (int i_ = 0; i_ < HALF; i_++)                                                                          \
                (v)[i_] = one_;                                                                                        \
        } else {                                                                                                       \
            for (int i_ = 0; i_ < HALF; i_++)                                                                          \
                (v)[i_] = *(const T *)(const void *)((base) + (t)[i_]);                                                \
        }                                                                                                              \
    } while (0)

#define LOAD_BOTH(T, w, u, base, t, pattern)                                                                           \
    do {                                                                                                               \
        T *d_ = SLOT(w, T, (u)->d);                                                                                    \
        if (few(w)) {                                                                                                  \
            for (uint32_t m_ = (w)->mask; m_; m_ &= m_ - 1)                                                            \
                d_[__builtin_ctz(m_)] = *(const T *)(const void *)((base) + (t)[__builtin_ctz(m_)]);                   \
            break;                                                                                                     \
        }                                                                                                              \
        Pattern p0_ = pattern(t, sizeof(T)), p1_ = pattern((t) + HALF, sizeof(T));                                     \
        if (warp_full(w)) {                                                                                            \
            GATHER_HALF(T, d_, base, t, p0_);                                                                          \
            GATHER_HALF(T, d_ + HALF, base, (t) + HALF, p1_);                                                          \
        } else {                                                                                                       \
            T v_[LANES] __attribute__((aligned(64)));                                                                  \
            GATHER_HALF(T, v_, base, t, p0_);                                                                          \
            GATHER_HALF(T, v_ + HALF, base, (t) + HALF, p1_);                                                          \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                d_[i_] = (w)->mask >> i_ & 1 ? v_[i_] : d_[i_];                                                        \
        }                                                                                                              \
    } while (0)

#define STORE_BOTH(T, w, u, base, t, pattern)                                                                          \
    do {                                                                                                               \
        const T *s_ = SLOT(w, T, (u)->d);                                                                              \
        if ((w)->mask == UINT32_MAX && pattern(t, sizeof(T)) == CONSECUTIVE &&                                         \
            pattern((t) + HALF, sizeof(T)) == CONSECUTIVE) {                                                           \
            memcpy((base) + (t)[0], s_, HALF * sizeof(T));                                                             \
            memcpy((base) + (t)[HALF], s_ + HALF, HALF * sizeof(T));                                                   \
        } else {                                                                                                       \
            WRITE_ORDER (w, m_) {                                                                                      \
                unsigned i_                      = (unsigned)__builtin_ctz(m_);                                        \
                *(T *)(void *)((base) + (t)[i_]) = s_[i_];                                                             \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

INLINE bool enter_global(Warp *w, const Uop *u, Addr64 *x, unsigned bytes, AccessOp op, bool observed)
{
    addresses64(w, u, x);
    const Lookup *k = &w->worker->lookup[u->instr];
    if (__builtin_expect(!good64(x, k->base, k->limit, bytes) || !k->base, 0) &&
        !access_check_global(w, u, x->t, w->mask, bytes, op))
        return false;
    if (observed)
        access_notify(w, u->ptr, ACCESS_GLOBAL, w->mask, NULL, x->t);
    return true;
}

INLINE bool enter_shared(Warp *w, const Uop *u, Addr32 *x, unsigned bytes, AccessOp op, bool observed)
{
    addresses32(w, u, x);
    if (__builtin_expect(w->shared_bytes < SHARED_RESERVED + bytes ||
                             !good32(x, SHARED_RESERVED, w->shared_bytes - SHARED_RESERVED - bytes, bytes),
                         0)) {
        access_bad_shared(w, u, x->t, w->mask, bytes, op);
        return false;
    }
    if (observed)
        access_notify(w, u->ptr, ACCESS_SHARED, w->mask, x->t, NULL);
    return true;
}

/* Local memory: lane i's bytes stand together, local_bytes after those of lane i - 1.  false: not all lanes are in bounds and aligned. */
INLINE bool enter_local(Warp *w, const Uop *u, Addr64 *x, unsigned bytes, bool observed)
{
    addresses64(w, u, x);
    if (__builtin_expect(w->local_bytes < bytes || !good64(x, 0, w->local_bytes - bytes, bytes), 0))
        return false;
    if (observed) {
        uint32_t off[LANES] __attribute__((aligned(64)));
        for (int i = 0; i < LANES; i++)
            off[i] = (uint32_t)x->t[i];
        access_notify(w, u->ptr, ACCESS_LOCAL, w->mask, off, NULL);
    }
    for (int i = 0; i < LANES; i++)
        x->t[i] += (uint64_t)(uintptr_t)w->local + (uint64_t)(unsigned)i * w->local_bytes;
    return true;
}

/* ---- narrow elements E in wider registers R ---- */

#define LOAD_NARROW(R, E, w, u, base, t, pattern)                                                                      \
    do {                                                                                                               \
        R *d_ = SLOT(w, R, (u)->d);                                                                                    \
        E  v_[LANES] __attribute__((aligned(64)));                                                                     \
        GATHER_HALF(E, v_, base, t, pattern(t, sizeof(E)));                                                            \
        GATHER_HALF(E, v_ + HALF, base, (t) + HALF, pattern((t) + HALF, sizeof(E)));                                   \
        if (warp_full(w))                                                                                              \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                d_[i_] = (R)v_[i_];                                                                                    \
        else                                                                                                           \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                d_[i_] = (w)->mask >> i_ & 1 ? (R)v_[i_] : d_[i_];                                                     \
    } while (0)

#define STORE_NARROW(R, E, w, u, base, t, pattern)                                                                     \
    do {                                                                                                               \
        const R *s_ = SLOT(w, R, (u)->d);                                                                              \
        if ((w)->mask == UINT32_MAX && pattern(t, sizeof(E)) == CONSECUTIVE &&                                         \
            pattern((t) + HALF, sizeof(E)) == CONSECUTIVE) {                                                           \
            E v_[LANES] __attribute__((aligned(64)));                                                                  \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                v_[i_] = (E)s_[i_];                                                                                    \
            memcpy((base) + (t)[0], v_, HALF * sizeof(E));                                                             \
            memcpy((base) + (t)[HALF], v_ + HALF, HALF * sizeof(E));                                                   \
        } else {                                                                                                       \
            WRITE_ORDER (w, m_) {                                                                                      \
                unsigned i_                      = (unsigned)__builtin_ctz(m_);                                        \
                *(E *)(void *)((base) + (t)[i_]) = (E)s_[i_];                                                          \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* ---- vectors: N elements a lane ---- */

/* A lane's N elements stand side by side in memory and in N slots here: gathered to `v` lane after lane, then dealt out. */
#define GATHER_VEC(T, N, v, base, t)                                                                                   \
    for (int i_ = 0; i_ < LANES; i_++)                                                                                 \
    memcpy((v) + i_ * (N), (base) + (t)[i_], (N) * sizeof(T))

#define LOAD_VEC(T, N, w, u, base, t)                                                                                  \
    do {                                                                                                               \
        const MemInfo *m_ = (u)->ptr;                                                                                  \
        T              v_[LANES * (N)] __attribute__((aligned(64)));                                                   \
        GATHER_VEC(T, N, v_, base, t);                                                                                 \
        for (int k_ = 0; k_ < (N); k_++) {                                                                             \
            T *d_ = SLOT(w, T, m_->v[k_]);                                                                             \
            if (warp_full(w))                                                                                          \
                for (int i_ = 0; i_ < LANES; i_++)                                                                     \
                    d_[i_] = v_[i_ * (N) + k_];                                                                        \
            else                                                                                                       \
                for (int i_ = 0; i_ < LANES; i_++)                                                                     \
                    d_[i_] = (w)->mask >> i_ & 1 ? v_[i_ * (N) + k_] : d_[i_];                                         \
        }                                                                                                              \
    } while (0)

#define STORE_VEC(T, N, w, u, base, t)                                                                                 \
    do {                                                                                                               \
        const MemInfo *m_ = (u)->ptr;                                                                                  \
        T              v_[LANES * (N)] __attribute__((aligned(64)));                                                   \
        for (int k_ = 0; k_ < (N); k_++) {                                                                             \
            const T *s_ = SLOT(w, T, m_->v[k_]);                                                                       \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                v_[i_ * (N) + k_] = s_[i_];                                                                            \
        }                                                                                                              \
        WRITE_ORDER (w, l_)                                                                                            \
            memcpy((base) + (t)[__builtin_ctz(l_)], v_ + __builtin_ctz(l_) * (N), (N) * sizeof(T));                    \
    } while (0)

/* Device addresses are host addresses. */
#define HOST ((uint8_t *)0)

#define GLOBAL(name, T, op, both, observed)                                                                            \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr64 x;                                                                                                      \
        if (!enter_global(w, u, &x, sizeof(T), op, observed))                                                          \
            return fault_others(w, u);                                                                                 \
        both(T, w, u, HOST, x.t, pattern64);                                                                           \
        return u + 1;                                                                                                  \
    }
#define SHARED(name, T, op, both, observed)                                                                            \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr32 x;                                                                                                      \
        if (!enter_shared(w, u, &x, sizeof(T), op, observed))                                                          \
            return fault_others(w, u);                                                                                 \
        both(T, w, u, w->shared, x.t, pattern32);                                                                      \
        return u + 1;                                                                                                  \
    }
#define TWINS(kind, name, T, op, both) kind(name##_plain, T, op, both, false) kind(name##_seen, T, op, both, true)

TWINS(GLOBAL, ld_global_32, uint32_t, ACCESS_LD, LOAD_BOTH)
TWINS(GLOBAL, ld_global_64, uint64_t, ACCESS_LD, LOAD_BOTH)
TWINS(GLOBAL, st_global_32, uint32_t, ACCESS_ST, STORE_BOTH)
TWINS(GLOBAL, st_global_64, uint64_t, ACCESS_ST, STORE_BOTH)
TWINS(SHARED, ld_shared_32, uint32_t, ACCESS_LD, LOAD_BOTH)
TWINS(SHARED, ld_shared_64, uint64_t, ACCESS_LD, LOAD_BOTH)
TWINS(SHARED, st_shared_32, uint32_t, ACCESS_ST, STORE_BOTH)
TWINS(SHARED, st_shared_64, uint64_t, ACCESS_ST, STORE_BOTH)

/* What the general handler calls an error is one. */
#define LOCAL(name, T, op, both, observed)                                                                             \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr64 x;                                                                                                      \
        if (!enter_local(w, u, &x, sizeof(T), observed))                                                               \
            return mem_handlers_once[(op) == ACCESS_LD ? MEM_ld_any : MEM_st_any][observed](w, u);                     \
        both(T, w, u, HOST, x.t, pattern64);                                                                           \
        return u + 1;                                                                                                  \
    }
TWINS(LOCAL, ld_local_32, uint32_t, ACCESS_LD, LOAD_BOTH)
TWINS(LOCAL, ld_local_64, uint64_t, ACCESS_LD, LOAD_BOTH)
TWINS(LOCAL, st_local_32, uint32_t, ACCESS_ST, STORE_BOTH)
TWINS(LOCAL, st_local_64, uint64_t, ACCESS_ST, STORE_BOTH)

/* name, register, element; each of global and shared memory */
#define GLOBAL_NARROW(name, R, E, op, both, observed)                                                                  \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr64 x;                                                                                                      \
        if (!enter_global(w, u, &x, sizeof(E), op, observed))                                                          \
            return fault_others(w, u);                                                                                 \
        both(R, E, w, u, HOST, x.t, pattern64);                                                                        \
        return u + 1;                                                                                                  \
    }
#define SHARED_NARROW(name, R, E, op, both, observed)                                                                  \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr32 x;                                                                                                      \
        if (!enter_shared(w, u, &x, sizeof(E), op, observed))                                                          \
            return fault_others(w, u);                                                                                 \
        both(R, E, w, u, w->shared, x.t, pattern32);                                                                   \
        return u + 1;                                                                                                  \
    }
#define NARROW_TWINS(kind, name, R, E, op, both)                                                                       \
    kind(name##_plain, R, E, op, both, false) kind(name##_seen, R, E, op, both, true)
#define NARROW_SPACES(X, name, R, E, op, both)                                                                         \
    X(GLOBAL_NARROW, name##_global, R, E, op, both) X(SHARED_NARROW, name##_shared, R, E, op, both)
#define NARROW_ALL(X)                                                                                                  \
    NARROW_SPACES(X, ld_u8_16, uint16_t, uint8_t, ACCESS_LD, LOAD_NARROW)                                              \
    NARROW_SPACES(X, ld_s8_16, uint16_t, int8_t, ACCESS_LD, LOAD_NARROW)                                               \
    NARROW_SPACES(X, ld_u8_32, uint32_t, uint8_t, ACCESS_LD, LOAD_NARROW)                                              \
    NARROW_SPACES(X, ld_s8_32, uint32_t, int8_t, ACCESS_LD, LOAD_NARROW)                                               \
    NARROW_SPACES(X, ld_16, uint16_t, uint16_t, ACCESS_LD, LOAD_NARROW)                                                \
    NARROW_SPACES(X, st_8_16, uint16_t, uint8_t, ACCESS_ST, STORE_NARROW)                                              \
    NARROW_SPACES(X, st_8_32, uint32_t, uint8_t, ACCESS_ST, STORE_NARROW)                                              \
    NARROW_SPACES(X, st_16, uint16_t, uint16_t, ACCESS_ST, STORE_NARROW)

NARROW_ALL(NARROW_TWINS)

/* One value of the parameter block for all lanes, at u->e. */
#define LD_PARAM(name, T)                                                                                              \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        T *d = SLOT(w, T, u->d), v;                                                                                    \
        memcpy(&v, w->block->launch->params + u->e, sizeof v);                                                         \
        if (warp_full(w))                                                                                              \
            for (int i = 0; i < LANES; i++)                                                                            \
                d[i] = v;                                                                                              \
        else                                                                                                           \
            for (int i = 0; i < LANES; i++)                                                                            \
                d[i] = w->mask >> i & 1 ? v : d[i];                                                                    \
        return u + 1;                                                                                                  \
    }
LD_PARAM(ld_param_32, uint32_t)
LD_PARAM(ld_param_64, uint64_t)

#define GLOBAL_VEC(name, T, N, op, both, observed)                                                                     \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr64 x;                                                                                                      \
        if (!enter_global(w, u, &x, (N) * sizeof(T), op, observed))                                                    \
            return fault_others(w, u);                                                                                 \
        both(T, N, w, u, HOST, x.t);                                                                                   \
        return u + 1;                                                                                                  \
    }
#define SHARED_VEC(name, T, N, op, both, observed)                                                                     \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr32 x;                                                                                                      \
        if (!enter_shared(w, u, &x, (N) * sizeof(T), op, observed))                                                    \
            return fault_others(w, u);                                                                                 \
        both(T, N, w, u, w->shared, x.t);                                                                              \
        return u + 1;                                                                                                  \
    }
#define VEC_TWINS(kind, name, T, N, op, both)                                                                          \
    kind(name##_plain, T, N, op, both, false) kind(name##_seen, T, N, op, both, true)
#define VEC_ALL(X)                                                                                                     \
    X(GLOBAL_VEC, ld_global_v2_32, uint32_t, 2, ACCESS_LD, LOAD_VEC)                                                   \
    X(GLOBAL_VEC, ld_global_v4_32, uint32_t, 4, ACCESS_LD, LOAD_VEC)                                                   \
    X(GLOBAL_VEC, ld_global_v2_64, uint64_t, 2, ACCESS_LD, LOAD_VEC)                                                   \
    X(GLOBAL_VEC, st_global_v2_32, uint32_t, 2, ACCESS_ST, STORE_VEC)                                                  \
    X(GLOBAL_VEC, st_global_v4_32, uint32_t, 4, ACCESS_ST, STORE_VEC)                                                  \
    X(GLOBAL_VEC, st_global_v2_64, uint64_t, 2, ACCESS_ST, STORE_VEC)                                                  \
    X(SHARED_VEC, ld_shared_v2_32, uint32_t, 2, ACCESS_LD, LOAD_VEC)                                                   \
    X(SHARED_VEC, ld_shared_v4_32, uint32_t, 4, ACCESS_LD, LOAD_VEC)                                                   \
    X(SHARED_VEC, ld_shared_v2_64, uint64_t, 2, ACCESS_LD, LOAD_VEC)                                                   \
    X(SHARED_VEC, st_shared_v2_32, uint32_t, 2, ACCESS_ST, STORE_VEC)                                                  \
    X(SHARED_VEC, st_shared_v4_32, uint32_t, 4, ACCESS_ST, STORE_VEC)                                                  \
    X(SHARED_VEC, st_shared_v2_64, uint64_t, 2, ACCESS_ST, STORE_VEC)

VEC_ALL(VEC_TWINS)

void exec_fill_mem(ExecTable *t)
{
    memcpy(t->mem, mem_handlers_once, sizeof t->mem);
#define FILL(name)                                                                                                     \
    t->mem[MEM_##name][0] = name##_plain;                                                                              \
    t->mem[MEM_##name][1] = name##_seen
    FILL(ld_global_32);
    FILL(ld_global_64);
    FILL(st_global_32);
    FILL(st_global_64);
    FILL(ld_shared_32);
    FILL(ld_shared_64);
    FILL(st_shared_32);
    FILL(st_shared_64);
    FILL(ld_local_32);
    FILL(ld_local_64);
    FILL(st_local_32);
    FILL(st_local_64);
    t->mem[MEM_ld_param_32][0] = t->mem[MEM_ld_param_32][1] = ld_param_32;
    t->mem[MEM_ld_param_64][0] = t->mem[MEM_ld_param_64][1] = ld_param_64;
#define FILL_NARROW(kind, name, R, E, op, both) FILL(name);
    NARROW_ALL(FILL_NARROW)
#undef FILL_NARROW
#define FILL_VEC(kind, name, T, N, op, both) FILL(name);
    VEC_ALL(FILL_VEC)
#undef FILL_VEC
#undef FILL
}
