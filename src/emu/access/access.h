/* SPDX-License-Identifier: Apache-2.0
 *
 * What the memory handlers of all SIMD levels share: address checks and the call to the observers. */
#ifndef WW_EMU_ACCESS_H
#define WW_EMU_ACCESS_H

#include "emu/core/notify.h"
#include "emu/core/run.h"

/* The block whose shared memory that address lies in; NULL: the cluster has none of that rank. */
static inline Block *access_owner(const Warp *w, uint64_t address)
{
    const Cluster *c = w->block->cluster;
    return address >> CLUSTER_SHIFT < c->n ? c->block[address >> CLUSTER_SHIFT] : NULL;
}

/* Slow half of a global address check: t[i] of the lanes in mask must each lie, with `bytes` behind it and aligned to it, in one live
 * allocation.  Refreshes the instruction's lookup entry.  false: a fault was raised. */
bool access_check_global(Warp *w, const Uop *u, const uint64_t *t, uint32_t mask, unsigned bytes, AccessOp op);
/* The same of a shared access at offsets t (from the beginning of the block's own window). */
bool access_check_shared(Warp *w, const Uop *u, const uint32_t *t, uint32_t mask, unsigned bytes, AccessOp op);
/* poison.c: the same in a launch that tracks poison. */
void poison_notify(Warp *w, const MemInfo *info, Access *a);

/* Tells the observers, in whichever of these ways the launch needs.  One of off and addr is NULL. */
static inline void access_notify(Warp *w, const MemInfo *info, AccessSpace space, uint32_t mask, const uint32_t *off, const uint64_t *addr)
{
    const Worker *k = w->worker;
    Access a        = info->seen;
    a.space         = (uint8_t)space;
    a.mask          = mask;
    a.warp          = w->index;
    a.block         = w->block->index;
    a.off           = off;
    a.addr          = addr;
    a.memory        = space == ACCESS_SHARED ? w->shared : NULL;
    a.regs          = info->seen.slot ? w->r : NULL; /* a's is still on its way to memory: waiting for it is a fifth of a load */
    if (__builtin_expect(k->poison != NULL, 0)) {
        poison_notify(w, info, &a);
        return;
    }
    /* generic and cluster addresses may lie in a space that the only observer does not want */
    if (k->only_access && info->space != SPACE_GENERIC && !info->cluster)
        k->only_access(k->observer[0], &a);
    else
        access_notify_all(w, &a);
}

/* Where the data of each lane in w->mask lies on the host; NULL for the other lanes.  Tells the observers.  false: a fault was raised. */
bool access_resolve(Warp *w, const Uop *u, const MemInfo *info, bool observed, uint8_t *p[LANES]);
/* The same for addresses in shared memory, with the block that owns each and the offset there.  Tells no observer. */
bool access_resolve_shared(Warp *w, const Uop *u, const MemInfo *info, uint8_t *p[LANES], Block *owner[LANES], uint32_t offset[LANES]);
/* In launches that go on where a card does: the active lanes whose address is in the shared memory of a block that has exited.  Each is
 * noted. */
uint32_t access_drop_ended(Warp *w, const Uop *u, const MemInfo *info);

/* Handlers that are compiled once, not for each SIMD level (mem_any.c, atom.c); [1] = observed twin. */
extern const UopFn mem_handlers_once[MEM_COUNT][2];
/* atom.c: every atomic and reduction. */
const Uop *mem_atom(Warp *w, const Uop *u, bool observed);
/* The same behind checks and observers: the executing lanes' places on the host. */
const Uop *atom_lanes(Warp *w, const Uop *u, uint8_t *const p[LANES]);
/* multimem.c: each plain, then its observed twin. */
const Uop *multimem_ld_reduce_plain(Warp *w, const Uop *u), *multimem_ld_reduce_seen(Warp *w, const Uop *u);
const Uop *multimem_st_plain(Warp *w, const Uop *u), *multimem_st_seen(Warp *w, const Uop *u);
const Uop *multimem_red_plain(Warp *w, const Uop *u), *multimem_red_seen(Warp *w, const Uop *u);

#endif
