/* SPDX-License-Identifier: Apache-2.0
 *
 * The general memory handlers: any space, width, vector length and register width.  The common cases have faster handlers in
 * exec/mem.c; these decide what is an error, and are where generic addresses are told apart.
 *
 * Every lane's address is checked before any lane's data moves: a faulting instruction changes nothing. */
#include <string.h>

#include "emu/access.h"

static inline unsigned first_lane(uint32_t m)
{
    return (unsigned)__builtin_ctz(m);
}

void access_notify_all(Warp *w, const Access *a)
{
    const EmuLaunch *ask = w->block->launch->ask;
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->wants[a->space] >> a->op & 1)
            ask->observers[o]->access(w->worker->observer[o], a);
}

/* An access past an allocation's end that a card would not notice. */
static bool carried_out(const EmuLaunch *ask, Memory *m, uint64_t address, unsigned bytes)
{
    return (ask->granular && memory_find_granule(m, address, bytes)) ||
           (ask->paged && memory_is_paged(m, address, bytes));
}

bool access_check_global(Warp *w, const Uop *u, const uint64_t *t, uint32_t mask, unsigned bytes, AccessOp op)
{
    Memory *m = &w->block->launch->dev->mem;
    Lookup *k = &w->worker->lookup[u->instr];
    Alloc   tmp;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned i = first_lane(left);
        if (t[i] & (bytes - 1)) {
            fault_access(w, u, SPACE_GLOBAL, i, left, t[i], bytes, op);
            return false;
        }
        if (t[i] - k->base <= k->limit && k->base)
            continue;
        const Alloc *a = memory_find(m, t[i], &tmp);
        if ((!a || t[i] + bytes > a->base + a->bytes) && carried_out(w->block->launch->ask, m, t[i], bytes)) {
            fault_passed(w, u, SPACE_GLOBAL, i, t[i], bytes, op);
            continue;
        }
        if (!a || t[i] + bytes > a->base + a->bytes) {
            fault_access(w, u, SPACE_GLOBAL, i, left, t[i], bytes, op);
            return false;
        }
        if (op != ACCESS_LD && op != ACCESS_COPY && (a->kind == ALLOC_CONST_VAR || a->kind == ALLOC_PARAM)) {
            fault_raise(w, u, FAULT_WRITE_TO_CONSTANT, i, left, "%u-byte write to constant '%s'", bytes,
                        a->name ? a->name : "parameters");
            return false;
        }
        if (a != &tmp) /* blocks of the device-side heap can go at any time: never remembered */
            *k = (Lookup){.base = a->base, .limit = a->bytes - bytes};
    }
    return true;
}

const Uop *access_bad_shared(Warp *w, const Uop *u, const uint32_t *t, uint32_t mask, unsigned bytes, AccessOp op)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned i = first_lane(left);
        if ((t[i] & (bytes - 1)) || t[i] < SHARED_RESERVED || (uint64_t)t[i] + bytes > w->shared_bytes)
            return fault_access(w, u, SPACE_SHARED, i, left, t[i] + w->shared_base, bytes, op);
    }
    return STOP;
}

/* ---- the four kinds of memory ---- */

typedef struct Lanes {
    uint64_t t[LANES]; /* addresses or offsets */
    uint32_t off[LANES];
} Lanes;

static void addresses(const Warp *w, const Uop *u, const MemInfo *info, Lanes *l)
{
    for (unsigned i = 0; i < LANES; i++)
        l->t[i] = (uint64_t)info->offset + (info->no_base  ? 0
                                            : info->addr64 ? SLOT(w, uint64_t, u->a)[i]
                                                           : SLOT(w, uint32_t, u->a)[i]);
    if (!info->addr64 && !info->no_base)
        for (unsigned i = 0; i < LANES; i++)
            l->t[i] = (uint32_t)l->t[i];
}

static bool resolve_global(Warp *w, const Uop *u, const MemInfo *info, Lanes *l, uint32_t mask, bool observed,
                           uint8_t **p)
{
    unsigned bytes = (unsigned)info->bytes * info->nvec;
    if (!access_check_global(w, u, l->t, mask, bytes, (AccessOp)info->op))
        return false;
    for (uint32_t m = mask; m; m &= m - 1)
        p[first_lane(m)] = (uint8_t *)(uintptr_t)l->t[first_lane(m)];
    if (observed)
        access_notify(w, info, ACCESS_GLOBAL, mask, NULL, l->t);
    return true;
}

/* What the system reserves is not the kernel's, unless it asks where that is: cooperative groups keep their own state there. */
static bool is_reserved(const Warp *w, uint64_t offset)
{
    return offset < SHARED_RESERVED && !w->block->launch->prog->reads_reserved;
}

