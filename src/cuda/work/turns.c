/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose turn it is.  Kernels that could not end in their call, and waits for values, go on a piece at a time, one after the other.  How often
 * one that waits looks again is counted (its loop's loads are), so what decides is, as far as it can be, what happened and not when:
 *   - streams take turns in a circle; copies and fills, which end at once, come before kernels;
 *   - who only waits looks again when memory has changed since, by another's turn, by work in a call, or because the program begins to wait
 *     (it may have written);
 *   - between the program's calls nobody goes on, so that it makes no difference how long the program takes from one to the next.
 * What the device cannot see is left to time: a program that writes or reads memory instead of calling.  After PATIENCE without a call
 * everybody goes on, and who waits looks again.  Each time that this brought something the patience is halved, since such a program will do it
 * again: it loses less than a tenth of a second in all. */
#include "cuda/work/turns.h"

#include <time.h>

enum { PATIENCE = 20000, LEAST = 50, LONG_NAP = 2000 }; /* microseconds */

static uint64_t stirs = 1; /* changes of memory */
static unsigned waiters;   /* threads of the program that wait */
static uint64_t patience = PATIENCE;
static uint64_t called; /* when the program called for work; 0: long ago */
static size_t   last;   /* the stream that had a turn */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

bool turns_has_work(const Stream *s)
{
    return s->queued != s->done;
}

bool turns_may_run(const GraphNode *n)
{
    for (size_t i = 0; i < n->nafter; i++)
        if (n->after[i].stream->done < n->after[i].count)
            return false;
    return true;
}

/* ---- what changes ---- */

void turns_called(void)
{
    called = now();
}

void turns_stirred(void)
{
    stirs++;
}

void turns_wait(bool begins)
{
    waiters += begins ? 1 : -1u;
    if (begins) {
        stirs++;
        state_wake();
    }
}

void turns_forget(void)
{
    waiters = 0;
}

static void be_less_patient(void)
{
    patience = patience / 2 > LEAST ? patience / 2 : LEAST;
}

/* n, which only waits, looks again after `nap`, or when memory changes. */
static void rest(GraphNode *n, uint64_t nap)
{
    n->turn = (QueueTurn){.seen = stirs, .until = now() + nap, .nap = nap};
}

void turns_begun(GraphNode *n, LaunchPause p)
{
    if (p.waits)
        rest(n, patience);
}

static bool looked_by_time(const GraphNode *n)
{
    return n->turn.seen == stirs;
}

static void pass_on(const Stream *s)
{
    for (size_t i = 0; i < stream_count(); i++)
        if (stream_at(i) == s)
            last = i;
    state_wake();
}

void turns_taken(const Stream *s, GraphNode *n, LaunchPause p)
{
    bool     by_time = looked_by_time(n);
    uint64_t longest = patience > LONG_NAP ? patience : LONG_NAP, twice = n->turn.nap * 2;
    if (p.changed)
        stirs++;
    if (p.waits) {
        rest(n, !by_time || !twice ? patience : twice < longest ? twice : longest);
    } else {
        n->turn.seen = 0;
        if (by_time)
            be_less_patient();
    }
    pass_on(s);
}

void turns_done(const Stream *s, const GraphNode *n)
{
    if (looked_by_time(n))
        be_less_patient();
    stirs++;
    pass_on(s);
}

/* ---- who may go on ---- */

static bool takes_turns(const GraphNode *n)
{
    return n->kind == NODE_KERNEL || n->kind == NODE_WAIT_VALUE;
}

/* Its work ends at once, and asks nobody: not so the functions of the host. */
static bool is_brief(const GraphNode *n)
{
    return !takes_turns(n) && n->kind != NODE_HOST;
}

/* The first node of s, if it may run and a thread is there to do it. */
static const GraphNode *first_of(const Stream *s)
{
    const GraphNode *n = turns_has_work(s) && s->threaded ? s->queue->node[0] : NULL;
    return n && turns_may_run(n) && !n->held ? n : NULL;
}

static uint64_t left(uint64_t until, uint64_t at)
{
    return at < until ? until - at : 0;
}

/* How long the first node of s only waits; 0: it can go on. */
static uint64_t rests_for(const GraphNode *n, uint64_t at)
{
    return n->turn.seen == stirs ? left(n->turn.until, at) : 0;
}

/* Does another stream come before s, which could go on? */
static bool another_first(const Stream *s, uint64_t at)
{
    size_t n = stream_count();
    for (size_t i = 0; i < n; i++) {
        const GraphNode *o = first_of(stream_at(i));
        if (o && is_brief(o))
            return true;
    }
    for (size_t i = 1; i <= n && stream_at((last + i) % n) != s; i++) {
        const GraphNode *o = first_of(stream_at((last + i) % n));
        if (o && takes_turns(o) && !rests_for(o, at))
            return true;
    }
    return false;
}

bool turns_mine(const Stream *s, uint64_t *us)
{
    const GraphNode *n  = s->queue->node[0];
    uint64_t         at = now();
    *us                 = UINT64_MAX;
    if (!takes_turns(n))
        return true;
    uint64_t held = waiters || !called ? 0 : left(called + patience, at), rests = rests_for(n, at);
    if (held || rests) {
        *us = held > rests ? held : rests;
        return false;
    }
    if (another_first(s, at))
        return false;
    if (!waiters && called) { /* the program does something else for long */
        called = 0;
        be_less_patient();
    }
    return true;
}
