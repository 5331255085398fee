/* SPDX-License-Identifier: Apache-2.0
 *
 * One bit for each byte of every allocation that the launch reached: read, written, reduced.  Blocks are independent as far as memory goes when no
 * byte that one rank's blocks wrote was read, written or reduced by another's, and none that one reduced was read by another's.
 *
 * Workers share the bits and set them by atomic operations; an allocation's bits are made when it is first reached.
 * An atomic whose result no instruction of its function reads is a reduction: nvcc writes no other.
 * Not followed: what passes through the device-side heap, whose addresses are a rank's own (the launch's caller refuses heaps that outlive it). */
#include "check/touched.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ranks.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

typedef enum Plane { READ, WRITTEN, REDUCED, PLANES } Plane;

/* How bytes of an allocation are reduced: what ranks have made of one value can be put together.  MIXED: in several ways, or in one whose result depends on
 * the order (floats), or that is none of these. */
typedef enum Way { WAY_NONE, WAY_ADD, WAY_AND, WAY_OR, WAY_XOR, WAY_MIN, WAY_MAX, WAY_MIXED } Way;

typedef struct Kind { /* Way, bytes of an element, are they signed? */
    uint8_t way, bytes, is_signed;
} Kind;

typedef struct Area {
    uint64_t  base, bytes;
    char     *name;          /* or NULL */
    uint64_t *plane[PLANES]; /* NULL: no bit is set */
    Kind      kind;          /* of what is reduced */
    uint8_t  *before;        /* what was there, of bytes that are reduced; NULL: none are */
} Area;

typedef struct Areas { /* sorted by base */
    Area **at;
    size_t n;
} Areas;

typedef struct Touch {
    Observer           base;
    const CheckLaunch *launch;
    uint64_t           heap;
    pthread_mutex_t    lock;
    Areas              areas;
    Kind              *reduces; /* by instruction: an atomic whose result nobody reads; WAY_NONE: it is none */
    int                surfaces;
} Touch;

typedef struct TouchState {
    Touch *touch;
    Area  *last;
} TouchState;

/* ---- areas ------------------------------------------------------------------------------------------------------- */

static size_t words_of(const Area *a)
{
    return (size_t)(a->bytes / 64 + 1);
}

/* The first that does not lie before the address. */
static size_t place_of(const Areas *l, uint64_t base)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->at[middle]->base < base)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Area *area_get(Areas *l, uint64_t base, uint64_t bytes, const char *name)
{
    size_t i = place_of(l, base);
    if (i < l->n && l->at[i]->base == base)
        return l->at[i];
    Area *a = xcalloc(1, sizeof *a);
    *a      = (Area){.base = base, .bytes = bytes, .name = name ? strdup(name) : NULL};
    l->at   = xrealloc(l->at, (l->n + 1) * sizeof *l->at);
    memmove(l->at + i + 1, l->at + i, (l->n - i) * sizeof *l->at);
    l->at[i] = a;
    l->n++;
    return a;
}

static void areas_free(Areas *l)
{
    for (size_t i = 0; i < l->n; i++) {
        for (int k = 0; k < PLANES; k++)
            free(l->at[i]->plane[k]);
        free(l->at[i]->before);
        free(l->at[i]->name);
        free(l->at[i]);
    }
    free(l->at);
}

/* Sets the bits of a word; workers may do so at once. */
static void set_bits(uint64_t *word, uint64_t bits)
{
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != bits)
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

static uint64_t bits_of(uint64_t from, uint64_t to) /* of one word, to > from */
{
    return to - from == 64 ? UINT64_MAX : ((UINT64_C(1) << (to - from)) - 1) << (from & 63);
}

static void set_range(uint64_t *plane, uint64_t from, uint64_t to)
{
    while (from < to) {
        uint64_t end = (from | 63) + 1 < to ? (from | 63) + 1 : to;
        set_bits(&plane[from / 64], bits_of(from, end));
        from = end;
    }
}

/* ---- the observer ------------------------------------------------------------------------------------------------ */

static uint64_t *plane_of(Touch *t, Area *a, Plane k)
{
    uint64_t *p = __atomic_load_n(&a->plane[k], __ATOMIC_ACQUIRE);
    if (p)
        return p;
    pthread_mutex_lock(&t->lock);
    if (!a->plane[k])
        __atomic_store_n(&a->plane[k], xcalloc(words_of(a), sizeof *p), __ATOMIC_RELEASE);
    p = a->plane[k];
    pthread_mutex_unlock(&t->lock);
    return p;
}

