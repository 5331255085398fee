/* SPDX-License-Identifier: Apache-2.0
 *
 * Seats in a row, which turns go round.  A cluster keeps its seat from turn to turn, and who begins takes that of one that has ended, or the one
 * before the next, so the order is first in, first out.
 *
 * All warps of a cluster that only waits may sleep (doze.c).  Then another turn of it changes nothing until a word that one of them reads is
 * another one.  The first word and its value stand in the seat, so where thousands wait for one, finding it is a walk along an array.  A turn
 * in SURE_TURNS takes place all the same: pauses, limits and endless.c live on turns.
 *
 * Not passed over: clusters with copies under way, or of which a group waits for an mbarrier, registers or another grid. */
#include "emu/run/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/stress.h"
#include "emu/async/async.h"
#include "emu/run/doze.h"

enum { SURE_TURNS = STRESSED(16, 2), FEW = 16 };

/* ---- sleepers ---- */

static Seat seat_of(const Cluster *c)
{
    Seat     s = {.cluster = (Cluster *)(uintptr_t)c, .stirs = __atomic_load_n(&c->launch->stirs, __ATOMIC_ACQUIRE)};
    uint32_t words = 0, bytes = 0;
    if (!c->spun || c->bulk || c->stalls || c->waits_for_registers)
        return s;
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++) {
            const Warp *w = &c->block[b]->warp[i];
            if (!doze_rests(w) || async_under_way(w))
                return s;
            words += doze_words(w, &s.at, &bytes, &s.value);
        }
    s.asleep = words > 0;
    s.bytes  = (uint8_t)(words == 1 ? bytes : 0);
    return s;
}

static bool stays(const Cluster *c)
{
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++)
            if (c->block[b]->warp[i].ngroups && !doze_stays(&c->block[b]->warp[i]))
                return false;
    return true;
}

static bool passes(Seat *s, uint64_t stirs)
{
    return s->asleep && ++s->passed % SURE_TURNS && s->stirs == stirs &&
           (s->bytes ? doze_word(s->at, s->bytes) == s->value : stays(s->cluster));
}

/* ---- seats ---- */

/* Without those that are nobody's. */
static void close_up(Ring *r)
{
    uint32_t n = 0, next = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (i == r->next)
            next = n;
        if (r->seat[i].cluster)
            r->seat[n++] = r->seat[i];
    }
    r->next = next < n ? next : 0;
    r->n    = n;
}

Cluster *ring_take(Worker *k, uint32_t others)
{
    Ring    *r     = &k->ring;
    uint64_t stirs = __atomic_load_n(&k->launch->stirs, __ATOMIC_ACQUIRE);
    if (r->n > 2 * r->held + FEW)
        close_up(r);
    r->next = (r->next + others) % r->n;
    for (;;) {
        Seat    *s = &r->seat[r->next];
        Cluster *c = s->cluster;
        r->left    = r->next;
        r->next    = r->next + 1 < r->n ? r->next + 1 : 0;
        if (c && passes(s, stirs)) {
            k->idle++;
        } else if (c) {
            s->cluster = NULL;
            r->held--;
            return c;
        }
    }
}

/* A new one, before the next. */
static Seat *insert(Ring *r)
{
    if (r->n == r->room) {
        r->room = r->room ? 2 * r->room : FEW;
        r->seat = xrealloc(r->seat, r->room * sizeof *r->seat);
    }
    uint32_t at = r->next ? r->next++ : r->n;
    memmove(&r->seat[at + 1], &r->seat[at], (r->n - at) * sizeof *r->seat);
    r->n++;
    return &r->seat[at];
}

void ring_put(Worker *k, Cluster *c)
{
    Ring *r = &k->ring;
    Seat *s = r->left < r->n && !r->seat[r->left].cluster ? &r->seat[r->left] : insert(r);
    *s      = seat_of(c);
    r->left = UINT32_MAX;
    r->held++;
}

void ring_free(Worker *k)
{
    free(k->ring.seat);
}
