/* SPDX-License-Identifier: Apache-2.0
 *
 * What the JIT puts together: the rows of isa.def as functions, and what native code asks of a warp.  clang makes LLVM's bitcode of this
 * file once for each SIMD level when the project is built; every piece that a kernel needs is inlined into its native code.
 *
 * The rows are those of the interpreter: this file includes the files that make its handlers, with other bodies (exec/lanes.h):
 *   v_<row>_<type>(d, a, b ...)  32 lanes; d may be any of the sources
 *   s_<row>_<type>(d, a, b ...)  one lane (both halves of a packed pair)
 *   v_ and s_ of predicates      return a mask of lanes; of one lane: 0 or all ones
 * Loops are made one vector of 32 elements, so that values pass from row to row in registers. */
#include <stdint.h>

#define PRAGMA(x) _Pragma(#x)
#define WHOLE(n)                                                                                                       \
    PRAGMA(clang loop vectorize(assume_safety) vectorize_width(n) interleave_count(1) unroll(disable))                 \
    for (uint32_t i = 0; i < (n); i++)
#define ROW __attribute__((always_inline, visibility("hidden")))

#define BODY1(id, t, n, bytes, D, A)                                                                                   \
    ROW void v_##id##_##t(D *d, const A *a)                                                                            \
    {                                                                                                                  \
        WHOLE(n) d[i] = op_##id##_##t(a[i]);                                                                           \
    }                                                                                                                  \
    ROW void s_##id##_##t(D *d, const A *a)                                                                            \
    {                                                                                                                  \
        for (uint32_t i = 0; i < (n) / LANES; i++)                                                                     \
            d[i] = op_##id##_##t(a[i]);                                                                                \
    }
#define BODY2(id, t, n, bytes, D, A, B)                                                                                \
    ROW void v_##id##_##t(D *d, const A *a, const B *b)                                                                \
    {                                                                                                                  \
        WHOLE(n) d[i] = op_##id##_##t(a[i], b[i]);                                                                     \
    }                                                                                                                  \
    ROW void s_##id##_##t(D *d, const A *a, const B *b)                                                                \
    {                                                                                                                  \
        for (uint32_t i = 0; i < (n) / LANES; i++)                                                                     \
            d[i] = op_##id##_##t(a[i], b[i]);                                                                          \
    }
#define BODY3(id, t, n, bytes, D, A, B, C)                                                                             \
    ROW void v_##id##_##t(D *d, const A *a, const B *b, const C *c)                                                    \
    {                                                                                                                  \
        WHOLE(n) d[i] = op_##id##_##t(a[i], b[i], c[i]);                                                               \
    }                                                                                                                  \
    ROW void s_##id##_##t(D *d, const A *a, const B *b, const C *c)                                                    \
    {                                                                                                                  \
        for (uint32_t i = 0; i < (n) / LANES; i++)                                                                     \
            d[i] = op_##id##_##t(a[i], b[i], c[i]);                                                                    \
    }
#define BODY4(id, t, n, bytes, D, A, B, C, E)                                                                          \
    ROW void v_##id##_##t(D *d, const A *a, const B *b, const C *c, const E *e)                                        \
    {                                                                                                                  \
        WHOLE(n) d[i] = op_##id##_##t(a[i], b[i], c[i], e[i]);                                                         \
    }                                                                                                                  \
    ROW void s_##id##_##t(D *d, const A *a, const B *b, const C *c, const E *e)                                        \
    {                                                                                                                  \
        *d = op_##id##_##t(*a, *b, *c, *e);                                                                            \
    }
#define BODYP1(id, t, A)                                                                                               \
    ROW uint32_t v_##id##_##t(const A *a)                                                                              \
    {                                                                                                                  \
        return mask_##id##_##t(a);                                                                                     \
    }                                                                                                                  \
    ROW uint32_t s_##id##_##t(const A *a)                                                                              \
    {                                                                                                                  \
        return 0u - (uint32_t)op_##id##_##t(*a);                                                                       \
    }
