/* SPDX-License-Identifier: Apache-2.0
 *
 * foreign-local: a thread uses the address of another thread's local array.  Local memory lies at the same addresses for every thread, so what it
 * reaches is its own.
 *
 * An address of local memory that a thread stores in shared or global memory is remembered with the thread.  A load that brings such an address
 * of another thread is remembered for its lanes, until it brings something else.  A finding is an access to local memory, through a generic
 * address, that was computed from what such a load brought last.
 * Only kernels that make generic addresses of local variables are watched.  Not followed: addresses handed on by shuffles, as
 * arguments, in two halves, or to a later launch. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/arena.h"
#include "check/check.h"
#include "check/memory/generic.h"
#include "ptx/place.h"
#include "ptx/traits.h"

enum { MOST_LOADS = 4, MOST_REGISTERS = 16, POINTER = 8 };

typedef struct Kept { /* an address of local memory, in memory */
    struct KeptKey {
        uint64_t at, block; /* block + 1 of shared memory; 0: global */
    } key;
    uint64_t       block;
    uint32_t       thread, instr; /* whose it is; where it was stored */
    UT_hash_handle hh;
} Kept;

typedef struct Brought { /* by a load, last */
    struct BroughtKey {
        uint64_t block;
        uint32_t instr, warp;
    } key;
    uint32_t       foreign; /* lanes that got another thread's */
    Kept           from;    /* one of those */
    UT_hash_handle hh;
} Brought;

typedef struct Sources { /* of a generic access's address: loads, by instruction id */
    bool     known;
    unsigned n;
    uint32_t load[MOST_LOADS];
} Sources;

typedef struct Watch {
    Observer           base;
    const CheckLaunch *launch;
    const LaunchInfo  *info;
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

static bool writes_register(const Instr *in, const Reg *r)
{
    if (!in->nopd)
        return false;
    const Operand *d = &in->opd[0];
    for (unsigned i = 0; d->kind == OPD_VECTOR && i < d->count; i++)
        if (d->elem[i].kind == OPD_REG && d->elem[i].reg == r)
            return true;
    return d->kind == OPD_REG && d->reg == r;
}

/* Back through moves, sums and selections to loads. */
static void find_sources(const LaunchInfo *info, uint32_t instr, Sources *s)
{
    const Instr *in   = info->instr[instr].in;
    const Func  *func = info->instr[instr].func;
    uint32_t     base = instr - (uint32_t)(in - func->instrs);
    const Reg   *reg[MOST_REGISTERS];
    unsigned     n = 0;
    s->known       = true;
    for (unsigned i = 0; i < in->nopd; i++)
        if (in->opd[i].kind == OPD_MEM && in->opd[i].elem[0].kind == OPD_REG)
            reg[n++] = in->opd[i].elem[0].reg;
    for (unsigned k = 0; k < n; k++)
        for (size_t i = 0; i < func->ninstrs; i++) {
            const Instr *from = &func->instrs[i];
            if (!writes_register(from, reg[k]))
                continue;
            if (op_plain_load(from) && s->n < MOST_LOADS)
                s->load[s->n++] = base + (uint32_t)i;
            if (op_plain_load(from) || !op_is(from, TRAIT_ADDRESS))
                continue;
            for (unsigned o = 1; o < from->nopd; o++) {
                bool have = from->opd[o].kind != OPD_REG;
                for (unsigned j = 0; j < n && !have; j++)
                    have = reg[j] == from->opd[o].reg;
                if (!have && n < MOST_REGISTERS)
                    reg[n++] = from->opd[o].reg;
            }
        }
}

/* ---- accesses ---- */

static bool is_local(const WatchState *s, uint64_t value)
{
    return value - s->watch->info->local_window < s->watch->info->local_bytes;
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
    if (!is_local(s, value) && !w->nkept)
        return;
    pthread_mutex_lock(&w->lock);
    HASH_FIND(hh, w->kept, &key, sizeof key, k);
    if (k && !is_local(s, value)) {
        HASH_DEL(w->kept, k); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
        w->nkept--;
        free(k);
    } else if (is_local(s, value)) {
        if (!k) {
            k      = xcalloc(1, sizeof *k);
            k->key = key;
            HASH_ADD(hh, w->kept, key, sizeof k->key, k);
            w->nkept++;
        }
        k->block  = a->block;
        k->thread = a->warp * LANES + lane;
        k->instr  = a->instr;
    }
    pthread_mutex_unlock(&w->lock);
}

static Brought *brought_by(WatchState *s, uint32_t instr, const Access *a, bool make)
{
    struct BroughtKey key;
    Brought          *b;
    memset(&key, 0, sizeof key);
    key.block = a->block;
    key.instr = instr;
    key.warp  = a->warp;
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
    if (is_local(s, value)) {
        pthread_mutex_lock(&w->lock);
        HASH_FIND(hh, w->kept, &key, sizeof key, k);
        copy = k ? *k : copy;
        pthread_mutex_unlock(&w->lock);
    }
    bool     foreign = k && (copy.block != a->block || copy.thread != a->warp * LANES + lane);
    Brought *b       = brought_by(s, a->instr, a, foreign);
    if (b)
        b->foreign = (b->foreign & ~(UINT32_C(1) << lane)) | (uint32_t)foreign << lane;
    if (foreign)
        b->from = copy;
}

static void use(WatchState *s, const Access *a, const Brought *b, uint32_t lanes)
{
    const LaunchInfo *info = s->watch->info;
    unsigned          lane = (unsigned)__builtin_ctz(lanes);
    const uint32_t   *n    = info->block;
    uint32_t          t    = b->from.thread;
    Finding          *f    = findings_note(&s->found, RULE_FOREIGN_LOCAL, a->instr, b->from.instr, 0, a->block,
                                           a->warp * LANES + lane, (unsigned)__builtin_popcount(lanes));
    if (!f)
        return;
    f->other_block   = b->from.block;
    f->other_thread  = t;
    f->other_message = "the address was stored here";
    f->message       = findings_text(
              &s->found,
              "%s through the address of a local variable of thread (%u, %u, %u)%s: every thread has local memory "
                    "of its own at that address, and reaches its own",
        a->op == ACCESS_LD ? "reads" : "writes", t % n[0], t / n[0] % n[1], t / (n[0] * n[1]),
        b->from.block == a->block ? "" : " of another block");
}

/* Through a generic address. */
static void local_access(WatchState *s, const Access *a)
{
    Sources *from = &s->sources[a->instr];
    if (!s->brought)
        return;
    if (!from->known)
        find_sources(s->watch->info, a->instr, from);
    for (unsigned i = 0; i < from->n; i++) {
        const Brought *b = brought_by(s, from->load[i], a, false);
        if (b && (b->foreign & a->mask))
            use(s, a, b, b->foreign & a->mask);
    }
}

static void on_access(void *state, const Access *a)
{
    WatchState *s = state;
    if (a->space == ACCESS_LOCAL) {
        local_access(s, a);
        return;
    }
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
    w->info    = info;
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

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self;
    if (!rules->on[RULE_FOREIGN_LOCAL] || !ptx_reaches(l->module, l->kernel, makes_generic))
        return NULL;
    Watch *w                     = xcalloc(1, sizeof *w);
    w->base.wants[ACCESS_GLOBAL] = w->base.wants[ACCESS_SHARED] = w->base.wants[ACCESS_LOCAL] =
        1u << ACCESS_LD | 1u << ACCESS_ST;
    w->base.fork   = on_fork;
    w->base.access = on_access;
    w->base.join   = on_join;
    w->launch      = l;
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
