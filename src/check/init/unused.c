/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory that was allocated for nothing: bytes that nobody read or wrote (unused-memory), and bytes that were written and that
 * nobody read (unread-memory), told of each allocation when it is freed and of the others at the end.
 *
 * Two maps of written.h, one of reads and one of writes, byte by byte: a hole in both is unused, a hole in the first alone was written in
 * vain.  Kernels, copies, fills and library calls count, wherever they come from; an atomic reads and writes.
 *
 * An allocation is left out from the moment somebody may use it unseen (MEMORY_SEEN, MEMORY_SHOWN): pinned and managed memory, textures
 * and arrays, other devices and processes, the device-side heap.  What cudaMallocPitch put behind each row is not the program's.  After
 * a launch of which only some blocks ran nothing is known any more, and nothing is told. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "check/check.h"
#include "check/init/written.h"
#include "check/within.h"

enum { PIECE = 4096 }; /* of a bulk copy: written_write takes more at once for the host's */

typedef struct Use {                          /* one live allocation */
    uint64_t       base, bytes, pitch, width; /* pitch 0: not in rows */
    bool           unseen, left; /* somebody may use it unseen; somebody may look at what stands there in the end */
    WwFinding      place;        /* of the call that allocated it */
    UT_hash_handle hh;
} Use;

typedef struct Unused { /* as long as the device lives */
    const RuleSet *rules;
    Written        read, wrote;
    Use           *use; /* hash by base */
    bool           blind;
    Arena         *arena;
    WwFinding     *pending;
    size_t         npending;
} Unused;

typedef struct UnusedWatch {
    Observer base;
    Unused  *of;
} UnusedWatch;

typedef struct Cached { /* what an instruction accessed last */
    Region *read, *wrote;
} Cached;

typedef struct UnusedState {
    Unused       *of;
    const Within *within;
    Cached       *instr;
} UnusedState;

/* ---- what kernels do ---- */

static const Cached *regions(const UnusedState *s, uint32_t instr, uint64_t at)
{
    Cached *c = &s->instr[instr];
    if (!c->read || at - c->read->base >= c->read->bytes)
        *c = (Cached){written_find(&s->of->read, at), written_find(&s->of->wrote, at)};
    return c;
}

static void touch(const UnusedState *s, uint32_t instr, uint64_t at, uint64_t n, bool reads, bool writes)
{
    const Cached *c = regions(s, instr, at);
    if (c->read && reads)
        written_write(c->read, at, n);
    if (c->wrote && writes)
        written_write(c->wrote, at, n);
}

static void on_access(void *state, const Access *a)
{
    const UnusedState *s      = state;
    bool               reads  = a->op != ACCESS_ST && a->op != ACCESS_STSM;
    bool               writes = a->op == ACCESS_ST || a->op == ACCESS_ATOM || a->op == ACCESS_RED;
    if (!a->addr)
        return;
    if (a->mask == UINT32_MAX && s->within->row(a->addr, a->bytes)) {
        touch(s, a->instr, a->addr[0], a->bytes * (uint64_t)LANES, reads, writes);
        return;
    }
    for (uint32_t m = a->mask; m; m &= m - 1)
        touch(s, a->instr, a->addr[__builtin_ctz(m)], a->bytes, reads, writes);
}

static void on_async(void *state, const AsyncAccess *a)
{
    const UnusedState *s = state;
    for (size_t i = 0; i < a->nruns && a->space == ACCESS_GLOBAL; i++)
        for (uint64_t k = 0; k < a->run[i].bytes; k += PIECE) {
            uint64_t n = a->run[i].bytes - k < PIECE ? a->run[i].bytes - k : PIECE;
            touch(s, a->instr, a->run[i].at + k, n, !a->writes || a->reduces, a->writes);
        }
}

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    UnusedState *s = xcalloc(1, sizeof *s);
    (void)worker;
    s->of     = ((UnusedWatch *)o)->of;
    s->within = within_best();
    s->instr  = xcalloc(info->instrs + 1, sizeof *s->instr);
    return s;
}

