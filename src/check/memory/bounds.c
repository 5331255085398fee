/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that stay in memory the kernel may touch, but not in what their address was computed from: one past a shared array
 * lies in the next one, a stray index of a pointer in another allocation.  (What lies in no memory at all is the emulator's own
 * finding: emu/core/fault.c.)
 *
 * Every instruction whose address has an origin (origin.h) gets a range: the shared variable in the window, the allocation that the pointer
 * parameter points into, or the module's variable.  Per access one vector compare.
 * Not found: an access past a member or a row inside one variable; past one local variable into another of the same frame (of alloca's: stack.c); through
 * pointers that were read from memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "check/by_sweep.h"
#include "check/check.h"
#include "check/origin.h"
#include "check/picture.h"
#include "check/within.h"

enum { GRANULE = 512 }; /* the emulator tells of what stays in an allocation's last granule itself */

typedef struct Range {
    uint64_t base, bytes;
    bool     shared, known; /* known: base and bytes are filled in */
    Origin   origin;
} Range;

typedef struct Watch {
    Observer           base;
    const CheckLaunch *launch;
    const LaunchInfo  *info;
    Arena             *arena;
    Range             *range; /* by instruction id; origin.kind NONE: nothing to check */
    Findings           found;
} Watch;

typedef struct WatchState {
    Watch        *watch;
    const Within *within;
    Range        *range; /* of this worker: variables' ranges are learnt */
    BySweep       rooms; /* Rooms */
    Findings      found;
} WatchState;

/* Where a sweep's parties may lie so that all of its accesses are within. */
typedef struct Rooms {
    bool     known;
    uint64_t low[SWEEP_PARTIES], room[SWEEP_PARTIES]; /* [low, low + room] */
} Rooms;

/* ---- ranges ---- */

static bool find(const CheckLaunch *l, uint64_t address, uint64_t *base, uint64_t *bytes, const char **name)
{
    return l->find(l->user, address, base, bytes, name);
}

static bool is_pointer(void *user, uint32_t offset)
{
    const Watch *w = user;
    uint64_t     value, base, bytes;
    const char  *name;
    memcpy(&value, w->launch->params + offset, 8);
    return find(w->launch, value, &base, &bytes, &name);
}

static void shared_range(const LaunchInfo *info, Range *r)
{
    for (uint32_t i = 0; i < info->nshared; i++)
        if (info->shared_var[i] == r->origin.var) {
            r->base   = info->shared_offset[i];
            r->bytes  = r->origin.var->bytes ? r->origin.var->bytes : info->shared_bytes - r->base;
            r->shared = r->known = true;
        }
}

static void set_range(Watch *w, const LaunchInfo *info, Range *r)
{
    const char *name;
    uint64_t    value;
    if (r->origin.kind == ORIGIN_VAR && r->origin.var->space == SPACE_SHARED) {
        shared_range(info, r);
    } else if (r->origin.kind == ORIGIN_PARAM) {
        memcpy(&value, w->launch->params + r->origin.offset, 8);
        r->known = find(w->launch, value, &r->base, &r->bytes, &name);
        r->bytes = (r->bytes + GRANULE - 1) & -(uint64_t)GRANULE;
    } else if (r->origin.kind != ORIGIN_VAR ||
               (r->origin.var->space != SPACE_GLOBAL && r->origin.var->space != SPACE_CONST)) {
        r->origin.kind = ORIGIN_NONE;
    }
    if (r->origin.kind != ORIGIN_VAR && !r->known)
        r->origin.kind = ORIGIN_NONE;
}

/* Once for a launch: the first worker to fork. */
static void plan(Watch *w, const LaunchInfo *info)
{
    w->arena = arena_new();
    w->range = ARENA_ARRAY(w->arena, Range, info->instrs + 1);
    for (uint32_t i = 0; i < info->instrs;) {
        const Func *f = info->instr[i].func;
        if (!f || f->ninstrs == 0) {
            i++;
            continue;
        }
        const Origin *o = origins_of(w->arena, f, is_pointer, w);
        for (size_t k = 0; k < f->ninstrs && i < info->instrs; k++, i++) {
            w->range[i].origin = o[k];
            set_range(w, info, &w->range[i]);
        }
    }
}

/* ---- accesses ---- */

static uint64_t address_of(const Access *a, unsigned lane)
{
    return a->off ? a->off[lane] : a->addr[lane];
}

/* Lanes outside the range; mostly none. */
static uint32_t outside(const WatchState *s, const Access *a, const Range *r)
{
    const Within *within = s->within;
    uint32_t      bad    = 0;
    uint64_t      room   = r->bytes - a->bytes;
    if (r->bytes < a->bytes)
        return a->mask;
    if (a->off ? within->near(a->off, (uint32_t)r->base, (uint32_t)room) : within->far(a->addr, r->base, room))
        return 0;
    for (uint32_t m = a->mask; m; m &= m - 1)
        bad |= address_of(a, (unsigned)__builtin_ctz(m)) - r->base > room ? m & -m : 0;
    for (uint32_t m = a->off ? bad : 0; m; m &= m - 1) /* in the last unit of shared memory: the emulator tells of it */
        bad &= ~(a->off[__builtin_ctz(m)] + a->bytes > s->watch->info->shared_bytes ? m & -m : 0);
    return bad;
}

/* A module's variable: its place is where an access by its name was good. */
static bool learn(const WatchState *s, Range *r, uint64_t address)
{
    const char *name = NULL;
    r->known =
        find(s->watch->launch, address, &r->base, &r->bytes, &name) && name && !strcmp(name, r->origin.var->name);
    return r->known;
}

static const char *verb(uint8_t op)
{
    return op == ACCESS_LD || op == ACCESS_LDSM   ? "read"
           : op == ACCESS_ST || op == ACCESS_STSM ? "write"
           : op == ACCESS_COPY                    ? "copy"
                                                  : "atomic access";
}

static void put_name(Str *out, const char *symbol)
{
    size_t      n;
    const char *name = mangled_variable(symbol, &n);
    str_printf(out, "'%.*s'", (int)n, name);
}

static void put_shared(const WatchState *s, uint64_t at, Str *out)
{
    const LaunchInfo *info = s->watch->info;
    for (uint32_t i = 0; i < info->nshared; i++) {
        const Var *v = info->shared_var[i];
        if (at >= info->shared_offset[i] && (!v->bytes || at - info->shared_offset[i] < v->bytes)) {
            str_add(out, ", in ");
            put_name(out, v->name);
            return;
        }
    }
}

static void put_global(const WatchState *s, uint64_t at, Str *out)
{
    uint64_t    base, bytes;
    const char *name;
    if (!find(s->watch->launch, at, &base, &bytes, &name))
        return;
    str_add(out, ", in ");
    if (name)
        put_name(out, name);
    else
        str_printf(out, "another allocation, of %" PRIu64 " bytes", bytes);
}

/* What the address was computed from. */
static void put_origin(const WatchState *s, const Range *r, Str *out)
{
    const Func *k = s->watch->launch->kernel;
    if (r->origin.kind == ORIGIN_PARAM)
        str_printf(out, "what parameter %zu points into", (size_t)(r->origin.var - k->params) + 1);
    else
        put_name(out, r->origin.var->name);
    str_printf(out, " (%" PRIu64 " bytes)", r->bytes);
}

static const char *message(WatchState *s, const Access *a, const Range *r, uint64_t at)
{
    Str text = {0};
    str_printf(&text, "%u-byte %s %s %" PRId64 " bytes from the start of ", a->bytes, a->off ? "shared" : "global",
               verb(a->op), (int64_t)(at - r->base));
    put_origin(s, r, &text);
    if (a->off)
        put_shared(s, at, &text);
    else
        put_global(s, at, &text);
    const char *kept = findings_text(&s->found, "%s", str_text(&text));
    str_free(&text);
    return kept;
}

static const WwPicture *picture(WatchState *s, const Access *a, const Range *r, uint32_t bad)
{
    WwPicture *p = findings_alloc(&s->found, sizeof *p);
    *p           = (WwPicture){.space = picture_space((AccessSpace)a->space),
                               .op    = picture_op((AccessOp)a->op),
                               .bytes = a->bytes,
                               .mask  = a->mask,
                               .bad   = bad,
                               .of    = r->bytes};
    for (uint32_t m = a->mask; m; m &= m - 1)
        p->offset[__builtin_ctz(m)] = (int64_t)(address_of(a, (unsigned)__builtin_ctz(m)) - r->base);
    return p;
}

static void on_access(void *state, const Access *a)
{
    WatchState *s = state;
    Range      *r = &s->range[a->instr];
    if (r->origin.kind == ORIGIN_NONE || r->origin.kind == ORIGIN_MANY || r->shared != (a->off != NULL))
        return;
    if (!r->known && !learn(s, r, address_of(a, (unsigned)__builtin_ctz(a->mask))))
        return;
    uint32_t bad = outside(s, a, r);
    if (__builtin_expect(!bad, 1))
        return;
    unsigned lane = (unsigned)__builtin_ctz(bad);
    uint64_t at   = address_of(a, lane);
    Finding *f = findings_note(&s->found, RULE_OUT_OF_BOUNDS, a->instr, NO_INSTR, 1, a->block, a->warp * LANES + lane,
                               (unsigned)__builtin_popcount(bad));
    if (!f)
        return;
    f->address = at;
    f->message = message(s, a, r, at);
    f->picture = picture(s, a, r, bad);
}

/* The range that the access must keep to; NULL: any will do. */
static const Range *range_of(const WatchState *s, const Sweep *of, const SweepAccess *x)
{
    const Range *r      = &s->range[x->seen->instr];
    bool         shared = of->party[x->party].space == ACCESS_SHARED;
    return r->origin.kind == ORIGIN_NONE || r->origin.kind == ORIGIN_MANY || r->shared != shared ? NULL : r;
}

/* Finds out the rooms of a sweep, all of whose ranges are known.  There are none where a range is too small for its access, or lies so low that
 * some of the party would lie before everything. */
static void find_rooms(const WatchState *s, const Sweep *of, Rooms *rooms)
{
    uint64_t low[SWEEP_PARTIES] = {0}, high[SWEEP_PARTIES];
    for (uint32_t k = 0; k < of->nparties; k++)
        high[k] = UINT64_MAX;
    for (uint32_t i = 0; i < of->naccesses; i++) {
        const SweepAccess *x = &of->access[i];
        const Range       *r = range_of(s, of, x);
        if (!r)
            continue;
        uint64_t from = r->base > x->low ? r->base - x->low : 0;
        if (x->high - x->low > r->bytes || r->base + r->bytes < x->high)
            return;
        uint64_t to    = r->base + r->bytes - x->high;
        low[x->party]  = from > low[x->party] ? from : low[x->party];
        high[x->party] = to < high[x->party] ? to : high[x->party];
    }
    for (uint32_t k = 0; k < of->nparties; k++) {
        if (low[k] > high[k])
            return;
        rooms->low[k]  = low[k];
        rooms->room[k] = high[k] - low[k];
    }
    rooms->known = true;
}

/* All of them within what their addresses were computed from?  What is not known yet is learnt from the access itself. */
static bool takes(void *state, const SweepCall *c)
{
    WatchState *s     = state;
    Rooms      *rooms = by_sweep(&s->rooms, c->of->number, sizeof *rooms);
    bool        in    = rooms->known;
    for (uint32_t k = 0; in && k < c->of->nparties; k++)
        in = c->at[k] - rooms->low[k] <= rooms->room[k];
    if (in)
        return true;
    for (uint32_t i = 0; i < c->of->naccesses; i++) {
        const SweepAccess *x = &c->of->access[i];
        const Range       *r = range_of(s, c->of, x);
        if (!r)
            continue;
        uint64_t from = c->at[x->party] + x->low - r->base, n = x->high - x->low;
        if (!r->known || n > r->bytes || from > r->bytes - n)
            return false;
    }
    find_rooms(s, c->of, rooms);
    return true;
}

/* What is within does not change. */
static uint32_t rests(void *state, const SweepCall *c, uint32_t parties, SweepRange *range)
{
    WatchState  *s     = state;
    const Rooms *rooms = by_sweep(&s->rooms, c->of->number, sizeof *rooms);
    for (uint32_t m = rooms->known ? parties : 0; m; m &= m - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(m);
        range_narrow(&range[k], rooms->low[k], rooms->low[k] + rooms->room[k]);
    }
    return rooms->known ? parties : 0;
}

/* ---- the checker ---- */

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    Watch *w = (Watch *)o;
    (void)worker;
    if (!w->range)
        plan(w, info);
    w->info       = info;
    WatchState *s = xcalloc(1, sizeof *s);
    s->watch      = w;
    s->within     = within_best();
    s->range      = xcalloc(info->instrs + 1, sizeof *s->range);
    memcpy(s->range, w->range, info->instrs * sizeof *s->range);
    return s;
}

static void on_join(Observer *o, void *state)
{
    WatchState *s = state;
    findings_merge(&((Watch *)o)->found, &s->found);
    free(s->rooms.row);
    free(s->range);
    free(s);
}

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self;
    if (!rules->on[RULE_OUT_OF_BOUNDS])
        return NULL;
    Watch *w                     = xcalloc(1, sizeof *w);
    w->base.wants[ACCESS_GLOBAL] = w->base.wants[ACCESS_SHARED] = (1u << ACCESS_OPS) - 1;
    w->base.fork                                                = on_fork;
    w->base.access                                              = on_access;
    w->base.takes                                               = takes;
    w->base.rests                                               = rests;
    w->base.join                                                = on_join;
    w->launch                                                   = l;
    return &w->base;
}

static void end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    Watch *w = (Watch *)o;
    (void)self;
    (void)l;
    findings_merge(found, &w->found);
    arena_free(w->arena);
    free(w);
}

const Checker checker_memory = {.name = "memory", .begin = begin, .end = end};
