/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling inside a warp: which group of lanes runs next, where groups meet again, when one must let others go first.
 *
 * Invariants: groups have disjoint masks; the running group is not in group[]; every live lane is in exactly one group.
 * Order of choice: fewest spent turns, deepest call, smallest pc.  Because lower.c lays blocks out so that paths come before their
 * meeting point, running the smallest pc first makes lanes meet at the immediate post-dominator.  A group whose quantum runs out
 * in a loop with synchronising accesses (it may be waiting for its neighbours) gets a later turn; a group that only computes does
 * not (until it has kept others waiting for a million instructions), so that waiting never breaks convergence of ordinary loops.
 * A group that is seen to poll has no more of its quantum (poll.c). */
#include "emu/run/turn.h"

#include "base/stress.h"
#include "emu/access/poison.h"
#include "emu/core/apart.h"
#include "emu/core/ctl.h"
#include "emu/core/group.h"
#include "emu/core/notify.h"
#include "emu/core/schedule.h"
#include "emu/run/doze.h"
#include "emu/run/home.h"
#include "emu/run/poll.h"

enum { QUANTUM = STRESSED(4096, 5), QUANTA_PER_TURN = STRESSED(16, 1), GLANCE = STRESSED(256, 5) };
enum { ALONE = 256 * QUANTUM }; /* instructions for which one group may keep others waiting */

static bool comes_first(const Warp *w, const Group *a, const Group *b)
{
    if (a->turn != b->turn)
        return a->turn < b->turn;
    if (a->depth != b->depth)
        return a->depth > b->depth;
    if (w->naparts && apart_are(w, a->mask, b->mask))
        return apart_first(w, a, b);
    return a->pc < b->pc;
}

/* Do two groups wait for each other? */
static bool each_needs(const Group *a, const Group *b)
{
    return a->state == GROUP_SYNC && b->state == GROUP_SYNC && ((a->need & b->mask) || (b->need & a->mask));
}

/* Puts b's lanes to a's, if they stand where they can go on together. */
static bool join(Warp *w, Group *a, Group *b)
{
    bool visits = home_meets(a, b);
    if (!visits && (b->pc != a->pc || b->frame != a->frame || b->state == GROUP_BARRIER || schedule_parts(w, a, b)))
        return false;
    if (w->naparts && !each_needs(a, b) && apart_are(w, a->mask, b->mask))
        return false;
    if (w->naparts && visits)
        apart_leave(w, b->mask, b->frame);
    if (visits)
        home_move(w, a, b);
    if (w->naparts)
        apart_join(w, a->mask, b->mask);
    a->mask |= b->mask;
    a->state = GROUP_READY;
    if (b->turn > a->turn)
        a->turn = b->turn;
    if (b->put > a->put)
        a->put = b->put;
    return true;
}

/* Joins groups that stand at the same uop of the same frame, or wait there in frames of their own for each other.  A group waiting for lanes
 * at that uop tries again with them. */
static void merge_equal(Warp *w)
{
    for (uint32_t i = 0; i < w->ngroups; i++) {
        Group *a = &w->group[i];
        if (a->state == GROUP_BARRIER)
            continue;
        for (uint32_t j = i + 1; j < w->ngroups;)
            if (join(w, a, &w->group[j]))
                w->group[j] = w->group[--w->ngroups];
            else
                j++;
    }
}

static bool at_syncwarp(const Launch *l, const Group *g)
{
    return g->state == GROUP_SYNC && uop_is(l, g->pc, CTL_syncwarp);
}

/* Lanes that came to several bar.warp.sync, or whose missing members have exited, go on without running it again. */
static void notify_released(Warp *w, const Uop *u, uint32_t mask)
{
    uint32_t members[LANES];
    for (unsigned i = 0; i < LANES; i++)
        members[i] = mask;
    NOTIFY_SYNC(w, u, .kind = SYNC_WARP, .mask = mask, .members = members);
}

/* Groups that wait for members of their mask: members that have exited meanwhile are waited for no longer, and members of a
 * bar.warp.sync may have come to another one with the same mask. */