/* The area of the address; NULL: it lies nowhere that others may look. */
static Area *area_of(TouchState *s, uint64_t address)
{
    Touch      *t = s->touch;
    uint64_t    base, bytes;
    const char *name = NULL;
    if (s->last && address - s->last->base < s->last->bytes)
        return s->last;
    if (!t->launch->find(t->launch->user, address, &base, &bytes, &name) || base == t->heap)
        return NULL;
    pthread_mutex_lock(&t->lock);
    s->last = area_get(&t->areas, base, bytes, name);
    pthread_mutex_unlock(&t->lock);
    return s->last;
}

static void touch(TouchState *s, uint64_t address, uint64_t bytes, Plane k)
{
    Area *a = area_of(s, address);
    if (!a)
        return;
    uint64_t from = address - a->base, to = bytes < a->bytes - from ? from + bytes : a->bytes;
    set_range(plane_of(s->touch, a, k), from, to);
}

static bool same_kind(Kind a, Kind b)
{
    return a.way == b.way && a.bytes == b.bytes && a.is_signed == b.is_signed;
}

static Kind join_kinds(Kind a, Kind b)
{
    return a.way == WAY_NONE ? b : b.way == WAY_NONE || same_kind(a, b) ? a : (Kind){WAY_MIXED, 1, 0};
}

/* Told before the access is made: of bytes that nobody has reduced yet what is there is kept.  Under the lock, so that nobody reduces them meanwhile. */
static void reduce(TouchState *s, uint64_t address, uint64_t bytes, Kind kind)
{
    Area *a = area_of(s, address);
    if (!a)
        return;
    uint64_t  from = address - a->base, to = bytes < a->bytes - from ? from + bytes : a->bytes;
    uint64_t *plane = plane_of(s->touch, a, REDUCED), set = from;
    while (set < to && __atomic_load_n(&plane[set / 64], __ATOMIC_ACQUIRE) >> (set & 63) & 1)
        set++;
    if (set == to && same_kind(a->kind, kind))
        return;
    pthread_mutex_lock(&s->touch->lock);
    a->kind   = join_kinds(a->kind, kind);
    a->before = a->before ? a->before : xcalloc(a->bytes, 1);
    for (uint64_t i = from; i < to; i++)
        if (!(plane[i / 64] >> (i & 63) & 1)) {
            a->before[i] = *(const uint8_t *)(uintptr_t)(a->base + i);
            __atomic_fetch_or(&plane[i / 64], UINT64_C(1) << (i & 63), __ATOMIC_RELEASE);
        }
    pthread_mutex_unlock(&s->touch->lock);
}

static void reduce_lanes(TouchState *s, const Access *a, Kind kind)
{
    for (uint32_t m = a->mask; m; m &= m - 1)
        reduce(s, a->addr[__builtin_ctz(m)], a->bytes, kind);
}

static void touch_lanes(TouchState *s, const Access *a, Plane k)
{
    uint64_t from = 0, to = 0; /* lanes side by side are one range */
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t at = a->addr[__builtin_ctz(m)];
        if (at == to && to) {
            to += a->bytes;
            continue;
        }
        if (to)
            touch(s, from, to - from, k);
        from = at;
        to   = at + a->bytes;
    }
    touch(s, from, to - from, k);
}

static void on_access(void *state, const Access *a)
{
    TouchState *s = state;
    if (a->space == ACCESS_SURFACE) {
        __atomic_store_n(&s->touch->surfaces, 1, __ATOMIC_RELAXED);
        return;
    }
    Kind kind = s->touch->reduces[a->instr];
    switch (a->op) {
    case ACCESS_ST: touch_lanes(s, a, WRITTEN); return;
    case ACCESS_RED: reduce_lanes(s, a, kind.way ? kind : (Kind){WAY_MIXED, 1, 0}); return;
    case ACCESS_ATOM:
        if (kind.way) {
            reduce_lanes(s, a, kind);
        } else {
            touch_lanes(s, a, READ);
            touch_lanes(s, a, WRITTEN);
        }
        return;
    default: touch_lanes(s, a, READ); return;
    }
}

