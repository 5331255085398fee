/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps (observer.h) that no observer wants to hear of for now.  Most of what a kernel reads is read by everybody and written by nobody: each
 * observer then says in which range of places a party may lie so that it has nothing to do (Observer.rests), and as long as nothing stirs
 * (LaunchInfo.stirs) native code tells nobody.
 *
 *     wide    by party: the last range of at least WIDE places, as where a whole matrix is read again and again
 *     near    by party and place: smaller ones, as of a column that grows quiet while the rest of its rows is not yet */
#ifndef WW_EMU_JIT_REST_H
#define WW_EMU_JIT_REST_H

#include "emu/observer.h"

enum { REST_PLACES = 256, REST_GRAIN = 6 };

typedef struct RestRange { /* good while stirs is what it was */
    uint64_t low, room, stirs; /* [low, low + room] */
} RestRange;

typedef struct Rest { /* one Sweep of one worker */
    RestRange  wide[SWEEP_PARTIES];
    RestRange *near; /* by party, REST_PLACES each; NULL: none yet */
} Rest;

Rest *rests_new(uint32_t n);
void  rests_free(Rest *rests, uint32_t n);
/* All observers were told: of which of the parties do they rest where these lie now? */
void  rest_ask(Rest *rest, const SweepCall *c, uint64_t stirs, uint32_t parties, Observer *const *observer, size_t n,
               void *const *state);

static inline RestRange *rest_near(const Rest *rest, uint32_t party, uint64_t at)
{
    uint64_t hash = (at >> REST_GRAIN) * UINT64_C(0x9e3779b97f4a7c15);
    return &rest->near[party * REST_PLACES + (uint32_t)(hash >> 56) % REST_PLACES];
}

static inline bool rest_has(const RestRange *r, uint64_t at, uint64_t stirs)
{
    return at - r->low <= r->room && r->stirs == stirs;
}

/* The parties that lie where somebody may want to hear of them. */
static inline uint32_t rest_awake(const Rest *rest, const SweepCall *c, uint64_t stirs)
{
    uint32_t awake = 0;
    for (uint32_t k = 0; k < c->of->nparties; k++) {
        bool rests = rest_has(&rest->wide[k], c->at[k], stirs) ||
                     (rest->near && rest_has(rest_near(rest, k, c->at[k]), c->at[k], stirs));
        awake |= (uint32_t)!rests << k;
    }
    return awake;
}

#endif
