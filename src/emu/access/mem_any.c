/* SPDX-License-Identifier: Apache-2.0
 *
 * The general memory handlers: any space, width, vector length and register width.  The common cases have faster handlers in
 * exec/mem.c.  Every lane's address is checked (access.c) before any lane's data moves: a faulting instruction changes nothing. */
#include <string.h>

#include "emu/access/access.h"
#include "emu/core/fault.h"

static inline unsigned first_lane(uint32_t m)
{
    return (unsigned)__builtin_ctz(m);
}

/* ---- moving data ---- */

static uint64_t extend(const uint8_t *p, unsigned bytes, bool is_signed)
{
    switch (bytes) {
    case 1: return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
    case 2: {
        uint16_t v;
        memcpy(&v, p, 2);
        return is_signed ? (uint64_t)(int64_t)(int16_t)v : v;
    }
    case 4: {
        uint32_t v;
        memcpy(&v, p, 4);
        return is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
    }
    default: {
        uint64_t v;
        memcpy(&v, p, 8);
        return v;
    }
    }
}

#define WIDTHS(reg, mem, is_signed) ((reg) << 8 | (mem) << 1 | (is_signed))
#define LOAD(R, E)                                                                                                     \
    do {                                                                                                               \
        R *d_ = SLOT(w, R, info->v[v]);                                                                                \
        for (uint32_t m_ = w->mask; m_; m_ &= m_ - 1) {                                                                \
            unsigned i_ = first_lane(m_);                                                                              \
            E        x_;                                                                                               \
            memcpy(&x_, p[i_] + offset, sizeof x_);                                                                    \
            d_[i_] = (R)x_;                                                                                            \
        }                                                                                                              \
    } while (0)
#define LOAD_CASES(R, E, S)                                                                                            \
    case WIDTHS(sizeof(R), sizeof(E), 0): LOAD(R, E); break;                                                           \
    case WIDTHS(sizeof(R), sizeof(E), 1): LOAD(R, S); break

/* Element v of every lane into its register. */
static void load_element(Warp *w, const MemInfo *info, unsigned v, uint8_t *const *p)
{
    typedef struct {
        uint64_t half[2];
    } Wide;
    size_t offset = (size_t)v * info->bytes;
    switch (WIDTHS(info->reg_bytes, info->bytes, info->is_signed)) {
        LOAD_CASES(uint8_t, uint8_t, int8_t);
        LOAD_CASES(uint16_t, uint8_t, int8_t);
        LOAD_CASES(uint32_t, uint8_t, int8_t);
        LOAD_CASES(uint64_t, uint8_t, int8_t);
        LOAD_CASES(uint16_t, uint16_t, int16_t);
        LOAD_CASES(uint32_t, uint16_t, int16_t);
        LOAD_CASES(uint64_t, uint16_t, int16_t);
        LOAD_CASES(uint32_t, uint32_t, int32_t);
        LOAD_CASES(uint64_t, uint32_t, int32_t);
        LOAD_CASES(uint64_t, uint64_t, int64_t);
    default:
        for (uint32_t m = w->mask; m; m &= m - 1)
            memcpy(&SLOT(w, Wide, info->v[v])[first_lane(m)], p[first_lane(m)] + offset, sizeof(Wide));
    }
}

/* One move of the host, so that another worker meets all of a vector or nothing of it.  The manual promises that only of its
 * elements; a card does it up to 16 bytes, and programs count on it (a flag beside the value it speaks of). */
static inline void move_whole(uint8_t *to, const uint8_t *from, unsigned bytes)
{
    switch (bytes) {
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 16: memcpy(to, from, 16); break;
    default: memcpy(to, from, bytes); break;
    }
}

enum { VECTOR_BYTES = 128 }; /* room for the longest: 8 elements of up to 16 bytes */

static void load_all(Warp *w, const MemInfo *info, uint8_t *const *p)
{
    uint8_t         vector[LANES][VECTOR_BYTES], *at[LANES];
    uint8_t *const *from = p;
    for (uint32_t m = info->nvec > 1 ? w->mask : 0; m; m &= m - 1) {
        unsigned i = first_lane(m);
        move_whole(at[i] = vector[i], p[i], (unsigned)info->bytes * info->nvec);
        from = at;
    }
    for (unsigned v = 0; v < info->nvec; v++)
        if (info->v[v] != NO_SLOT)
            load_element(w, info, v, from);
}

/* Element v of lane i to its place.  Registers are as wide as elements or wider: little-endian low bytes count. */
static inline void store_element(const Warp *w, const MemInfo *info, unsigned v, unsigned i, uint8_t *to)
{
    const uint8_t *from = w->r + info->v[v] + (size_t)i * info->reg_bytes;
    switch (info->bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16); break;
    }
}

/* Where several lanes write one place, the last one stays. */
static void store_all(const Warp *w, const MemInfo *info, uint8_t *const *p)
{
    WRITE_ORDER (w, m) {
        unsigned i = first_lane(m);
        uint8_t  vector[VECTOR_BYTES];
        for (unsigned v = 0; v < info->nvec; v++)
            store_element(w, info, v, i, info->nvec > 1 ? vector + (size_t)v * info->bytes : p[i]);
        if (info->nvec > 1)
            move_whole(p[i], vector, (unsigned)info->bytes * info->nvec);
    }
}

