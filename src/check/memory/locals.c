/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign-local: a thread uses the address of another thread's local array.  Local memory lies at the same addresses for every thread, so what it
 * reaches is its own.  foreign-shared: the same of another block's shared memory.
 *
 * Such an address that a thread stores in shared or global memory is remembered with the thread.  A load that brings one of another thread, or of
 * another block, is remembered for its lanes, until it brings something else; so is a shuffle that gives a lane the upper half of another one's
 * local address.  A finding is an access to that memory that was computed from what such a load or shuffle brought last.
 * Only kernels that make generic addresses of local or shared variables, and store or shuffle something, are watched; of shared memory those
 * without clusters, whose blocks may reach each other's.  Not followed: addresses handed on as arguments, in halves through memory, or to a later
 * launch. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/arena.h"
#include "check/check.h"
#include "check/memory/generic.h"
#include "ptx/place.h"
#include "ptx/traits.h"

enum { MOST_LOADS = 8, MOST_REGISTERS = 16, POINTER = 8 };

typedef struct Kept { /* an address of local or shared memory, in memory */
    struct KeptKey {
        uint64_t at, block; /* block + 1 of shared memory; 0: global */
    } key;
    uint64_t       block;
    uint32_t       thread, instr; /* whose it is; where it was stored */
    bool           shared, shuffled;
    UT_hash_handle hh;
} Kept;

typedef struct Brought { /* by a load or a shuffle, last */
    struct BroughtKey {
        uint64_t block;
        uint32_t instr, warp;
    } key;
    uint32_t       foreign; /* lanes that got another thread's */
    Kept           from;    /* one of those */
    UT_hash_handle hh;
} Brought;

typedef struct Sources { /* of an access's address: loads, and shuffles of its upper half, by instruction id */
    bool     known;
    unsigned n;
    uint32_t load[MOST_LOADS];
} Sources;

typedef struct Watch {
    Observer           base;
    const RuleSet     *rules;
    const CheckLaunch *launch;
    const LaunchInfo  *info;
    bool               shared; /* addresses of shared memory count */
    pthread_mutex_t    lock;
    Kept              *kept;
    volatile size_t    nkept;
    Findings           found;
} Watch;

typedef struct WatchState {
    Watch   *watch;
    Brought *brought;
    Sources *sources; /* by instruction id */
    Findings found;
} WatchState;

/* ---- where an address comes from ---- */

typedef struct Wanted { /* a register that the address was made of; high: as its upper half alone */
    const Reg *reg;
    bool       high;
} Wanted;

static bool writes_register(const Instr *in, const Reg *r)
{
    if (!in->nopd)
        return false;
    const Operand *d = &in->opd[0];
    for (unsigned i = 0; d->kind == OPD_VECTOR && i < d->count; i++)
        if (d->elem[i].kind == OPD_REG && d->elem[i].reg == r)
            return true;
    if (d->kind == OPD_PAIR)
        d = &d->elem[0];
    return d->kind == OPD_REG && d->reg == r;
}

static bool is_shuffle(const Instr *in)
{
    return in->op->field[FIELD_shflmode] != WORD_NONE;
}

static void want(Wanted *w, unsigned *n, const Operand *o, bool high)
{
    bool have = o->kind != OPD_REG || *n == MOST_REGISTERS;
    for (unsigned j = 0; j < *n && !have; j++)
        have = w[j].reg == o->reg && w[j].high == high;
    if (!have)
        w[(*n)++] = (Wanted){o->reg, high};
}

/* What an instruction makes the register of. */
static void look_behind(const Instr *in, Wanted *w, unsigned *n, bool high)
{
    for (unsigned o = 1; o < in->nopd; o++)
        if (in->opd[o].kind != OPD_VECTOR)
            want(w, n, &in->opd[o], high);
        else if (in->opd[o].count == 2) /* {lower, upper} */
            want(w, n, &in->opd[o].elem[1], true);
}

