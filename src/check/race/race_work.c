/* SPDX-License-Identifier: Apache-2.0
 *
 * What streams order.  The caller (src/cuda/work/sequence.h) knows streams and events; here work is only a count in a queue and what it knows of
 * others.
 *
 * Two launches with fences or flags may wait for each other.  Of accesses that nothing else orders the later one is then behind the other
 * only if its block has looked at something first; so what a block does before its first look races.
 * A queue's launches are in order among themselves.  For each queue the times at which its launches began are kept until everything that
 * can still be submitted knows of them, so where nothing is unordered, which is nearly always, the answer to "since when?" is "since now"
 * and an access costs what it always did. */
#include "check/race/race_work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "check/race/race_work_own.h"
#include "ptx/place.h"

Works *works_new(void)
{
    Works *w = xcalloc(1, sizeof *w);
    w->arena = arena_new();
    return w;
}

void works_free(Works *w)
{
    for (uint32_t q = 0; q < w->nqueues; q++)
        free(w->queue[q].begun), free(w->queue[q].host);
    free(w->queue);
    free(w->note);
    free(w->file);
    free(w->pending);
    free(w->constant);
    free(w->handed);
    arena_free(w->arena);
    free(w);
}

void works_reset(Works *w)
{
    for (uint32_t q = 0; q < w->nqueues; q++)
        w->queue[q].first = w->queue[q].n = 0;
    w->nnotes = w->nconstants = 0;
}

const WwFinding *works_pending(Works *w, size_t *n)
{
    *n = w->npending;
    return w->pending;
}

/* ---- order ---- */

static uint32_t known(const uint32_t *counts, const WorkOrder *o, uint32_t queue)
{
    return queue < o->n ? counts[queue] : 0;
}

/* The last work of the queue that is before `me`.  In one queue only a programmatic launch is met by the work before it. */
static uint32_t last_before(const WorkOrder *me, uint32_t queue)
{
    return queue == me->queue ? me->count : known(me->before, me, queue);
}

bool works_is_before(const WorkOrder *me, uint32_t queue, uint32_t count)
{
    return !me || queue == NO_QUEUE || count <= last_before(me, queue);
}

/* Is it the launch just before `me`, which is programmatic? */
static bool may_overlap(const WorkOrder *me, const Note *n)
{
    return me && me->programmatic && n->queue == me->queue && n->count + 1 == me->count &&
           n->count > known(me->settled, me, n->queue);
}

/* Streams of a kernel: one of each block where it names none, those that it made, and one that orders nothing. */
static bool same_stream(const LaunchOrigin *a, const LaunchOrigin *b)
{
    enum { NAMED = 3, FIRE_AND_FORGET = 4 };
    if (a->stream == FIRE_AND_FORGET || b->stream == FIRE_AND_FORGET)
        return false;
    if (a->stream < NAMED && b->stream < NAMED)
        return a->block == b->block;
    return a->stream == b->stream;
}

bool works_siblings(const Works *w, const RaceRun *me, uint32_t launch)
{
    const LaunchOrigin *o = me->launch->origin;
    const Note         *n = launch < w->nnotes ? &w->note[launch] : NULL;
    return o && n && n->child && n->origin.serial == o->serial && !n->origin.tail && !o->tail && !o->waits &&
           !same_stream(&n->origin, o);
}

bool works_before(const Works *w, const struct RaceRun *me, uint32_t launch, const RaceBlock *b, unsigned thread,
                  bool weak)
{
    const Note *n = launch < w->nnotes ? &w->note[launch] : NULL;
    if (n && may_overlap(me->launch->work, n))
        return order_waited_for_grids(b, thread);
    if (works_siblings(w, me, launch)) /* one with flags may have let their parent launch the other */
        return n->flags;
    return !n || works_is_before(me->launch->work, n->queue, n->count) ||
           (n->flags && me->flags && (!weak || order_has_met(b)));
}

bool works_same_stream(const Works *w, const struct RaceRun *me, uint32_t launch)
{
    return me->launch->work && launch < w->nnotes && w->note[launch].queue == me->launch->work->queue;
}

