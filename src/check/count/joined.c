/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a group is joined is decided over the whole launch: the assembler joins only what it can prove aligned, so one unaligned execution
 * means that it was not.  A joined access is one of the whole slot, which begins at the first of its addresses or before it.  A load that an earlier
 * access makes needless counts nothing. */
#include "check/count/joined.h"

#include "check/count/narrow.h"
#include "emu/observer.h"
#include "ptx/merge.h"

static void add(Joined *g, int way, const ModelCost *c, uint64_t n)
{
    g->times[way] += n;
    g->passes[way] += n * c->wavefronts;
    g->ideal[way] += n * c->ideal_wavefronts;
    g->conflicts[way] += n * c->conflicts;
}

void joined_count(Joined *g, const Profile *p, uint32_t role, const ModelAccess *m, const ModelCost *alone, uint64_t n)
{
    ModelCost made[NARROW_PARTS];
    unsigned  parts = narrow_costs(p, m, alone, role, made);
    if (role & MERGE_REPEAT)
        return;
    const unsigned less = m->bytes == 2 ? 1 : 0; /* log2: their slots are half as wide */
    for (uint32_t lanes = role ? m->mask : 0; lanes; lanes &= lanes - 1)
        g->unaligned |= (uint32_t)(m->addr[__builtin_ctz(lanes)] - ((uint32_t)(role & MERGE_PLACE) >> 4)) << less & 15;
    for (unsigned i = 0; i < parts; i++)
        add(g, JOINED_NOT, &made[i], n);
    for (int way = JOINED_PAIR; way < JOINED_WAYS; way++) {
        ModelCost   c;
        uint64_t    addr[LANES];
        ModelAccess wide = *m;
        if (!(role & (way == JOINED_PAIR ? MERGE_PAIR1 : MERGE_QUAD1)))
            continue;
        wide.bytes = (way == JOINED_PAIR ? 8u : 16u) >> less;
        wide.addr  = addr;
        for (unsigned i = 0; i < LANES; i++)
            addr[i] = m->mask >> i & 1 ? m->addr[i] & ~(uint64_t)(wide.bytes - 1) : 0;
        model_access(p, &wide, &c);
        add(g, way, &c, n);
    }
}

void joined_add(Joined *to, const Joined *from)
{
    for (int way = 0; way < JOINED_WAYS; way++) {
        to->times[way] += from->times[way];
        to->passes[way] += from->passes[way];
        to->ideal[way] += from->ideal[way];
        to->conflicts[way] += from->conflicts[way];
    }
    to->unaligned |= from->unaligned;
}

int joined_as(const Joined *g, uint32_t role)
{
    if ((role & MERGE_QUAD) && (g->unaligned & 15) == 0)
        return JOINED_QUAD;
    return (role & MERGE_PAIR) && (g->unaligned & 7) == 0 ? JOINED_PAIR : JOINED_NOT;
}

void joined_tell(const Joined *m, int h, bool store, WwCounters *s)
{
    if (store) {
        s->shared_st_inst           = m->times[h];
        s->shared_st_wavefronts     = m->passes[h];
        s->shared_st_bank_conflicts = m->conflicts[h];
    } else {
        s->shared_ld_inst           = m->times[h];
        s->shared_ld_wavefronts     = m->passes[h];
        s->shared_ld_bank_conflicts = m->conflicts[h];
    }
}
