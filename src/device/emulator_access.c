/* SPDX-License-Identifier: Apache-2.0
 *
 * The observer behind WW_OBSERVE_ACCESSES: every warp access, with its cost by the profile and its place in the source, is
 * handed to the caller's function.  One lock: the callback is called by one thread at a time, whatever the number of workers;
 * with one worker in block order.  It is meant for logs and pictures, not for speed: counters come from the counting observer. */
#include <pthread.h>
#include <stdlib.h>

#include "device/emulator_own.h"
#include "model/model.h"

typedef struct Watch {
    Observer        base;
    pthread_mutex_t lock;
    const Profile  *profile;
    const Module   *module;
    const WwLaunch *launch;
} Watch;

typedef struct WatchState {
    Watch            *watch;
    const LaunchInfo *info;
} WatchState;

WwDim3 block_index(uint64_t linear, const uint32_t grid[3])
{
    uint64_t gx = grid[0] ? grid[0] : 1, gy = grid[1] ? grid[1] : 1;
    return (WwDim3){(uint32_t)(linear % gx), (uint32_t)(linear / gx % gy), (uint32_t)(linear / gx / gy)};
}

static ModelL1 l1_of(const Access *a)
{
    if (a->cache == CACHE_CG || a->cache == CACHE_CV)
        return MODEL_L1_OFF;
    return a->cache == CACHE_CA ? MODEL_L1_ON : MODEL_L1_AUTO;
}

static void *watch_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    (void)worker;
    WatchState *s = xcalloc(1, sizeof *s);
    s->watch      = (Watch *)o;
    s->info       = info;
    return s;
}

static void watch_join(Observer *o, void *state)
{
    (void)o;
    free(state);
}

static void watch_access(void *state, const Access *a)
{
    static const char *const spaces[] = {"global", "shared", "local"};
    static const char *const ops[]    = {"ld", "st", "atom", "red", "ldsm", "stsm", "copy"};
    const WatchState        *s        = state;
    Watch                   *w        = s->watch;
    uint64_t                 wide[LANES];
    const uint64_t          *address = a->addr;
    if (!address) {
        for (int i = 0; i < LANES; i++)
            wide[i] = a->off[i];
        address = wide;
    }
    ModelAccess ma = {.space = (ModelSpace)a->space,
                      .op    = a->op != ACCESS_COPY        ? (ModelOp)a->op
                               : a->space == ACCESS_SHARED ? MODEL_ST
                                                           : MODEL_LD,
                      .l1    = l1_of(a),
                      .bytes = a->bytes,
                      .mask  = a->mask,
                      .addr  = address};
    ModelCost   cost;
    model_access(w->profile, &ma, &cost);
    const Instr *in    = a->instr < s->info->instrs ? s->info->instr[a->instr].in : NULL;
    Place        place = in ? instr_place(w->module, in) : (Place){0};
    WwAccess     out   = {.space      = spaces[a->space],
                          .op         = ops[a->op],
                          .bytes      = a->bytes,
                          .mask       = a->mask,
                          .address    = address,
                          .block      = block_index(a->block, s->info->grid),
                          .warp       = a->warp,
                          .file       = place.from_ptx ? NULL : place.file,
                          .line       = place.from_ptx ? 0 : place.line,
                          .ptx_line   = in ? in->line : 0,
                          .wavefronts = cost.wavefronts,
                          .conflicts  = cost.conflicts,
                          .sectors    = cost.sectors};
    pthread_mutex_lock(&w->lock);
    w->launch->on_access(w->launch->user, &out);
    pthread_mutex_unlock(&w->lock);
}

Observer *access_watch_new(const Profile *p, const Module *m, const WwLaunch *launch)
{
    Watch *w = xcalloc(1, sizeof *w);
    for (int i = 0; i < ACCESS_CLUSTER; i++) /* shared memory of other blocks has no counters */
        w->base.wants[i] = (1u << ACCESS_OPS) - 1;
    w->base.fork   = watch_fork;
    w->base.access = watch_access;
    w->base.join   = watch_join;
    w->profile     = p;
    w->module      = m;
    w->launch      = launch;
    pthread_mutex_init(&w->lock, NULL);
    return &w->base;
}

void access_watch_free(Observer *o)
{
    Watch *w = (Watch *)o;
    pthread_mutex_destroy(&w->lock);
    free(w);
}
