/* SPDX-License-Identifier: Apache-2.0
 *
 * For each Sweep and each of its parties how often it stood where.  Every access of a party is counted whenever the party is, so the accesses
 * are told one by one only when the worker ends, each as often as its party was at that place. */
#include "check/count/count_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/count/hits.h"

typedef struct PartyHits {
    uint64_t *hits; /* by place */
    uint32_t  places;
    uint32_t  shift; /* places are 2^shift bytes apart */
    uint64_t  keep;  /* bits of the address that tell places apart */
} PartyHits;

struct SweepHits {
    const Sweep *of;
    PartyHits    party[SWEEP_PARTIES];
};

static SweepHits *hits_new(const Sweep *of, uint32_t period)
{
    SweepHits *h = xcalloc(1, sizeof *h);
    h->of        = of;
    for (uint32_t i = 0; i < of->naccesses; i++) {
        uint32_t   party = of->access[i].party, shift = (uint32_t)__builtin_ctz(of->access[i].seen->bytes);
        PartyHits *p = &h->party[party];
        p->shift     = !p->keep || shift < p->shift ? shift : p->shift;
        p->keep      = of->party[party].space == ACCESS_SHARED ? UINT32_MAX : period - 1;
    }
    return h;
}

static SweepHits *hits_of(SweepTable *t, const Sweep *of, uint32_t period)
{
    if (of->number >= t->n) {
        uint32_t n = of->number + 16;
        t->of      = xrealloc(t->of, n * sizeof(SweepHits *));
        memset(t->of + t->n, 0, (n - t->n) * sizeof(SweepHits *));
        t->n = n;
    }
    if (!t->of[of->number])
        t->of[of->number] = hits_new(of, period);
    return t->of[of->number];
}

static void grow(PartyHits *p, uint32_t places)
{
    uint32_t room = p->places ? p->places : 64;
    while (room < places)
        room *= 2;
    p->hits = xrealloc(p->hits, room * sizeof *p->hits);
    memset(p->hits + p->places, 0, (room - p->places) * sizeof *p->hits);
    p->places = room;
}

void sweep_count(SweepTable *t, const SweepCall *c, uint32_t period)
{
    SweepHits *h = hits_of(t, c->of, period);
    for (uint32_t i = 0; i < c->of->nparties; i++) {
        PartyHits *p     = &h->party[i];
        uint32_t   place = (uint32_t)((c->at[i] & p->keep) >> p->shift);
        if (place >= p->places)
            grow(p, place + 1);
        p->hits[place]++;
    }
}

static void tell(const SweepHits *h, void (*access)(void *user, const Access *a, uint64_t n), void *user)
{
    SweepRoom room;
    for (uint32_t i = 0; i < h->of->naccesses; i++) {
        uint32_t         party = h->of->access[i].party;
        const PartyHits *p     = &h->party[party];
        uint64_t         at[SWEEP_PARTIES], far = h->of->party[party].space == ACCESS_SHARED ? 0 : UINT64_C(1) << 60;
        SweepCall        c = {.of = h->of, .at = at};
        for (uint32_t place = 0; (place = hits_next(p->hits, place, p->places)) < p->places; place++) {
            at[party] = far + ((uint64_t)place << p->shift);
            Access a  = sweep_access(&c, i, &room);
            access(user, &a, p->hits[place]);
        }
    }
}

void sweep_tell(SweepTable *t, void (*access)(void *user, const Access *a, uint64_t n), void *user)
{
    for (uint32_t i = 0; i < t->n; i++) {
        if (!t->of[i])
            continue;
        tell(t->of[i], access, user);
        for (uint32_t k = 0; k < SWEEP_PARTIES; k++)
            free(t->of[i]->party[k].hits);
        free(t->of[i]);
    }
    free(t->of);
    *t = (SweepTable){0};
}