#define BODYP2(id, t, A)                                                                                               \
    ROW uint32_t v_##id##_##t(const A *a, const A *b)                                                                  \
    {                                                                                                                  \
        return mask_##id##_##t(a, b);                                                                                  \
    }                                                                                                                  \
    ROW uint32_t s_##id##_##t(const A *a, const A *b)                                                                  \
    {                                                                                                                  \
        return 0u - (uint32_t)op_##id##_##t(*a, *b);                                                                   \
    }
#define BODYM(id)                                                                                                      \
    ROW uint32_t v_##id##_pred(uint32_t a, uint32_t b, uint32_t c)                                                     \
    {                                                                                                                  \
        return op_##id##_pred(a, b, c);                                                                                \
    }

#define FILL(t, id)

#define WW_LEVEL rows
#include "emu/exec/conv.c"
#include "emu/exec/lane1.c"
#include "emu/exec/lane2.c"
#include "emu/exec/lane3.c"
#include "emu/exec/lane_hand.c"
#include "emu/exec/pred.c"

#include "emu/access/atom_lane.h"
#include "emu/core/ctl.h"
#include "emu/exec/addr.h"
#include "emu/jit/help.h"
#include "emu/jit/spread.h"
#include "emu/sync/barrier.h"

/* ---- arithmetic of floats whose NaN need not be the canonical one yet: x_<row>_f32, from the same expressions; of doubles, whose NaN may
 * be another operand's ---- */

#undef NAN2
#undef NAN3
#define NAN2(r, a, b)                                               (r)
#define NAN3(r, a, b, c)                                            (r)
#define LANE2(id, lanes, exactness, pipe, traits, flow, form, expr) RAW2_##lanes(id, expr)
#define LANE3(id, lanes, exactness, pipe, traits, flow, form, expr) RAW3_##lanes(id, expr)
#define WIDE2(id, lanes, exactness, pipe, traits, flow, form, expr)
#define WIDE3(id, lanes, exactness, pipe, traits, flow, form, expr)
#define RAW2(t, id, expr)                                                                                              \
    INLINE T_##t raw_##id##_##t(T_##t a, T_##t b)                                                                      \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    ROW void x_##id##_##t(T_##t *d, const T_##t *a, const T_##t *b)                                                    \
    {                                                                                                                  \
        WHOLE(32) d[i] = raw_##id##_##t(a[i], b[i]);                                                                   \
    }
#define RAW3(t, id, expr)                                                                                              \
    INLINE T_##t raw_##id##_##t(T_##t a, T_##t b, T_##t c)                                                             \
    {                                                                                                                  \
        LANE_TYPEDEFS(t)                                                                                               \
        return expr;                                                                                                   \
    }                                                                                                                  \
    ROW void x_##id##_##t(T_##t *d, const T_##t *a, const T_##t *b, const T_##t *c)                                    \
    {                                                                                                                  \
        WHOLE(32) d[i] = raw_##id##_##t(a[i], b[i], c[i]);                                                             \
    }
#define RAW2_FLT(id, expr) RAW2(f32, id, expr) RAW2(f64, id, expr)
#define RAW3_FLT(id, expr) RAW3(f32, id, expr) RAW3(f64, id, expr)
#define RAW2_BF16(id, expr)
#define RAW2_F16(id, expr)
#define RAW2_F32(id, expr)
#define RAW2_HALF(id, expr)
#define RAW2_I32(id, expr)
#define RAW2_INT(id, expr)
#define RAW2_INT2(id, expr)
#define RAW2_NARROW(id, expr)
#define RAW2_S32(id, expr)
#define RAW2_SRELU(id, expr)
#define RAW2_U32(id, expr)
#define RAW2_UINT(id, expr)
#define RAW2_UINT2(id, expr)
#define RAW2_UNSG(id, expr)
#define RAW3_BF16(id, expr)
#define RAW3_F16(id, expr)
#define RAW3_F32(id, expr)
#define RAW3_HALF(id, expr)
#define RAW3_I32(id, expr)
#define RAW3_INT(id, expr)
#define RAW3_INT2(id, expr)
#define RAW3_NARROW(id, expr)
#define RAW3_S32(id, expr)
#define RAW3_SRELU(id, expr)
#define RAW3_U32(id, expr)
#define RAW3_UINT(id, expr)
#define RAW3_UINT2(id, expr)
#define RAW3_UNSG(id, expr)
#include "emu/rows/lane2.def"