static void on_sweep(void *state, const SweepCall *c)
{
    SweepRoom room;
    for (uint32_t i = 0; i < c->of->naccesses; i++) {
        if (c->of->party[c->of->access[i].party].space != ACCESS_GLOBAL)
            continue;
        Access a = sweep_access(c, i, &room);
        on_access(state, &a);
    }
}

static void on_async(void *state, const AsyncAccess *a)
{
    for (size_t i = 0; a->space == ACCESS_GLOBAL && i < a->nruns; i++)
        if (a->reduces)
            reduce(state, a->run[i].at, a->run[i].bytes, (Kind){WAY_MIXED, 1, 0});
        else
            touch(state, a->run[i].at, a->run[i].bytes, a->writes ? WRITTEN : READ);
}

typedef struct Reader { /* of a register */
    const Reg *reg;
    bool       found;
} Reader;

static void look_for(void *user, const Operand *o, bool written)
{
    Reader *r = user;
    r->found |= !written && o->kind == OPD_REG && o->reg == r->reg;
}

static void look_written(void *user, const Operand *o, bool written)
{
    Reader *r = user;
    if (written && o->kind == OPD_REG)
        r->reg = o->reg;
}

/* Integers alone: sums of floats depend on the order. */
static Kind kind_of(const Opcode *o)
{
    static const struct {
        Word w;
        Way  way;
    } ways[]  = {{WORD_add, WAY_ADD}, {WORD_and, WAY_AND}, {WORD_or, WAY_OR},
                 {WORD_xor, WAY_XOR}, {WORD_min, WAY_MIN}, {WORD_max, WAY_MAX}};
    Type t    = o->ntypes ? o->types[o->ntypes - 1] : TY_U8;
    bool word = t == TY_U32 || t == TY_S32 || t == TY_B32, wide = t == TY_U64 || t == TY_S64 || t == TY_B64;
    for (size_t i = 0; (word || wide) && i < sizeof ways / sizeof *ways; i++)
        if (opcode_has(o, ways[i].w))
            return (Kind){(uint8_t)ways[i].way, word ? 4 : 8, t == TY_S32 || t == TY_S64};
    return (Kind){WAY_MIXED, 1, 0};
}

/* Is it an atomic whose result no instruction reads? */
static bool reduces(const LaunchInfo *info, uint32_t id)
{
    const EmuInstr *x = &info->instr[id];
    Reader          r = {0};
    if (!ptx_has_result(x->in))
        return true;
    ptx_each_register(x->in, look_written, &r);
    for (uint32_t i = 0; r.reg && i < info->instrs && !r.found; i++)
        if (info->instr[i].in && info->instr[i].func == x->func)
            ptx_each_register(info->instr[i].in, look_for, &r);
    return !r.found; /* no register at all: it is written as _ */
}

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    Touch      *t = (Touch *)o;
    TouchState *s = xcalloc(1, sizeof *s);
    (void)worker;
    s->touch = t;
    if (!t->reduces) {
        t->reduces = xcalloc(info->instrs + 1, sizeof *t->reduces);
        for (uint32_t i = 0; i < info->instrs; i++)
            if (info->instr[i].in && op_is(info->instr[i].in, TRAIT_ATOMIC) && reduces(info, i))
                t->reduces[i] = kind_of(info->instr[i].in->op);
    }
    return s;
}

static void on_join(Observer *o, void *state)
{
    (void)o;
    free(state);
}

Observer *touched_new(const CheckLaunch *l, uint64_t heap)
{
    Touch *t                      = xcalloc(1, sizeof *t);
    t->base.wants[ACCESS_GLOBAL]  = (1u << ACCESS_OPS) - 1;
    t->base.wants[ACCESS_SURFACE] = (1u << ACCESS_OPS) - 1;
    t->base.fork                  = on_fork;
    t->base.access                = on_access;
    t->base.sweep                 = on_sweep;
    t->base.async                 = on_async;
    t->base.join                  = on_join;
    t->launch                     = l;
    t->heap                       = heap ? heap : UINT64_MAX;
    pthread_mutex_init(&t->lock, NULL);
    return &t->base;
}

void touched_free(Observer *o)
{
    Touch *t = (Touch *)o;
    if (!t)
        return;
    areas_free(&t->areas);
    pthread_mutex_destroy(&t->lock);
    free(t->reduces);
    free(t);
}

