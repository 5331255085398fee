/* SPDX-License-Identifier: Apache-2.0
 *
 * Special registers.  Clocks count warp instructions of the launch and their own readings, so that they grow and two runs read the
 * same; the SM a block runs on is its index modulo their number. */
#include <string.h>

#include "emu/core/ctl.h"
#include "emu/sync/sync.h"
#include "ptx/sregs.h"

/* The executing lanes of p become VALUE; all of them may be written when every live lane executes, which the compiler makes vectors of. */
#define WRITE_LANES(w, p, VALUE)                                                                                       \
    do {                                                                                                               \
        if (warp_full(w))                                                                                              \
            for (int i = 0; i < LANES; i++)                                                                            \
                (p)[i] = (VALUE);                                                                                      \
        else                                                                                                           \
            for (uint32_t m = (w)->mask; m; m &= m - 1) {                                                              \
                int i  = __builtin_ctz(m);                                                                             \
                (p)[i] = (VALUE);                                                                                      \
            }                                                                                                          \
    } while (0)

void slot_broadcast32(Warp *w, Slot d, uint32_t v)
{
    uint32_t *p = SLOT(w, uint32_t, d);
    WRITE_LANES(w, p, v);
}

void slot_broadcast64(Warp *w, Slot d, uint64_t v)
{
    uint64_t *p = SLOT(w, uint64_t, d);
    WRITE_LANES(w, p, v);
}

static void vector32(Warp *w, Slot d, const uint32_t *v)
{
    uint32_t *p = SLOT(w, uint32_t, d);
    WRITE_LANES(w, p, v[i]);
}

/* What a look at the clock takes itself, so that loops which wait by the clock end sooner; a free choice of a card's order. */
enum { CLOCK_READ = 16 };

/* Warp instructions this worker has run, and its looks at the clock: the emulator's clock. */
static uint64_t clock_now(const Warp *w, const Uop *u)
{
    Worker *k = w->worker;
    k->clock_reads++;
    k->endless.idle_reads += u->e;
    return __atomic_load_n(&w->block->launch->spent, __ATOMIC_RELAXED) + k->spent +
           (uint64_t)(k->granted - w->quantum) + 1 + k->clock_reads * CLOCK_READ;
}

static void lane_masks(Warp *w, Slot d, SReg which)
{
    uint32_t v[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t below = (UINT32_C(1) << i) - 1, at = UINT32_C(1) << i;
        v[i] = which == SREG_lanemask_eq   ? at
               : which == SREG_lanemask_lt ? below
               : which == SREG_lanemask_le ? below | at
               : which == SREG_lanemask_gt ? ~(below | at)
                                           : ~below;
    }
    vector32(w, d, v);
}

/* What an H200's driver uses of the shared memory that it reserves. */
enum { RESERVED_USED = 288 };

/* part: 0 to 3 for .x .y .z .w (always zero), or the number of a numbered register. */
static uint32_t scalar_sreg(const Warp *w, const Uop *u)
{
    const Block  *b    = w->block;
    const Launch *l    = b->launch;
    unsigned      part = u->y;
    switch ((SReg)u->x) {
    case SREG_ntid: return part < 3 ? l->block[part] : 0;
    case SREG_ctaid: return part < 3 ? b->id[part] : 0;
    case SREG_nctaid: return part < 3 ? l->grid[part] : 0;
    case SREG_clusterid: return part < 3 ? b->id[part] / l->cluster[part] : 0;
    case SREG_nclusterid: return part < 3 ? l->grid[part] / l->cluster[part] : 0;
    case SREG_cluster_ctaid: return part < 3 ? b->id[part] % l->cluster[part] : 0;
    case SREG_cluster_nctaid: return part < 3 ? l->cluster[part] : 0;
    case SREG_cluster_ctarank: return b->rank;
    case SREG_cluster_nctarank: return l->cluster_blocks;
    case SREG_warpid: return w->index;
    case SREG_nwarpid: return l->dev->limits.sm_threads / LANES;
    case SREG_smid: return (uint32_t)(b->index % l->dev->limits.card->sms);
    case SREG_nsmid: return l->dev->limits.card->sms;
    case SREG_total_smem_size: return l->shared_room - SHARED_RESERVED;
    case SREG_aggr_smem_size: return l->shared_room;
    case SREG_dynamic_smem_size: return l->ask->shared;
    case SREG_reserved_smem_offset_end: return RESERVED_USED;
    case SREG_reserved_smem_offset_cap: return SHARED_RESERVED;
    case SREG_envreg:
        return part == 1 ? (uint32_t)(l->ask->workspace >> 32) : part == 2 ? (uint32_t)l->ask->workspace : 0;
    case SREG_clock:
    case SREG_globaltimer_lo: return (uint32_t)clock_now(w, u);
    case SREG_clock_hi:
    case SREG_globaltimer_hi: return (uint32_t)(clock_now(w, u) >> 32);
    default: return 0;
    }
}

/* d = 32-bit special register x, part or number y; e: a clock that only says how long to sleep */
const Uop *ctl_sreg(Warp *w, const Uop *u)
{
    static const uint32_t none[LANES];
    SReg                  which = (SReg)u->x;
    switch (which) {
    case SREG_tid: vector32(w, u->d, u->y < 3 ? w->tid[u->y] : none); break;
    case SREG_laneid: vector32(w, u->d, w->laneid); break;
    case SREG_lanemask_eq:
    case SREG_lanemask_le:
    case SREG_lanemask_lt:
    case SREG_lanemask_ge:
    case SREG_lanemask_gt: lane_masks(w, u->d, which); break;
    case SREG_is_explicit_cluster: pred_set(w, u->d, w->block->launch->explicit_cluster ? UINT32_MAX : 0); break;
    default: slot_broadcast32(w, u->d, scalar_sreg(w, u));
    }
    return u + 1;
}

const Uop *ctl_sreg64(Warp *w, const Uop *u)
{
    switch ((SReg)u->x) {
    case SREG_gridid: slot_broadcast64(w, u->d, 1); break;
    case SREG_clock64:
    case SREG_globaltimer:
        slot_broadcast64(w, u->d, clock_now(w, u));
        w->worker->sync_ops = true; /* a loop on the clock waits */
        break;
    default: slot_broadcast64(w, u->d, 0); /* %pm<n>_64, %current_graph_exec */
    }
    return u + 1;
}
