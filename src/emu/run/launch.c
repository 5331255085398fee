/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch: validation as the driver does it, worker threads that take blocks in ascending order (or as a seed says: schedule.h), limits,
 * and one result.
 *
 * A worker holds one cluster (a single block, where the launch has none) until it ends.  A cluster that does nothing but wait for several
 * passes (it spins on memory that another block may write) is set aside and the worker starts the next one, up to the number of blocks
 * the card would hold at once; then it goes round.  The first fault by block order wins: blocks after it are not started, blocks before
 * it run to their end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emu/async/tensormap_proxy.h"
#include "emu/core/fault.h"
#include "emu/core/frame.h"
#include "emu/core/run.h"
#include "emu/core/schedule.h"
#include "emu/core/where.h"
#include "emu/jit/jit.h"
#include "emu/run/block.h"
#include "emu/run/cluster.h"
#include "emu/run/ring.h"
#include "emu/run/sample.h"
#include "emu/run/stop.h"
#include "emu/run/turn.h"
#include "emu/sync/maxnreg.h"
#include "model/occupancy.h"

enum { NAP = 50000 };               /* nanoseconds */
enum { PATIENCE = 8, LONG = 1024 }; /* waiting passes, and passes of any kind, before another block gets the worker */
enum { CLAIM = 8 };                 /* clusters that a worker takes at a time, at most */
enum { LIMIT_CHECK = 1 << 18, LIMIT_BLOCKS = 16 }; /* instructions, or blocks that ended, between looks at the clock */

/* ---- validation ---- */