static Queue *queue_of(Works *w, uint32_t queue)
{
    if (queue >= w->nqueues) {
        w->queue = xrealloc(w->queue, (queue + 1u) * sizeof *w->queue);
        memset(w->queue + w->nqueues, 0, (queue + 1u - w->nqueues) * sizeof *w->queue);
        w->nqueues = queue + 1;
    }
    return &w->queue[queue];
}

static void begun(Works *w, const WorkOrder *o, Time at)
{
    Queue *q = queue_of(w, o->queue);
    if (q->first == q->n)
        q->first = q->n = 0;
    if (q->n == q->cap) {
        q->cap   = q->cap ? q->cap * 2 : 16;
        q->begun = xrealloc(q->begun, q->cap * sizeof *q->begun);
    }
    size_t i = q->n++;
    for (; i > q->first && q->begun[i - 1].count > o->count; i--) { /* programmatic launches that have begun already */
        q->begun[i] = q->begun[i - 1];
        at          = at < q->begun[i].at ? at : q->begun[i].at;
    }
    q->begun[i] = (Begun){o->count, at};
}

/* What everybody knows of is kept no longer. */
static void settle(Works *w, const WorkOrder *o)
{
    for (uint32_t i = 0; i < w->nqueues; i++) {
        Queue   *q    = &w->queue[i];
        uint32_t upto = known(o->settled, o, i);
        while (q->first < q->n && q->begun[q->first].count <= upto)
            q->first++;
        while (q->host_first < q->nhost && q->host[q->host_first].count <= upto)
            q->host_first++;
    }
    constants_settle(w, o);
}

/* Its own queue: the launch before a programmatic one, and programmatic ones that have begun before o. */
static Time beside_in_queue(const Queue *q, const WorkOrder *o, Time since)
{
    for (size_t i = q->n; i > q->first && q->begun[i - 1].count + o->programmatic >= o->count; i--)
        if (q->begun[i - 1].at < since)
            since = q->begun[i - 1].at;
    return since;
}

Time works_open_since(const Works *w, const WorkOrder *o, Time now)
{
    Time since = now;
    for (uint32_t i = 0; i < w->nqueues; i++) {
        const Queue *q  = &w->queue[i];
        size_t       lo = q->first, hi = q->n;
        if (i == o->queue) {
            since = beside_in_queue(q, o, since);
            continue;
        }
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (q->begun[mid].count <= known(o->before, o, i))
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < q->n && q->begun[lo].at < since)
            since = q->begun[lo].at;
    }
    return since;
}

/* ---- names and places ---- */

const char *works_shown_name(const Works *w, const char *symbol)
{
    char       *text = mangled_text(symbol);
    const char *name = arena_strdup(w->arena, text);
    free(text);
    return name;
}

const char *works_file_name(Works *w, const char *name)
{
    for (size_t i = w->nfiles; i--;)
        if (!strcmp(w->file[i], name))
            return w->file[i];
    w->file              = xrealloc(w->file, (w->nfiles + 1) * sizeof *w->file);
    w->file[w->nfiles++] = arena_strdup(w->arena, name);
    return w->file[w->nfiles - 1];
}

Time works_begin(Works *w, const RaceRun *r, const CheckLaunch *l, uint32_t launch, Time now)
{
    Note n = {.queue = NO_QUEUE, .flags = r->flags};
    w->any_flags |= r->flags;
    w->nhanded = l->origin ? w->nhanded : 0;
    if (launch >= w->notes_cap) {
        w->notes_cap = launch < 64 ? 128 : launch * 2u;
        w->note      = xrealloc(w->note, w->notes_cap * sizeof *w->note);
    }
    for (; w->nnotes < launch; w->nnotes++)
        w->note[w->nnotes] = n;
    n.child  = l->origin != NULL;
    n.origin = l->origin ? *l->origin : n.origin;
    if (l->work) {
        n.tells = r->flags && race_tells_host(l->module, l->kernel);
        n.queue = l->work->queue;
        n.count = l->work->count;
        n.run   = r;
        memcpy(n.grid, l->grid, sizeof n.grid);
        memcpy(n.block, l->block, sizeof n.block);
        settle(w, l->work);
    }
    w->note[launch] = n;
    w->nnotes       = launch + 1;
    if (!l->work)
        return now;
    Time since = works_open_since(w, l->work, now);
    begun(w, l->work, now);
    return since;
}

