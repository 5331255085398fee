/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches that never end.  A warp that only waits goes round in a loop: it looks at memory and comes back to the registers and the place
 * that it had.  When every warp of every resident block has come back to a state that it was in before, and in between nobody has executed
 * an instruction that may change memory, complete a barrier or read a clock, then each does the same again and again: the launch hangs, on
 * a card as well, whatever the order of turns.  Blocks that have not begun do not help, as they begin when another one has ended.
 *
 * An epoch is a time in which nothing was changed.  A worker's count of changes is what its basic blocks with such instructions were
 * executed, and how many atomics left another value than they found; a change begins an epoch, for all workers.  States are hashes of
 * 64 bits, kept at the beginning of an epoch and compared for RETRY rounds, then kept anew: the first may have been on the way to the loop.
 * Blocks that begin and end begin an epoch too, from the first look on: most launches need none.
 *
 * That holds as long as nobody else changes memory: the launch pauses, and its caller says whether anybody is left who could (pause.h).
 *
 * A clock that only says how long a thread sleeps (ptx/idle_clock.h) counts for nothing, nor does what was computed from it.
 *
 * Not found: loops that count their turns, that read a clock and may give up, that store or call. */
#include "emu/core/endless.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emu/async/async.h"
#include "emu/core/ctl.h"
#include "emu/run/home.h"

enum { RETRY = 64 }; /* rounds for which a state is compared */

static void list_heads(Worker *k)
{
    const Program *p = k->launch->prog;
    EndlessWorker *e = &k->endless;
    e->head          = xcalloc(p->ninstr, sizeof *e->head);
    for (uint32_t c = 0; c < p->ncode; c++)
        for (uint32_t i = 0; i < p->code[c]->nuops; i++) {
            const Uop *u = &p->code[c]->uops[i];
            if (uop_is(k->launch, u, CTL_block) && u->x)
                e->head[e->nheads++] = u->instr;
        }
}

/* The epoch that runs, after what this worker has done. */
static uint64_t note_changes(Worker *k)
{
    EndlessWorker *e      = &k->endless;
    uint64_t       writes = e->atomics + k->clock_reads - e->idle_reads;
    if (!e->head)
        list_heads(k);
    for (uint32_t i = 0; i < e->nheads; i++)
        writes += k->executed[e->head[i]];
    if (writes != e->writes)
        endless_forget(k->launch);
    e->writes = writes;
    return __atomic_load_n(&k->launch->epoch, __ATOMIC_SEQ_CST);
}

void endless_forget(Launch *l)
{
    __atomic_add_fetch(&l->epoch, 1, __ATOMIC_SEQ_CST);
}

void endless_turnover(Launch *l)
{
    if (__atomic_load_n(&l->watched, __ATOMIC_SEQ_CST))
        endless_forget(l);
}

/* What was proved before is worth nothing: blocks may have begun since. */
static void watch(Launch *l)
{
    if (!__atomic_exchange_n(&l->watched, true, __ATOMIC_SEQ_CST))
        endless_forget(l);
}

uint64_t endless_epoch(Launch *l)
{
    for (unsigned i = 0; i < l->nworkers; i++)
        note_changes(&l->worker[i]);
    return __atomic_load_n(&l->epoch, __ATOMIC_SEQ_CST);
}

void endless_done(Worker *k)
{
    free(k->endless.head);
}

/* ---- states ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Of 8 bytes, those that more depends on than how long to sleep. */
static uint64_t awake(const bool idle[2])
{
    uint32_t half[2] = {idle[0] ? 0 : UINT32_MAX, idle[1] ? 0 : UINT32_MAX};
    uint64_t both;
    memcpy(&both, half, sizeof both);
    return both;
}

