/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's own code against work that it has not waited for (race-host).  src/cuda/work/guard.c closes pages and asks here.
 *
 * A kernel may tell the host through memory that something is done: it writes that behind a fence, atomically or as volatile, and the host
 * looks there.  So where a launch with fences wrote atomically in memory that the host sees, its plain accesses race with the host's only as
 * long as the host has not looked at such a word.  A launch whose fences hold for the system and that wrote none may have said it by a
 * plain store behind the fence, as much code does: it is not looked at.  Fences for the device alone, and no such word: nothing was said.
 * A texture object that is destroyed is like a word that the host writes and each fetch reads (texture_place).
 * Which of a launch's accesses lie before its message is not followed: a look at any word settles all of that launch. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "check/race/race_work_own.h"

typedef struct Use {       /* by work that the host has not waited for */
    Stamp           stamp; /* of a launch; 0: a copy or fill */
    bool            writes;
    const HostWork *copy;
    Note           *word; /* the launch that may speak to the host there, and has not been heard */
} Use;

/* What a look for uses is about. */
typedef struct Look {
    Works           *w;
    const WorkOrder *host;
    const Serials   *serials;
    Stamp            oldest; /* older ones are before the host */
    bool             writes; /* does the host? */
} Look;

static const char *verb(bool writes)
{
    return writes ? "writes" : "reads";
}

static Note *note_of(const Look *l, Stamp s)
{
    uint32_t launch = serials_info(l->serials, stamp_serial(s))->launch;
    Note    *n      = launch < l->w->nnotes ? &l->w->note[launch] : NULL;
    return n && !works_is_before(l->host, n->queue, n->count) ? n : NULL;
}

/* May its plain accesses race with the host's? */
static bool is_open(const Note *n)
{
    return !n->flags || (n->shows ? !n->heard : !n->tells);
}

static bool judge(const Look *l, Stamp s, Plane k, Use *out)
{
    Note *n = note_of(l, s);
    if (n && !stamp_strength(s) && is_open(n)) {
        *out = (Use){.stamp = s, .writes = k <= PLANE_WRITE2};
        return true;
    }
    if (n && stamp_strength(s) && k <= PLANE_WRITE2 && n->flags && !n->heard)
        out->word = n;
    return false;
}

/* A use in that part of the page; else whether somebody may speak to the host there. */
static bool find_stamp(const Look *l, const Page *p, unsigned from, unsigned to, Use *out)
{
    if (p->newest < l->oldest)
        return false;
    for (Plane k = PLANE_WRITE; k < PLANES && (l->writes || k < PLANE_READ); k++)
        for (unsigned i = from >> p->shift; p->plane[k] && i << p->shift < to; i++)
            if (p->plane[k][i] >= l->oldest && judge(l, p->plane[k][i], k, out))
                return true;
    return false;
}

static bool find_use(Works *w, uint64_t from, uint64_t to, bool writes, const WorkOrder *host, Shadow *shadow,
                     const Serials *serials, Use *out)
{
    Time now = serials_floor(serials), since = works_open_since(w, host, now);
    Look l = {.w = w, .host = host, .serials = serials, .oldest = since << TIME_SHIFT, .writes = writes};
    *out   = (Use){0};
    for (uint64_t at = from; at < to && since < now; at = (at | (PAGE_BYTES - 1)) + 1) {
        const Page *p    = shadow_find(shadow, at);
        uint64_t    page = at & ~(uint64_t)(PAGE_BYTES - 1);
        unsigned    end  = page + PAGE_BYTES < to ? PAGE_BYTES : (unsigned)(to - page);
        if (p && find_stamp(&l, p, (unsigned)(at - page), end, out))
            return true;
    }
    for (uint32_t q = 0; q < w->nqueues; q++) {
        size_t          n;
        const HostWork *h = works_queue_beside(w, host, q, &n);
        for (size_t i = 0; i < n && (!out->copy || h[i].part < out->copy->part); i++)
            if ((writes || h[i].writes) && from < h[i].to && h[i].from < to) {
                out->copy   = &h[i];
                out->writes = h[i].writes;
            }
    }
    return out->copy;
}

MemoryUse works_uses(Works *w, uint64_t from, uint64_t to, bool writes, const WorkOrder *host, Shadow *shadow,
                     const Serials *serials)
{
    Use u;
    if (find_use(w, from, to, writes, host, shadow, serials, &u))
        return USE_RACES;
    return u.word ? USE_SPEAKS : USE_NONE;
}

