/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of memory that nobody wrote: global (written.h, for as long as the device lives), shared and local (bits.h, per block).
 *
 * A load of such bytes is not a fault yet: it gives the registers poison (emu/access/poison.h), which stores copy on.  It is a finding when
 * a poisoned value is an address, decides a branch or goes into an atomic, when what was computed from it is stored in global
 * memory, or when it was copied there as a whole and the host reads it.  The finding stands at the load that read what was never
 * written; its other end is where the value was used.  What matrix instructions load is used at once.
 *
 * Of memory that the host writes by itself (pinned, managed) what nobody wrote is seen by what it holds (filled.h).
 *
 * Counts as written: variables, memory of another device, and global memory that
 * kernels with bulk copies, or launches of which only some blocks ran, may have written.  A callee's local memory counts as written when
 * an earlier call wrote there. */
#include "check/init/init.h"
#include "check/init/filled.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "ptx/place.h"
#include "ptx/traits.h"

static InitOrigin *origin_get(const Init *in, uint32_t id)
{
    return in->origin[id - 1];
}

/* ---- origins ---- */

static const char *describe(Init *in, const InitWatch *w, const Access *a, uint64_t at, RuleId rule)
{
    const char   *name = NULL;
    uint64_t      base, bytes;
    size_t        n;
    const Region *r = rule == RULE_UNINIT_GLOBAL ? written_find(&in->written, at) : NULL;
    if (r && w->launch->find(w->launch->user, at, &base, &bytes, &name))
        return r->base == in->heap
                   ? arena_printf(in->arena, "%" PRIu64 " bytes into a block of %" PRIu64 " bytes that malloc gave",
                                  at - base, bytes)
               : name
                   ? arena_printf(in->arena, "%" PRIu64 " bytes into '%s' (%" PRIu64 " bytes)", at - base, name, bytes)
                   : arena_printf(in->arena, "%" PRIu64 " bytes into an allocation of %" PRIu64 " bytes", at - base,
                                  bytes);
    if (rule == RULE_UNINIT_LOCAL)
        return arena_printf(in->arena, "byte %u of the thread's local memory", (unsigned)at);
    for (uint32_t i = 0; i < w->info->nshared; i++) {
        const Var *v = w->info->shared_var[i];
        uint32_t   o = w->info->shared_offset[i];
        if (at >= o && (!v->bytes || at - o < v->bytes)) {
            const char *s = mangled_variable(v->name, &n);
            return arena_printf(in->arena, "%u bytes into '%.*s'", (unsigned)(at - o), (int)n, s);
        }
    }
    return arena_printf(in->arena, "offset %u of shared memory", (unsigned)(a->off ? at : 0));
}

/* Of the stores to what was read. */
static Widths *widths_of(const Init *in, const InitWatch *w, uint64_t at, uint32_t parent, RuleId rule)
{
    const Region *r = rule == RULE_UNINIT_GLOBAL && !parent ? written_find(&in->written, at) : NULL;
    return parent ? origin_get(in, parent)->widths : r ? r->widths : w->widths[rule == RULE_UNINIT_LOCAL];
}

static WwDim3 unfold(uint64_t i, const uint32_t size[3])
{
    return (WwDim3){(uint32_t)(i % size[0]), (uint32_t)(i / size[0] % size[1]), (uint32_t)(i / size[0] / size[1])};
}

/* A new record for what this lane's load found; parent: of the copy it read, or 0.  The lock is held. */
static uint32_t origin_new(Init *in, const InitWatch *w, const Access *a, unsigned lane, uint64_t at, RuleId rule,
                           uint32_t parent)
{
    const CheckLaunch *l     = w->launch;
    Place              place = instr_user_place(l->module, w->info->instr[a->instr].in);
    InitOrigin        *o     = ARENA_NEW(in->arena, InitOrigin);
    char              *name  = mangled_text(l->kernel->name);
    *o                       = (InitOrigin){.launch = l->serial,
                                            .instr  = a->instr,
                                            .rule   = parent ? origin_get(in, parent)->rule : rule,
                                            .parent = parent,
                                            .block  = a->block,
                                            .thread = a->warp * LANES + lane,
                                            .bytes  = a->bytes,
                                            .widths = widths_of(in, w, at, parent, rule),
                                            .end    = {.kernel = arena_strdup(in->arena, name),
                                                       .file   = arena_strdup(in->arena, place.file),
                                                       .line   = place.line,
                                                       .col    = place.col,
                                                       .block  = unfold(a->block, l->grid),
                                                       .thread = unfold(a->warp * LANES + lane, l->block)},
                                            .what   = parent ? origin_get(in, parent)->what : describe(in, w, a, at, rule)};
    free(name);
    o->end.message             = arena_printf(in->arena, "read here first by kernel %s: %s", o->end.kernel, o->what);
    in->origin                 = xrealloc(in->origin, (in->norigins + 1) * sizeof *in->origin);
    in->origin[in->norigins++] = o;
    return in->norigins;
}