static void release_waiting(Warp *w)
{
    const Launch *l = w->block->launch;
    for (uint32_t i = 0; i < w->ngroups; i++) {
        Group   *g    = &w->group[i];
        uint32_t need = g->need & w->live, here = g->mask;
        if (g->state != GROUP_SYNC)
            continue;
        for (uint32_t j = 0; at_syncwarp(l, g) && j < w->ngroups; j++)
            if (at_syncwarp(l, &w->group[j]) && (w->group[j].need & w->live) == need)
                here |= w->group[j].mask;
        if (need & ~here)
            continue;
        if (at_syncwarp(l, g))
            notify_released(w, g->pc, here);
        for (uint32_t j = i + 1; at_syncwarp(l, g) && j < w->ngroups; j++)
            if (at_syncwarp(l, &w->group[j]) && (w->group[j].need & w->live) == need) {
                w->group[j].pc++;
                w->group[j].state = GROUP_READY;
            }
        g->pc += at_syncwarp(l, g);
        g->state = GROUP_READY;
    }
}

/* Takes the next group out of the list and makes it the running one; false if none is ready. */
static bool pick(Warp *w)
{
    Group *best = NULL;
    if (w->naparts)
        apart_arrive(w);
    if (w->ngroups > 1)
        merge_equal(w);
    release_waiting(w);
    for (uint32_t i = 0; i < w->ngroups; i++)
        if (w->group[i].state != GROUP_READY)
            continue;
        else if (w->group[i].nap)
            w->group[i].nap--;
        else if (!best || comes_first(w, &w->group[i], best))
            best = &w->group[i];
    if (!best)
        return false;
    best = schedule_group(w, best);
    w->waited &= w->ngroups > 1 && (!best->frame->code->keeps_apart || best->put == w->puts);
    if (w->naparts)
        apart_gather(w, best);
    w->pc    = best->pc;
    w->mask  = best->mask;
    w->frame = best->frame;
    w->turn  = best->turn;
    w->r     = best->frame->regs;
    *best    = w->group[--w->ngroups];
    for (uint32_t i = 0; w->naparts && i < w->ngroups;) /* those that go along */
        if (w->group[i].mask)
            i++;
        else
            w->group[i] = w->group[--w->ngroups];
    warp_set_merge(w);
    return true;
}

/* Can no group run but the one that was put last? */
static bool is_last(const Warp *w)
{
    for (uint32_t i = 0; i + 1 < w->ngroups; i++)
        if (w->group[i].state == GROUP_READY)
            return false;
    return true;
}

/* What the warp has run of its quantum is the worker's, and its own. */
static uint64_t pay(Warp *w)
{
    Worker  *k     = w->worker;
    uint64_t spent = (uint64_t)(k->granted - w->quantum);
    k->spent += spent;
    w->spent += spent;
    return spent;
}

/* The running group's quantum is spent.  Returns true when the turn ends. */
static bool quantum_spent(Warp *w, unsigned *quanta)
{
    Worker *k = w->worker;
    /* what synchronised, or showed the clock, may have stood before the loop, so ask a second time */
    bool     syncs = k->sync_ops, waits = syncs && (!w->ngroups || w->waited);
    uint64_t spent = pay(w);
    w->quantum     = k->granted;
    k->sync_ops    = false;
    w->waited      = syncs && w->ngroups;
    poll_begin(w);
    if (waits) {
        w->turn +=
            k->granted > 1 || k->launch->random; /* one block at a warp's start is no quantum that was waited away */
        warp_put(w, w->pc, w->frame, w->mask);
        return ++*quanta >= w->ngroups + 1 || k->granted == 1 || w->ngroups == 1 || (w->polls && is_last(w));
    }
    w->block->progress = true;
    if (w->ngroups && (w->alone += spent) >= ALONE) { /* a million instructions: perhaps it waits with plain loads */
        w->alone = 0;
        w->turn++;
    }
    warp_put(w, w->pc, w->frame, w->mask);
    return ++*quanta >= QUANTA_PER_TURN || k->granted == 1;
}

/* All lanes, in groups that native code may take together: not where it matters which was put last (quantum_spent). */
static bool are_all(const Warp *w)
{
    uint32_t lanes = w->mask;
    if (lanes == UINT32_MAX || w->frame->code->keeps_apart)
        return lanes == UINT32_MAX;
    for (uint32_t i = 0; i < w->ngroups; i++)
        lanes |= w->group[i].mask;
    return lanes == UINT32_MAX;
}

