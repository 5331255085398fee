/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the counters an access of a space and an operation goes into, and sums of counters. */
#include "check/count/count_sums.h"

#include "check/count/count.h"

static void add_global(WwCounters *s, unsigned op, const ModelCost *c, uint64_t n)
{
    if (op == ACCESS_LD || op == ACCESS_COPY) {
        s->global_ld_requests += n * c->requests;
        s->global_ld_sectors += n * c->sectors;
    } else if (op == ACCESS_ST) {
        s->global_st_requests += n * c->requests;
        s->global_st_sectors += n * c->sectors;
    } else {
        s->global_atom_requests += n * c->requests;
        s->global_atom_sectors += n * c->sectors;
    }
    s->memory_l2_theoretical_sectors_global += n * c->touched;
    s->memory_l2_theoretical_sectors_global_ideal += n * c->ideal;
    s->memory_l1_tag_requests_global += n * c->tag_requests;
    s->lines_128 += n * c->lines_128;
    s->useful_bytes += n * c->useful_bytes;
    s->moved_bytes += n * c->moved_bytes;
}

static void add_shared(WwCounters *s, unsigned op, const ModelCost *c, uint64_t n)
{
    if (op == ACCESS_LD || op == ACCESS_LDSM) {
        s->shared_ld_inst_ptx += n;
        s->shared_ld_wavefronts_ptx += n * c->wavefronts;
        s->shared_ld_bank_conflicts_ptx += n * c->conflicts;
    } else if (op == ACCESS_ST || op == ACCESS_STSM) {
        s->shared_st_inst_ptx += n;
        s->shared_st_wavefronts_ptx += n * c->wavefronts;
        s->shared_st_bank_conflicts_ptx += n * c->conflicts;
    } else if (op == ACCESS_COPY) {
        s->shared_copy_inst += n;
        s->shared_copy_wavefronts += n * c->wavefronts;
        s->shared_copy_bank_conflicts += n * c->conflicts;
    } else {
        s->shared_atom_inst += n;
        s->shared_atom_wavefronts += n * c->wavefronts;
        s->shared_atom_bank_conflicts += n * c->conflicts;
    }
}

static void add_local(WwCounters *s, unsigned op, const ModelCost *c, uint64_t n)
{
    if (op == ACCESS_LD) {
        s->local_ld_requests += n * c->requests;
        s->local_ld_sectors += n * c->sectors;
        s->local_ld_requests_ptx += n * c->requests;
        s->local_ld_sectors_ptx += n * c->sectors;
    } else {
        s->local_st_requests += n * c->requests;
        s->local_st_sectors += n * c->sectors;
        s->local_st_requests_ptx += n * c->requests;
        s->local_st_sectors_ptx += n * c->sectors;
    }
}

void counters_cost(WwCounters *s, ModelSpace space, unsigned op, const ModelCost *c, uint64_t n)
{
    if (space == MODEL_GLOBAL)
        add_global(s, op, c, n);
    else if (space == MODEL_SHARED)
        add_shared(s, op, c, n);
    else
        add_local(s, op, c, n);
}

void counters_add(WwCounters *to, const WwCounters *from)
{
#define COUNTER(name, text) to->name += from->name;
#include "warpwright/counters.def"
#undef COUNTER
}