/* The number for this load: one for each instruction and what it read, of the first lane that this worker saw. */
static uint32_t origin_of(InitState *s, const Access *a, unsigned lane, uint64_t at, RuleId rule, uint32_t parent)
{
    Init         *in  = s->watch->init;
    InitInstr    *per = &s->instr[a->instr];
    const Region *r   = rule == RULE_UNINIT_GLOBAL && a->addr ? per->cached : NULL;
    if (!parent && per->origin && !per->parent && per->region == r)
        return per->origin;
    pthread_mutex_lock(&in->lock);
    if (parent && origin_get(in, parent)->launch == s->watch->launch->serial) {
        pthread_mutex_unlock(&in->lock);
        return parent; /* the first load tells more than this one */
    }
    if (!per->origin || per->parent != parent || per->region != r)
        *per = (InitInstr){.origin = origin_new(in, s->watch, a, lane, at, rule, parent),
                           .parent = parent,
                           .region = r,
                           .cached = per->cached};
    if (r)
        origin_get(in, per->origin)->region = r->base;
    pthread_mutex_unlock(&in->lock);
    return per->origin;
}

/* ---- findings ---- */

static const char *const uses[] = {"is used as an address", "decides a branch", "goes into an atomic operation",
                                   "is computed with and the result stored"};

/* Is it another place than where the origin stands? */
static bool elsewhere(const InitState *s, const InitOrigin *o, uint32_t instr)
{
    Place p = instr_user_place(s->watch->launch->module, s->watch->info->instr[instr].in);
    return p.line != o->end.line || p.col != o->end.col || strcmp(p.file, o->end.file) != 0;
}

static void note(InitState *s, const InitOrigin *o, uint32_t instr, const char *use, uint32_t lanes)
{
    uint32_t other = elsewhere(s, o, instr) ? instr : NO_INSTR;
    Finding *f     = findings_note(&s->found, o->rule, o->instr, other, 0, o->block, o->thread, lanes);
    if (!f)
        return;
    f->other_block  = o->block;
    f->other_thread = o->thread;
    f->message =
        findings_text(&s->found, "%u-byte read of what nobody wrote, %s; the value %s", o->bytes, o->what, use);
    f->other_message = findings_text(&s->found, "here the value %s", use);
    if (o->parent)
        f->far = &origin_get(s->watch->init, o->parent)->end;
}

static void on_use(void *state, const PoisonUse *u)
{
    InitState *s  = state;
    Init      *in = s->watch->init;
    uint32_t   id = u->origin[__builtin_ctz(u->mask)];
    if (!id || (id & ORIGIN_UNDEFINED)) /* those: sync_check.c */
        return;
    pthread_mutex_lock(&in->lock);
    const InitOrigin *o = origin_get(in, id);
    pthread_mutex_unlock(&in->lock);
    note(s, o, u->instr, uses[u->kind], (uint32_t)__builtin_popcount(u->mask));
}

/* ---- one lane of any memory ---- */

static bool goes_to_registers(const InitState *s, const Access *a)
{
    const Instr *in = s->watch->info->instr[a->instr].in;
    return op_plain_load(in) || op_is(in, TRAIT_TEXTURE);
}

/* What is not loaded into registers is used at once. */
static const char *use_of(const InitState *s, const Access *a)
{
    if (a->op == ACCESS_ATOM || a->op == ACCESS_RED)
        return uses[POISON_ATOMIC];
    return op_is(s->watch->info->instr[a->instr].in, TRAIT_CALL) ? "is printed" : "goes into a matrix";
}

