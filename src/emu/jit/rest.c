/* SPDX-License-Identifier: Apache-2.0
 *
 * The last observer is asked first: it is the one of races, which mostly knows at once that it has to look again. */
#include "emu/jit/rest.h"

#include <stdlib.h>

#include "base/arena.h"

enum { WIDE = 4096 };

Rest *rests_new(uint32_t n)
{
    Rest *rests = xcalloc(n + 1u, sizeof *rests);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < SWEEP_PARTIES; k++)
            rests[i].wide[k].stirs = UINT64_MAX;
    return rests;
}

void rests_free(Rest *rests, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(rests[i].near);
    free(rests);
}

static RestRange *make_near(Rest *rest, const SweepCall *c, uint32_t party)
{
    if (!rest->near) {
        size_t n   = (size_t)c->of->nparties * REST_PLACES;
        rest->near = xmalloc(n * sizeof *rest->near);
        for (size_t i = 0; i < n; i++)
            rest->near[i].stirs = UINT64_MAX;
    }
    return rest_near(rest, party, c->at[party]);
}

void rest_ask(Rest *rest, const SweepCall *c, uint64_t stirs, uint32_t parties, Observer *const *observer, size_t n,
              void *const *state)
{
    SweepRange range[SWEEP_PARTIES];
    for (uint32_t k = 0; k < SWEEP_PARTIES; k++)
        range[k] = (SweepRange){0, UINT64_MAX};
    for (size_t o = n; o-- > 0;) {
        const Observer *x = observer[o];
        if (x->takes || x->sweep)
            parties = x->rests && parties ? x->rests(state[o], c, parties, range) : 0;
    }
    for (uint32_t m = parties; m; m &= m - 1) {
        uint32_t   k    = (uint32_t)__builtin_ctz(m);
        uint64_t   room = range[k].high - range[k].low;
        RestRange *to   = room >= WIDE ? &rest->wide[k] : make_near(rest, c, k);
        *to             = (RestRange){range[k].low, room, stirs};
    }
}
