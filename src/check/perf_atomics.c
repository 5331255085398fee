/* SPDX-License-Identifier: Apache-2.0
 *
 * atomic-contention: atomics of which many lanes of a warp take the same address, so that they take turns.  The mend that is tried is one
 * atomic for each address of a warp (the lanes' values added up before): the same accesses with the lowest lane of each address alone.
 *
 * Turns are sector updates of global memory and passes over the banks of shared memory, by the model.
 * Not seen: blocks and warps that take turns at one address; instructions whose patterns were too many to keep. */
#include <inttypes.h>

#include "check/perf.h"
#include "model/model.h"

typedef struct Turns {
    uint64_t accesses, lanes, addresses; /* addresses: distinct ones, access by access */
    uint64_t now, joined;
    uint32_t id;
    uint64_t worst;
} Turns;

/* The lowest lane of each address. */
static uint32_t one_each(const Pattern *t)
{
    uint32_t kept = 0;
    for (uint32_t m = t->mask; m; m &= m - 1) {
        unsigned i     = (unsigned)__builtin_ctz(m);
        bool     first = true;
        for (uint32_t b = kept; b && first; b &= b - 1)
            first = t->delta[__builtin_ctz(b)] != t->delta[i];
        kept |= first ? 1u << i : 0;
    }
    return kept;
}

static uint64_t turns(const Perf *p, const Pattern *t, uint32_t mask, const uint64_t *addr)
{
    ModelCost   c;
    ModelAccess a = {
        t->space == ACCESS_SHARED ? MODEL_SHARED : MODEL_GLOBAL, (ModelOp)t->op, MODEL_L1_AUTO, t->bytes, mask, addr};
    model_access(p->profile, &a, &c);
    return t->space == ACCESS_SHARED ? c.wavefronts : c.sectors;
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

static void add_pattern(const Perf *p, const Pattern *t, Turns *u)
{
    uint32_t kept = one_each(t);
    for (uint32_t i = 0; i < t->places; i++) {
        uint64_t addr[LANES], before;
        if (!t->hits[i])
            continue;
        pattern_addresses(t, i, addr);
        before = t->hits[i] * turns(p, t, t->mask, addr);
        u->now += before;
        u->joined += t->hits[i] * turns(p, t, kept, addr);
        u->accesses += t->hits[i];
        u->lanes += t->hits[i] * (uint64_t)__builtin_popcount(t->mask);
        u->addresses += t->hits[i] * (uint64_t)__builtin_popcount(kept);
        if (before > u->worst) {
            u->worst = before;
            u->id    = t->instr;
        }
    }
}

static void judge(Perf *p, const Spot *s)
{
    Turns u = {.id = s->id[0]};
    for (size_t k = 0; k < s->n; k++) {
        size_t first, n = perf_patterns(p, s->id[k], &first);
        for (size_t i = first; i < first + n; i++) {
            const Pattern *t = patterns_at(p->patterns, i);
            if (t->op == ACCESS_ATOM || t->op == ACCESS_RED)
                add_pattern(p, t, &u);
        }
    }
    if (!u.accesses || u.joined >= u.now ||
        !perf_reaches(p, RULE_ATOMIC_CONTENTION, "turns", (double)(u.now - u.joined)) ||
        !perf_reaches(p, RULE_ATOMIC_CONTENTION, "lanes", (double)u.lanes / (double)u.addresses))
        return;
    Finding *f = perf_note(p, RULE_ATOMIC_CONTENTION, u.id, u.now - u.joined);
    if (!f)
        return;
    f->message = findings_text(p->found,
                               "%.1f lanes of a warp change the same address and take turns: %" PRIu64
                               " turns for %" PRIu64 " atomics of a warp",
                               (double)u.lanes / (double)u.addresses, u.now, u.accesses);
    perf_mend(p, f, "turns", u.now, u.joined, 0, "add up in the warp first, then one atomic for each address");
}

void perf_atomics(Perf *p)
{
    for (size_t i = 0; perf_on(p, RULE_ATOMIC_CONTENTION) && i < p->nspots; i++)
        judge(p, &p->spot[i]);
}