/* A load found bad bytes: into the registers, or, where they are used at once, a finding. */
static void found_bad(InitState *s, const Access *a, unsigned lane, uint64_t at, uint32_t bad, uint32_t parent,
                      RuleId rule)
{
    uint32_t id = origin_of(s, a, lane, at, rule, parent);
    if (a->op == ACCESS_COPY) {
        s->copied.any |= UINT32_C(1) << lane;
        s->copied.bytes[lane]  = bad;
        s->copied.origin[lane] = id;
    } else if (a->op == ACCESS_LD && goes_to_registers(s, a) && a->poison) {
        a->poison->any |= UINT32_C(1) << lane;
        a->poison->bytes[lane]  = bad;
        a->poison->origin[lane] = id;
    } else {
        pthread_mutex_lock(&s->watch->init->lock);
        const InitOrigin *o = origin_get(s->watch->init, id);
        pthread_mutex_unlock(&s->watch->init->lock);
        note(s, o, a->instr, use_of(s, a), 1);
    }
}

static bool reads(const Access *a)
{
    return a->op == ACCESS_LD || a->op == ACCESS_LDSM || a->op == ACCESS_ATOM || a->op == ACCESS_RED ||
           (a->op == ACCESS_COPY && a->addr);
}

static bool writes(const Access *a)
{
    return a->op == ACCESS_ST || a->op == ACCESS_STSM || a->op == ACCESS_ATOM || a->op == ACCESS_RED ||
           (a->op == ACCESS_COPY && a->off);
}

static uint32_t every_byte(const Access *a)
{
    return a->bytes >= 32 ? UINT32_MAX : (UINT32_C(1) << a->bytes) - 1;
}

/* Bytes of a lane that a store leaves poisoned. */
static uint32_t stored(const Access *a, unsigned lane)
{
    return a->poison && a->op == ACCESS_ST && (a->poison->any >> lane & 1) ? a->poison->bytes[lane] : 0;
}

/* Is an element of what the lane stores poisoned as a whole?  Less may be padding. */
static bool stores_element(const Access *a, uint32_t bad)
{
    unsigned n    = a->element && a->element < a->bytes ? a->element : a->bytes;
    uint32_t each = (UINT32_C(1) << (n & 31)) - 1;
    for (unsigned at = 0; at < a->bytes; at += n)
        if ((bad >> at & each) == each)
            return true;
    return false;
}

/* A value that nobody wrote goes to memory that the host reads without a word.  Less than an element may be padding; of what came from such memory, where
 * the host wrote members as it liked, less than all of the store. */
static void shown(InitState *s, const Access *a, unsigned lane, uint32_t bad)
{
    pthread_mutex_lock(&s->watch->init->lock);
    const InitOrigin *o    = origin_get(s->watch->init, a->poison->origin[lane]);
    const Region     *from = o->region ? written_find(&s->watch->init->written, o->region) : NULL;
    pthread_mutex_unlock(&s->watch->init->lock);
    if (from && from->filled ? bad != every_byte(a) : !stores_element(a, bad))
        return;
    note(s, o, a->instr, "is stored where the host reads it (pinned or managed memory)", 1);
}

/* ---- global memory ---- */

/* Of an element: vectors are made of what lies side by side. */
static uint32_t width_of(const Access *a)
{
    return a->element ? a->element : a->bytes < 16 ? a->bytes : 16;
}

static void widen(InitState *s, const Access *a, Region *r)
{
    InitInstr *per = &s->instr[a->instr];
    if (per->widened == r)
        return;
    per->widened = r;
    widths_add(r->widths, width_of(a));
}

/* The region's first bytes that nobody wrote end everybody's rest. */
static void spoil(InitState *s, Region *r, uint64_t at, unsigned n, uint32_t bad, uint32_t origin)
{
    bool was_good = !__atomic_load_n(&r->left, __ATOMIC_RELAXED);
    written_copy_in(r, at, n, bad, origin);
    if (was_good)
        launch_stir(s->watch->info);
}

static void global_lane(InitState *s, const Access *a, unsigned lane)
{
    uint64_t at = a->addr[lane];
    Region  *r  = s->instr[a->instr].cached;
    uint32_t parent, bad;
    if (!r || at - r->base >= r->bytes)
        r = written_find(&s->watch->init->written, at);
    if (!r)
        return;
    s->instr[a->instr].cached = r;
    if (reads(a) && r->left && (bad = written_read(r, at, access_bytes(a, lane), &parent)) &&
        (bad = filled_still(r, at, access_bytes(a, lane), bad)))
        found_bad(s, a, lane, at, bad, parent, RULE_UNINIT_GLOBAL);
    if (!writes(a))
        return;
    widen(s, a, r);
    bad = stored(a, lane);
    if (bad && r->host) { /* nor is it followed any further: the host may write there */
        shown(s, a, lane, bad);
        bad = 0;
    }
    if (bad)
        spoil(s, r, at, a->bytes, bad, a->poison->origin[lane]);
    else if (r->left)
        written_write(r, at, a->bytes);
}