const char *touched_beyond(const Observer *o)
{
    return ((const Touch *)o)->surfaces ? "it reaches surfaces" : NULL;
}

/* ---- parcels ----------------------------------------------------------------------------------------------------- */

typedef struct Run {
    uint64_t from, bytes; /* from the area's beginning */
} Run;

/* The first bit from there on that is set, or is not; n: there is none below n. */
static uint64_t find_bit(const uint64_t *plane, uint64_t from, uint64_t n, bool set)
{
    while (plane && from < n) {
        uint64_t rest = (set ? plane[from / 64] : ~plane[from / 64]) >> (from & 63);
        uint64_t at   = rest ? from + (uint64_t)__builtin_ctzll(rest) : (from | 63) + 1;
        if (rest)
            return at < n ? at : n;
        from = at;
    }
    return n;
}

/* Runs of set bits, and, where they are asked for, the bytes that are there now, but for what was read. */
static void put_plane(const Area *a, Plane k, bool bytes, Parcel *p)
{
    size_t n = 0, cap = 0;
    Run   *run = NULL;
    for (uint64_t i = find_bit(a->plane[k], 0, a->bytes, true); i < a->bytes;) {
        uint64_t end = find_bit(a->plane[k], i, a->bytes, false);
        if (n == cap) {
            cap = cap ? 2 * cap : 16;
            run = xrealloc(run, cap * sizeof *run);
        }
        run[n++] = (Run){i, end - i};
        i        = find_bit(a->plane[k], end, a->bytes, true);
    }
    parcel_put_number(p, n);
    parcel_put(p, run, n * sizeof *run);
    for (size_t i = 0; i < n && bytes && k != READ; i++)
        parcel_put(p, (const void *)(uintptr_t)(a->base + run[i].from), (size_t)run[i].bytes);
    for (size_t i = 0; i < n && bytes && k == REDUCED; i++)
        parcel_put(p, a->before + run[i].from, (size_t)run[i].bytes);
    free(run);
}

void touched_put(Observer *o, bool bytes, Parcel *p)
{
    const Areas *l = &((Touch *)o)->areas;
    parcel_put_number(p, l->n);
    for (size_t i = 0; i < l->n; i++) {
        parcel_put_number(p, l->at[i]->base);
        parcel_put_number(p, l->at[i]->bytes);
        parcel_put_text(p, l->at[i]->name);
        parcel_put(p, &l->at[i]->kind, sizeof l->at[i]->kind);
        parcel_put_number(p, bytes);
        for (Plane k = READ; k < PLANES; k++)
            put_plane(l->at[i], k, bytes, p);
    }
}

typedef struct Given { /* one area of a parcel */
    uint64_t       base, bytes;
    const char    *name;
    const Run     *run[PLANES];
    size_t         n[PLANES];
    const uint8_t *data[PLANES]; /* of its runs, one behind the other; NULL of READ */
    const uint8_t *before;       /* likewise, of REDUCED */
    Kind           kind;
    bool           has_bytes; /* else there are none of either */
} Given;

static void take_plane(Parcel *p, Plane k, Given *g)
{
    uint64_t bytes = 0;
    g->n[k]        = parcel_count(p, sizeof(Run));
    g->run[k]      = parcel_bytes(p, g->n[k] * sizeof(Run)); /* its place may be odd: copied before it is looked at */
    for (size_t i = 0; i < g->n[k]; i++) {
        Run r;
        memcpy(&r, &g->run[k][i], sizeof r);
        p->bad |= r.from > g->bytes || r.bytes > g->bytes - r.from;
        bytes += r.bytes;
    }
    bytes      = g->has_bytes ? bytes : 0;
    g->data[k] = k == READ ? NULL : parcel_bytes(p, (size_t)bytes);
    if (k == REDUCED)
        g->before = parcel_bytes(p, (size_t)bytes);
}

/* False: the parcel is not whole. */
static bool take_area(Parcel *p, Given *g)
{
    g->base  = parcel_number(p);
    g->bytes = parcel_number(p);
    g->name  = parcel_text(p);
    parcel_take(p, &g->kind, sizeof g->kind);
    g->has_bytes = parcel_number(p) != 0;
    for (Plane k = READ; k < PLANES; k++)
        take_plane(p, k, g);
    return !p->bad;
}

