/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast memory handlers (compiled per SIMD level): 4- and 8-byte elements of global, shared and local memory, vectors and
 * narrow elements of global and shared memory, kernel parameters.
 *
 * All work on 32 addresses at once (addr.h).  One vector pass checks bounds and alignment against the last allocation this instruction
 * hit; a second looks at each half warp's pattern, because most accesses are consecutive or one address: those become plain vector
 * moves.  A handful of lanes are served one by one. */
#include <string.h>

#include "emu/access/access.h"
#include "emu/core/fault.h"
#include "emu/exec/addr.h"
#include "emu/exec/level.h"

/* So few lanes that one after the other is quickest. */
INLINE bool few(const Warp *w)
{
    return __builtin_popcount(w->mask) <= 4;
}

/* 16 values of T from base + t[i] into v, a register at a time: whoever loads one that was stored in pieces waits for all of them. */
#define FROM1(T, base, t, i)  (*(const T *)(const void *)((base) + (t)[i]))
#define FROM2(T, base, t, i)  FROM1(T, base, t, i), FROM1(T, base, t, (i) + 1)
#define FROM4(T, base, t, i)  FROM2(T, base, t, i), FROM2(T, base, t, (i) + 2)
#define FROM8(T, base, t, i)  FROM4(T, base, t, i), FROM4(T, base, t, (i) + 4)
#define FROM16(T, base, t, i) FROM8(T, base, t, i), FROM8(T, base, t, (i) + 8)
#define GATHER(n, T, v, base, t)                                                                                       \
    do {                                                                                                               \
        typedef T Part_ __attribute__((vector_size((n) * sizeof(T)), aligned(sizeof(T)), may_alias));                  \
        for (int g_ = 0; g_ < HALF; g_ += (n))                                                                         \
            *(Part_ *)(void *)((v) + g_) = (Part_){FROM##n(T, base, t, g_)};                                           \
    } while (0)
#if VECTOR == 64
#define GATHER_4 16
#define GATHER_8 8
#elif VECTOR == 32
#define GATHER_4 8
#define GATHER_8 4
#else
#define GATHER_4 4
#define GATHER_8 2
#endif
#define GATHER_N(n, T, v, base, t) GATHER(n, T, v, base, t)
#define GATHER_ANY(T, v, base, t)                                                                                      \
    do {                                                                                                               \
        if (sizeof(T) == 1)                                                                                            \
            GATHER(16, T, v, base, t);                                                                                 \
        else if (sizeof(T) == 2)                                                                                       \
            GATHER(8, T, v, base, t);                                                                                  \
        else if (sizeof(T) == 4)                                                                                       \
            GATHER_N(GATHER_4, T, v, base, t);                                                                         \
        else                                                                                                           \
            GATHER_N(GATHER_8, T, v, base, t);                                                                         \
    } while (0)

#define GATHER_HALF(T, v, base, t, pattern)                                                                            \
    do {                                                                                                               \
        if ((pattern) == CONSECUTIVE) {                                                                                \
            move((v), (base) + (t)[0], HALF * sizeof(T));                                                              \
        } else if ((pattern) == UNIFORM) {                                                                             \
            T one_;                                                                                                    \
            memcpy(&one_, (base) + (t)[0], sizeof(T));                                                                 \
            for (int i_ = 0; i_ < HALF; i_++)                                                                          \
                (v)[i_] = one_;                                                                                        \
        } else {                                                                                                       \
            GATHER_ANY(T, v, base, t);                                                                                 \
        }                                                                                                              \
    } while (0)

#define LOAD_BOTH(T, w, u, base, t, half)                                                                              \
    do {                                                                                                               \
        T *d_ = SLOT(w, T, (u)->d);                                                                                    \
        if (few(w)) {                                                                                                  \
            for (uint32_t m_ = (w)->mask; m_; m_ &= m_ - 1)                                                            \
                d_[__builtin_ctz(m_)] = *(const T *)(const void *)((base) + (t)[__builtin_ctz(m_)]);                   \
            break;                                                                                                     \
        }                                                                                                              \
        if (warp_full(w)) {                                                                                            \
            GATHER_HALF(T, d_, base, t, (half)[0]);                                                                    \
            GATHER_HALF(T, d_ + HALF, base, (t) + HALF, (half)[1]);                                                    \
        } else {                                                                                                       \
            T v_[LANES] __attribute__((aligned(64)));                                                                  \
            GATHER_HALF(T, v_, base, t, (half)[0]);                                                                    \
            GATHER_HALF(T, v_ + HALF, base, (t) + HALF, (half)[1]);                                                    \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                d_[i_] = (w)->mask >> i_ & 1 ? v_[i_] : d_[i_];                                                        \
        }                                                                                                              \
    } while (0)

#define STORE_BOTH(T, w, u, base, t, half)                                                                             \
    do {                                                                                                               \
        const T *s_ = SLOT(w, T, (u)->d);                                                                              \
        if ((w)->mask == UINT32_MAX && (half)[0] == CONSECUTIVE && (half)[1] == CONSECUTIVE) {                         \
            move((base) + (t)[0], s_, HALF * sizeof(T));                                                               \
            move((base) + (t)[HALF], s_ + HALF, HALF * sizeof(T));                                                     \
        } else if ((w)->mask == UINT32_MAX && !(w)->late) {                                                            \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                *(T *)(void *)((base) + (t)[i_]) = s_[i_];                                                             \
        } else {                                                                                                       \
            WRITE_ORDER (w, m_) {                                                                                      \
                unsigned i_                      = (unsigned)__builtin_ctz(m_);                                        \
                *(T *)(void *)((base) + (t)[i_]) = s_[i_];                                                             \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

INLINE bool enter_global(Warp *w, const Uop *u, Addr64 *x, Pattern *half, unsigned bytes, AccessOp op, bool observed)
{
    addresses64(w, u, x);
    half[0]         = pattern64(x->t, bytes);
    half[1]         = pattern64(x->t + HALF, bytes);
    const Lookup *k = &w->worker->lookup[u->instr];
    if (__builtin_expect(!good64(x, half, k->base, k->limit, bytes) || !k->base, 0) &&
        !access_check_global(w, u, x->t, w->mask, bytes, op))
        return false;
    if (observed)
        access_notify(w, u->ptr, ACCESS_GLOBAL, w->mask, NULL, x->t);
    return true;
}

INLINE bool enter_shared(Warp *w, const Uop *u, Addr32 *x, Pattern *half, unsigned bytes, AccessOp op, bool observed)
{
    addresses32(w, u, x);
    half[0] = pattern32(x->t, bytes);
    half[1] = pattern32(x->t + HALF, bytes);
    if (__builtin_expect(w->shared_bytes < SHARED_RESERVED + bytes ||
                             !good32(x, half, SHARED_RESERVED, w->shared_bytes - SHARED_RESERVED - bytes, bytes),
                         0) &&
        !access_check_shared(w, u, x->t, w->mask, bytes, op))
        return false;
    if (observed)
        access_notify(w, u->ptr, ACCESS_SHARED, w->mask, x->t, NULL);
    return true;
}

/* Local memory: lane i's bytes stand together, local_bytes after those of lane i - 1.  false: not all lanes are in bounds and aligned. */
INLINE bool enter_local(Warp *w, const Uop *u, Addr64 *x, Pattern *half, unsigned bytes, bool observed)
{
    addresses64(w, u, x);
    half[0] = half[1] = SCATTERED; /* lanes lie far apart */
    if (__builtin_expect(w->local_bytes < bytes || !good64(x, half, 0, w->local_bytes - bytes, bytes), 0))
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

#define LOAD_NARROW(R, E, w, u, base, t, half)                                                                         \
    do {                                                                                                               \
        R *d_ = SLOT(w, R, (u)->d);                                                                                    \
        E  v_[LANES] __attribute__((aligned(64)));                                                                     \
        GATHER_HALF(E, v_, base, t, (half)[0]);                                                                        \
        GATHER_HALF(E, v_ + HALF, base, (t) + HALF, (half)[1]);                                                        \
        if (warp_full(w))                                                                                              \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                d_[i_] = (R)v_[i_];                                                                                    \
        else                                                                                                           \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                d_[i_] = (w)->mask >> i_ & 1 ? (R)v_[i_] : d_[i_];                                                     \
    } while (0)

#define STORE_NARROW(R, E, w, u, base, t, half)                                                                        \
    do {                                                                                                               \
        const R *s_ = SLOT(w, R, (u)->d);                                                                              \
        if ((w)->mask == UINT32_MAX && (half)[0] == CONSECUTIVE && (half)[1] == CONSECUTIVE) {                         \
            E v_[LANES] __attribute__((aligned(64)));                                                                  \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                v_[i_] = (E)s_[i_];                                                                                    \
            move((base) + (t)[0], v_, HALF * sizeof(E));                                                               \
            move((base) + (t)[HALF], v_ + HALF, HALF * sizeof(E));                                                     \
        } else {                                                                                                       \
            WRITE_ORDER (w, m_) {                                                                                      \
                unsigned i_                      = (unsigned)__builtin_ctz(m_);                                        \
                *(E *)(void *)((base) + (t)[i_]) = (E)s_[i_];                                                          \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* ---- vectors: N elements a lane ---- */

/* A lane's N elements stand side by side in memory and in N slots here.  Half a warp's that are not consecutive are brought together in
 * `v` lane after lane; then all are dealt out from where they stand. */
#define GATHER_VEC(T, N, v, base, t)                                                                                   \
    for (int i_ = 0; i_ < HALF; i_++)                                                                                  \
    memcpy((v) + i_ * (N), (base) + (t)[i_], (N) * sizeof(T))

#define DEAL_OUT(T, N, d, from, k, active)                                                                             \
    for (int i_ = 0; i_ < HALF; i_++)                                                                                  \
    (d)[i_] = (active) ? ((const T *)(const void *)(from))[i_ * (N) + (k)] : (d)[i_]

#define LOAD_VEC(T, N, w, u, base, t, half)                                                                            \
    do {                                                                                                               \
        const MemInfo *m_ = (u)->ptr;                                                                                  \
        for (int h_ = 0; h_ < 2; h_++) {                                                                               \
            T              v_[HALF * (N)] __attribute__((aligned(64)));                                                \
            const uint8_t *from_ = (base) + (t)[h_ * HALF];                                                            \
            if ((half)[h_] != CONSECUTIVE) {                                                                           \
                GATHER_VEC(T, N, v_, base, (t) + h_ * HALF);                                                           \
                from_ = (const uint8_t *)v_;                                                                           \
            }                                                                                                          \
            for (int k_ = 0; k_ < (N); k_++) {                                                                         \
                T *d_ = SLOT(w, T, m_->v[k_]) + h_ * HALF;                                                             \
                if (warp_full(w))                                                                                      \
                    DEAL_OUT(T, N, d_, from_, k_, true);                                                               \
                else                                                                                                   \
                    DEAL_OUT(T, N, d_, from_, k_, (w)->mask >> (i_ + h_ * HALF) & 1);                                  \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#define STORE_VEC(T, N, w, u, base, t, half)                                                                           \
    do {                                                                                                               \
        const MemInfo *m_ = (u)->ptr;                                                                                  \
        T              v_[LANES * (N)] __attribute__((aligned(64)));                                                   \
        for (int k_ = 0; k_ < (N); k_++) {                                                                             \
            const T *s_ = SLOT(w, T, m_->v[k_]);                                                                       \
            for (int i_ = 0; i_ < LANES; i_++)                                                                         \
                v_[i_ * (N) + k_] = s_[i_];                                                                            \
        }                                                                                                              \
        if ((w)->mask == UINT32_MAX && (half)[0] == CONSECUTIVE && (half)[1] == CONSECUTIVE)                           \
            for (int h_ = 0; h_ < LANES; h_ += HALF)                                                                   \
                memcpy((base) + (t)[h_], v_ + h_ * (N), HALF * (N) * sizeof(T));                                       \
        else                                                                                                           \
            WRITE_ORDER (w, l_)                                                                                        \
                memcpy((base) + (t)[__builtin_ctz(l_)], v_ + __builtin_ctz(l_) * (N), (N) * sizeof(T));                \
    } while (0)

/* Device addresses are host addresses. */
#define HOST ((uint8_t *)0)

#define GLOBAL(name, T, op, both, observed)                                                                            \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr64  x;                                                                                                     \
        Pattern half[2];                                                                                               \
        if (!enter_global(w, u, &x, half, sizeof(T), op, observed))                                                    \
            return fault_others(w, u);                                                                                 \
        both(T, w, u, HOST, x.t, half);                                                                                \
        return u + 1;                                                                                                  \
    }
#define SHARED(name, T, op, both, observed)                                                                            \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr32  x;                                                                                                     \
        Pattern half[2];                                                                                               \
        if (!enter_shared(w, u, &x, half, sizeof(T), op, observed))                                                    \
            return fault_others(w, u);                                                                                 \
        both(T, w, u, w->shared, x.t, half);                                                                           \
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
        Addr64  x;                                                                                                     \
        Pattern half[2];                                                                                               \
        if (!enter_local(w, u, &x, half, sizeof(T), observed))                                                         \
            return mem_handlers_once[(op) == ACCESS_LD ? MEM_ld_any : MEM_st_any][observed](w, u);                     \
        both(T, w, u, HOST, x.t, half);                                                                                \
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
        Addr64  x;                                                                                                     \
        Pattern half[2];                                                                                               \
        if (!enter_global(w, u, &x, half, sizeof(E), op, observed))                                                    \
            return fault_others(w, u);                                                                                 \
        both(R, E, w, u, HOST, x.t, half);                                                                             \
        return u + 1;                                                                                                  \
    }
#define SHARED_NARROW(name, R, E, op, both, observed)                                                                  \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr32  x;                                                                                                     \
        Pattern half[2];                                                                                               \
        if (!enter_shared(w, u, &x, half, sizeof(E), op, observed))                                                    \
            return fault_others(w, u);                                                                                 \
        both(R, E, w, u, w->shared, x.t, half);                                                                        \
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

/* ---- atomics: where they lie; the operation is atom.c's, and so are all that are not quite in order ---- */

#define ATOM_GLOBAL(name, T, observed)                                                                                 \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr64        x;                                                                                               \
        Pattern       half[2] = {SCATTERED, SCATTERED};                                                                \
        const Lookup *k       = &w->worker->lookup[u->instr];                                                          \
        addresses64(w, u, &x);                                                                                         \
        if (!good64(&x, half, k->base, k->limit, sizeof(T)) || !k->base)                                               \
            return mem_handlers_once[MEM_atom][observed](w, u);                                                        \
        if (observed)                                                                                                  \
            access_notify(w, u->ptr, ACCESS_GLOBAL, w->mask, NULL, x.t);                                               \
        return atom_lanes(w, u, (uint8_t *const *)x.t);                                                                \
    }
#define ATOM_SHARED(name, T, observed)                                                                                 \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr32   x;                                                                                                    \
        Pattern  half[2] = {SCATTERED, SCATTERED};                                                                     \
        uint8_t *p[LANES];                                                                                             \
        addresses32(w, u, &x);                                                                                         \
        if (w->shared_bytes < SHARED_RESERVED + sizeof(T) ||                                                           \
            !good32(&x, half, SHARED_RESERVED, w->shared_bytes - SHARED_RESERVED - (uint32_t)sizeof(T), sizeof(T)))    \
            return mem_handlers_once[MEM_atom][observed](w, u);                                                        \
        if (observed)                                                                                                  \
            access_notify(w, u->ptr, ACCESS_SHARED, w->mask, x.t, NULL);                                               \
        for (int i = 0; i < LANES; i++)                                                                                \
            p[i] = w->shared + x.t[i];                                                                                 \
        return atom_lanes(w, u, p);                                                                                    \
    }
#define ATOM_TWINS(kind, name, T) kind(name##_plain, T, false) kind(name##_seen, T, true)
ATOM_TWINS(ATOM_GLOBAL, atom_global_32, uint32_t)
ATOM_TWINS(ATOM_GLOBAL, atom_global_64, uint64_t)
ATOM_TWINS(ATOM_SHARED, atom_shared_32, uint32_t)
ATOM_TWINS(ATOM_SHARED, atom_shared_64, uint64_t)

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
        Addr64  x;                                                                                                     \
        Pattern half[2];                                                                                               \
        if (!enter_global(w, u, &x, half, (N) * sizeof(T), op, observed))                                              \
            return fault_others(w, u);                                                                                 \
        both(T, N, w, u, HOST, x.t, half);                                                                             \
        return u + 1;                                                                                                  \
    }
#define SHARED_VEC(name, T, N, op, both, observed)                                                                     \
    static const Uop *name(Warp *w, const Uop *u)                                                                      \
    {                                                                                                                  \
        Addr32  x;                                                                                                     \
        Pattern half[2];                                                                                               \
        if (!enter_shared(w, u, &x, half, (N) * sizeof(T), op, observed))                                              \
            return fault_others(w, u);                                                                                 \
        both(T, N, w, u, w->shared, x.t, half);                                                                        \
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

/* The lanes' addresses were good when they loaded. */
static const Uop *sunk_global(Warp *w, const Uop *u)
{
    const MemInfo *info = u->ptr;
    Addr64         x;
    addresses64(w, u, &x);
    access_notify_sunk(w, &info->seen, ACCESS_GLOBAL, NULL, x.t);
    return u + 1;
}

static const Uop *sunk_shared(Warp *w, const Uop *u)
{
    const MemInfo *info = u->ptr;
    Addr32         x;
    addresses32(w, u, &x);
    access_notify_sunk(w, &info->seen, ACCESS_SHARED, x.t, NULL);
    return u + 1;
}

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
    FILL(atom_global_32);
    FILL(atom_global_64);
    FILL(atom_shared_32);
    FILL(atom_shared_64);
    t->mem[MEM_sunk_global][0] = t->mem[MEM_sunk_global][1] = sunk_global;
    t->mem[MEM_sunk_shared][0] = t->mem[MEM_sunk_shared][1] = sunk_shared;
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
