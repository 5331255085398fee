/* SPDX-License-Identifier: Apache-2.0
 *
 * An instruction issues its predecessor's stall later, and not before the barriers are free that it waits for.  What its accesses bring comes after
 * what those before it wait for in L1, which looks up a line a clock.
 *
 * A loop is what lies between a stretch and one behind it that jumps back to it, if the first leads to the second in between (code that was put
 * out of the way and jumps back makes no loop).  It is entered as often as what leads to it from outside runs, at most, and walked twice each time:
 * the first time it waits for what was loaded before it, the second time for what it loaded itself the time before, and so it does all
 * further times.
 * What a branch leads to takes its share of the times; but where warps wait for each other, at the end of their block or at a barrier in the
 * loop, they wait for the one of the block that goes there.
 *
 * A routine is walked wherever it is called, from its beginning to its end.
 *
 * Left out: loops beyond SEARCH steps of looking for them, and inside DEPTH others: they are walked once for all times. */
#include "check/time/path.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { BARRIER_CLOCKS = 30, LEAST_STALL = 1, DEPTH = 8, SEARCH = 1 << 26, BRANCH = 0x947, ALWAYS = 7 };

typedef struct Path {
    const PathInput *in;
    Arena           *arena;
    size_t          *at;       /* by word: its stretch */
    size_t          *loop_end; /* by stretch: behind the loop that it begins; 0: none */
    size_t          *stack;    /* while looking for loops */
    size_t          *seen;     /* by stretch: the search that came by, numbered from 1 */
    double          *from;     /* by stretch: how often those run that lead to it */
    size_t           searches, steps;
    double           left[SASS_BARRIERS]; /* clocks until they are free */
    double           queue;               /* clocks until L1 has looked up the lines of the warp's accesses so far */
    unsigned         set;                 /* bit by barrier: of results that are under way since the loop began */
} Path;

/* ---- loops ---- */

bool path_ends(const SassWord *w)
{
    switch (w->flow) {
    case SASS_JUMP: return w->op == BRANCH && w->guard == ALWAYS && !w->both;
    case SASS_EXIT: return w->guard == ALWAYS;
    case SASS_RETURN: return true;
    case SASS_END: /* threads meet there, and go on behind it */
    case SASS_NEXT:
    case SASS_APART:
    case SASS_CALL: break;
    }
    return false;
}

/* The stretch that this one jumps to; SIZE_MAX: none. */
static size_t target(const Path *p, size_t s)
{
    size_t          last = p->in->stretch[s].end - 1;
    const SassWord *w    = &p->in->word[last];
    int64_t         to   = (int64_t)last + 1 + w->jump;
    return w->flow == SASS_JUMP && to >= 0 && to < (int64_t)p->in->words ? p->at[to] : SIZE_MAX;
}

static bool falls(const Path *p, size_t s)
{
    return !path_ends(&p->in->word[p->in->stretch[s].end - 1]);
}

static void visit(Path *p, size_t s, size_t first, size_t last, size_t *n)
{
    if (s < first || s > last || p->seen[s] == p->searches)
        return;
    p->seen[s]       = p->searches;
    p->stack[(*n)++] = s;
}

/* Does a stretch lead to a later one without what lies before the one or behind the other? */
static bool leads(Path *p, size_t first, size_t last)
{
    size_t n = 0;
    p->searches++;
    visit(p, first, first, last, &n);
    while (n && p->seen[last] != p->searches && p->steps < SEARCH) {
        size_t s = p->stack[--n];
        p->steps++;
        visit(p, target(p, s), first, last, &n);
        if (falls(p, s))
            visit(p, s + 1, first, last, &n);
    }
    return p->seen[last] == p->searches;
}

static Path begin(const PathInput *in)
{
    Path p     = {.in = in, .arena = arena_new()};
    p.at       = ARENA_ARRAY(p.arena, size_t, in->words + 1);
    p.loop_end = ARENA_ARRAY(p.arena, size_t, in->stretches + 1);
    p.stack    = ARENA_ARRAY(p.arena, size_t, in->stretches + 1);
    p.seen     = ARENA_ARRAY(p.arena, size_t, in->stretches + 1);
    p.from     = ARENA_ARRAY(p.arena, double, in->stretches + 1);
    p.from[0]  = in->warps;
    for (size_t s = 0; s < in->stretches; s++)
        for (size_t i = in->stretch[s].first; i < in->stretch[s].end; i++)
            p.at[i] = s;
    return p;
}

/* Adds a stretch to what leads to others. */
static void go_on(Path *p, size_t s)
{
    size_t to = target(p, s);
    if (to < p->in->stretches)
        p->from[to] += p->in->stretch[s].times;
    if (falls(p, s) && to != s + 1)
        p->from[s + 1] += p->in->stretch[s].times;
}

static void find_loops(Path *p)
{
    for (size_t s = p->in->stretches; s--;) { /* the farthest of those that jump to one place counts */
        size_t to = target(p, s);
        if (to > s || p->loop_end[to] || !leads(p, to, s))
            continue;
        p->loop_end[to] = s + 1;
    }
}

void path_loops(const PathInput *in, size_t *end)
{
    Path p = begin(in);
    find_loops(&p);
    memcpy(end, p.loop_end, in->stretches * sizeof *end);
    arena_free(p.arena);
}

/* Leaves what comes from outside of the loops in `from`. */
static void leave_loops(Path *p)
{
    for (size_t to = 0; to < p->in->stretches; to++)
        for (size_t i = to; i < p->loop_end[to] && p->steps < SEARCH; i++, p->steps++)
            p->from[to] -= target(p, i) == to ? p->in->stretch[i].times : 0;
}

