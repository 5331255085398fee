/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations: lane by lane in ascending order, each a host atomic, so that blocks on other threads see them whole.  Every
 * order and scope is as strong as acq_rel.gpu here, which every weaker one allows.
 *
 * A block's shared memory belongs to the worker that runs it, so its atomics need no host atomics.  Integer operations of 4 and 8
 * bytes, and f32 and f64 addition in shared memory, have loops of their own; one loop serves all else: read the old value, compute
 * the new one, compare-and-swap until it sticks.  Floating-point addition rounds to nearest; f32 sums in global memory flush
 * subnormal numbers, all others keep them; NaN results are canonical, but those of f64: all as read off an H200. */
#include "emu/access/atom.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "emu/access/access.h"
#include "emu/access/atom_lane.h"
#include "emu/core/fault.h"

static float as_f32(uint64_t v)
{
    return f32_of((uint32_t)v);
}

static uint64_t sum_f64(uint64_t a, uint64_t b)
{
    return f64_bits(f64_of(a) + f64_of(b));
}

/* As the card adds f64: a NaN as it is, that of the second operand first. */
static uint64_t add_f64(uint64_t old, uint64_t b)
{
    return isnan(f64_of(b)) ? b : isnan(f64_of(old)) ? old : sum_f64(old, b);
}

/* min and max of IEEE halves: a NaN loses, -0 is below +0. */
static double pick_min(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}

static double pick_max(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}

static uint16_t half_op(AtomOp op, bool bf, uint16_t old, uint16_t b)
{
    double x = bf ? bf16_to_double(old) : half_to_double(old), y = bf ? bf16_to_double(b) : half_to_double(b);
    double r = op == ATOM_ADD ? x + y : op == ATOM_MIN ? pick_min(x, y) : pick_max(x, y);
    return bf ? bf16_from_double(r) : half_from_double(r);
}

static uint64_t packed_op(AtomOp op, bool bf, uint64_t old, uint64_t b)
{
    uint64_t lo = half_op(op, bf, (uint16_t)old, (uint16_t)b),
             hi = half_op(op, bf, (uint16_t)(old >> 16), (uint16_t)(b >> 16));
    return hi << 16 | lo;
}

static uint64_t float_op(AtomOp op, Type t, uint64_t old, uint64_t b)
{
    if (op == ATOM_ADD_FTZ)
        return atom_sum_f32(op, old, b);
    switch (t) {
    case TY_F32:
        return op == ATOM_ADD   ? atom_sum_f32(op, old, b)
               : op == ATOM_MIN ? atom_from_f32((float)pick_min(as_f32(old), as_f32(b)))
                                : atom_from_f32((float)pick_max(as_f32(old), as_f32(b)));
    case TY_F64: return add_f64(old, b);
    case TY_F16: return half_op(op, false, (uint16_t)old, (uint16_t)b);
    case TY_BF16: return half_op(op, true, (uint16_t)old, (uint16_t)b);
    case TY_F16X2: return packed_op(op, false, old, b);
    default: return packed_op(op, true, old, b);
    }
}

static uint64_t new_value(AtomOp op, Type t, uint64_t old, uint64_t b, uint64_t c)
{
    if (type_kind(t) == 'f' && (op == ATOM_ADD || op == ATOM_MIN || op == ATOM_MAX || op == ATOM_ADD_FTZ))
        return float_op(op, t, old, b);
    return atom_word(op, t, old, b, c);
}