static bool resolve_shared(Warp *w, const Uop *u, const MemInfo *info, Lanes *l, uint32_t mask, bool observed,
                           uint8_t **p)
{
    unsigned bytes = (unsigned)info->bytes * info->nvec;
    uint32_t own   = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned     i      = first_lane(m);
        const Block *b      = access_owner(w, l->t[i]);
        uint64_t     offset = l->t[i] & CLUSTER_OFFSET;
        if ((offset & (bytes - 1)) || is_reserved(w, offset) || offset + bytes > w->shared_bytes || !b || b->ended ||
            (b != w->block && !info->cluster)) {
            fault_access(w, u, SPACE_SHARED, i, m, l->t[i], bytes, (AccessOp)info->op);
            return false;
        }
        own |= (uint32_t)(b == w->block) << i;
        l->off[i] = (uint32_t)(b == w->block ? offset : l->t[i]);
        p[i]      = b->shared + offset;
    }
    if (observed && own)
        access_notify(w, info, ACCESS_SHARED, own, l->off, NULL);
    if (observed && mask & ~own)
        access_notify(w, info, ACCESS_CLUSTER, mask & ~own, l->off, NULL);
    return true;
}

bool access_resolve_shared(Warp *w, const Uop *u, const MemInfo *info, uint8_t *p[LANES], Block *owner[LANES],
                           uint32_t offset[LANES])
{
    Lanes l;
    addresses(w, u, info, &l);
    if (!resolve_shared(w, u, info, &l, w->mask, info->observed, p))
        return false;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = first_lane(m);
        owner[i]   = access_owner(w, l.t[i]);
        offset[i]  = (uint32_t)(l.t[i] & CLUSTER_OFFSET);
    }
    return true;
}

uint32_t access_drop_ended(Warp *w, const Uop *u, const MemInfo *info)
{
    unsigned bytes = (unsigned)info->bytes * info->nvec;
    uint32_t gone  = 0;
    Lanes    l;
    if (!w->block->cluster->ended || !w->block->launch->ask->granular || !info->cluster)
        return 0;
    addresses(w, u, info, &l);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned     i      = first_lane(m);
        const Block *b      = access_owner(w, l.t[i]);
        uint64_t     offset = l.t[i] & CLUSTER_OFFSET;
        if (!b || !b->ended || offset % bytes || offset < SHARED_RESERVED || offset + bytes > w->shared_bytes)
            continue;
        fault_passed(w, u, SPACE_SHARED, i, l.t[i], bytes, (AccessOp)info->op);
        gone |= UINT32_C(1) << i;
    }
    return gone;
}

static bool resolve_local(Warp *w, const Uop *u, const MemInfo *info, Lanes *l, uint32_t mask, bool observed,
                          uint8_t **p)
{
    unsigned bytes = (unsigned)info->bytes * info->nvec;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = first_lane(m);
        if ((l->t[i] & (bytes - 1)) || l->t[i] > w->local_bytes || l->t[i] + bytes > w->local_bytes) {
            fault_access(w, u, SPACE_LOCAL, i, m, l->t[i], bytes, (AccessOp)info->op);
            return false;
        }
        l->off[i] = (uint32_t)l->t[i];
        p[i]      = w->local + (size_t)i * w->local_bytes + l->t[i];
    }
    if (observed)
        access_notify(w, info, ACCESS_LOCAL, mask, l->off, NULL);
    return true;
}

/* A generic address is an offset in one of the windows, or global. */
static bool resolve_generic(Warp *w, const Uop *u, const MemInfo *info, Lanes *l, bool observed, uint8_t **p)
{
    uint32_t shared = 0, local = 0, global;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = first_lane(m);
        if (l->t[i] - SHARED_WINDOW < WINDOW_BYTES) {
            shared |= UINT32_C(1) << i;
            l->t[i] -= SHARED_WINDOW;
        } else if (l->t[i] - LOCAL_WINDOW < WINDOW_BYTES) {
            local |= UINT32_C(1) << i;
            l->t[i] -= LOCAL_WINDOW;
        }
    }
    global = w->mask & ~(shared | local);
    return (!global || resolve_global(w, u, info, l, global, observed, p)) &&
           (!shared || resolve_shared(w, u, info, l, shared, observed, p)) &&
           (!local || resolve_local(w, u, info, l, local, observed, p));
}

bool access_resolve(Warp *w, const Uop *u, const MemInfo *info, bool observed, uint8_t *p[LANES])
{
    Lanes l;
    addresses(w, u, info, &l);
    memset(p, 0, LANES * sizeof *p);
    switch (info->space) {
    case SPACE_SHARED: return resolve_shared(w, u, info, &l, w->mask, observed, p);
    case SPACE_LOCAL: return resolve_local(w, u, info, &l, w->mask, observed, p);
    case SPACE_GLOBAL: return resolve_global(w, u, info, &l, w->mask, observed, p);
    case SPACE_CONST:
    case SPACE_PARAM: return resolve_global(w, u, info, &l, w->mask, false, p);
    default: return resolve_generic(w, u, info, &l, observed, p);
    }
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