/* All lanes one behind the other, the usual case. */
static bool is_row(const InitState *s, const Access *a)
{
    return a->mask == UINT32_MAX && s->within->row(a->addr, a->bytes);
}

/* A whole row that nobody wrote goes into registers, or out of them into memory: all lanes at once. */
static bool copied_row(InitState *s, const Access *a, Region *r)
{
    PoisonLanes *p     = a->poison;
    uint32_t     every = every_byte(a), origin, other = 0;
    unsigned     n = a->bytes * (unsigned)LANES;
    if (!p || a->bytes < 4 || (a->op != ACCESS_LD && a->op != ACCESS_ST) || !is_row(s, a) || a->addr[0] % 4)
        return false;
    if (a->op == ACCESS_LD) {
        if (!goes_to_registers(s, a) || !written_bad_row(r, a->addr[0], n, &origin))
            return false;
        uint32_t id = origin_of(s, a, 0, a->addr[0], RULE_UNINIT_GLOBAL, origin);
        p->any      = UINT32_MAX;
        for (unsigned lane = 0; lane < LANES; lane++) {
            p->bytes[lane]  = every;
            p->origin[lane] = id;
        }
        return true;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        other |= (p->bytes[lane] ^ every) | (p->origin[lane] ^ p->origin[0]);
    if (p->any == UINT32_MAX && !other)
        widen(s, a, r);
    if (p->any == UINT32_MAX && !other)
        written_copy_row(r, a->addr[0], n, p->origin[0]);
    return p->any == UINT32_MAX && !other;
}

static void global_access(InitState *s, const Access *a)
{
    Region  *r = s->instr[a->instr].cached;
    unsigned n = a->bytes * (unsigned)LANES;
    if (r && r->left && !r->filled && r->bytes >= n && s->within->far(a->addr, r->base, r->bytes - a->bytes) &&
        copied_row(s, a, r))
        return;
    if (r && !(a->poison && a->poison->any) && r->bytes >= a->bytes &&
        s->within->far(a->addr, r->base, r->bytes - a->bytes)) {
        if (!r->left)
            return;
        if (a->op == ACCESS_ST && is_row(s, a)) {
            widen(s, a, r);
            written_write(r, a->addr[0], n);
            return;
        }
        if (a->op != ACCESS_ST && reads(a) && is_row(s, a) && written_good(r, a->addr[0], n))
            return;
    }
    for (uint32_t m = a->mask; m; m &= m - 1)
        global_lane(s, a, (unsigned)__builtin_ctz(m));
}

/* ---- shared and local memory ---- */

static void bits_lane(InitState *s, const Access *a, unsigned lane, Bits *b, uint32_t at, RuleId rule)
{
    uint32_t parent, bad;
    if (reads(a) && (bad = bits_read(b, at, a->bytes, &parent)))
        found_bad(s, a, lane, a->off[lane], bad, parent, rule);
    if (!writes(a))
        return;
    bad = stored(a, lane);
    if (bad)
        bits_copy_in(b, at, a->bytes, bad, a->poison->origin[lane]);
    else
        bits_write(b, at, a->bytes);
}

static InitBlock *block_of(InitState *s, uint64_t block)
{
    if (s->last && s->last->index == block)
        return s->last;
    for (InitBlock *b = s->blocks; b; b = b->next)
        if (b->index == block)
            return s->last = b;
    return NULL;
}

static void shared_access(InitState *s, const Access *a)
{
    InitBlock *b = block_of(s, a->block);
    if (b && writes(a))
        widths_add(s->watch->widths[0], width_of(a));
    if (!b || (!(a->poison && a->poison->any) && !bits_any(&b->shared, a->off, a->mask, a->bytes)))
        return;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        bits_lane(s, a, lane, &b->shared, a->off[lane], RULE_UNINIT_SHARED);
    }
}