/* One read-modify-write of `bytes` at p; the old value, zero-extended. */
#define RMW(bits)                                                                                                      \
    static uint64_t rmw##bits(uint8_t *p, AtomOp op, Type t, uint64_t b, uint64_t c)                                   \
    {                                                                                                                  \
        uint##bits##_t *at = (uint##bits##_t *)(void *)p, old = __atomic_load_n(at, __ATOMIC_RELAXED);                 \
        for (;;) {                                                                                                     \
            uint##bits##_t want = (uint##bits##_t)new_value(op, t, old, b, c);                                         \
            if (__atomic_compare_exchange_n(at, &old, want, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                \
                return old;                                                                                            \
        }                                                                                                              \
    }
RMW(16)
RMW(32)
RMW(64)

static uint64_t rmw(uint8_t *p, unsigned bytes, AtomOp op, Type t, uint64_t b, uint64_t c)
{
    return bytes == 8 ? rmw64(p, op, t, b, c) : bytes == 4 ? rmw32(p, op, t, b, c) : rmw16(p, op, t, b, c);
}

uint64_t atom_combine(AtomOp op, Type t, uint64_t a, uint64_t b)
{
    return new_value(op, t, a, b, 0);
}

void atom_update(uint8_t *at, unsigned bytes, AtomOp op, Type t, uint64_t value)
{
    rmw(at, bytes, op, t, value, 0);
}

void atom_many(uint8_t *at, const uint8_t *value, uint32_t n, AtomOp op, Type t)
{
    unsigned bytes = type_bytes(t);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = 0;
        memcpy(&v, value + (size_t)i * bytes, bytes);
        rmw(at + (size_t)i * bytes, bytes, op, t, v, 0);
    }
}

/* 128-bit exch and cas: no portable host atomic, so one lock for all. */
static void rmw128(Warp *w, uint8_t *p, AtomOp op, const uint8_t *b, const uint8_t *c, uint8_t *old)
{
    pthread_mutex_t *lock = &w->block->launch->lock;
    pthread_mutex_lock(lock);
    memcpy(old, p, 16);
    if (op == ATOM_EXCH)
        memcpy(p, b, 16);
    else if (memcmp(old, b, 16) == 0)
        memcpy(p, c, 16);
    pthread_mutex_unlock(lock);
}

/* ---- quick ones: scalar elements, the operation chosen once for the warp ---- */

/* For each executing lane: old value to d (or nowhere), `next` of old, x (operand) and y (second operand) to memory. */
#define LANE_PLAIN(T, i, next)                                                                                         \
    do {                                                                                                               \
        T *at  = (T *)(void *)p[i];                                                                                    \
        T  old = *at, x = b[i], y = c[i];                                                                              \
        (void)y;                                                                                                       \
        *at = (T)(next);                                                                                               \
        if (d)                                                                                                         \
            d[i] = old;                                                                                                \
    } while (0)
#define LANES_PLAIN(T, next)                                                                                           \
    if (w->mask == UINT32_MAX && !w->late)                                                                             \
        for (unsigned i = 0; i < LANES; i++)                                                                           \
            LANE_PLAIN(T, i, next);                                                                                    \
    else                                                                                                               \
        WRITE_ORDER (w, m)                                                                                             \
            LANE_PLAIN(T, __builtin_ctz(m), next);                                                                     \
    return true
#define CASE(T, op)                                                                                                    \
    case op: LANES_PLAIN(T, atom_word(op, t, old, x, y))

/* QUICK(bits): true if the operation was one of the quick ones. */
#define QUICK(bits)                                                                                                    \
    static bool quick_shared##bits(Warp *w, const MemInfo *info, uint8_t *const *p)                                    \
    {                                                                                                                  \
        typedef uint##bits##_t T;                                                                                      \
        Type                   t = (Type)info->atom_type;                                                              \
        T                     *d = info->v[0] == NO_SLOT ? NULL : SLOT(w, T, info->v[0]);                              \
        const T               *b = SLOT(w, T, info->b), *c = info->c == NO_SLOT ? b : SLOT(w, T, info->c);             \
        if (t == TY_F64 && info->atom == ATOM_ADD) {                                                                   \
            LANES_PLAIN(T, sum_f64(old, x));                                                                           \
        }                                                                                                              \
        if (type_kind(t) == 'f' && !(t == TY_F32 && info->atom == ATOM_ADD))                                           \
            return false;                                                                                              \
        switch ((AtomOp)info->atom) {                                                                                  \
            CASE(T, ATOM_ADD);                                                                                         \
            CASE(T, ATOM_AND);                                                                                         \
            CASE(T, ATOM_OR);                                                                                          \
            CASE(T, ATOM_XOR);                                                                                         \
            CASE(T, ATOM_EXCH);                                                                                        \
            CASE(T, ATOM_CAS);                                                                                         \
            CASE(T, ATOM_INC);                                                                                         \
            CASE(T, ATOM_DEC);                                                                                         \
            CASE(T, ATOM_MIN);                                                                                         \
            CASE(T, ATOM_MAX);                                                                                         \
        default: return false;                                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    static bool quick_global##bits(Warp *w, const MemInfo *info, uint8_t *const *p)                                    \
    {                                                                                                                  \
        typedef uint##bits##_t T;                                                                                      \
        Type                   t   = (Type)info->atom_type;                                                            \
        bool                   sum = t == TY_F32 && info->atom == ATOM_ADD && info->space == SPACE_GLOBAL;             \
        AtomOp                 op  = sum ? ATOM_ADD_FTZ : (AtomOp)info->atom;                                          \
        T                     *d   = info->v[0] == NO_SLOT ? NULL : SLOT(w, T, info->v[0]);                            \
        const T               *b = SLOT(w, T, info->b), *c = info->c == NO_SLOT ? b : SLOT(w, T, info->c);             \
        if (type_kind(t) == 'f' && !sum)                                                                               \
            return false;                                                                                              \
        WRITE_ORDER (w, m) {                                                                                           \
            unsigned i   = (unsigned)__builtin_ctz(m);                                                                 \
            T        old = atom_host##bits((T *)(void *)p[i], op, t, b[i], c[i]);                                      \
            if (d)                                                                                                     \
                d[i] = old;                                                                                            \
        }                                                                                                              \
        return true;                                                                                                   \
    }
QUICK(32)
QUICK(64)

static bool quick(Warp *w, const MemInfo *info, uint8_t *const *p)
{
    if (info->nvec != 1 || (info->bytes != 4 && info->bytes != 8) || type_bytes((Type)info->atom_type) != info->bytes ||
        info->atom_type == TY_F16X2 || info->atom_type == TY_BF16X2)
        return false;
    if (info->space == SPACE_SHARED)
        return info->bytes == 4 ? quick_shared32(w, info, p) : quick_shared64(w, info, p);
    return info->bytes == 4 ? quick_global32(w, info, p) : quick_global64(w, info, p);
}

static uint64_t operand(const Warp *w, Slot s, unsigned bytes, unsigned lane)
{
    uint64_t v = 0;
    if (s != NO_SLOT)
        memcpy(&v, w->r + s + (size_t)lane * bytes, bytes);
    return v;
}

/* Does the lane's update happen in global memory?  There sums of f32 take and give subnormal numbers as zeros. */
static bool in_global(const Warp *w, const Uop *u, const MemInfo *info, unsigned lane)
{
    if (info->space != SPACE_GENERIC || info->no_base || !info->addr64)
        return info->space == SPACE_GLOBAL;
    uint64_t address = SLOT(w, uint64_t, u->a)[lane] + (uint64_t)info->offset;
    return address - SHARED_WINDOW >= WINDOW_BYTES;
}

/* For endless.c and poll.c: an atomic that left another value than it found, or may have. */
static void note_change(Warp *w, const MemInfo *info)
{
    Slot     d     = info->v[0];
    unsigned bytes = info->bytes;
    bool changed   = (w->block->cluster->endless.rounds < ENDLESS_PATIENCE && !w->worker->look.on) || info->nvec != 1 ||
                   bytes > 8 || d == NO_SLOT || d == info->b || d == info->c;
    for (uint32_t m = w->mask; !changed && m; m &= m - 1) {
        unsigned i   = (unsigned)__builtin_ctz(m);
        uint64_t old = operand(w, d, bytes, i);
        changed      = new_value((AtomOp)info->atom, (Type)info->atom_type, old, operand(w, info->b, bytes, i),
                                 operand(w, info->c, bytes, i)) != old;
    }
    w->worker->endless.atomics += changed;
}

const Uop *atom_lanes(Warp *w, const Uop *u, uint8_t *const p[LANES])
{
    const MemInfo *info  = u->ptr;
    Type           t     = (Type)info->atom_type;
    bool           sum   = info->atom == ATOM_ADD && t == TY_F32;
    unsigned       bytes = info->bytes;
    w->worker->sync_ops |= info->op == ACCESS_ATOM; /* red gives nothing back to wait for */
    if (quick(w, info, p)) {
        note_change(w, info);
        return u + 1;
    }
    WRITE_ORDER (w, m) {
        unsigned i  = (unsigned)__builtin_ctz(m);
        AtomOp   op = sum && in_global(w, u, info, i) ? ATOM_ADD_FTZ : (AtomOp)info->atom;
        if (bytes == 16) {
            uint8_t old[16];
            rmw128(w, p[i], op, w->r + info->b + i * 16u, w->r + info->c + i * 16u, old);
            if (info->v[0] != NO_SLOT)
                memcpy(w->r + info->v[0] + i * 16u, old, 16);
            continue;
        }
        for (unsigned v = 0; v < info->nvec; v++) {
            Slot     from = info->nvec == 1 ? info->b : info->bv[v];
            uint64_t old =
                rmw(p[i] + v * bytes, bytes, op, t, operand(w, from, bytes, i), operand(w, info->c, bytes, i));
            if (info->v[v] != NO_SLOT)
                memcpy(w->r + info->v[v] + (size_t)i * bytes, &old, bytes);
        }
    }
    note_change(w, info);
    return u + 1;
}

const Uop *mem_atom(Warp *w, const Uop *u, bool observed)
{
    uint8_t *p[LANES];
    if (!access_resolve(w, u, u->ptr, observed, p))
        return fault_others(w, u);
    return atom_lanes(w, u, p);
}