void works_end(Works *w, const struct RaceRun *r, const CheckLaunch *l, uint32_t launch)
{
    w->note[launch].run = NULL;
    if (!r->launch->work || !r->site_of)
        return;
    SiteTable t = {.kernel = works_shown_name(w, r->launch->kernel->name),
                   .n      = r->sites,
                   .place  = xcalloc(r->sites, sizeof *t.place)};
    for (uint32_t i = 1; i < r->sites; i++) {
        const Instr *in = r->instr_of[i] < l->ninstr ? l->instr[r->instr_of[i]].in : NULL;
        Place        p  = in ? instr_user_place(r->launch->module, in) : (Place){0};
        if (p.file)
            t.place[i] = (SitePlace){works_file_name(w, p.file), p.line, p.col};
    }
    SiteTable *have = w->tables;
    while (have && (have->n != t.n || strcmp(have->kernel, t.kernel) != 0 ||
                    memcmp(have->place, t.place, t.n * sizeof *t.place) != 0))
        have = have->next;
    if (!have) {
        have        = ARENA_NEW(w->arena, SiteTable);
        *have       = t;
        have->place = ARENA_ARRAY(w->arena, SitePlace, t.n);
        memcpy(have->place, t.place, t.n * sizeof *t.place);
        have->next = w->tables;
        w->tables  = have;
    }
    w->note[launch].sites = have;
    free(t.place);
}

static WwDim3 unfold(uint64_t i, const uint32_t n[3])
{
    uint64_t x = n[0] ? n[0] : 1, y = n[1] ? n[1] : 1;
    return (WwDim3){(uint32_t)(i % x), (uint32_t)(i / x % y), (uint32_t)(i / x / y)};
}

WwFindingEnd works_end_of(const Works *w, uint32_t launch, unsigned site, unsigned thread, uint64_t block)
{
    const Note  *n = &w->note[launch];
    WwFindingEnd e = {.block = unfold(block, n->grid), .thread = unfold(thread, n->block)};
    if (n->sites) {
        e.kernel = n->sites->kernel;
        if (site < n->sites->n) {
            e.file = n->sites->place[site].file;
            e.line = n->sites->place[site].line;
            e.col  = n->sites->place[site].col;
        }
    } else if (n->run && site < n->run->sites) {
        uint32_t instr = n->run->instr_of[site];
        Place    p =
            instr != NO_INSTR ? instr_user_place(n->run->launch->module, n->run->info->instr[instr].in) : (Place){0};
        e.kernel = works_shown_name(w, n->run->launch->kernel->name);
        e.file = p.file, e.line = p.line, e.col = p.col;
    }
    return e;
}

/* ---- copies and fills ---- */

const char *works_noun(const HostWork *h)
{
    return h->kind == MEMORY_GIVEN   ? "cudaMallocAsync"
           : h->kind == MEMORY_TAKEN ? "cudaFreeAsync"
           : h->writes               ? "copy or fill"
                                     : "copy";
}

static const WwFindingEnd *call_end(const Works *w, const HostWork *h, const char *noun)
{
    WwFinding f = {0};
    h->host(&f, h->call);
    if (!f.file && (!f.nhost || !f.host[0].function))
        return NULL;
    WwFindingEnd *e = ARENA_NEW(w->arena, WwFindingEnd);
    e->file         = f.file;
    e->line         = f.line;
    e->message      = f.file ? arena_printf(w->arena, "the %s was asked for here", noun)
                             : arena_printf(w->arena, "the %s was asked for by %s", noun, f.host[0].function);
    return e;
}

/* Looks for the host's call once, and only for work that is, or may be, told of. */
const WwFindingEnd *works_asked(Works *w, HostWork *h)
{
    const char *noun = works_noun(h);
    Asked      *a    = &w->asked[(uintptr_t)h->call / 64 % ASKED_KEPT];
    if (h->host && h->call && (a->call != h->call || a->noun != noun))
        *a = (Asked){h->call, noun, call_end(w, h, noun)};
    if (h->host && h->call)
        h->asked = a->end;
    h->host = NULL;
    return h->asked;
}