static void local_access(InitState *s, const Access *a)
{
    InitBlock *b = block_of(s, a->block);
    uint32_t   n = s->watch->info->local_bytes;
    if (!b || !b->local)
        return;
    if (writes(a))
        widths_add(s->watch->widths[1], width_of(a));
    if (!b->local[a->warp].bad) {
        bits_make(&b->local[a->warp], n * LANES);
        bits_spoil(&b->local[a->warp], 0, n * LANES);
    }
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        bits_lane(s, a, lane, &b->local[a->warp], lane * n + a->off[lane], RULE_UNINIT_LOCAL);
    }
}

/* What surfaces read is not followed. */
static void surface_access(InitState *s, const Access *a)
{
    for (uint32_t m = writes(a) ? a->mask : 0; m; m &= m - 1) {
        uint64_t at = a->addr[__builtin_ctz(m)];
        Region  *r  = written_find(&s->watch->init->written, at);
        if (r && r->left)
            written_write(r, at, a->bytes);
    }
}

/* cp.async: told of its destination first, then of its source, whose state the destination takes over. */
static void async_copy(InitState *s, const Access *a)
{
    if (a->off) {
        shared_access(s, a);
        memcpy(s->copy_to, a->off, sizeof s->copy_to);
        return;
    }
    InitBlock *b  = block_of(s, a->block);
    s->copied.any = 0;
    global_access(s, a);
    for (uint32_t m = b ? s->copied.any : 0; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        bits_copy_in(&b->shared, s->copy_to[lane], a->bytes, s->copied.bytes[lane], s->copied.origin[lane]);
    }
}

static void on_access(void *state, const Access *a)
{
    InitState *s = state;
    if (a->op == ACCESS_COPY)
        async_copy(s, a);
    else if (a->space == ACCESS_GLOBAL)
        global_access(s, a);
    else if (a->space == ACCESS_SHARED)
        shared_access(s, a);
    else if (a->space == ACCESS_LOCAL)
        local_access(s, a);
    else if (a->space == ACCESS_SURFACE)
        surface_access(s, a);
    else /* another block's shared memory: whichever it is counts as written there */
        for (InitBlock *b = s->blocks; b; b = b->next)
            for (uint32_t m = writes(a) ? a->mask : 0; m; m &= m - 1)
                bits_write(&b->shared, a->off[__builtin_ctz(m)] & 0xffffff, a->bytes);
}

/* ---- many accesses at once ---- */

/* The next run of lanes from *lane on that read one behind the other or the same: [*from, the result). */
static uint32_t run_of(const SweepAccess *x, unsigned *lane, uint32_t *from)
{
    uint32_t end = *from = x->lane[*lane];
    for (; *lane < LANES && x->lane[*lane] >= *from && x->lane[*lane] <= end; ++*lane)
        end = x->lane[*lane] + x->seen->bytes > end ? x->lane[*lane] + x->seen->bytes : end;
    return end;
}

/* Is everything written that the access reads? */
static bool global_good(const Region *r, const SweepCall *c, const SweepAccess *x)
{
    uint32_t from, end;
    bool     good = true;
    for (unsigned lane = 0; r && r->left && good && lane < LANES;) {
        end  = run_of(x, &lane, &from);
        good = written_good(r, c->at[x->party] + from, end - from);
    }
    return good;
}

static bool shared_good(const Bits *b, const SweepCall *c, const SweepAccess *x)
{
    uint32_t from, end;
    bool     good = true;
    for (unsigned lane = 0; b->left && good && lane < LANES;) {
        end  = run_of(x, &lane, &from);
        good = bits_good(b, (uint32_t)c->at[x->party] + from, end - from);
    }
    return good;
}

/* The region that the party lies in, as the access found it last. */
static Region *region_of(InitState *s, const SweepCall *c, const SweepAccess *x)
{
    InitInstr *per = &s->instr[x->seen->instr];
    uint64_t   at  = c->at[x->party] + x->low;
    if (!per->cached || at - per->cached->base >= per->cached->bytes)
        per->cached = written_find(&s->watch->init->written, at);
    return per->cached;
}

static const InitSweep *sweep_of(InitState *s, const Sweep *of)
{
    InitSweep *k = by_sweep(&s->sweeps, of->number, sizeof *k);
    for (uint32_t i = 0; !k->known && i < of->naccesses; i++) {
        const SweepAccess *x = &of->access[i];
        k->writes |= writes(x->seen);
        if (reads(x->seen) && !(k->reads >> x->party & 1)) {
            k->reads |= UINT32_C(1) << x->party;
            k->first[x->party] = i;
        }
    }
    k->known = true;
    return k;
}