#include "emu/rows/lane3.def"

/* ---- selection and copies, which handlers do with more than an expression ---- */

#define SELECTS(t, T, bytes)                                                                                           \
    ROW void v_selp_##t(T *d, const T *a, const T *b, uint32_t m)                                                      \
    {                                                                                                                  \
        select##bytes((uint8_t *)d, (const uint8_t *)a, (const uint8_t *)b, m);                                        \
    }                                                                                                                  \
    ROW void s_selp_##t(T *d, const T *a, const T *b, uint32_t m)                                                      \
    {                                                                                                                  \
        *d = m ? *a : *b;                                                                                              \
    }
SELECTS(u16, uint16_t, 2)
SELECTS(u32, uint32_t, 4)
SELECTS(u64, uint64_t, 8)

#define COPIES(t, T)                                                                                                   \
    ROW void v_copy_##t(T *d, const T *a)                                                                              \
    {                                                                                                                  \
        WHOLE(32) d[i] = a[i];                                                                                         \
    }                                                                                                                  \
    ROW void s_copy_##t(T *d, const T *a)                                                                              \
    {                                                                                                                  \
        *d = *a;                                                                                                       \
    }
COPIES(u8, uint8_t)
COPIES(u16, uint16_t)
COPIES(u32, uint32_t)
COPIES(u64, uint64_t)

ROW void v_lop3_u32(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t table)
{
    WHOLE(32) d[i] = lop3(a[i], b[i], c[i], table);
}

/* ---- what native code asks of a warp ---- */

ROW uint8_t *w_regs(const Warp *w)
{
    return w->r;
}
ROW uint64_t *w_tally(const Warp *w)
{
    return w->worker->tally;
}
ROW uint32_t w_index(const Warp *w, const Uop *u)
{
    return (uint32_t)(u - w->frame->code->uops);
}
/* The function's operations, which stay where they are. */
ROW const Uop *w_uops(const Warp *w)
{
    return w->frame->code->uops;
}
ROW const Uop *w_uop(const Uop *all, uint32_t index)
{
    return all + index;
}
ROW uint32_t w_mask(const Warp *w)
{
    return w->mask;
}

ROW const Uop *w_call(Warp *w, const Uop *u)
{
    return u->fn(w, u);
}
/* Rows from u up to the end, which nothing stops. */
ROW void w_again(Warp *w, const Uop *u, const Uop *end)
{
    while (u != end)
        u = u->fn(w, u);
}

/* A basic block's head, of all 32 lanes, or of some; not NULL: the quantum is spent. */
ROW const Uop *w_head(Warp *w, const Uop *u, uint32_t instr, uint32_t n)
{
    return block_enter_lanes(w, instr, n, LANES) ? NULL : w->worker->help->spent(w, u, instr, n);
}
ROW const Uop *w_head_some(Warp *w, const Uop *u, uint32_t instr, uint32_t n)
{
    return block_enter(w, instr, n) ? NULL : w->worker->help->spent(w, u, instr, n);
}

/* The host's address of the lowest of the lanes' addresses, `span` bytes from there to the end of the highest; NULL: the handler must look.
 * low: bits that addresses must not have. */
ROW uint8_t *w_shared(const Warp *w, uint32_t at, uint32_t span, uint32_t low)
{
    uint32_t o = at - w->shared_base;
    return o >= SHARED_RESERVED && (uint64_t)o + span <= w->shared_bytes && !(o & low) ? w->shared + o : NULL;
}

/* reach: from the lowest address to the highest. */
ROW uint8_t *w_global(const Warp *w, uint32_t instr, uint64_t at, uint64_t reach, uint64_t low)
{
    const Lookup *k = &w->worker->lookup[instr];
    uint64_t      o = at - k->base;
    return o <= k->limit && o + reach <= k->limit && k->base && !(at & low) ? (uint8_t *)(uintptr_t)at : NULL;
}