const HostWork *works_queue_beside(const Works *w, const WorkOrder *me, uint32_t queue, size_t *n)
{
    const Queue *q  = &w->queue[queue];
    size_t       lo = q->host_first, hi = q->nhost;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (works_is_before(me, queue, q->host[mid].count))
            lo = mid + 1;
        else
            hi = mid;
    }
    *n = q->nhost - lo;
    return *n ? &q->host[lo] : NULL;
}

HostWork *works_beside(Works *w, const WorkOrder *me, size_t *n)
{
    HostWork *list = NULL;
    *n             = 0;
    for (uint32_t i = 0; i < w->nqueues; i++) {
        size_t          more;
        const HostWork *h = works_queue_beside(w, me, i, &more);
        if (!more)
            continue;
        for (size_t k = 0; k < more; k++)
            works_asked(w, &w->queue[i].host[(size_t)(h - w->queue[i].host) + k]);
        list = xrealloc(list, (*n + more) * sizeof *list);
        memcpy(list + *n, h, more * sizeof *list);
        *n += more;
    }
    return list;
}

void works_forget(Works *w, uint64_t address, uint64_t bytes)
{
    constants_forget(w, address, bytes);
    for (uint32_t i = 0; i < w->nqueues; i++) {
        Queue *q    = &w->queue[i];
        size_t kept = 0;
        for (size_t k = q->host_first; k < q->nhost; k++)
            if (q->host[k].to <= address || address + bytes <= q->host[k].from)
                q->host[kept++] = q->host[k];
        q->nhost      = kept;
        q->host_first = 0;
    }
}

static void add_host(Works *w, const HostWork *h)
{
    Queue *q = queue_of(w, h->queue);
    if (q->nhost == q->host_cap && q->host_first > q->nhost / 2) {
        q->nhost -= q->host_first;
        memmove(q->host, q->host + q->host_first, q->nhost * sizeof *q->host);
        q->host_first = 0;
    } else if (q->nhost == q->host_cap) {
        q->host_cap = q->host_cap ? q->host_cap * 2 : 16;
        q->host     = xrealloc(q->host, q->host_cap * sizeof *q->host);
    }
    HostWork *last = q->nhost ? &q->host[q->nhost - 1] : NULL;
    if (last && last->count == h->count && last->kind == h->kind && last->writes == h->writes && last->to == h->from) {
        last->to = h->to; /* the next row of one */
        return;
    }
    size_t i = q->nhost++;
    for (; i > q->host_first && q->host[i - 1].count > h->count; i--)
        q->host[i] = q->host[i - 1];
    q->host[i]      = *h;
    q->host[i].part = ++w->parts;
}

static const char *verb(bool writes)
{
    return writes ? "writes" : "reads";
}

const char *works_verb(const HostWork *h)
{
    return h->kind == MEMORY_GIVEN ? "allocates" : h->kind == MEMORY_TAKEN ? "frees" : verb(h->writes);
}

/* Is it the first time that these two are told? */
bool works_fresh(Works *w, uint64_t a, uint64_t b)
{
    uint64_t key = (a * UINT64_C(0x9e3779b97f4a7c15) ^ b) * UINT64_C(0xd6e8feb86659fd93);
    for (size_t i = 0; i < w->ntold; i++)
        if (w->told[i] == key)
            return false;
    if (w->ntold < SHOWN_LINES)
        w->told[w->ntold++] = key;
    return w->ntold < SHOWN_LINES;
}

WwFinding *works_tell(Works *w, const WwFindingEnd *end, uint64_t address, const char *message)
{
    const Rule *rule          = rule_row(RULE_RACE_STREAM);
    w->pending                = xrealloc(w->pending, (w->npending + 1) * sizeof *w->pending);
    w->pending[w->npending++] = (WwFinding){.rule     = rule->id,
                                            .category = rule->category,
                                            .severity = rule->severity,
                                            .kernel   = end ? end->kernel : NULL,
                                            .file     = end ? end->file : NULL,
                                            .line     = end ? end->line : 0,
                                            .col      = end ? end->col : 0,
                                            .block    = end ? end->block : (WwDim3){0},
                                            .thread   = end ? end->thread : (WwDim3){0},
                                            .address  = address,
                                            .count    = 1,
                                            .message  = message};
    return &w->pending[w->npending - 1];
}