/* Back through moves, sums, selections and packs to loads and shuffles. */
static void find_sources(const LaunchInfo *info, uint32_t instr, Sources *s)
{
    const Instr *in   = info->instr[instr].in;
    const Func  *func = info->instr[instr].func;
    uint32_t     base = instr - (uint32_t)(in - func->instrs);
    Wanted       reg[MOST_REGISTERS];
    unsigned     n = 0;
    s->known       = true;
    for (unsigned i = 0; i < in->nopd; i++)
        if (in->opd[i].kind == OPD_MEM)
            want(reg, &n, &in->opd[i].elem[0], false);
    for (unsigned k = 0; k < n; k++)
        for (size_t i = 0; i < func->ninstrs; i++) {
            const Instr *from = &func->instrs[i];
            if (!writes_register(from, reg[k].reg))
                continue;
            bool brings = reg[k].high ? is_shuffle(from) : op_plain_load(from);
            if (brings && s->n < MOST_LOADS)
                s->load[s->n++] = base + (uint32_t)i;
            if (!brings && op_is(from, TRAIT_ADDRESS))
                look_behind(from, reg, &n, reg[k].high);
        }
}

/* ---- accesses ---- */

static bool is_local(const WatchState *s, uint64_t value)
{
    return value - s->watch->info->local_window < s->watch->info->local_bytes;
}

static bool is_shared(const WatchState *s, uint64_t value)
{
    return s->watch->shared && value - s->watch->info->shared_window < s->watch->info->shared_bytes;
}

/* Only within a thread, or a block, does it mean what it meant. */
static bool is_bound(const WatchState *s, uint64_t value)
{
    return is_local(s, value) || is_shared(s, value);
}

static struct KeptKey key_of(const Access *a, unsigned lane, unsigned element)
{
    struct KeptKey k;
    memset(&k, 0, sizeof k);
    k.at    = (a->off ? a->off[lane] : a->addr[lane]) + element * POINTER;
    k.block = a->off ? a->block + 1 : 0;
    return k;
}

static void store(WatchState *s, const Access *a, unsigned lane, unsigned element)
{
    Watch         *w   = s->watch;
    struct KeptKey key = key_of(a, lane, element);
    uint64_t       value;
    Kept          *k;
    memcpy(&value, a->regs + a->slot[element] + (size_t)lane * a->stride, sizeof value);
    if (!is_bound(s, value) && !w->nkept)
        return;
    pthread_mutex_lock(&w->lock);
    HASH_FIND(hh, w->kept, &key, sizeof key, k);
    if (k && !is_bound(s, value)) {
        HASH_DEL(w->kept, k); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
        w->nkept--;
        free(k);
    } else if (is_bound(s, value)) {
        if (!k) {
            k      = xcalloc(1, sizeof *k);
            k->key = key;
            HASH_ADD(hh, w->kept, key, sizeof k->key, k);
            w->nkept++;
        }
        k->block  = a->block;
        k->thread = a->warp * LANES + lane;
        k->instr  = a->instr;
        k->shared = is_shared(s, value);
    }
    pthread_mutex_unlock(&w->lock);
}

static Brought *brought_by(WatchState *s, uint32_t instr, uint64_t block, uint32_t warp, bool make)
{
    struct BroughtKey key;
    Brought          *b;
    memset(&key, 0, sizeof key);
    key.block = block;
    key.instr = instr;
    key.warp  = warp;
    HASH_FIND(hh, s->brought, &key, sizeof key, b);
    if (!b && make) {
        b      = xcalloc(1, sizeof *b);
        b->key = key;
        HASH_ADD(hh, s->brought, key, sizeof b->key, b);
    }
    return b;
}

