/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the lanes of a memory instruction reach: generic addresses are told apart, each lane's address is checked, observers are told.
 * What is an error is decided here. */
#include "emu/access/access.h"

#include <string.h>

#include "emu/core/fault.h"

/* Why a card lets an access pass. */
#define HAS_MEMORY "a card has memory there and does not stop here"
#define NOBODY     "it reaches nobody, and a card does not stop here"

static inline unsigned first_lane(uint32_t m)
{
    return (unsigned)__builtin_ctz(m);
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
            fault_lanes(w, mask, t, op);
            return false;
        }
        if (t[i] - k->base <= k->limit && k->base)
            continue;
        const Alloc *a = memory_find(m, t[i], &tmp);
        if ((!a || t[i] + bytes > a->base + a->bytes) && carried_out(w->block->launch->ask, m, t[i], bytes)) {
            fault_passed(w, u, SPACE_GLOBAL, i, t[i], bytes, op, HAS_MEMORY);
            fault_lanes(w, mask, t, op);
            continue;
        }
        if (!a || t[i] + bytes > a->base + a->bytes) {
            fault_access(w, u, SPACE_GLOBAL, i, left, t[i], bytes, op);
            fault_lanes(w, mask, t, op);
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

/* The same in shared memory, of which a block is given whole units. */
static bool carried_out_shared(const Warp *w, uint64_t offset, unsigned bytes)
{
    const Launch *l = w->block->launch;
    return l->ask->granular && offset + bytes > l->shared_bytes && offset + bytes <= l->shared_room;
}

static void picture_of_shared(Warp *w, const uint32_t *t, uint32_t mask, AccessOp op)
{
    uint64_t at[LANES] = {0};
    for (uint32_t m = mask; m; m &= m - 1)
        at[first_lane(m)] = t[first_lane(m)];
    fault_lanes(w, mask, at, op);
}

bool access_check_shared(Warp *w, const Uop *u, const uint32_t *t, uint32_t mask, unsigned bytes, AccessOp op)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned i   = first_lane(left);
        bool     odd = t[i] & (bytes - 1);
        if (!odd && t[i] >= SHARED_RESERVED && (uint64_t)t[i] + bytes <= w->shared_bytes)
            continue;
        bool passes = !odd && t[i] >= SHARED_RESERVED && carried_out_shared(w, t[i], bytes);
        if (passes)
            fault_passed(w, u, SPACE_SHARED, i, t[i] + w->shared_base, bytes, op, HAS_MEMORY);
        else
            fault_access(w, u, SPACE_SHARED, i, left, t[i] + w->shared_base, bytes, op);
        picture_of_shared(w, t, mask, op);
        if (!passes)
            return false;
    }
    return true;
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
        bool         passes = carried_out_shared(w, offset, bytes);
        if ((offset & (bytes - 1)) || is_reserved(w, offset) || (offset + bytes > w->shared_bytes && !passes) || !b ||
            b->ended || (b != w->block && !info->cluster)) {
            fault_access(w, u, SPACE_SHARED, i, m, l->t[i], bytes, (AccessOp)info->op);
            fault_lanes(w, mask, l->t, (AccessOp)info->op);
            return false;
        }
        if (passes) {
            fault_passed(w, u, SPACE_SHARED, i, l->t[i], bytes, (AccessOp)info->op, HAS_MEMORY);
            fault_lanes(w, mask, l->t, (AccessOp)info->op);
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
        fault_passed(w, u, SPACE_SHARED, i, l.t[i], bytes, (AccessOp)info->op, NOBODY);
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
            fault_lanes(w, mask, l->t, (AccessOp)info->op);
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
