/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch pauses when its caller gave on_pause and either every block that is resident only waits (for something that only the host or
 * another launch can bring), or it has run a number of instructions (never a time: what runs between two pauses is the same in every run);
 * with or without on_pause when endless.c has found that it never ends by itself.  Every
 * worker comes to rest between two blocks; worker 0, which runs in the thread of emu_launch, calls on_pause.  Afterwards each forgets which
 * allocations it hit, because they may be gone, and what endless.c has gathered is void unless the caller knows that memory is as it was.
 * A launch that never ends is ended where nobody else is left to change memory.
 *
 * Whether everybody waits is counted without locks and may be wrong for a moment; a pause too many costs time only. */
#include "emu/core/pause.h"

#include <string.h>

#include "emu/core/run.h"
#include "emu/run/stop.h"

enum { SURE = 64 }; /* rounds without progress before a worker counts as waiting */

void pause_init(Launch *l)
{
    l->pause.active = l->nworkers;
    l->pause.epoch  = l->epoch;
    pthread_cond_init(&l->pause.changed, NULL);
}

void pause_done(Launch *l)
{
    pthread_cond_destroy(&l->pause.changed);
}

static void want(Launch *l, PauseWish wish)
{
    int was = __atomic_load_n(&l->pause.wanted, __ATOMIC_RELAXED);
    while (was < (int)wish &&
           !__atomic_compare_exchange_n(&l->pause.wanted, &was, wish, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void pause_stands(Launch *l)
{
    want(l, PAUSE_STANDS);
}

static void set_waiting(Worker *k, bool waits)
{
    if (k->waits == waits)
        return;
    k->waits = waits;
    if (waits)
        __atomic_add_fetch(&k->launch->pause.waiting, 1, __ATOMIC_RELAXED);
    else
        __atomic_sub_fetch(&k->launch->pause.waiting, 1, __ATOMIC_RELAXED);
}

void pause_note(Worker *k, bool computed, unsigned holding)
{
    Launch *l = k->launch;
    if (!l->ask->on_pause)
        return;
    k->idle = computed ? 0 : k->idle + 1;
    set_waiting(k, k->idle >= SURE * (holding + 1));
    if (k->waits &&
        __atomic_load_n(&l->pause.waiting, __ATOMIC_RELAXED) >= __atomic_load_n(&l->pause.active, __ATOMIC_RELAXED))
        want(l, PAUSE_WAITS);
}

void pause_tick(Launch *l, uint64_t instructions)
{
    uint64_t since = __atomic_load_n(&l->pause.since, __ATOMIC_RELAXED);
    if (l->ask->on_pause && instructions > since && instructions - since > l->ask->pause_after &&
        !pause_wanted(&l->pause))
        want(l, PAUSE_TIME);
}

static void forget(Worker *k)
{
    memset(k->lookup, 0, k->launch->prog->ninstr * sizeof *k->lookup);
    k->idle = 0;
    set_waiting(k, false);
}

static unsigned others(const Launch *l)
{
    return __atomic_load_n(&l->pause.active, __ATOMIC_RELAXED) - (l->worker[0].left ? 0 : 1);
}

/* Worker 0, when all others rest or have left; the lock is held. */
static void spend(Launch *l)
{
    int     wish = __atomic_load_n(&l->pause.wanted, __ATOMIC_ACQUIRE);
    WwPause p    = {.waits   = wish >= PAUSE_WAITS,
                    .stands  = wish == PAUSE_STANDS,
                    .changed = endless_epoch(l) != l->pause.epoch ||
                               !__atomic_load_n(&l->watched, __ATOMIC_SEQ_CST) /* blocks began and ended untold */,
                    .threads = others(l),
                    .end     = !l->ask->on_pause,
                    .launch  = l};
    pthread_mutex_unlock(&l->lock);
    if (l->ask->on_pause)
        l->ask->on_pause(l->ask->user, &p);
    if (l->param_bytes) /* another launch may have had its own there */
        memcpy(l->params, l->ask->params, l->param_bytes);
    forget(&l->worker[0]);
    __atomic_fetch_add(&l->stirs, 1, __ATOMIC_RELEASE); /* checkers may have heard of anything */
    if (p.stands && p.end)
        launch_stop_endless(l);
    if (!p.still)
        endless_forget(l);
    pthread_mutex_lock(&l->lock);
    l->pause.epoch = l->epoch;
    __atomic_store_n(&l->pause.since, __atomic_load_n(&l->spent, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    __atomic_store_n(&l->pause.wanted, PAUSE_NO, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&l->pause.changed);
}

void pause_rest(Worker *k)
{
    Launch *l = k->launch;
    pthread_mutex_lock(&l->lock);
    if (k->index == 0) {
        while (l->pause.resting < others(l))
            pthread_cond_wait(&l->pause.changed, &l->lock);
        if (pause_wanted(&l->pause))
            spend(l);
    } else {
        l->pause.resting++;
        pthread_cond_broadcast(&l->pause.changed);
        while (pause_wanted(&l->pause))
            pthread_cond_wait(&l->pause.changed, &l->lock);
        l->pause.resting--;
        forget(k);
    }
    pthread_mutex_unlock(&l->lock);
}

void pause_leave(Worker *k)
{
    Launch *l = k->launch;
    pthread_mutex_lock(&l->lock);
    set_waiting(k, false);
    k->left = true;
    __atomic_sub_fetch(&l->pause.active, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&l->pause.changed);
    while (k->index == 0 && others(l)) {
        if (pause_wanted(&l->pause) && l->pause.resting == others(l))
            spend(l);
        else
            pthread_cond_wait(&l->pause.changed, &l->lock);
    }
    pthread_mutex_unlock(&l->lock);
}