/* One stamp that lies in what the host copies or fills. */
static void against_stamp(Works *w, HostWork *h, const WorkOrder *o, uint64_t at, Stamp s, bool wrote,
                          const Serials *serials)
{
    const SerialInfo *i = serials_info(serials, stamp_serial(s));
    const Note       *n = i->launch < w->nnotes ? &w->note[i->launch] : NULL;
    if (!n || works_is_before(o, n->queue, n->count))
        return;
    WwFindingEnd e = works_end_of(w, i->launch, stamp_site(s), stamp_thread(s), i->block);
    if (!works_fresh(w, (uint64_t)(uintptr_t)n->sites << 13 ^ stamp_site(s), (uint64_t)h->kind << 1 | h->writes))
        return;
    WwFinding *f =
        works_tell(w, &e, at,
                   arena_printf(w->arena,
                                "%s address 0x%" PRIx64
                                ", which a %s of another stream %s; nothing orders the two (an event, a wait of "
                                "the host)",
                                verb(wrote), at, works_noun(h), works_verb(h)));
    f->other = works_asked(w, h);
}

static void against_launches(Works *w, HostWork *h, const WorkOrder *o, Time since, Shadow *shadow,
                             const Serials *serials)
{
    Stamp oldest = since << TIME_SHIFT;
    for (uint64_t at = h->from; at < h->to; at = (at | (PAGE_BYTES - 1)) + 1) {
        const Page *p = shadow_find(shadow, at);
        uint64_t page = at & ~(uint64_t)(PAGE_BYTES - 1), end = page + PAGE_BYTES < h->to ? PAGE_BYTES : h->to - page;
        for (Plane k = PLANE_WRITE; p && k < (h->writes ? PLANES : PLANE_READ); k++)
            for (uint64_t i = (at - page) >> p->shift; p->plane[k] && i << p->shift < end; i++)
                if (p->plane[k][i] >= oldest)
                    against_stamp(w, h, o, page + (i << p->shift), p->plane[k][i], k <= PLANE_WRITE2, serials);
    }
}

static void against_one(Works *w, const HostWork *h, HostWork *g)
{
    uint64_t at = h->from > g->from ? h->from : g->from;
    if ((!h->writes && !g->writes) || h->from >= g->to || g->from >= h->to ||
        !works_fresh(w, (uint64_t)g->queue << 32 | h->queue,
                     (uint64_t)g->kind << 32 | (uint64_t)h->kind << 2 | (uint64_t)g->writes << 1 | h->writes))
        return;
    WwFinding *f = works_tell(
        w, NULL, at,
        arena_printf(w->arena, "a %s %s address 0x%" PRIx64 ", which a %s of another stream %s; nothing orders the two",
                     works_noun(h), works_verb(h), at, works_noun(g), works_verb(g)));
    if (h->host)
        h->host(f, h->call);
    f->other = works_asked(w, g);
}

static void against_host(Works *w, const HostWork *h, const WorkOrder *o)
{
    for (uint32_t q = 0; q < w->nqueues; q++) {
        size_t          n;
        const HostWork *list = works_queue_beside(w, o, q, &n);
        for (size_t i = 0; i < n; i++)
            against_one(w, h, &w->queue[q].host[(size_t)(list - w->queue[q].host) + i]);
    }
}

static void host_part(Works *w, HostWork h, const WorkOrder *o, Shadow *shadow, const Serials *serials)
{
    Time now = serials_floor(serials), since = works_open_since(w, o, now);
    if (since < now)
        against_launches(w, &h, o, since, shadow, serials);
    constants_host(w, &h, o);
    against_host(w, &h, o);
    add_host(w, &h);
}

void works_host(Works *w, const MemoryEvent *e, Shadow *shadow, const Serials *serials)
{
    const WorkOrder *o = e->work;
    if (!o || !e->bytes)
        return;
    settle(w, o);
    HostWork h = {
        .from = e->address, .to = e->address + e->bytes, .kind = e->kind, .queue = o->queue, .count = o->count};
    h.writes = e->kind != MEMORY_READ;
    h.host   = e->host;
    h.call   = e->host ? e->call() : NULL;
    host_part(w, h, o, shadow, serials);
    if (e->kind == MEMORY_COPY) {
        h.from   = e->from;
        h.to     = e->from + e->bytes;
        h.writes = false;
        host_part(w, h, o, shadow, serials);
    }
}