/* Of f, in which these lanes run, and of all frames that they called it from. */
static uint64_t frame_state(uint64_t h, Frame *f, uint32_t lanes)
{
    while (f) {
        const uint64_t *r    = (const uint64_t *)(const void *)f->regs;
        const bool     *idle = f->code->idle;
        for (uint32_t i = 0; i < f->code->frame_bytes / sizeof *r; i++)
            h = mix(h, idle ? r[i] & awake(idle + 2 * (size_t)i) : r[i]);
        uint32_t same = lanes;
        Frame   *up   = home_of(f, &same)->parent;
        if (same != lanes)
            h = frame_state(h, f, lanes & ~same);
        lanes = same;
        f     = up;
    }
    return h;
}

static uint64_t group_state(const Group *g)
{
    return frame_state(mix(mix((uintptr_t)g->pc, g->mask), g->state), g->frame, g->mask);
}

/* Whatever the order of its groups. */
static uint64_t warp_state(const Warp *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->ngroups; i++)
        sum += group_state(&w->group[i]);
    return sum;
}

static void keep(Warp *w)
{
    w->state     = warp_state(w);
    w->came_back = false;
    for (uint32_t i = 0; i < w->ngroups; i++)
        w->group[i].still = true;
}

/* All of its groups that can have run since. */
static bool came_back(Warp *w)
{
    for (uint32_t i = 0; i < w->ngroups && !w->came_back; i++)
        if (w->group[i].still && w->group[i].state == GROUP_READY)
            return false;
    return w->came_back = w->came_back || warp_state(w) == w->state;
}

/* Keeps the states of c's warps, or compares with those; true: all have come back. */
static bool states(Cluster *c, bool compare)
{
    bool all = compare;
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++) {
            Warp *w = &c->block[b]->warp[i];
            if (compare)
                all &= came_back(w);
            else
                keep(w);
        }
    return all;
}

/* Copies on their way may land without anybody's doing. */
static bool copies_under_way(const Cluster *c)
{
    bool any = c->bulk != NULL;
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++)
            any |= async_under_way(&c->block[b]->warp[i]);
    return any;
}

/* ---- looks ---- */

/* c's warps have all come back in this epoch. */
static bool stands(Worker *k, Cluster *c, uint64_t epoch)
{
    EndlessCluster *e = &c->endless;
    if (e->epoch != epoch) { /* the states are kept next time, if nothing changes until then */
        *e = (EndlessCluster){.epoch = epoch, .rounds = ENDLESS_PATIENCE};
        return false;
    }
    if (e->stands)
        return true;
    e->stands = states(c, e->looks > 0) && !c->stalls /* those hang.c explains */ && !copies_under_way(c);
    e->looks  = e->looks == RETRY ? 0 : e->looks + 1;
    if (!e->stands)
        return false;
    k->endless.standing = k->endless.epoch == epoch ? k->endless.standing + 1 : 1;
    k->endless.epoch    = epoch;
    return true;
}

static bool everybody(Launch *l, uint64_t epoch)
{
    pthread_mutex_lock(&l->lock);
    bool all = __atomic_load_n(&l->epoch, __ATOMIC_SEQ_CST) == epoch;
    for (unsigned i = 0; i < l->nworkers; i++)
        all &= l->worker[i].left || __atomic_load_n(&l->worker[i].endless.proved, __ATOMIC_SEQ_CST) == epoch;
    pthread_mutex_unlock(&l->lock);
    return all;
}

void endless_idle(Worker *k)
{
    __atomic_store_n(&k->endless.proved, __atomic_load_n(&k->launch->epoch, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
}

bool endless_look(Worker *k, Cluster *c, uint32_t holding, bool full)
{
    Launch *l = k->launch;
    if ((l->ask->held && *l->ask->held) || (c->endless.rounds += c->spun ? 1 : ENDLESS_PATIENCE) < ENDLESS_PATIENCE)
        return false;
    if (!__atomic_load_n(&l->watched, __ATOMIC_RELAXED))
        watch(l);
    uint64_t epoch = note_changes(k);
    if (!stands(k, c, epoch) || !full || k->endless.standing < holding)
        return false;
    __atomic_store_n(&k->endless.proved, epoch, __ATOMIC_SEQ_CST);
    return everybody(l, epoch);
}