/* Where the load is likely to look next: as far from here as this is from where it looked last. */
ROW uint8_t *w_ahead(const Warp *w, uint32_t instr, uint8_t *q)
{
    Lookup  *k   = &w->worker->lookup[instr];
    uint64_t was = k->last;
    k->last      = (uintptr_t)q;
    return (uint8_t *)(2 * (uintptr_t)q - was);
}

/* Accesses whose lanes may lie anywhere.  a: their addresses, less off; m: the lanes that run, not none.  t: what observers are told of each
 * lane, of idle ones the first active one's.  false: the handler must look. */
ROW uint32_t w_far_global(const Warp *w, uint32_t instr, const uint64_t *a, uint64_t off, uint32_t m, uint32_t bytes,
                          uint64_t *t)
{
    const Lookup *k       = &w->worker->lookup[instr];
    const Pattern half[2] = {SCATTERED, SCATTERED};
    addresses64_of((const V64 *)a, off, m, (Addr64 *)t);
    return k->base && good64((const Addr64 *)t, half, k->base, k->limit, bytes);
}
ROW uint32_t w_far_shared(const Warp *w, uint32_t instr, const uint32_t *a, uint32_t off, uint32_t m, uint32_t bytes,
                          uint32_t *t)
{
    const Pattern half[2] = {SCATTERED, SCATTERED};
    addresses32_of((const V32 *)a, off - w->shared_base, m, (Addr32 *)t);
    return w->shared_bytes >= SHARED_RESERVED + bytes &&
           good32((const Addr32 *)t, half, SHARED_RESERVED, w->shared_bytes - SHARED_RESERVED - bytes, bytes);
}
ROW uint32_t w_far_local(const Warp *w, uint32_t instr, const uint64_t *a, uint64_t off, uint32_t m, uint32_t bytes,
                         uint32_t *t)
{
    const Pattern half[2] = {SCATTERED, SCATTERED};
    Addr64        x;
    addresses64_of((const V64 *)a, off, m, &x);
    WHOLE(32) t[i] = (uint32_t)x.t[i];
    return w->local_bytes >= bytes && good64(&x, half, 0, w->local_bytes - bytes, bytes);
}

ROW void w_tell_far(Warp *w, const Uop *u, uint32_t m, const uint64_t *t)
{
    w->worker->help->tell(w, u, m, NULL, t);
}
ROW void w_tell_near(Warp *w, const Uop *u, uint32_t m, const uint32_t *t)
{
    w->worker->help->tell(w, u, m, t, NULL);
}

/* Where offset 0 lies for lane 0, and how far the next lane's is from there. */
ROW uint8_t *w_window_shared(const Warp *w)
{
    return w->shared;
}
ROW uint8_t *w_window_local(const Warp *w)
{
    return w->local;
}
ROW uint64_t w_pitch_local(const Warp *w)
{
    return w->local_bytes;
}

/* One lane after another, in a loop that stays one: written out it would take clang long, and run hardly faster. */
#define IN_TURN(i)                                                                                                     \
    PRAGMA(clang loop vectorize(disable) unroll(disable))                                                              \
    for (unsigned i = 0; i < LANES; i++)
#define IN_ORDER(i, m, what)                                                                                           \
    if ((m) == UINT32_MAX) {                                                                                           \
        IN_TURN(i) what;                                                                                               \
    } else {                                                                                                           \
        PRAGMA(clang loop vectorize(disable) unroll(disable))                                                          \
        for (uint32_t m_ = (m); m_; m_ &= m_ - 1) {                                                                    \
            unsigned i = (unsigned)__builtin_ctz(m_);                                                                  \
            what;                                                                                                      \
        }                                                                                                              \
    }

#if defined(SIMD_AVX512)
#define ANY_VECTOR "+v"
#else
#define ANY_VECTOR "+x"
#endif

/* Loads of all lanes, a register at a time (idle ones have an address, too): whoever read as a vector what was stored in pieces would wait for
 * all of them.  Of stores lane after lane, the highest last. */