/* Is everything around the party written? */
static bool all_written(InitState *s, const InitBlock *b, const SweepCall *c, const InitSweep *k, uint32_t party)
{
    const SweepParty *p = &c->of->party[party];
    if (p->space == ACCESS_SHARED)
        return !b || !b->shared.left;
    const Region *r = region_of(s, c, &c->of->access[k->first[party]]);
    return r && !r->left && c->at[party] >= r->base && c->at[party] + p->bytes <= r->base + r->bytes;
}

/* Is everything written that the party's accesses read? */
static bool party_good(InitState *s, const InitBlock *b, const SweepCall *c, uint32_t party)
{
    bool good = true;
    for (uint32_t i = 0; good && i < c->of->naccesses; i++) {
        const SweepAccess *x = &c->of->access[i];
        if (x->party != party || !reads(x->seen))
            continue;
        if (c->of->party[party].space == ACCESS_SHARED)
            good = !b || shared_good(&b->shared, c, x);
        else
            good = global_good(region_of(s, c, x), c, x);
    }
    return good;
}

static bool takes(void *state, const SweepCall *c)
{
    InitState       *s    = state;
    InitBlock       *b    = block_of(s, c->block);
    const InitSweep *k    = sweep_of(s, c->of);
    bool             good = true;
    for (uint32_t m = k->reads & ~c->rests; good && m; m &= m - 1) {
        uint32_t party = (uint32_t)__builtin_ctz(m);
        good           = all_written(s, b, c, k, party) || party_good(s, b, c, party);
    }
    return good;
}

static void sweep(void *state, const SweepCall *c)
{
    bool      stores = sweep_of(state, c->of)->writes;
    SweepRoom room;
    for (uint32_t i = 0; stores && i < c->of->naccesses; i++) {
        if (!writes(c->of->access[i].seen))
            continue;
        Access a = sweep_access(c, i, &room);
        on_access(state, &a);
    }
}

/* Reads of regions that are written as a whole.  A region ceases to be so where `stir` is called. */
static uint32_t rests(void *state, const SweepCall *c, uint32_t parties, SweepRange *range)
{
    InitState       *s    = state;
    const InitSweep *k    = sweep_of(s, c->of);
    uint32_t         good = 0;
    for (uint32_t m = k->writes ? 0 : parties & k->reads; m; m &= m - 1) {
        uint32_t          i = (uint32_t)__builtin_ctz(m);
        const SweepParty *p = &c->of->party[i];
        const Region     *r = region_of(s, c, &c->of->access[k->first[i]]);
        if (p->space != ACCESS_GLOBAL || !r || __atomic_load_n(&r->left, __ATOMIC_RELAXED) || r->bytes < p->bytes)
            continue;
        range_narrow(&range[i], r->base, r->base + r->bytes - p->bytes);
        good |= m & -m;
    }
    return good;
}

/* ---- blocks ---- */

static void on_block_start(void *state, uint64_t block)
{
    InitState        *s      = state;
    const LaunchInfo *info   = s->watch->info;
    InitBlock        *b      = s->idle;
    uint32_t          nwarps = (info->block[0] * info->block[1] * info->block[2] + LANES - 1) / LANES;
    if (b) {
        s->idle = b->next;
    } else {
        b = xcalloc(1, sizeof *b);
        bits_make(&b->shared, info->shared_room);
        b->local = info->local_bytes ? xcalloc(nwarps, sizeof *b->local) : NULL;
    }
    b->index  = block;
    b->next   = s->blocks;
    s->blocks = b;
    for (uint32_t i = 0; i < info->nshared && !s->watch->bulk; i++) {
        uint32_t at = info->shared_offset[i], n = (uint32_t)info->shared_var[i]->bytes;
        bits_spoil(&b->shared, at, n ? n : info->shared_bytes - at);
    }
    for (uint32_t i = 0; i < nwarps && b->local; i++)
        if (b->local[i].bad)
            bits_spoil(&b->local[i], 0, b->local[i].bytes);
}