static Run run_of(const Given *g, Plane k, size_t i)
{
    Run r;
    memcpy(&r, &g->run[k][i], sizeof r);
    return r;
}

/* ---- meeting ----------------------------------------------------------------------------------------------------- */

struct TouchedAll {
    Areas    areas;
    Areas    shared; /* REDUCED: by several ranks */
    Parcel   met[RANKS_MOST];
    unsigned n;
};

TouchedAll *touched_all_new(void)
{
    return xcalloc(1, sizeof(TouchedAll));
}

void touched_all_free(TouchedAll *t)
{
    if (!t)
        return;
    areas_free(&t->areas);
    areas_free(&t->shared);
    free(t);
}

/* The first rank whose blocks did that to the byte. */
static unsigned who_did(const TouchedAll *t, uint64_t base, uint64_t byte, Plane k)
{
    for (unsigned rank = 0; rank < t->n; rank++) {
        Parcel p = t->met[rank];
        Given  g;
        for (size_t i = parcel_count(&p, 1); i && take_area(&p, &g); i--)
            for (size_t j = 0; g.base == base && j < g.n[k]; j++)
                if (byte - run_of(&g, k, j).from < run_of(&g, k, j).bytes)
                    return rank;
    }
    return 0;
}

static const char *const verbs[] = {[READ] = "read", [WRITTEN] = "write", [REDUCED] = "add to"};

static void tell_met(const TouchedAll *t, const Given *g, uint64_t byte, const Plane did[2], unsigned rank, Str *why)
{
    str_printf(why, "its blocks depend on each other: those of rank %u %s byte %" PRIu64 " of ", rank, verbs[did[1]],
               byte);
    if (g->name)
        str_printf(why, "%s", g->name);
    else
        str_printf(why, "the allocation at 0x%" PRIx64, g->base);
    str_printf(why, ", which those of rank %u %s", who_did(t, g->base, byte, did[0]), verbs[did[0]]);
}

/* What this rank did against what earlier ones did, one kind each; false: they meet. */
static bool apart(const TouchedAll *t, const Area *a, const Given *g, const Plane did[2], unsigned rank, Str *why)
{
    for (size_t i = 0; i < g->n[did[1]]; i++) {
        Run      r  = run_of(g, did[1], i);
        uint64_t at = find_bit(a->plane[did[0]], r.from, r.from + r.bytes, true);
        if (a->plane[did[0]] && at < r.from + r.bytes) {
            tell_met(t, g, at, did, rank, why);
            return false;
        }
    }
    return true;
}

static void add_range(Area *a, Plane k, uint64_t from, uint64_t to)
{
    if (!a->plane[k])
        a->plane[k] = xcalloc(words_of(a), sizeof *a->plane[k]);
    set_range(a->plane[k], from, to);
}

static void add_shared(TouchedAll *t, const Area *a, const Given *g, Run r)
{
    uint64_t end = r.from + r.bytes;
    for (uint64_t i = find_bit(a->plane[REDUCED], r.from, end, true); a->plane[REDUCED] && i < end;) {
        uint64_t to = find_bit(a->plane[REDUCED], i, end, false);
        add_range(area_get(&t->shared, g->base, g->bytes, g->name), REDUCED, i, to);
        i = find_bit(a->plane[REDUCED], to, end, true);
    }
}

bool touched_meet(TouchedAll *t, unsigned rank, Parcel *p, Str *why)
{
    static const Plane never[][2] = {{WRITTEN, WRITTEN}, {READ, WRITTEN},    {REDUCED, WRITTEN}, {WRITTEN, READ},
                                     {REDUCED, READ},    {WRITTEN, REDUCED}, {READ, REDUCED}};
    Given              g;
    bool               good = true;
    Parcel             from = *p;
    for (size_t n = parcel_count(p, 1); n && good; n--) {
        if (!take_area(p, &g))
            break;
        Area *a = area_get(&t->areas, g.base, g.bytes, g.name);
        if (a->bytes != g.bytes) {
            str_printf(why,
                       "the allocation at 0x%" PRIx64 " has %" PRIu64 " bytes on rank %u, and %" PRIu64 " on others",
                       g.base, g.bytes, rank, a->bytes);
            good = false;
        }
        for (size_t i = 0; good && i < sizeof never / sizeof *never; i++)
            good = apart(t, a, &g, never[i], rank, why);
        a->kind = join_kinds(a->kind, g.kind);
        for (size_t i = 0; good && i < g.n[REDUCED]; i++)
            add_shared(t, a, &g, run_of(&g, REDUCED, i));
        for (Plane k = READ; good && k < PLANES; k++)
            for (size_t i = 0; i < g.n[k]; i++)
                add_range(a, k, run_of(&g, k, i).from, run_of(&g, k, i).from + run_of(&g, k, i).bytes);
    }
    if (good && p->bad)
        str_printf(why, "what rank %u gave is not whole", rank);
    if (rank < RANKS_MOST) {
        t->met[rank] = from;
        t->n         = rank + 1;
    }
    return good && !p->bad;
}