/* Runs the group that was picked until something happens to it, or to that of a warp behind it (Worker.running). */
static const Uop *run_group(Warp *w)
{
    Worker    *k = w->worker;
    const Uop *pc, *next;
    do {
        k->event = EVENT_NONE;
        pc       = w->pc;
        if (__builtin_expect(w->frame->shadow != NULL, 0)) {
            pc = poison_run(w, pc);
        } else if (__builtin_expect(k->look.on, 0) && !w->lean) {
            pc = doze_run(w, pc);
        } else {
            if (k->native && are_all(w) && (next = native_run(w, pc)) != NULL) {
                pc = next;
                w  = k->running;
            }
            while (pc < w->merge)
                pc = pc->fn(w, pc);
        }
    } while (k->event == EVENT_QUANTUM && w->quantum >= 0 && !poll_waits(w));
    return pc;
}

/* Turns of one basic block each at a warp's start, and behind some barriers (barrier.c): the warps of a block go side by side then, as on a
 * card; programs exist in which every warp reads what all are about to write. */
enum { START_TURNS = 4 };

/* Is there one group at most that can run?  Then nobody could come between its blocks. */
static bool one_ready(const Warp *w)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < w->ngroups; i++)
        ready += w->group[i].state == GROUP_READY;
    return ready <= 1;
}

static void begin_turn(Warp *w)
{
    Worker *k = w->worker;
    Launch *l = k->launch;
    /* a cluster that only waited when it last ran gets a glance at what it waits for */
    k->granted = w->block->cluster->spun ? GLANCE : l->random ? schedule_quantum(l, QUANTUM) : QUANTUM;
    if (w->starts < START_TURNS && w->block->nwarps > 1) {
        w->starts++;
        k->granted = 1;
    }
    if (l->random && w->ngroups > 1 && !(w->block->cluster->spun && one_ready(w)))
        k->granted = 1;
    w->late     = l->random ? schedule_late(l) : 0;
    w->quantum  = k->granted;
    k->sync_ops = false;
    poll_begin(w);
}

/* What follows from the running group's event: has the turn ended? */
static bool ends_turn(Warp *w, const Uop *pc, unsigned *quanta)
{
    switch (w->worker->event) {
    case EVENT_NONE: warp_put(w, pc, w->frame, w->mask); return false;
    case EVENT_QUANTUM: return quantum_spent(w, quanta);
    case EVENT_FAULT: return true;
    case EVENT_EXIT:
    case EVENT_BARRIER:
    case EVENT_SYNC:
    case EVENT_RESCHEDULE: break;
    }
    return false;
}

/* Native code goes on with the only group, all 32 lanes: there is nothing to choose. */
static void take_lean(Warp *w)
{
    const Group *g = &w->group[0];
    w->pc          = g->pc;
    w->mask        = g->mask;
    w->frame       = g->frame;
    w->turn        = g->turn;
    w->r           = g->frame->regs;
    w->ngroups     = 0;
    w->merge       = STOP;
}

Warp *turn_next(Warp *w)
{
    Worker *k = w->worker;
    Warp   *v = w + 1;
    k->compiled += (uint64_t)(k->entered - w->quantum);
    pay(w);
    k->follow--;
    k->running = v;
    k->event   = EVENT_NONE;
    begin_turn(v);
    k->entered = v->quantum;
    take_lean(v);
    return v;
}

/* Runs the group that was picked of *w, which becomes the warp that ran last.  true: its turn has ended. */
static bool run_picked(Warp **w, unsigned *quanta)
{
    Worker    *k  = (*w)->worker;
    const Uop *pc = (*w)->asleep && doze_passes(*w) ? (*w)->pc : run_group(*w);
    if (k->running != *w)
        *quanta = 0;
    *w = k->running;
    return (k->event == EVENT_BARRIER && ((*w)->lean || k->met)) || ends_turn(*w, pc, quanta);
}

Warp *warp_run(Warp *w, bool *ran)
{
    Worker  *k      = w->worker;
    unsigned quanta = 0;
    bool     ended  = false;
    k->running      = w;
    begin_turn(w);
    if (w->lean) {
        if (w->group[0].state != GROUP_READY)
            return w;
        take_lean(w);
        *ran  = true;
        ended = run_picked(&w, &quanta);
    }
    while (!ended && pick(w)) {
        *ran = true;
        poll_switch(w);
        ended = run_picked(&w, &quanta);
    }
    pay(w);
    return w;
}