/* ---- clocks ---- */

static bool is_barrier(const SassWord *w)
{
    return w->name && !strcmp(w->name, "BAR");
}

static void pass(Path *p, double clocks)
{
    for (unsigned b = 0; b < SASS_BARRIERS; b++)
        p->left[b] = p->left[b] > clocks ? p->left[b] - clocks : 0;
    p->queue = p->queue > clocks ? p->queue - clocks : 0;
}

/* A barrier is free when all that it was given are there. */
static void bar(Path *p, unsigned b, double clocks)
{
    p->left[b] = fmax(p->left[b], clocks);
    p->set |= 1u << b;
}

/* Gives the clocks that one instruction takes, with the wait before it. */
static double issue(Path *p, size_t i)
{
    const SassWord *w    = &p->in->word[i];
    double          wait = 0;
    for (unsigned b = 0; b < SASS_BARRIERS; b++)
        if (w->waits & 1u << b && p->left[b] > wait)
            wait = p->left[b];
    pass(p, wait);
    if (w->writes < SASS_BARRIERS)
        bar(p, w->writes, p->in->there[i] + p->queue);
    if (p->in->lines)
        p->queue += p->in->lines[i];
    if (w->reads < SASS_BARRIERS)
        bar(p, w->reads, p->in->near);
    double after = w->stall > LEAST_STALL ? w->stall : LEAST_STALL;
    if (p->in->fetch && p->in->fetch[i] > after)
        after = p->in->fetch[i];
    if (is_barrier(w))
        after += BARRIER_CLOCKS;
    if (p->in->parts)
        after += p->in->parts[i];
    pass(p, after);
    return wait + after;
}

/* Of one that runs `times` each time that control comes by. */
static double run(Path *p, const PathStretch *s, double times)
{
    double before[SASS_BARRIERS], clocks = 0;
    memcpy(before, p->left, sizeof before);
    for (size_t i = s->first; i < s->end; i++)
        clocks += issue(p, i);
    for (size_t k = s->routine; k < s->returns; k++)
        for (size_t i = p->in->stretch[k].first; i < p->in->stretch[k].end; i++)
            clocks += issue(p, i);
    for (unsigned b = 0; b < SASS_BARRIERS && times < 1; b++)
        p->left[b] = times * p->left[b] + (1 - times) * before[b];
    return times * clocks;
}

typedef struct Around { /* what a part of the way lies in */
    double   times;     /* it runs */
    double   wide;      /* how many of those wait for each other; 1: none */
    unsigned depth;     /* loops */
} Around;

/* Of what lies there: how often each time. */
static double share(const Around *a, double times)
{
    double f = times / a->times;
    return f < 1 ? fmin(1, f * a->wide) : f;
}

static double walk(Path *p, size_t first, size_t end, const Around *a);

static bool has_barrier(const Path *p, size_t first, size_t end)
{
    for (size_t i = p->in->stretch[first].first; i < p->in->stretch[end - 1].end; i++)
        if (is_barrier(&p->in->word[i]))
            return true;
    return false;
}

/* How often a loop goes round: as often as its first stretch runs, or its last one, of which the one may be for some warps alone. */
static double rounds(const Path *p, size_t first, size_t end)
{
    return fmax(p->in->stretch[first].times, p->in->stretch[end - 1].times);
}

/* Clocks of a loop, each time that it is entered. */
static double loop(Path *p, size_t first, size_t end, double entered, unsigned depth)
{
    double all = rounds(p, first, end), times = all / entered;
    Around body = {all, has_barrier(p, first, end) ? p->in->warps / p->in->blocks : 1, depth + 1};
    double once = walk(p, first, end, &body);
    if (times <= 1)
        return once;
    unsigned before = p->set;
    p->set          = 0;
    double further  = walk(p, first, end, &body);
    for (unsigned b = 0; b < SASS_BARRIERS && times > 2; b++) /* what was under way before it comes meanwhile */
        if (!(p->set & 1u << b))
            p->left[b] = fmax(0, p->left[b] - (times - 2) * further);
    p->set |= before;
    return once + (times - 1) * further;
}

/* From one stretch to before another: clocks each time.  The first is not looked at as the beginning of a loop that `a` is. */
static double walk(Path *p, size_t first, size_t end, const Around *a)
{
    double clocks = 0;
    for (size_t i = first, next; i < end; i = next) {
        const PathStretch *s      = &p->in->stretch[i];
        size_t             behind = p->loop_end[i] < end ? p->loop_end[i] : end;
        next                      = i + 1;
        if (s->times <= 0 || s->called)
            continue;
        if (p->loop_end[i] && a->depth < DEPTH && (i > first || !a->depth)) {
            double all = rounds(p, i, behind), from = s->entered > 0 ? s->entered : p->from[i];
            if (s->entered_most > 0 && s->entered_most < from)
                from = s->entered_most;
            double entered = from > 0 && from < all ? from : all;
            clocks += share(a, entered) * loop(p, i, behind, entered, a->depth);
            next = behind;
        } else {
            clocks += run(p, s, share(a, s->times));
        }
    }
    return clocks;
}

double path_clocks(const PathInput *in)
{
    Path p = begin(in);
    for (size_t s = 0; s < in->stretches; s++)
        go_on(&p, s);
    find_loops(&p);
    leave_loops(&p);
    double clocks = walk(&p, 0, in->stretches, &(Around){in->warps, in->warps / in->blocks, 0});
    arena_free(p.arena);
    return clocks;
}