/* Is what ranks reduce in the allocation nothing that could be put together? */
static bool is_mixed(const TouchedAll *t, uint64_t base)
{
    size_t i = place_of(&t->areas, base);
    return i < t->areas.n && t->areas.at[i]->base == base && t->areas.at[i]->kind.way == WAY_MIXED;
}

uint64_t touched_shared(const TouchedAll *t, const char **name, uint64_t *offset)
{
    uint64_t count = 0;
    *name          = NULL;
    *offset        = 0;
    for (size_t i = 0; i < t->shared.n; i++) {
        const Area *a  = t->shared.at[i];
        uint64_t    at = find_bit(a->plane[REDUCED], 0, a->bytes, true);
        if (!is_mixed(t, a->base))
            continue;
        if (!count)
            *name = a->name, *offset = at;
        while (at < a->bytes) {
            uint64_t end = find_bit(a->plane[REDUCED], at, a->bytes, false);
            count += end - at;
            at = find_bit(a->plane[REDUCED], end, a->bytes, true);
        }
    }
    return count;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

static uint64_t put_together(Kind k, uint64_t mine, uint64_t theirs, uint64_t before)
{
    int64_t a = k.bytes == 4 ? (int32_t)mine : (int64_t)mine, b = k.bytes == 4 ? (int32_t)theirs : (int64_t)theirs;
    bool    less = k.is_signed ? a < b : mine < theirs;
    switch ((Way)k.way) {
    case WAY_ADD: return mine + theirs - before;
    case WAY_AND: return mine & theirs;
    case WAY_OR: return mine | theirs;
    case WAY_XOR: return mine ^ theirs ^ before;
    case WAY_MIN: return less ? mine : theirs;
    case WAY_MAX: return less ? theirs : mine;
    default: return theirs; /* no other rank has reduced it, or nobody looks */
    }
}

/* What this rank made of the elements and what that one has made of them, from what was there before, become one. */
static void take_reduced(const Given *g, Run r, const uint8_t *data, const uint8_t *before)
{
    unsigned n = g->kind.bytes ? g->kind.bytes : 1;
    for (uint64_t i = 0; i + n <= r.bytes; i += n) {
        uint64_t mine = 0, theirs = 0, was = 0;
        uint8_t *at = (uint8_t *)(uintptr_t)(g->base + r.from + i);
        memcpy(&mine, at, n);
        memcpy(&theirs, data + i, n);
        memcpy(&was, before + i, n);
        mine = put_together(g->kind, mine, theirs, was);
        memcpy(at, &mine, n);
    }
}

void touched_take(Parcel *p, void (*wrote)(void *user, uint64_t address, uint64_t bytes), void *user)
{
    Given g;
    for (size_t n = parcel_count(p, 1); n && take_area(p, &g); n--) {
        const uint8_t *data = g.data[WRITTEN], *before = g.before;
        for (size_t j = 0; j < g.n[WRITTEN]; j++) {
            Run r = run_of(&g, WRITTEN, j);
            memcpy((void *)(uintptr_t)(g.base + r.from), data, (size_t)r.bytes);
            wrote(user, g.base + r.from, r.bytes);
            data += r.bytes;
        }
        data = g.data[REDUCED];
        for (size_t j = 0; j < g.n[REDUCED]; j++) {
            Run r = run_of(&g, REDUCED, j);
            take_reduced(&g, r, data, before);
            wrote(user, g.base + r.from, r.bytes);
            data += r.bytes;
            before += r.bytes;
        }
    }
}