static void load(WatchState *s, const Access *a, unsigned lane, unsigned element)
{
    Watch         *w    = s->watch;
    struct KeptKey key  = key_of(a, lane, element);
    const uint8_t *from = a->off ? a->memory + a->off[lane] : (const uint8_t *)(uintptr_t)a->addr[lane];
    uint64_t       value;
    Kept          *k = NULL, copy = {0};
    memcpy(&value, from + element * POINTER, sizeof value);
    if (is_bound(s, value)) {
        pthread_mutex_lock(&w->lock);
        HASH_FIND(hh, w->kept, &key, sizeof key, k);
        copy = k ? *k : copy;
        pthread_mutex_unlock(&w->lock);
    }
    bool     other   = copy.block != a->block || (!copy.shared && copy.thread != a->warp * LANES + lane);
    bool     foreign = k && other;
    Brought *b       = brought_by(s, a->instr, a->block, a->warp, foreign);
    if (b)
        b->foreign = (b->foreign & ~(UINT32_C(1) << lane)) | (uint32_t)foreign << lane;
    if (foreign)
        b->from = copy;
}

/* A lane gets the upper half of an address of local memory from another one. */
static void on_sync(void *state, const SyncEvent *e)
{
    WatchState *s       = state;
    uint32_t    foreign = 0;
    if (e->kind != SYNC_EXCHANGE || !e->source || !e->values)
        return;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (e->source[lane] != lane && e->values[lane] == s->watch->info->local_window >> 32)
            foreign |= m & -m;
    }
    Brought *b = foreign || s->brought ? brought_by(s, e->instr, e->block, e->warp, foreign != 0) : NULL;
    if (b)
        b->foreign = (b->foreign & ~e->mask) | foreign;
    if (foreign)
        b->from = (Kept){.block    = e->block,
                         .thread   = e->warp * LANES + e->source[__builtin_ctz(foreign)],
                         .instr    = e->instr,
                         .shuffled = true};
}

static const char *what(WatchState *s, const Access *a, const Kept *k)
{
    const uint32_t *n = s->watch->info->block, *g = s->watch->info->grid;
    const char     *verb = a->op == ACCESS_LD ? "reads" : a->op == ACCESS_ST ? "writes" : "changes";
    if (k->shared)
        return findings_text(&s->found,
                             "%s through the address of shared memory of block (%u, %u, %u): every block has shared "
                             "memory of its own at that address, and reaches its own",
                             verb, (unsigned)(k->block % g[0]), (unsigned)(k->block / g[0] % g[1]),
                             (unsigned)(k->block / g[0] / g[1]));
    return findings_text(
        &s->found,
        "%s through the address of a local variable of thread (%u, %u, %u)%s: every thread has local memory "
        "of its own at that address, and reaches its own",
        verb, k->thread % n[0], k->thread / n[0] % n[1], k->thread / (n[0] * n[1]),
        k->block == a->block ? "" : " of another block");
}

static void use(WatchState *s, const Access *a, const Brought *b, uint32_t lanes)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    RuleId   rule = b->from.shared ? RULE_FOREIGN_SHARED : RULE_FOREIGN_LOCAL;
    if (!s->watch->rules->on[rule])
        return;
    Finding *f = findings_note(&s->found, rule, a->instr, b->from.instr, 0, a->block, a->warp * LANES + lane,
                               (unsigned)__builtin_popcount(lanes));
    if (!f)
        return;
    f->other_block   = b->from.block;
    f->other_thread  = b->from.thread;
    f->other_message = b->from.shuffled ? "the address was handed on here" : "the address was stored here";
    f->message       = what(s, a, &b->from);
}

/* Of memory whose addresses are bound. */
static void bound_access(WatchState *s, const Access *a)
{
    Sources *from = &s->sources[a->instr];
    if (!s->brought)
        return;
    if (!from->known)
        find_sources(s->watch->info, a->instr, from);
    for (unsigned i = 0; i < from->n; i++) {
        const Brought *b = brought_by(s, from->load[i], a->block, a->warp, false);
        if (b && (b->foreign & a->mask) && b->from.shared == (a->space == ACCESS_SHARED))
            use(s, a, b, b->foreign & a->mask);
    }
}