static inline const Uop *ld_any(Warp *w, const Uop *u, bool observed)
{
    const MemInfo *info = u->ptr;
    uint8_t       *p[LANES];
    if (!access_resolve(w, u, info, observed, p))
        return fault_others(w, u);
    load_all(w, info, p);
    return u + 1;
}

static inline const Uop *st_any(Warp *w, const Uop *u, bool observed)
{
    const MemInfo *info = u->ptr;
    uint8_t       *p[LANES];
    if (!access_resolve(w, u, info, observed, p))
        return fault_others(w, u);
    store_all(w, info, p);
    return u + 1;
}

/* ---- parameters ---- */

#define BROADCAST(T)                                                                                                   \
    do {                                                                                                               \
        T *d_ = SLOT(w, T, slot);                                                                                      \
        for (int i_ = 0; i_ < LANES; i_++)                                                                             \
            d_[i_] = full || (w->mask >> i_ & 1) ? (T)x : d_[i_];                                                      \
    } while (0)

static void broadcast(Warp *w, Slot slot, uint64_t x, unsigned bytes)
{
    bool full = warp_full(w);
    switch (bytes) {
    case 1: BROADCAST(uint8_t); break;
    case 2: BROADCAST(uint16_t); break;
    case 4: BROADCAST(uint32_t); break;
    default: BROADCAST(uint64_t); break;
    }
}

/* One value for all lanes. */
static const Uop *ld_param(Warp *w, const Uop *u)
{
    const MemInfo *info = u->ptr;
    const uint8_t *from = w->block->launch->params + info->offset;
    uint8_t       *p[LANES];
    if (info->reg_bytes == 16) {
        for (unsigned i = 0; i < LANES; i++)
            p[i] = w->block->launch->params + info->offset;
        load_all(w, info, p);
        return u + 1;
    }
    for (unsigned v = 0; v < info->nvec; v++)
        if (info->v[v] != NO_SLOT)
            broadcast(w, info->v[v], extend(from + (size_t)v * info->bytes, info->bytes, info->is_signed),
                      info->reg_bytes);
    return u + 1;
}

/* Call buffers of the frame: lane l's bytes stand side by side. */
static bool pbuf_addresses(Warp *w, const Uop *u, const MemInfo *info, uint8_t *p[LANES])
{
    const Code *code  = w->frame->code;
    uint64_t    bytes = (uint64_t)info->bytes * info->nvec;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i  = first_lane(m);
        uint64_t at = (uint64_t)info->offset + (info->no_base  ? 0
                                                : info->addr64 ? SLOT(w, uint64_t, u->a)[i]
                                                               : SLOT(w, uint32_t, u->a)[i]);
        if (at > code->pbuf_stride || at + bytes > code->pbuf_stride) {
            fault_access(w, u, SPACE_PARAM, i, m, at, bytes, (AccessOp)info->op);
            return false;
        }
        p[i] = w->r + code->pbuf + (size_t)i * code->pbuf_stride + at;
    }
    return true;
}

static const Uop *ld_pbuf(Warp *w, const Uop *u)
{
    uint8_t *p[LANES];
    if (!pbuf_addresses(w, u, u->ptr, p))
        return fault_others(w, u);
    load_all(w, u->ptr, p);
    return u + 1;
}

static const Uop *st_pbuf(Warp *w, const Uop *u)
{
    uint8_t *p[LANES];
    if (!pbuf_addresses(w, u, u->ptr, p))
        return fault_others(w, u);
    store_all(w, u->ptr, p);
    return u + 1;
}

static const Uop *ld_any_plain(Warp *w, const Uop *u)
{
    return ld_any(w, u, false);
}
static const Uop *ld_any_seen(Warp *w, const Uop *u)
{
    return ld_any(w, u, true);
}
static const Uop *st_any_plain(Warp *w, const Uop *u)
{
    return st_any(w, u, false);
}
static const Uop *st_any_seen(Warp *w, const Uop *u)
{
    return st_any(w, u, true);
}
static const Uop *atom_plain(Warp *w, const Uop *u)
{
    return mem_atom(w, u, false);
}
static const Uop *atom_seen(Warp *w, const Uop *u)
{
    return mem_atom(w, u, true);
}

const UopFn mem_handlers_once[MEM_COUNT][2] = {
    [MEM_ld_any]             = {ld_any_plain, ld_any_seen},
    [MEM_st_any]             = {st_any_plain, st_any_seen},
    [MEM_atom]               = {atom_plain, atom_seen},
    [MEM_ld_param]           = {ld_param, ld_param},
    [MEM_ld_pbuf]            = {ld_pbuf, ld_pbuf},
    [MEM_st_pbuf]            = {st_pbuf, st_pbuf},
    [MEM_multimem_ld_reduce] = {multimem_ld_reduce_plain, multimem_ld_reduce_seen},
    [MEM_multimem_st]        = {multimem_st_plain, multimem_st_seen},
    [MEM_multimem_red]       = {multimem_red_plain, multimem_red_seen},
};