#define LANES_2(X, i)  X(i), X((i) + 1)
#define LANES_4(X, i)  LANES_2(X, i), LANES_2(X, (i) + 2)
#define LANES_8(X, i)  LANES_4(X, i), LANES_4(X, (i) + 4)
#define LANES_16(X, i) LANES_8(X, i), LANES_8(X, (i) + 8)
#define LANES_32(X, i) LANES_16(X, i), LANES_16(X, (i) + 16)
#define FAR_LANE(i)    *(const T *)(uintptr_t)(t[i] + k)
#define NEAR_LANE(i)   *(const T *)(base + (i)*pitch + t[i] + k)
#define GROUPS(n, x, X)                                                                                                \
    typedef T Group __attribute__((vector_size((n) * sizeof(T)), may_alias));                                          \
    PRAGMA(clang loop vectorize(disable) unroll(disable))                                                              \
    for (unsigned g = 0; g < LANES; g += (n)) {                                                                        \
        Group v = {LANES_##n(X, g)};                                                                                   \
        __asm__("" : ANY_VECTOR(v)); /* clang would store halves */                                                    \
        *(Group *)((x) + g) = v;                                                                                       \
    }
#define ANYWHERE(bytes, type, n)                                                                                       \
    ROW void w_load_far##bytes(type *x, const uint64_t *t, uint32_t k)                                                 \
    {                                                                                                                  \
        typedef type T;                                                                                                \
        GROUPS(n, x, FAR_LANE)                                                                                         \
    }                                                                                                                  \
    ROW void w_load_near##bytes(type *x, const uint8_t *base, uint64_t pitch, const uint32_t *t, uint32_t k)           \
    {                                                                                                                  \
        typedef type T;                                                                                                \
        GROUPS(n, x, NEAR_LANE)                                                                                        \
    }                                                                                                                  \
    ROW void w_store_far##bytes(const uint64_t *t, uint32_t k, const type *x, uint32_t m){IN_ORDER(                    \
        i, m, *(type *)(uintptr_t)(t[i] + k) = x[i])} ROW void w_store_near##bytes(uint8_t *base, uint64_t pitch,      \
                                                                                   const uint32_t *t, uint32_t k,      \
                                                                                   const type *x, uint32_t m)          \
    {                                                                                                                  \
        IN_ORDER(i, m, *(type *)(base + i * pitch + t[i] + k) = x[i])                                                  \
    }
#if VECTOR == 16
#define GROUP_1 16
#define GROUP_2 8
#define GROUP_4 4
#define GROUP_8 2
#elif VECTOR == 32
#define GROUP_1 32
#define GROUP_2 16
#define GROUP_4 8
#define GROUP_8 4
#else
#define GROUP_1 32
#define GROUP_2 32
#define GROUP_4 16
#define GROUP_8 8
#endif
#define ANYWHERE_N(bytes, type, n) ANYWHERE(bytes, type, n)
ANYWHERE_N(1, uint8_t, GROUP_1)
ANYWHERE_N(2, uint16_t, GROUP_2)
ANYWHERE_N(4, uint32_t, GROUP_4)
ANYWHERE_N(8, uint64_t, GROUP_8)