static void on_join(Observer *o, void *state)
{
    (void)o;
    free(((UnusedState *)state)->instr);
    free(state);
}

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    UnusedWatch *w = xcalloc(1, sizeof *w);
    (void)rules;
    (void)l;
    w->of                        = self;
    w->base.wants[ACCESS_GLOBAL] = w->base.wants[ACCESS_SURFACE] = (1u << ACCESS_OPS) - 1;
    w->base.fork                                                 = on_fork;
    w->base.access                                               = on_access;
    w->base.async                                                = on_async;
    w->base.join                                                 = on_join;
    return &w->base;
}

static void end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    (void)found;
    ((Unused *)self)->blind |= l->sampled;
    free(o);
}

/* ---- what is told ---- */

/* Bytes of the first n of the allocation that stand behind its rows. */
static uint64_t padding(const Use *u, uint64_t n)
{
    if (!u->pitch)
        return 0;
    uint64_t column = n % u->pitch;
    return n / u->pitch * (u->pitch - u->width) + (column > u->width ? column - u->width : 0);
}

/* Bytes of [at, at + n) that the map does not have, and that are the program's; *first: of them, where there are any. */
static uint64_t missing(const Use *u, const Region *r, uint64_t at, uint64_t n, uint64_t *first)
{
    uint64_t sum = 0, end = at + n;
    Hole     h;
    for (; at < end && written_hole(r, at, end - at, &h); at = h.at + h.bytes) {
        uint64_t from = h.at - u->base, own = h.bytes - (padding(u, from + h.bytes) - padding(u, from));
        if (own && !sum)
            *first = from + (u->pitch && from % u->pitch >= u->width ? u->pitch - from % u->pitch : 0);
        sum += own;
    }
    return sum;
}

typedef struct Sum {
    uint64_t unused, unread, first_unused, first_unread;
} Sum;

static Sum sums(const Unused *un, const Use *u)
{
    Sum           s     = {0};
    uint64_t      first = 0, end = u->base + u->bytes;
    const Region *read = written_find(&un->read, u->base), *wrote = written_find(&un->wrote, u->base);
    Hole          h;
    for (uint64_t at = u->base; read && wrote && at < end && written_hole(read, at, end - at, &h);
         at          = h.at + h.bytes) {
        uint64_t from = h.at - u->base, own = h.bytes - (padding(u, from + h.bytes) - padding(u, from));
        uint64_t none = missing(u, wrote, h.at, h.bytes, &first);
        if (none && !s.unused)
            s.first_unused = first;
        if (own > none && !s.unread)
            s.first_unread = none && first == from ? from + none : from;
        s.unused += none;
        s.unread += own - none;
    }
    return s;
}

static const char *message(Arena *a, bool unused, uint64_t own, uint64_t bytes, double part, uint64_t first)
{
    if (bytes == own && unused)
        return arena_printf(a, "nobody read or wrote any of this allocation's %" PRIu64 " bytes", own);
    if (bytes == own)
        return arena_printf(a, "this allocation's %" PRIu64 " bytes were written and never read", own);
    const char *of = arena_printf(a, "%" PRIu64 " of this allocation's %" PRIu64 " bytes (%.3g %%)", bytes, own, part);
    return arena_printf(a,
                        unused ? "nobody read or wrote %s, the first %" PRIu64 " bytes into it"
                               : "%s were written and never read, the first %" PRIu64 " bytes into it",
                        of, first);
}

static void tell(Unused *un, const Use *u, RuleId rule, uint64_t bytes, uint64_t first)
{
    uint64_t own  = u->bytes - padding(u, u->bytes);
    double   part = 100.0 * (double)bytes / (double)own;
    if (!un->rules->on[rule] || !bytes || part < rules_threshold(un->rules, rule, "percent") ||
        (double)bytes < rules_threshold(un->rules, rule, "bytes"))
        return;
    const Rule *row = rule_row(rule);
    un->pending     = xrealloc(un->pending, (un->npending + 1) * sizeof *un->pending);
    WwFinding *f    = &un->pending[un->npending++];
    *f              = u->place;
    f->rule         = row->id;
    f->category     = row->category;
    f->severity     = row->severity;
    f->address      = u->base + first;
    f->count        = 1;
    f->message      = message(un->arena, rule == RULE_UNUSED_MEMORY, own, bytes, part, first);
}