static void on_access(void *state, const Access *a)
{
    WatchState *s = state;
    if (a->space == ACCESS_LOCAL || (a->space == ACCESS_SHARED && s->watch->shared))
        bound_access(s, a);
    if (a->space == ACCESS_LOCAL || (a->op != ACCESS_LD && a->op != ACCESS_ST))
        return;
    if (a->element != POINTER || (a->op == ACCESS_LD && !s->watch->nkept && !s->brought) ||
        (a->op == ACCESS_ST && !a->regs))
        return;
    for (uint32_t m = a->mask; m; m &= m - 1)
        for (unsigned e = 0; e < a->bytes / POINTER; e++)
            (a->op == ACCESS_ST ? store : load)(s, a, (unsigned)__builtin_ctz(m), e);
}

/* ---- the checker ---- */

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    Watch      *w = (Watch *)o;
    WatchState *s = xcalloc(1, sizeof *s);
    (void)worker;
    w->info = info;
    w->shared &= info->cluster[0] * info->cluster[1] * info->cluster[2] == 1;
    s->watch   = w;
    s->sources = xcalloc(info->instrs + 1, sizeof *s->sources);
    return s;
}

static void on_join(Observer *o, void *state)
{
    WatchState *s = state;
    Brought    *b, *next;
    findings_merge(&((Watch *)o)->found, &s->found);
    HASH_ITER(hh, s->brought, b, next)
    {
        HASH_DEL(s->brought, b); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
        free(b);
    }
    free(s->sources);
    free(s);
}

/* cvta.shared */
static bool makes_generic_shared(const Instr *in)
{
    return op_is(in, TRAIT_ADDRESS) && (Word)in->op->field[FIELD_space] == WORD_shared && !opcode_has(in->op, WORD_to);
}

static bool stores_pointer(const Instr *in)
{
    return op_plain_store(in) && (Word)in->op->field[FIELD_space] != WORD_local && in->op->ntypes &&
           type_bytes(in->op->types[in->op->ntypes - 1]) == POINTER;
}

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self;
    bool stores   = ptx_reaches(l->module, l->kernel, stores_pointer);
    bool shuffles = ptx_reaches(l->module, l->kernel, is_shuffle);
    bool local =
        rules->on[RULE_FOREIGN_LOCAL] && (stores || shuffles) && ptx_reaches(l->module, l->kernel, makes_generic);
    bool shared = rules->on[RULE_FOREIGN_SHARED] && stores && ptx_reaches(l->module, l->kernel, makes_generic_shared);
    if (!local && !shared)
        return NULL;
    Watch *w                     = xcalloc(1, sizeof *w);
    w->base.wants[ACCESS_GLOBAL] = w->base.wants[ACCESS_LOCAL] = 1u << ACCESS_LD | 1u << ACCESS_ST;
    w->base.wants[ACCESS_SHARED] = w->base.wants[ACCESS_LOCAL] | 1u << ACCESS_ATOM | 1u << ACCESS_RED;
    w->rules                     = rules;
    w->shared                    = shared;
    w->base.sync                 = local && shuffles ? on_sync : NULL;
    w->base.fork                 = on_fork;
    w->base.access               = on_access;
    w->base.join                 = on_join;
    w->launch                    = l;
    pthread_mutex_init(&w->lock, NULL);
    return &w->base;
}

static void end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    Watch *w = (Watch *)o;
    Kept  *k, *next;
    (void)self, (void)l;
    findings_merge(found, &w->found);
    HASH_ITER(hh, w->kept, k, next)
    {
        HASH_DEL(w->kept, k); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
        free(k);
    }
    pthread_mutex_destroy(&w->lock);
    free(w);
}

const Checker checker_locals = {.name = "locals", .begin = begin, .end = end};