static void on_block_end(void *state, uint64_t block)
{
    InitState *s = state;
    for (InitBlock **at = &s->blocks; *at; at = &(*at)->next)
        if ((*at)->index == block) {
            InitBlock *b = *at;
            *at          = b->next;
            b->next      = s->idle;
            s->idle      = b;
            s->last      = NULL;
            return;
        }
}

static void blocks_free(InitBlock *b, uint32_t nwarps)
{
    for (InitBlock *next; b; b = next) {
        next = b->next;
        bits_free(&b->shared);
        for (uint32_t i = 0; i < nwarps && b->local; i++)
            bits_free(&b->local[i]);
        free(b->local);
        free(b);
    }
}

/* Blocks of the device-side heap are nobody's when malloc gives them. */
static void on_sync(void *state, const SyncEvent *e)
{
    InitState *s = state;
    Region    *r = NULL;
    if (e->kind != SYNC_MALLOC)
        return;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (!r)
            r = written_find(&s->watch->init->written, e->addr[lane]);
        if (r)
            written_forget(r, e->addr[lane], e->values[lane]);
    }
    launch_stir(s->watch->info);
}

/* ---- launches ---- */

/* Bulk copies and stores to other blocks land without being told. */
static bool has_bulk(const LaunchInfo *info)
{
    for (uint32_t i = 0; i < info->instrs; i++)
        if (info->instr[i].in && op_is(info->instr[i].in, TRAIT_BULK))
            return true;
    return false;
}

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    InitWatch *w = (InitWatch *)o;
    InitState *s = xcalloc(1, sizeof *s);
    if (worker == 0) /* of a sampled launch once a round */
        w->bulk = has_bulk(info);
    w->info   = info;
    w->warps  = (info->block[0] * info->block[1] * info->block[2] + LANES - 1) / LANES;
    s->watch  = w;
    s->within = within_best();
    s->instr  = xcalloc(info->instrs + 1, sizeof *s->instr);
    return s;
}

static void on_join(Observer *o, void *state)
{
    InitWatch *w = (InitWatch *)o;
    InitState *s = state;
    findings_merge(&w->found, &s->found);
    blocks_free(s->blocks, w->warps);
    blocks_free(s->idle, w->warps);
    free(s->sweeps.row);
    free(s->instr);
    free(s);
}

static Observer *begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    InitWatch *w = xcalloc(1, sizeof *w);
    (void)rules;
    w->init = self;
    memset(w->base.wants, (1 << ACCESS_OPS) - 1, sizeof w->base.wants);
    w->base.fork        = on_fork;
    w->base.access      = on_access;
    w->base.takes       = takes;
    w->base.sweep       = sweep;
    w->base.rests       = rests;
    w->base.use         = on_use;
    w->base.sync        = w->init->heap ? on_sync : NULL;
    w->base.block_start = on_block_start;
    w->base.block_end   = on_block_end;
    w->base.join        = on_join;
    w->launch           = l;
    for (size_t i = 0; i < w->init->written.n; i++)
        filled_look(w->init->written.region[i]);
    for (size_t i = 0; i < 2; i++)
        w->widths[i] = written_widths(&w->init->written);
    return &w->base;
}

static void end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    InitWatch *w  = (InitWatch *)o;
    Init      *in = self;
    findings_merge(found, &w->found);
    if (in->rules->on[RULE_UNSET_CONSTANT])
        unset_judge(&in->set, l, found);
    for (size_t i = 0; i < in->written.n && (w->bulk || l->sampled); i++)
        written_write(in->written.region[i], in->written.region[i]->base, in->written.region[i]->bytes);
    free(w);
}

static const WwFinding *pending(void *self, size_t *n)
{
    Init *in = self;
    *n       = in->npending;
    return in->pending;
}

static void *open_init(const RuleSet *rules)
{
    Init *in  = xcalloc(1, sizeof *in);
    in->rules = rules;
    in->arena = arena_new();
    pthread_mutex_init(&in->lock, NULL);
    return in;
}

static void close_init(void *self)
{
    Init *in = self;
    written_free(&in->written);
    pthread_mutex_destroy(&in->lock);
    arena_free(in->arena);
    free(in->origin);
    free(in->pending);
    free(in->set.at);
    free(in);
}

const Checker checker_init = {.name    = "init",
                              .open    = open_init,
                              .close   = close_init,
                              .begin   = begin,
                              .end     = end,
                              .memory  = init_host,
                              .pending = pending};