/* What the handlers of atomics do beside the atomic itself (atom.c, note_change), where nobody looks closely; false: somebody does. */
ROW uint32_t w_atom_begins(Warp *w, uint32_t gives)
{
    if (w->block->cluster->endless.rounds >= ENDLESS_PATIENCE || w->worker->look.on)
        return 0;
    w->worker->sync_ops |= gives;
    w->worker->endless.atomics++;
    return 1;
}
#define ATOMICS(bits, bytes)                                                                                           \
    ROW void w_atom_near##bytes(uint##bits##_t *d, uint8_t *base, const uint32_t *t, const uint##bits##_t *b,          \
                                const uint##bits##_t *c, uint32_t op, uint32_t type, uint32_t m)                       \
    {                                                                                                                  \
        typedef uint##bits##_t T;                                                                                      \
        IN_ORDER(i, m, {                                                                                               \
            T *at = (T *)(base + t[i]);                                                                                \
            d[i]  = *at;                                                                                               \
            *at   = (T)atom_word((AtomOp)op, (Type)type, d[i], b[i], c[i]);                                            \
        })                                                                                                             \
    }                                                                                                                  \
    ROW void w_atom_far##bytes(uint##bits##_t *d, const uint64_t *t, const uint##bits##_t *b, const uint##bits##_t *c, \
                               uint32_t op, uint32_t type, uint32_t m)                                                 \
    {                                                                                                                  \
        typedef uint##bits##_t T;                                                                                      \
        IN_ORDER(i, m, d[i] = atom_host##bits((T *)(uintptr_t)t[i], (AtomOp)op, (Type)type, b[i], c[i]))               \
    }
ATOMICS(32, 4)
ATOMICS(64, 8)

ROW const uint8_t *w_param(const Warp *w, uint32_t at)
{
    return w->block->launch->params + at;
}

/* Special registers' parts 0 to 2. */
ROW const void *w_tids(const Warp *w, uint32_t axis)
{
    return w->tid[axis];
}
ROW uint32_t w_tid(const Warp *w, uint32_t axis)
{
    return w->tid[axis][0];
}
ROW uint32_t w_ctaid(const Warp *w, uint32_t axis)
{
    return w->block->id[axis];
}
ROW uint32_t w_nctaid(const Warp *w, uint32_t axis)
{
    return w->block->launch->grid[axis];
}

/* Where native code goes on: a segment's number + 1; 0: it is entered anew. */
ROW uint32_t w_lean(Warp *w)
{
    uint32_t lean = w->lean;
    w->lean       = 0;
    return lean;
}
ROW void w_keep(Warp *w, uint32_t lean)
{
    w->lean = lean;
}
ROW uint32_t w_waits(const Warp *w)
{
    return w->worker->event == EVENT_BARRIER;
}
/* All lanes come to a barrier of all threads, of which nobody hears: most often they wait, and the rest is the handler's. */
ROW const Uop *w_arrive(Warp *w, const Uop *u, uint32_t id)
{
    const Block   *b       = w->block;
    const Barrier *bar     = &b->bar[id];
    uint32_t       arrived = bar->arrived + LANES;
    if (!(b->pending >> id & 1) || bar->expected || arrived >= b->live || w->ngroups)
        return u->fn(w, u);
    return barrier_wait(w, u, id, arrived);
}
/* w waits at a barrier (w_keep): the warp behind it, whose turn begins; NULL: native code does not go on with it. */
ROW Warp *w_next(Warp *w)
{
    const Worker *k = w->worker;
    const Warp   *v = w + 1;
    if (k->event != EVENT_BARRIER || !w->lean || !k->follow || w->index + 1 >= w->block->nwarps || !v->lean ||
        v->group[0].state != GROUP_READY || v->group[0].frame->code != w->frame->code || k->faulted)
        return NULL;
    return k->next(w);
}
ROW uint32_t w_check(const Warp *w, const NativeSlot *s, uint32_t n, const int64_t (*pattern)[LANES])
{
    return w->worker->help->check(w, s, n, pattern);
}
ROW void w_fill(const Warp *w, const NativeSlot *s, uint32_t n, const int64_t (*pattern)[LANES])
{
    w->worker->help->fill(w, s, n, pattern);
}

/* Does an observer want to hear of this block's accesses? */
ROW uint32_t w_swept(const Warp *w)
{
    return w->block->swept;
}
/* Tells observers; false: the handlers must. */
ROW uint32_t w_sweep(Warp *w, uint32_t number, const uint8_t *const *at)
{
    return w->worker->help->sweep(w, number, at);
}
/* The frame holds values that nobody wrote. */
ROW uint32_t w_poisoned(const Warp *w)
{
    return w->frame->shadow != NULL;
}

/* ---- rounding modes and flushing ---- */

ROW void w_mode(uint32_t bits)
{
#if defined(__x86_64__)
    uint32_t csr = PLAIN_MXCSR | bits;
    __asm__ volatile("ldmxcsr %0" : : "m"(csr) : "memory");
#endif
}

/* The compiler takes the value for another one from here on, and for one that only exists now. */
#define TIE(bytes)                                                                                                     \
    ROW void w_tie##bytes(void *x)                                                                                     \
    {                                                                                                                  \
        enum { PART = 32 * bytes < VECTOR ? 32 * bytes : VECTOR };                                                     \
        typedef uint32_t Part __attribute__((vector_size(PART), may_alias));                                           \
        PRAGMA(clang loop unroll(full))                                                                                \
        for (int i = 0; i < 32 * bytes / PART; i++)                                                                    \
            __asm__ volatile("" : ANY_VECTOR(((Part *)x)[i]));                                                         \
    }
TIE(1)
TIE(2)
TIE(4)
TIE(8)

/* ---- lanes that have parted ---- */

ROW void w_only(Warp *w, uint32_t m)
{
    w->mask = m;
}
ROW void w_part(const Warp *w, uint32_t instr)
{
    w->worker->parted[instr]++;
}
/* Somebody looks whether the warp polls: he wants to hear of each group's turn, and the interpreter may go on. */
ROW uint32_t w_looks(const Warp *w)
{
    return w->worker->look.on;
}
ROW void w_put(Warp *w, uint32_t uop, uint32_t mask)
{
    w->worker->help->put(w, uop, mask);
}
ROW void w_merge(Warp *w)
{
    w->worker->help->merge(w);
}
ROW uint32_t w_parted(const Warp *w, const uint32_t *head, uint32_t n, uint32_t *d)
{
    return w->worker->help->parted(w, head, n, d);
}
ROW void w_gather(Warp *w)
{
    w->worker->help->gather(w);
}

ROW void w_canonical(float *d)
{
    WHOLE(32) d[i] = qn_f32(d[i]);
}

/* Is one of the lanes a NaN? */
ROW uint32_t w_nan(const double *x)
{
#if defined(SIMD_AVX512)
    __mmask8 any = 0;
    for (unsigned i = 0; i < LANES; i += 8)
        any |= _mm512_cmp_pd_mask(_mm512_load_pd(x + i), _mm512_load_pd(x + i), _CMP_UNORD_Q);
    return any;
#elif defined(SIMD_AVX2)
    __m256d any = _mm256_setzero_pd();
    for (unsigned i = 0; i < LANES; i += 4)
        any = _mm256_or_pd(any, _mm256_cmp_pd(_mm256_load_pd(x + i), _mm256_load_pd(x + i), _CMP_UNORD_Q));
    return (uint32_t)_mm256_movemask_pd(any);
#else
    uint32_t any = 0;
    for (unsigned i = 0; i < LANES; i++)
        any |= x[i] != x[i];
    return any;
#endif
}

#define BLEND(bytes)                                                                                                   \
    ROW void w_blend##bytes(uint8_t *d, const uint8_t *t, uint32_t m)                                                  \
    {                                                                                                                  \
        select##bytes(d, t, d, m);                                                                                     \
    }
BLEND(1)
BLEND(2)
BLEND(4)
BLEND(8)

ROW uint32_t w_parts(uint64_t x, uint64_t y, uint64_t z, uint64_t top, int64_t least, int64_t most)
{
    return spread_parts(x, y, z, top, least, most);
}

/* Are the lanes lane 0's value and the pattern? */
#define EVEN(bytes, T, V)                                                                                              \
    ROW uint32_t w_even##bytes(const T *x, const T *pattern)                                                           \
    {                                                                                                                  \
        V odd = (((const V *)x)[0] - x[0]) ^ ((const V *)pattern)[0];                                                  \
        if (!zero((V32)odd))                                                                                           \
            return 0;                                                                                                  \
        for (unsigned g = 1; g < LANES * sizeof(T) / VECTOR; g++)                                                      \
            odd |= (((const V *)x)[g] - x[0]) ^ ((const V *)pattern)[g];                                               \
        return zero((V32)odd);                                                                                         \
    }
EVEN(4, uint32_t, V32)
EVEN(8, uint64_t, V64)

/* Do all lanes of the slot hold one value? */
#define SAME(bytes, T)                                                                                                 \
    ROW uint32_t w_same##bytes(const uint8_t *slot)                                                                    \
    {                                                                                                                  \
        const T *x   = (const T *)slot;                                                                                \
        T        odd = 0;                                                                                              \
        for (int i = 0; i < LANES; i++)                                                                                \
            odd |= x[i] ^ x[0];                                                                                        \
        return odd == 0;                                                                                               \
    }
SAME(1, uint8_t)
SAME(2, uint16_t)
SAME(4, uint32_t)
SAME(8, uint64_t)
