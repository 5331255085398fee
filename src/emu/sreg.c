/* SPDX-License-Identifier: Apache-2.0
 *
 * Special registers.  Clocks count warp instructions of the launch, so that they grow and two runs read the same; the SM a block runs on and
 * everything of clusters is as if each block were a cluster of its own. */
#include <string.h>

#include "emu/ctl.h"
#include "emu/sync.h"

void slot_broadcast32(Warp *w, Slot d, uint32_t v)
{
    uint32_t *p = SLOT(w, uint32_t, d);
    for (int i = 0; i < LANES; i++)
        p[i] = w->mask >> i & 1 ? v : p[i];
}

void slot_broadcast64(Warp *w, Slot d, uint64_t v)
{
    uint64_t *p = SLOT(w, uint64_t, d);
    for (int i = 0; i < LANES; i++)
        p[i] = w->mask >> i & 1 ? v : p[i];
}

static void vector32(Warp *w, Slot d, const uint32_t *v)
{
    uint32_t *p = SLOT(w, uint32_t, d);
    for (int i = 0; i < LANES; i++)
        p[i] = w->mask >> i & 1 ? v[i] : p[i];
}

/* Warp instructions this worker has run: the emulator's clock. */
static uint64_t clock_now(const Warp *w)
{
    const Worker *k = w->worker;
    return __atomic_load_n(&w->block->launch->spent, __ATOMIC_RELAXED) + k->spent + (uint64_t)(4096 - w->quantum) + 1;
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

static uint32_t scalar_sreg(const Warp *w, SReg which)
{
    const Block  *b = w->block;
    const Launch *l = b->launch;
    switch (which) {
    case SREG_ntid_x: return l->block[0];
    case SREG_ntid_y: return l->block[1];
    case SREG_ntid_z: return l->block[2];
    case SREG_ctaid_x: return b->id[0];
    case SREG_ctaid_y: return b->id[1];
    case SREG_ctaid_z: return b->id[2];
    case SREG_nctaid_x: return l->grid[0];
    case SREG_nctaid_y: return l->grid[1];
    case SREG_nctaid_z: return l->grid[2];
    case SREG_warpid: return w->index;
    case SREG_nwarpid: return 64;
    case SREG_smid: return (uint32_t)(b->index % 132);
    case SREG_nsmid: return 132;
    case SREG_gridid: return 1;
    case SREG_total_smem_size: return l->shared_bytes;
    case SREG_aggr_smem_size: return l->shared_bytes;
    case SREG_dynamic_smem_size: return l->ask->shared;
    case SREG_reserved_smem_offset_end: return SHARED_RESERVED;
    case SREG_reserved_smem_offset_cap: return SHARED_RESERVED;
    case SREG_nclusterid_x: return l->grid[0];
    case SREG_nclusterid_y: return l->grid[1];
    case SREG_nclusterid_z: return l->grid[2];
    case SREG_clusterid_x: return b->id[0];
    case SREG_clusterid_y: return b->id[1];
    case SREG_clusterid_z: return b->id[2];
    case SREG_cluster_nctaid_x:
    case SREG_cluster_nctaid_y:
    case SREG_cluster_nctaid_z:
    case SREG_cluster_nctarank: return 1;
    case SREG_envreg1: return (uint32_t)(l->ask->workspace >> 32);
    case SREG_envreg2: return (uint32_t)l->ask->workspace;
    case SREG_clock: return (uint32_t)clock_now(w);
    case SREG_clock_hi: return (uint32_t)(clock_now(w) >> 32);
    case SREG_globaltimer_lo: return (uint32_t)clock_now(w);
    case SREG_globaltimer_hi: return (uint32_t)(clock_now(w) >> 32);
    default: return 0;
    }
}

const Uop *ctl_sreg(Warp *w, const Uop *u)
{
    SReg which = (SReg)u->x;
    switch (which) {
    case SREG_tid_x: vector32(w, u->d, w->tid[0]); break;
    case SREG_tid_y: vector32(w, u->d, w->tid[1]); break;
    case SREG_tid_z: vector32(w, u->d, w->tid[2]); break;
    case SREG_laneid: vector32(w, u->d, w->laneid); break;
    case SREG_lanemask_eq:
    case SREG_lanemask_le:
    case SREG_lanemask_lt:
    case SREG_lanemask_ge:
    case SREG_lanemask_gt: lane_masks(w, u->d, which); break;
    default: slot_broadcast32(w, u->d, scalar_sreg(w, which));
    }
    return u + 1;
}

const Uop *ctl_sreg64(Warp *w, const Uop *u)
{
    SReg which = (SReg)u->x;
    slot_broadcast64(w, u->d, which == SREG_gridid ? 1 : clock_now(w));
    w->worker->sync_ops = true; /* a loop on the clock waits */
    return u + 1;
}

/* ---- names ---- */

static const struct {
    const char *name;
    unsigned    bytes;
} sregs[] = {
#define SREG(id, text, bytes) {text, bytes},
#include "emu/sreg.def"
#undef SREG
};

SReg sreg_by_name(const char *name)
{
    for (unsigned i = 0; i < SREG_COUNT; i++)
        if (strcmp(sregs[i].name, name) == 0)
            return (SReg)i;
    if (strncmp(name, "envreg", 6) == 0 || strncmp(name, "pm", 2) == 0)
        return SREG_reserved_smem_offset_begin; /* reads as zero */
    return SREG_COUNT;
}

unsigned emu_sreg_bytes(SReg r)
{
    return sregs[r].bytes;
}
