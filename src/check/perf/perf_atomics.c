/* SPDX-License-Identifier: Apache-2.0
 *
 * atomic-contention: atomics of which many lanes of a warp take the same address, so that they take turns.  The mend that is tried is one
 * atomic for each address of a warp (the lanes' values added up before): the same accesses with the lowest lane of each address alone.
 *
 * Turns are sector updates of global memory and passes over the banks of shared memory, by the model.
 * Instructions whose patterns were too many to keep, as a histogram's, are judged by the traced blocks.
 * What the assembler itself adds up in the warp (ptx/merge.h) takes no turns.
 * Not seen: blocks and warps that take turns at one address. */
#include <inttypes.h>

#include "check/perf/perf.h"
#include "model/model.h"
#include "ptx/merge.h"
#include "ptx/traits.h"

typedef struct Turns { /* of a line */
    AtomicTurns sum;
    bool        sampled; /* some of it from the traced blocks alone */
    uint32_t    id;      /* what takes most turns */
    uint64_t    worst;
} Turns;

/* The lowest lane of each address. */
static uint32_t one_each(const Pattern *t)
{
    uint64_t at[LANES];
    for (unsigned i = 0; i < LANES; i++)
        at[i] = (uint64_t)t->delta[i];
    return shape_leaders(t->mask, at);
}

uint64_t perf_atomic_conflicts(const Perf *p, const Pattern *t, uint64_t *passes)
{
    uint64_t addr[LANES], conflicts = 0;
    uint32_t kept = one_each(t);
    for (uint32_t i = 0; i < t->places; i++) {
        ModelCost   c;
        ModelAccess a = {MODEL_SHARED, (ModelOp)t->op, MODEL_L1_AUTO, t->bytes, kept, addr};
        if (!t->hits[i])
            continue;
        pattern_addresses(t, i, addr);
        model_access(p->profile, &a, &c);
        conflicts += t->hits[i] * c.conflicts;
        *passes += t->hits[i] * c.wavefronts;
    }
    return conflicts;
}

static void add_pattern(const Perf *p, const Pattern *t, AtomicTurns *sum)
{
    for (uint32_t i = 0; i < t->places; i++) {
        uint64_t addr[LANES];
        if (!t->hits[i])
            continue;
        pattern_addresses(t, i, addr);
        atomic_turns_add(p->profile, (AccessSpace)t->space, (AccessOp)t->op, t->bytes, t->mask, addr, t->hits[i], sum);
    }
}

static bool is_atomic(const Pattern *t)
{
    return t->op == ACCESS_ATOM || t->op == ACCESS_RED;
}

/* Instructions whose addresses never repeat have no patterns: what the traced blocks did stands for them. */
static void add_instr(const Perf *p, uint32_t id, Turns *u)
{
    size_t          first, n = perf_patterns(p, id, &first);
    const TraceSum *t    = trace_instr(p->trace, id);
    AtomicTurns     here = {0};
    bool            wild = patterns_wild(p->patterns, id);
    unsigned        role = p->launch->instr[id].merges;
    if (role & (MERGE_LEADER | MERGE_COUNTS))
        return;
    for (size_t i = first; i < first + n; i++)
        if (is_atomic(patterns_at(p->patterns, i)) &&
            !(role & MERGE_SCANS && patterns_at(p->patterns, i)->mask == UINT32_MAX))
            add_pattern(p, patterns_at(p->patterns, i), &here);
    if (wild && t)
        here = t->atomics;
    u->sampled |= wild && here.accesses;
    atomic_turns_join(&u->sum, &here);
    if (here.now > u->worst) {
        u->worst = here.now;
        u->id    = id;
    }
}

static void judge(Perf *p, const Spot *s)
{
    Turns u = {.id = s->id[0]};
    for (size_t k = 0; k < s->n; k++)
        add_instr(p, s->id[k], &u);
    const AtomicTurns *t = &u.sum;
    if (!t->accesses || t->joined >= t->now ||
        !perf_reaches(p, RULE_ATOMIC_CONTENTION, "turns", (double)(t->now - t->joined)) ||
        !perf_reaches(p, RULE_ATOMIC_CONTENTION, "lanes", (double)t->lanes / (double)t->addresses))
        return;
    Finding *f = perf_note(p, RULE_ATOMIC_CONTENTION, u.id, t->now - t->joined);
    if (!f)
        return;
    f->message =
        findings_text(p->found,
                      "%.1f lanes of a warp change the same address and take turns: %" PRIu64 " turns for %" PRIu64
                      " atomics of a warp%s",
                      (double)t->lanes / (double)t->addresses, t->now, t->accesses, u.sampled ? perf_looked(p) : "");
    if (opcode_has(p->launch->instr[u.id].in->op, WORD_cas))
        return; /* a lock, or a loop: there is nothing to add up */
    perf_mend(p, f, "turns", t->now, t->joined, 0, "add up in the warp first, then one atomic for each address%s",
              u.sampled ? perf_replayed(p, 0) : "");
    uint64_t       addr[LANES];
    const Pattern *c = perf_commonest(p, u.id, addr);
    if (!c)
        return;
    WwPicture from = picture_of((AccessSpace)c->space, (AccessOp)c->op, c->bytes, c->mask, addr), to = from;
    to.mask = shape_leaders(c->mask, addr);
    perf_shows(p, f, &from, &to);
}

void perf_atomics(Perf *p)
{
    for (size_t i = 0; perf_on(p, RULE_ATOMIC_CONTENTION) && i < p->nspots; i++)
        judge(p, &p->spot[i]);
}