static void judge(Unused *un, const Use *u)
{
    if (u->unseen || un->blind)
        return;
    Sum s = sums(un, u);
    tell(un, u, RULE_UNUSED_MEMORY, s.unused, s.first_unused);
    if (!u->left)
        tell(un, u, RULE_UNREAD_MEMORY, s.unread, s.first_unread);
}

/* ---- what the host does ---- */

static void forget(Unused *un, Use *u)
{
    HASH_DEL(un->use, u);
    written_release(&un->read, u->base);
    written_release(&un->wrote, u->base);
    free(u);
}

static void allocated(Unused *un, const MemoryEvent *e)
{
    Use *u   = xcalloc(1, sizeof *u);
    u->base  = e->address;
    u->bytes = e->bytes;
    if (e->host)
        e->host(&u->place, NULL);
    written_alloc(&un->read, e->address, e->bytes);
    written_alloc(&un->wrote, e->address, e->bytes);
    HASH_ADD(hh, un->use, base, sizeof u->base, u);
}

static Use *use_at(const Unused *un, uint64_t address)
{
    const Region *r = written_find(&un->read, address);
    Use          *u = NULL;
    if (r)
        HASH_FIND(hh, un->use, &r->base, sizeof r->base, u);
    return u;
}

static void mark(const Written *map, uint64_t address, uint64_t bytes)
{
    Region *r = written_find(map, address);
    if (r)
        written_write(r, address, bytes);
}

static void on_memory(void *self, const MemoryEvent *e)
{
    Unused *un = self;
    Use    *u  = e->kind == MEMORY_ALLOC ? NULL : use_at(un, e->address);
    switch (e->kind) {
    case MEMORY_ALLOC:
        if (!e->known)
            allocated(un, e);
        return;
    case MEMORY_FREE:
        if (u && u->base == e->address) {
            judge(un, u);
            forget(un, u);
        }
        return;
    case MEMORY_WRITE: mark(&un->wrote, e->address, e->bytes); return;
    case MEMORY_READ: mark(&un->read, e->address, e->bytes); return;
    case MEMORY_COPY:
        mark(&un->read, e->from, e->bytes);
        mark(&un->wrote, e->address, e->bytes);
        return;
    case MEMORY_LEFT:
        if (u)
            u->left = true;
        return;
    case MEMORY_SEEN:
    case MEMORY_SHOWN:
    case MEMORY_HEAP:
        if (u)
            u->unseen = true;
        return;
    case MEMORY_ROWS:
        if (u && e->bytes) {
            u->pitch = e->bytes;
            u->width = e->from;
        }
        return;
    case MEMORY_LOOKED:
    case MEMORY_CHANGED:
    case MEMORY_UNBOUND:
    case MEMORY_AGAIN:
    case MEMORY_GIVEN:
    case MEMORY_TAKEN: return;
    }
}

/* ---- the checker ---- */

static int by_base(Use *a, Use *b)
{
    return a->base < b->base ? -1 : a->base > b->base;
}

/* The end: what was not freed is told too. */
static const WwFinding *pending(void *self, size_t *n)
{
    Unused *un = self;
    HASH_SORT(un->use, by_base);
    for (Use *u = un->use, *next; u; u = next) {
        next = u->hh.next;
        judge(un, u);
        forget(un, u);
    }
    *n = un->npending;
    return un->pending;
}

static void *open(const RuleSet *rules)
{
    Unused *un = xcalloc(1, sizeof *un);
    un->rules  = rules;
    un->arena  = arena_new();
    return un;
}

static void close(void *self)
{
    Unused *un = self;
    while (un->use)
        forget(un, un->use);
    written_free(&un->read);
    written_free(&un->wrote);
    arena_free(un->arena);
    free(un->pending);
    free(un);
}

const Checker checker_unused = {.name    = "unused",
                                .open    = open,
                                .close   = close,
                                .begin   = begin,
                                .end     = end,
                                .memory  = on_memory,
                                .pending = pending};