void works_shown(Works *w, uint64_t from, uint64_t to, const WorkOrder *host, Shadow *shadow, const Serials *serials)
{
    Time now = serials_floor(serials), since = w->any_flags ? works_open_since(w, host, now) : now;
    Look l = {.w = w, .host = host, .serials = serials, .oldest = since << TIME_SHIFT};
    for (uint64_t at = from; at < to && since < now; at = (at | (PAGE_BYTES - 1)) + 1) {
        const Page *p    = shadow_find(shadow, at);
        uint64_t    page = at & ~(uint64_t)(PAGE_BYTES - 1);
        unsigned    end  = page + PAGE_BYTES < to ? PAGE_BYTES : (unsigned)(to - page);
        for (Plane k = PLANE_WRITE; p && p->newest >= l.oldest && k <= PLANE_WRITE2; k++)
            for (unsigned i = (unsigned)(at - page) >> p->shift; p->plane[k] && i << p->shift < end; i++) {
                Stamp s = p->plane[k][i];
                Note *n = s >= l.oldest && stamp_strength(s) ? note_of(&l, s) : NULL;
                if (n)
                    n->shows = true;
            }
    }
}

/* The finding stands at the host's line where it is known, else at the kernel's. */
static void tell_touched(Works *w, const MemoryEvent *e, const Use *u, const WwFindingEnd *end)
{
    const Rule *rule = rule_row(RULE_RACE_HOST);
    WwFinding   f    = {.rule = rule->id, .category = rule->category, .severity = rule->severity, .count = 1};
    const char *who  = end->kernel ? arena_printf(w->arena, "kernel %s", end->kernel) : "a copy or fill of a stream";
    const char *does = e->kind == MEMORY_UNBOUND ? "destroys a texture object"
                                                 : arena_printf(w->arena, "%s memory", verb(e->kind == MEMORY_CHANGED));
    f.address        = e->kind == MEMORY_UNBOUND ? 0 : e->address;
    f.message =
        arena_printf(w->arena,
                     "the host %s that %s %s%s; it has not waited for that (cudaDeviceSynchronize, a wait "
                     "for the stream or an event)",
                     does, who, verb(u->writes), end->line ? arena_printf(w->arena, " at line %u", end->line) : "");
    if (e->host)
        e->host(&f, NULL);
    WwFindingEnd *other = ARENA_NEW(w->arena, WwFindingEnd);
    *other              = *end;
    other->message      = u->writes ? "written here" : "read here";
    if (f.file && end->file) {
        f.other = other;
    } else if (!f.file) {
        f.kernel = end->kernel;
        f.file   = end->file;
        f.line   = end->line;
        f.col    = end->col;
        f.block  = end->block;
        f.thread = end->thread;
    }
    w->pending                = xrealloc(w->pending, (w->npending + 1) * sizeof *w->pending);
    w->pending[w->npending++] = f;
}

void works_touched(Works *w, const MemoryEvent *e, Shadow *shadow, const Serials *serials)
{
    Use          u;
    WwFindingEnd end    = {0};
    bool         writes = e->kind == MEMORY_CHANGED;
    if (!find_use(w, e->address, e->address + e->bytes, writes, e->work, shadow, serials, &u)) {
        if (u.word)
            u.word->heard = true;
        return;
    }
    if (u.stamp) {
        const SerialInfo *i = serials_info(serials, stamp_serial(u.stamp));
        end                 = works_end_of(w, i->launch, stamp_site(u.stamp), stamp_thread(u.stamp), i->block);
    }
    if (w->npending < SHOWN_LINES)
        tell_touched(w, e, &u, &end);
}

void works_unbound(Works *w, const MemoryEvent *e, Shadow *shadow, const Serials *serials)
{
    Use      u;
    uint64_t place = texture_place(e->address);
    if (!find_use(w, place, place + 4, true, e->work, shadow, serials, &u) || !u.stamp || w->npending >= SHOWN_LINES)
        return;
    const SerialInfo *i   = serials_info(serials, stamp_serial(u.stamp));
    WwFindingEnd      end = works_end_of(w, i->launch, stamp_site(u.stamp), stamp_thread(u.stamp), i->block);
    tell_touched(w, e, &u, &end);
}