static Status refuse(EmuResult *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static Status refuse(EmuResult *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    r->fault = (Fault){.kind = FAULT_LAUNCH_CONFIG, .instr = UINT32_MAX};
    vsnprintf(r->fault.text, sizeof r->fault.text, fmt, ap);
    va_end(ap);
    return WW_ERR_LAUNCH;
}

/* What the card itself refuses; r has the limit already. */
static Status refuse_as(EmuResult *r, Refusal how)
{
    r->fault.kind    = FAULT_LAUNCH_CONFIG;
    r->fault.instr   = UINT32_MAX;
    r->fault.refusal = how;
    return WW_ERR_LAUNCH;
}

static Status check_dims(const Limits *limits, const EmuLaunch *a, const Func *f, EmuResult *r)
{
    Refusal how = limits_grid(limits, a->grid, a->block, r->fault.text);
    if (how)
        return refuse_as(r, how);
    uint64_t threads = (uint64_t)a->block[0] * a->block[1] * a->block[2];
    if (f->reqntid[0] && (f->reqntid[0] != a->block[0] || (f->reqntid[1] ? f->reqntid[1] : 1) != a->block[1] ||
                          (f->reqntid[2] ? f->reqntid[2] : 1) != a->block[2]))
        return refuse(r, "the kernel requires blocks of %u x %u x %u threads (.reqntid); the launch has %u x %u x %u",
                      f->reqntid[0], f->reqntid[1] ? f->reqntid[1] : 1, f->reqntid[2] ? f->reqntid[2] : 1, a->block[0],
                      a->block[1], a->block[2]);
    uint64_t max = 1;
    for (int i = 0; i < 3; i++)
        max *= f->maxntid[i] ? f->maxntid[i] : 1;
    if (f->maxntid[0] && threads > max)
        return refuse(r, "the kernel allows %" PRIu64 " threads a block (.maxntid); the launch has %" PRIu64, max,
                      threads);
    return WW_OK;
}

/* The cluster's size, from the launch or from the kernel; false: neither names one, it is a single block. */
static bool cluster_size(const EmuLaunch *a, const Func *f, uint32_t size[3])
{
    const uint32_t *from = a->cluster[0] ? a->cluster : f->reqnctapercluster;
    for (int i = 0; i < 3; i++)
        size[i] = from[i] ? from[i] : 1;
    return from[0] != 0;
}

static Status check_clusters(const Limits *limits, const EmuLaunch *a, const Func *f, EmuResult *r)
{
    static const char axis[] = "xyz";
    uint32_t          size[3];
    const uint32_t   *req   = f->reqnctapercluster;
    bool              named = cluster_size(a, f, size);
    if (f->explicitcluster && !named)
        return refuse(r, "the kernel requires that its launch names a cluster size (.explicitcluster)");
    for (int i = 0; i < 3; i++) {
        if (req[0] && size[i] != (req[i] ? req[i] : 1))
            return refuse(
                r,
                "the kernel requires clusters of %u x %u x %u blocks (.reqnctapercluster); the launch has %u x %u x %u",
                req[0], req[1] ? req[1] : 1, req[2] ? req[2] : 1, size[0], size[1], size[2]);
        if (!f->blocksareclusters && a->grid[i] % size[i])
            return refuse(r, "grid.%c is %u, not a multiple of the cluster's %u", axis[i], a->grid[i], size[i]);
    }
    uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
    Refusal  how    = named ? limits_cluster(limits, size, r->fault.text) : REFUSED_NOT;
    if (how)
        return refuse_as(r, how);
    if (f->maxclusterrank && blocks > f->maxclusterrank)
        return refuse(r, "a cluster of %u x %u x %u has %" PRIu64 " blocks; at most %u fit (.maxclusterrank)", size[0],
                      size[1], size[2], blocks, f->maxclusterrank);
    return WW_OK;
}

/* Of local and shared memory, and the latter of all the blocks of a cooperative launch. */
static Status check_memory(const Limits *limits, const EmuLaunch *a, const Program *p, EmuResult *r)
{
    Refusal how = limits_local(limits, p->local_bytes, r->fault.text);
    if (!how)
        how = limits_shared(limits, p->static_shared, a->shared, r->fault.text);
    if (!how && a->cooperative)
        how = occupancy_together(limits, (uint64_t)a->grid[0] * a->grid[1] * a->grid[2],
                                 a->block[0] * a->block[1] * a->block[2], p->static_shared + a->shared, r->fault.text);
    return how ? refuse_as(r, how) : WW_OK;
}

/* ---- parameters ---- */

/* ---- limits ---- */

/* One worker at a time; the others do not wait for it. */
static void tell_progress(Launch *l)
{
    if (!l->ask->on_progress || __atomic_exchange_n(&l->telling, true, __ATOMIC_ACQUIRE))
        return;
    l->ask->on_progress(l->ask->progress_user, __atomic_load_n(&l->done, __ATOMIC_RELAXED),
                        l->nclusters * l->cluster_blocks);
    __atomic_store_n(&l->telling, false, __ATOMIC_RELEASE);
}

bool launch_check_limits(Worker *k, const Cluster *c)
{
    Launch  *l     = k->launch;
    uint64_t total = __atomic_add_fetch(&l->spent, k->spent, __ATOMIC_RELAXED);
    __atomic_add_fetch(&l->compiled, k->compiled, __ATOMIC_RELAXED);
    __atomic_add_fetch(&l->done, k->done, __ATOMIC_RELAXED);
    k->done     = 0;
    k->spent    = 0;
    k->compiled = 0;
    k->ended    = 0;
    jit_tick(l, total);
    if (__atomic_load_n(&l->aborted, __ATOMIC_ACQUIRE))
        return false;
    if (l->ask->max_instructions && total > l->ask->max_instructions) {
        launch_stop(l, c, FAULT_INSTRUCTION_LIMIT,
                    "the launch ran %" PRIu64 " warp instructions; its limit is %" PRIu64, total,
                    l->ask->max_instructions);
        return false;
    }
    if (l->ask->stop && *l->ask->stop) {
        launch_stop(l, c, FAULT_TIME_LIMIT, "the launch was interrupted after %" PRIu64 " warp instructions", total);
        return false;
    }
    pause_tick(l, total);
    tell_progress(l);
    if (l->ask->max_seconds > 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        double s = (double)(now.tv_sec - l->started.tv_sec) + 1e-9 * (double)(now.tv_nsec - l->started.tv_nsec);
        if (s > l->ask->max_seconds) {
            launch_stop(l, c, FAULT_TIME_LIMIT, "the launch ran longer than its limit of %g seconds",
                        l->ask->max_seconds);
            return false;
        }
    }
    return true;
}

/* ---- workers ---- */

static void keep_fault(Worker *k)
{
    Launch *l = k->launch;
    pthread_mutex_lock(&l->lock);
    if (k->fault_order < l->fault_order) {
        __atomic_store_n(&l->fault_order, k->fault_order, __ATOMIC_RELEASE);
        if (!l->aborted)
            l->fault = k->fault;
    }
    pthread_mutex_unlock(&l->lock);
    k->faulted = false;
}

/* The place on the card of a cluster that has ended is for the next one of the same worker, until it takes none. */
static void give_place(Worker *k)
{
    if (k->place)
        __atomic_sub_fetch(&k->launch->holding, 1, __ATOMIC_RELAXED);
    k->place = false;
}

static bool take_place(Worker *k)
{
    Launch *l   = k->launch;
    bool    had = k->place;
    k->place    = false;
    if (had || __atomic_fetch_add(&l->holding, 1, __ATOMIC_RELAXED) < __atomic_load_n(&l->resident, __ATOMIC_RELAXED))
        return true;
    __atomic_sub_fetch(&l->holding, 1, __ATOMIC_RELAXED);
    return false;
}

/* Ended, faulted or stopped. */
static void end_cluster(Worker *k, Cluster *c)
{
    if (k->faulted)
        keep_fault(k);
    for (uint32_t i = 0; i < c->n; i++) {
        Block *b = c->block[i];
        if (b->ended)
            continue;
        block_stop(b, k);
        block_ended(k, b);
    }
    k->done += c->n;
    cluster_release(c, k);
    give_place(k);
    k->place = true;
    endless_turnover(k->launch);
}

/* Time to look at the limits?  At once when the launch is to stop; a small instruction limit is looked at more often. */
static bool limits_due(const Worker *k)
{
    const EmuLaunch *ask  = k->launch->ask;
    uint64_t         most = ask->max_instructions;
    return (ask->stop && *ask->stop) || k->spent >= (most && most < LIMIT_CHECK ? most : LIMIT_CHECK) ||
           k->ended >= LIMIT_BLOCKS;
}

static bool card_is_full(const Launch *l)
{
    return __atomic_load_n(&l->holding, __ATOMIC_RELAXED) >= __atomic_load_n(&l->resident, __ATOMIC_RELAXED);
}

/* Nothing is left that worker k could begin. */
static bool all_began(const Worker *k)
{
    const Launch *l = k->launch;
    return k->claim.next == k->claim.end &&
           __atomic_load_n(&l->next_cluster, __ATOMIC_RELAXED) >= __atomic_load_n(&l->last, __ATOMIC_RELAXED);
}

/* Clusters behind a fault are not begun; those before it are, if this worker has said that it will. */
static bool behind_fault(const Worker *k)
{
    uint64_t fault = __atomic_load_n(&k->launch->fault_order, __ATOMIC_ACQUIRE);
    return fault != UINT64_MAX && (k->claim.next == k->claim.end || k->claim.next * k->launch->cluster_blocks > fault);
}

/* No cluster will be begun any more. */
static bool none_left(const Worker *k)
{
    return all_began(k) || __atomic_load_n(&k->launch->aborted, __ATOMIC_RELAXED) || behind_fault(k);
}

/* Blocks that wait for each other must all fit on the card.  Registers, which may limit that, are the assembler's; it is asked only where
 * it matters, for that takes time. */
static void ask_fit(Launch *l)
{
    unsigned registers = 0, fit;
    pthread_mutex_lock(&l->lock);
    if (!l->asked_fit && (fit = l->ask->fit(l->ask->fit_user, &registers)) > 0) {
        uint64_t most = (uint64_t)fit * l->dev->limits.card->sms / l->cluster_blocks;
        if (most < l->resident) {
            __atomic_store_n(&l->resident, most ? most : 1, __ATOMIC_RELAXED);
            l->thread_registers = registers;
        }
    }
    __atomic_store_n(&l->asked_fit, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&l->lock);
}

static bool fit_matters(const Launch *l)
{
    return l->ask->fit && !l->ask->max_resident && __atomic_load_n(&l->somebody_waits, __ATOMIC_RELAXED) &&
           __atomic_load_n(&l->holding, __ATOMIC_RELAXED) * l->cluster_blocks >= l->dev->limits.card->sms &&
           !__atomic_load_n(&l->asked_fit, __ATOMIC_ACQUIRE);
}

/* How many clusters a worker claims at a time: few, so that none is left alone with them at the end, and one as soon as blocks wait for each
 * other.  It can hold them all, so whatever one waits for in another begins. */
static uint64_t claim_size(const Launch *l, uint32_t holding)
{
    uint64_t next = __atomic_load_n(&l->next_cluster, __ATOMIC_RELAXED),
             last = __atomic_load_n(&l->last, __ATOMIC_RELAXED),
             most = next < last ? (last - next) / 16 / l->nworkers : 0;
    if (holding || l->ask->ranks > 1 || __atomic_load_n(&l->somebody_waits, __ATOMIC_RELAXED) || most < 2)
        return 1;
    most = most < l->per_worker ? most : l->per_worker;
    return most < CLAIM ? most : CLAIM;
}

/* In which order the next cluster starts, and its index; false: none is left. */
static bool next_cluster(Worker *k, uint32_t holding, uint64_t *order, uint64_t *index)
{
    Launch *l = k->launch;
    if (l->sample.place)
        return sample_take(l, order, index);
    if (k->claim.next == k->claim.end) {
        uint64_t size = claim_size(l, holding), first = __atomic_fetch_add(&l->next_cluster, size, __ATOMIC_RELAXED),
                 last = __atomic_load_n(&l->last, __ATOMIC_RELAXED);
        k->claim.next = first < last ? first : last;
        k->claim.end  = first + size < last ? first + size : last;
    }
    bool is = k->claim.next < k->claim.end;
    *order  = is ? k->claim.next++ : 0;
    *index  = is ? sample_place(l, *order) : 0;
    return is;
}

/* NULL: none begins now. */
static Cluster *take_cluster(Worker *k, uint32_t holding)
{
    Launch  *l = k->launch;
    uint64_t order, index;
    if (behind_fault(k))
        return NULL;
    if (fit_matters(l))
        ask_fit(l);
    if (!take_place(k))
        return NULL;
    if (!next_cluster(k, holding, &order, &index)) {
        k->place = true;
        give_place(k);
        return NULL;
    }
    jit_begin(k);
    endless_turnover(l);
    return cluster_new(k, order, index);
}

/* Runs c until it ends (true), or has only waited for PATIENCE passes, or has run so long that it may wait with plain loads (false).
 * Where others take turns with it, it lets them see what it changed atomically before it goes on, and goes one pass out of a wait, or behind
 * such a change, before they do.  Else the first one out of a grid's barrier would be at the next one before the others have left; and the race
 * checker, to whom they then have seen all that it did until there, would take it for ordered with what they do now. */
static bool run_cluster(Worker *k, Cluster *c, bool *stop)
{
    bool     one_pass = c->spun || c->changed, yields = false;
    uint64_t atomics  = k->endless.atomics;
    unsigned patience = c->spun ? 1 : PATIENCE, waited = 0,
             most = schedule_passes(k->launch, c->endless.looks ? PATIENCE : LONG);
    for (unsigned passes = 0; waited < patience && passes < most && !yields && !pause_wanted(&k->launch->pause);
         passes++) {
        if (cluster_pass(c, k)) {
            *stop = limits_due(k) && !launch_check_limits(k, NULL);
            return true;
        }
        if (c->progress) {
            waited   = 0;
            patience = PATIENCE;
            c->spun  = false;
            yields   = k->ring.held && !k->launch->random && (one_pass || k->endless.atomics != atomics);
        } else {
            waited++;
        }
        if (limits_due(k) && !launch_check_limits(k, c)) {
            *stop = true;
            return false;
        }
    }
    c->changed = k->endless.atomics != atomics;
    c->spun    = waited > 0;
    c->waits   = c->spun ? c->waits + 1 : 0;
    return false;
}

/* Does it wait for another block?  A seed's order passes one of four warps over, so one turn without progress says nothing there. */
static bool really_waits(const Cluster *c)
{
    enum { TURNS = 32 };
    return c->waits >= (c->launch->random ? TURNS : 1);
}

static void work(Worker *k)
{
    Launch  *l       = k->launch;
    uint32_t holding = 0;
    bool     stop    = false;
    while (!stop) {
        Cluster *c = NULL;
        if (holding < schedule_together(l) && !all_began(k))
            c = take_cluster(k, holding);
        if (!c)
            give_place(k);
        if (c) {
            holding++;
        } else if (k->ring.held) {
            c = ring_take(k, schedule_rotation(l, holding));
        } else if (none_left(k)) {
            break;
        } else { /* the other workers' blocks fill the card */
            endless_idle(k);
            if (pause_wanted(&l->pause))
                pause_rest(k);
            nanosleep(&(struct timespec){0, NAP}, NULL);
            continue;
        }
        bool ended = run_cluster(k, c, &stop);
        pause_note(k, ended || !c->spun || c->stalls, holding); /* stalls: only the cluster itself could help */
        if (!ended && !stop && __atomic_load_n(&l->fault_order, __ATOMIC_ACQUIRE) < c->block[0]->order)
            ended = true; /* it may wait for a block that failed */
        if (ended) {
            end_cluster(k, c);
            holding--;
        } else {
            if (c->spun) {
                __atomic_store_n(&l->somebody_waits, true, __ATOMIC_RELAXED);
                schedule_waited(l);
                if (really_waits(c)) {
                    sample_drop(l);
                    if (l->ask->ranks > 1 && !(l->ask->held && *l->ask->held))
                        sample_alone(l, c);
                }
            }
            ring_put(k, c);
            if (!stop && endless_look(k, c, holding, none_left(k) || card_is_full(l)))
                pause_stands(l);
        }
        if (pause_wanted(&l->pause)) {
            pause_rest(k);
            stop |= __atomic_load_n(&l->aborted, __ATOMIC_RELAXED);
        }
    }
    while (k->ring.held) /* stopped: what was printed is kept */
        end_cluster(k, ring_take(k, 0));
    give_place(k);
    launch_check_limits(k, NULL); /* what was spent since the last look counts too */
    pause_leave(k);
}

/* In a thread of its own or the program's, which may have set another mode. */
static void *worker_main(void *k)
{
#if defined(__x86_64__)
    unsigned mode = _mm_getcsr();
    _mm_setcsr(PLAIN_MXCSR);
    work(k);
    _mm_setcsr(mode);
#else
    work(k);
#endif
    return NULL;
}

/* ---- set-up and end ---- */

static void start_worker(Launch *l, unsigned i, const LaunchInfo *info)
{
    Worker *k      = &l->worker[i];
    k->launch      = l;
    k->index       = i;
    k->next        = turn_next;
    k->executed    = xcalloc(l->prog->ninstr, sizeof *k->executed);
    k->lanes       = xcalloc(l->prog->ninstr, sizeof *k->lanes);
    k->parted      = xcalloc(l->prog->ninstr, sizeof *k->parted);
    k->lookup      = xcalloc(l->prog->ninstr, sizeof *k->lookup);
    k->free_frames = xcalloc(l->prog->ncode, sizeof *k->free_frames);
    k->observer    = xcalloc(l->ask->nobservers, sizeof *k->observer);
    for (size_t o = 0; o < l->ask->nobservers; o++)
        k->observer[o] = l->ask->observers[o]->fork(l->ask->observers[o], info, i);
    for (size_t o = 0; o < l->ask->nobservers; o++)
        if (l->ask->observers[o]->use && !k->poison) {
            k->poison      = xcalloc(1, sizeof *k->poison);
            k->poison_kind = xcalloc(l->prog->ninstr + 1, 1);
        }
    if (l->ask->nobservers == 1)
        k->only_access = l->ask->observers[0]->access;
}

static void end_worker(Launch *l, Worker *k, EmuResult *r)
{
    for (uint32_t i = 0; i < l->prog->ninstr; i++) {
        r->executed[i] += k->executed[i];
        r->lanes[i] += k->lanes[i];
        r->parted[i] += k->parted[i];
    }
    fault_join(r, k);
    jit_end(k);
    for (size_t o = 0; o < l->ask->nobservers; o++)
        l->ask->observers[o]->join(l->ask->observers[o], k->observer[o]);
    for (Block *b = k->idle_blocks, *next; b; b = next) {
        next = b->next;
        block_destroy(b);
    }
    for (Cluster *c = k->idle_clusters, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    frames_keep(k);
    free(k->executed);
    free(k->lanes);
    free(k->parted);
    free(k->lookup);
    free(k->free_frames);
    free(k->observer);
    endless_done(k);
    free(k->look.regs);
    ring_free(k);
    free(k->poison);
    free(k->poison_kind);
}

/* Counts stand at block heads; every instruction of the block ran as often. */
static void spread_counts(const Launch *l, EmuResult *r)
{
    const Program *p = l->prog;
    for (uint32_t c = 0; c < p->ncode; c++)
        for (uint32_t i = 0; i < p->code[c]->nuops; i++) {
            const Uop *u = &p->code[c]->uops[i];
            if (!uop_is(l, u, CTL_block))
                continue;
            for (uint32_t j = 1; j < u->n; j++) {
                r->executed[u->instr + j] = r->executed[u->instr];
                r->lanes[u->instr + j]    = r->lanes[u->instr];
            }
        }
}

static int by_block(const void *a, const void *b)
{
    const Printed *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void deliver_output(Launch *l)
{
    if (l->nprinted)
        qsort(l->printed, l->nprinted, sizeof *l->printed, by_block);
    for (size_t i = 0; i < l->nprinted; i++) {
        if (l->ask->on_print && l->printed[i].order <= l->fault_order)
            l->ask->on_print(l->ask->user, str_text(&l->printed[i].text), l->printed[i].text.len);
        str_free(&l->printed[i].text);
    }
    free(l->printed);
}

static int by_order(const void *a, const void *b)
{
    const EmuChild *x = a, *y = b;
    if (x->tail != y->tail)
        return x->tail ? 1 : -1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void hand_over_children(const Launch *l, EmuResult *r)
{
    r->child  = l->child;
    r->nchild = l->nchild;
    if (r->nchild)
        qsort(r->child, r->nchild, sizeof *r->child, by_order);
}

static void run_workers(Launch *l)
{
    for (unsigned i = 1; i < l->nworkers; i++)
        if (pthread_create(&l->worker[i].thread, NULL, worker_main, &l->worker[i]) != 0) {
            l->worker[i].thread = 0;
            pause_leave(&l->worker[i]);
        }
    worker_main(&l->worker[0]);
    for (unsigned i = 1; i < l->nworkers; i++)
        if (l->worker[i].thread)
            pthread_join(l->worker[i].thread, NULL);
}

/* Of a launch that is not sampled there is one round. */
static void run_round(Launch *l, const LaunchInfo *info, EmuResult *r)
{
    l->worker = xcalloc(l->nworkers, sizeof *l->worker);
    for (unsigned i = 0; i < l->nworkers; i++)
        start_worker(l, i, info);
    pause_init(l);
    run_workers(l);
    pause_done(l);
    for (unsigned i = 0; i < l->nworkers; i++)
        end_worker(l, &l->worker[i], r);
    free(l->worker);
    l->worker = NULL;
    spread_counts(l, r);
    if (l->sample.on && l->ask->on_round)
        l->ask->on_round(l->ask->round_user, r, l->next_cluster * l->cluster_blocks);
}

static int by_instr(const void *a, const void *b)
{
    const KeptFault *x = a, *y = b;
    if (x->fault.instr != y->fault.instr)
        return x->fault.instr < y->fault.instr ? -1 : 1;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : x->done - y->done;
}

void kept_first(EmuResult *r)
{
    if (r->nkept)
        qsort(r->kept, r->nkept, sizeof *r->kept, by_instr);
    const KeptFault *first = NULL;
    for (size_t i = 0; i < r->nkept; i++)
        if (!r->kept[i].done && (!first || r->kept[i].block < first->block))
            first = &r->kept[i];
    r->went_on = first != NULL;
    if (r->went_on)
        r->fault = first->fault;
}

/* When nothing stopped the launch, the first access that was left out is its fault. */
static void first_of_kept(Launch *l, EmuResult *r)
{
    kept_first(r);
    r->went_on &= l->fault.kind == FAULT_NONE;
    if (r->went_on)
        l->fault = r->fault;
}

static Status status_of(const Launch *l)
{
    switch (l->fault.kind) {
    case FAULT_NONE: return WW_OK;
    case FAULT_INSTRUCTION_LIMIT:
    case FAULT_TIME_LIMIT: return WW_ERR_LIMIT;
    case FAULT_UNSUPPORTED: return WW_ERR_UNSUPPORTED;
    default: return WW_ERR_FAULT;
    }
}

/* How many blocks the card holds at once, by threads and shared memory; by registers: ask_fit(). */
static uint32_t resident_blocks(const Launch *l)
{
    if (l->ask->max_resident)
        return l->ask->max_resident;
    const Limits *limits = &l->dev->limits;
    unsigned      per_sm = occupancy_of(limits, l->threads, 0, l->shared_bytes - SHARED_RESERVED).blocks;
    return limits->card->sms * (per_sm ? per_sm : 1);
}

static void set_clusters(Launch *l, const Func *f)
{
    uint32_t size[3];
    l->explicit_cluster = cluster_size(l->ask, f, size);
    l->cluster_blocks   = size[0] * size[1] * size[2];
    l->nclusters        = 1;
    for (int i = 0; i < 3; i++) {
        l->cluster[i] = size[i];
        if (f->blocksareclusters)
            l->grid[i] *= size[i];
        l->nclusters *= l->grid[i] / size[i];
    }
}

/* Shared memory as a block is given it (the manual's %aggr_smem_size). */
static uint32_t in_units(const Limits *limits, uint32_t bytes)
{
    const uint32_t unit = limits->shared_unit;
    return unit ? (bytes + unit - 1) / unit * unit : bytes;
}

static void prepare(Launch *l, EmuDevice *d, EmuModule *em, Program *p, const EmuLaunch *a)
{
    *l = (Launch){.dev = d, .em = em, .prog = p, .ask = a, .fault_order = UINT64_MAX};
    memcpy(l->grid, a->grid, sizeof l->grid);
    memcpy(l->block, a->block, sizeof l->block);
    l->threads = a->block[0] * a->block[1] * a->block[2];
    l->nwarps  = (l->threads + LANES - 1) / LANES;
    set_clusters(l, p->kernel);
    uint32_t fixed  = p->dynamic_base;
    l->shared_bytes = fixed + a->shared;
    l->shared_room  = in_units(&d->limits, l->shared_bytes);
    l->registers    = maxnreg_at_entry(p->kernel, p->largest_inc);
    l->local_bytes  = (p->local_bytes + 15) & ~15u;
    if (p->recursive)
        l->local_bytes += d->stack_bytes;
    uint32_t none;
    l->param_bytes = emu_param(p->kernel, SIZE_MAX, &none, &none);
    l->params      = (uint8_t *)(uintptr_t)d->param_base;
    if (l->param_bytes)
        memcpy(l->params, a->params, l->param_bytes);
    l->nworkers = (unsigned)(d->threads < l->nclusters ? d->threads : l->nclusters);
    for (size_t o = 0; o < a->nobservers; o++) {
        l->watches_sync |= a->observers[o]->sync != NULL, l->watches_async |= a->observers[o]->async != NULL;
        l->watches_texels |= a->observers[o]->wants[ACCESS_TEXTURE] != 0;
        l->watches_tops |= a->observers[o]->tops;
        if (a->observers[o]->alone)
            l->nworkers = 1;
    }
    if (d->seed)
        l->nworkers = 1;
    l->resident   = resident_blocks(l) / l->cluster_blocks;
    l->resident   = l->resident ? l->resident : 1;
    l->per_worker = (uint32_t)((l->resident + l->nworkers - 1) / l->nworkers);
    l->epoch      = 1;
    schedule_start(l);
    sample_choose(l);
    clock_gettime(CLOCK_MONOTONIC, &l->started);
    pthread_mutex_init(&l->lock, NULL);
}

static void union_of_wants(const EmuLaunch *a, uint8_t wants[ACCESS_SPACES])
{
    memset(wants, 0, ACCESS_SPACES);
    for (size_t o = 0; o < a->nobservers; o++)
        for (int s = 0; s < ACCESS_SPACES; s++)
            wants[s] |= a->observers[o]->wants[s];
}

Status emu_launch(EmuDevice *d, EmuModule *em, const char *kernel, const EmuLaunch *a, EmuResult *r)
{
    uint8_t wants[ACCESS_SPACES];
    union_of_wants(a, wants);
    const Func *f = ptx_find_func(em->ptx, kernel);
    uint32_t    size[3];
    if (!f || !f->entry || !f->has_body)
        return WW_ERR_NOT_FOUND;
    TRY(check_dims(&d->limits, a, f, r));
    TRY(check_clusters(&d->limits, a, f, r));
    cluster_size(a, f, size);
    Program *p = program_get(em, f, wants, size[0] * size[1] * size[2] > 1);
    TRY(check_memory(&d->limits, a, p, r));
    Launch l;
    prepare(&l, d, em, p, a);
    r->ninstr   = p->ninstr;
    r->instr    = xcalloc(p->ninstr, sizeof *r->instr);
    r->executed = xcalloc(p->ninstr, sizeof *r->executed);
    r->lanes    = xcalloc(p->ninstr, sizeof *r->lanes);
    r->parted   = xcalloc(p->ninstr, sizeof *r->parted);
    memcpy(r->instr, p->instr, p->ninstr * sizeof *r->instr);
    LaunchInfo info = {.instrs        = p->ninstr,
                       .workers       = l.nworkers,
                       .shared_bytes  = l.shared_bytes,
                       .shared_room   = l.shared_room,
                       .instr         = r->instr,
                       .shared_var    = p->shared_var,
                       .shared_offset = p->shared_offset,
                       .nshared       = p->nshared,
                       .local_bytes   = l.local_bytes,
                       .local_window  = LOCAL_WINDOW,
                       .shared_window = SHARED_WINDOW,
                       .stirs         = &l.stirs};
    memcpy(info.grid, l.grid, sizeof info.grid);
    memcpy(info.block, l.block, sizeof info.block);
    memcpy(info.cluster, l.cluster, sizeof info.cluster);
    jit_launch(&l);
    while (sample_round(&l))
        run_round(&l, &info, r);
    jit_ran(&l);
    deliver_output(&l);
    hand_over_children(&l, r);
    pthread_mutex_destroy(&l.lock);
    tensormap_views_free(l.maps);
    sample_result(&l, r);
    sample_free(&l);
    first_of_kept(&l, r);
    r->left     = jit_left(&l);
    r->spent    = l.spent;
    r->compiled = l.compiled;
    r->fault    = l.fault;
    return status_of(&l);
}

void emu_result_free(EmuResult *r)
{
    free(r->kept);
    free(r->instr);
    free(r->executed);
    free(r->lanes);
    free(r->parted);
    for (size_t i = 0; i < r->nchild; i++)
        free(r->child[i].params);
    free(r->child);
    *r = (EmuResult){0};
}
