/* SPDX-License-Identifier: Apache-2.0
 *
 * The synchronisation checker: barriers that a part of a warp reaches, member masks without the lane that names them, uses of what shuffles
 * take from lanes that take no part (followed from register to register: emu/access/poison.h).  What stops a kernel (a deadlock, a bad count,
 * a mask that waits for ever) is told by the emulator itself.
 *
 * .aligned barriers (__syncthreads(), bar.sync) want every lane of the warp at one and the same instruction.  The hardware since sm_70
 * counts threads and mostly goes on; what the others read behind it is then not what the program says.  A lane that goes straight to the
 * kernel's end (`if (i >= n) return;`) is a note: threads that have exited are counted out of barriers.
 * Lanes that arrive in parts at one instruction, because a loop sent them there at different times, are not told. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/check.h"
#include "ptx/place.h"
#include "ptx/traits.h"

enum { BARRIERS = 16 };

typedef struct Arrival { /* of one warp at one barrier, since that completed last */
    uint32_t lanes, absent,
        leaving;    /* absent, leaving: live lanes that were elsewhere, or about to exit, when the last ones arrived */
    uint32_t instr; /* of the first */
} Arrival;

typedef struct BlockSync {
    uint64_t          index;
    Arrival          *at[BARRIERS]; /* by warp; NULL: not used */
    struct BlockSync *next;
} BlockSync;

typedef struct SyncRun {
    Observer           base;
    const RuleSet     *rules;
    const CheckLaunch *launch;
    const LaunchInfo  *info;
    Findings           found;
} SyncRun;

typedef struct Undefined { /* what a shuffle gave */
    uint64_t    block;
    uint32_t    instr, thread; /* of the first lane */
    uint8_t     source;        /* the lane whose value it took */
    const char *why;
} Undefined;

typedef struct State { /* one worker */
    SyncRun   *run;
    BlockSync *active, *idle;
    Undefined *origin;                  /* by number, from 1 */
    uint32_t   norigins, room, *latest; /* latest: by instruction, the number of the last one; NULL: there is none */
    Findings   found;
} State;

/* ---- blocks ---- */

static void on_block_start(void *state, uint64_t block)
{
    State     *s = state;
    BlockSync *b = s->idle;
    if (b)
        s->idle = b->next;
    else
        b = xcalloc(1, sizeof *b);
    if (!s->active && s->norigins) { /* nobody has such a value any more */
        s->norigins = 0;
        memset(s->latest, 0, s->run->info->instrs * sizeof *s->latest);
    }
    b->index  = block;
    b->next   = s->active;
    s->active = b;
}

static uint32_t warps(const State *s)
{
    const uint32_t *n = s->run->info->block;
    return (n[0] * n[1] * n[2] + LANES - 1) / LANES;
}

static void on_block_end(void *state, uint64_t block)
{
    State      *s  = state;
    BlockSync **at = &s->active, *b;
    while (*at && (*at)->index != block)
        at = &(*at)->next;
    if (!*at)
        return;
    b   = *at;
    *at = b->next;
    for (int i = 0; i < BARRIERS; i++)
        if (b->at[i])
            memset(b->at[i], 0, warps(s) * sizeof *b->at[i]);
    b->next = s->idle;
    s->idle = b;
}

static BlockSync *block_of(const State *s, uint64_t block)
{
    BlockSync *b = s->active;
    while (b && b->index != block)
        b = b->next;
    return b;
}

/* ---- barriers ---- */

static const char *line_text(const State *s, Findings *f, uint32_t instr)
{
    const Instr *in = s->run->info->instr[instr].in;
    return findings_text(f, "line %u", instr_user_place(s->run->launch->module, in).line);
}

static bool is_aligned(const State *s, uint32_t instr)
{
    const Instr *in = s->run->info->instr[instr].in;
    return op_is(in, TRAIT_ALIGNED) || opcode_has(in->op, WORD_aligned);
}

static Finding *note(State *s, RuleId rule, uint32_t instr, uint32_t other, uint64_t block, uint32_t warp,
                     uint32_t lanes)
{
    if (!s->run->rules->on[rule] || !lanes)
        return NULL;
    return findings_note(&s->found, rule, instr, other, 0, block, warp * LANES + (uint32_t)__builtin_ctz(lanes),
                         (unsigned)__builtin_popcount(lanes));
}

static void arrive(State *s, BlockSync *b, const SyncEvent *e)
{
    if (e->id >= BARRIERS || !is_aligned(s, e->instr))
        return;
    if (!b->at[e->id])
        b->at[e->id] = xcalloc(warps(s), sizeof *b->at[e->id]);
    Arrival *a = &b->at[e->id][e->warp];
    if (!a->lanes)
        a->instr = e->instr;
    if (a->instr != e->instr) {
        Finding *f = note(s, RULE_DIVERGENT_BARRIER, e->instr, a->instr, e->block, e->warp, e->mask);
        if (f) {
            f->other_block  = e->block;
            f->other_thread = e->warp * LANES + (uint32_t)__builtin_ctz(a->lanes);
            f->message =
                findings_text(&s->found,
                              "lanes 0x%08x of the warp are at this barrier and lanes 0x%08x at the one of %s; all "
                              "lanes of a warp must reach the same barrier instruction",
                              e->mask, a->lanes, line_text(s, &s->found, a->instr));
            f->other_message = findings_text(&s->found, "the other barrier");
        }
    }
    a->lanes |= e->mask;
    a->leaving = e->leaving & ~a->lanes;
    a->absent  = e->live & ~a->lanes & ~e->leaving;
}

static void done(State *s, BlockSync *b, uint32_t id)
{
    for (uint32_t w = 0; b->at[id] && w < warps(s); w++) {
        Arrival *a = &b->at[id][w];
        if (!a->lanes)
            continue;
        Finding *f = note(s, RULE_DIVERGENT_BARRIER, a->instr, NO_INSTR, b->index, w, a->absent ? a->lanes : 0);
        if (f)
            f->message = findings_text(&s->found,
                                       "only lanes 0x%08x of the warp reach this barrier; lanes 0x%08x go another way "
                                       "and never do",
                                       a->lanes, a->absent);
        f = note(s, RULE_EXITED_THREADS, a->instr, NO_INSTR, b->index, w, a->leaving ? a->lanes : 0);
        if (f)
            f->message = findings_text(&s->found,
                                       "lanes 0x%08x of the warp exit without reaching this barrier, at which lanes "
                                       "0x%08x wait; mend: guard the work, not "
                                       "the barrier (no return and no condition around it)",
                                       a->leaving, a->lanes);
        *a = (Arrival){0};
    }
}

/* ---- member masks ---- */

static void check_members(State *s, const SyncEvent *e)
{
    uint32_t wrong = 0;
    for (uint32_t m = e->members ? e->mask : 0; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        wrong |= (~e->members[i] >> i & 1) << i;
    }
    Finding *f = note(s, RULE_MASK_WITHOUT_LANE, e->instr, NO_INSTR, e->block, e->warp, wrong);
    if (f)
        f->message = findings_text(&s->found, "lane %u runs this with the member mask 0x%08x, in which it is not",
                                   (unsigned)__builtin_ctz(wrong), e->members[__builtin_ctz(wrong)]);
}

/* ---- shuffles ---- */

/* The origin of what this instruction gives the lane: one for each instruction and block. */
static uint32_t origin_of(State *s, const SyncEvent *e, unsigned lane)
{
    if (!s->latest)
        s->latest = xcalloc(s->run->info->instrs + 1u, sizeof *s->latest);
    uint32_t *latest = &s->latest[e->instr];
    if (*latest && s->origin[*latest - 1].block == e->block)
        return ORIGIN_UNDEFINED | *latest;
    if (s->norigins == s->room) {
        s->room   = s->room ? s->room * 2 : 16;
        s->origin = xrealloc(s->origin, s->room * sizeof *s->origin);
    }
    unsigned source          = e->source[lane];
    s->origin[s->norigins++] = (Undefined){
        .block  = e->block,
        .instr  = e->instr,
        .thread = e->warp * LANES + lane,
        .source = (uint8_t)source,
        .why    = !(e->live >> source & 1)   ? "has exited or does not exist"
                  : !(e->mask >> source & 1) ? "does not run this shuffle"
                                             : "the member mask does not name",
    };
    *latest = s->norigins;
    return ORIGIN_UNDEFINED | *latest;
}

/* Lanes that read from one that takes no part, or that the mask does not name. */
static void check_sources(State *s, const SyncEvent *e)
{
    for (uint32_t m = e->source && e->undefined && s->run->base.use ? e->mask : 0; m; m &= m - 1) {
        unsigned i       = (unsigned)__builtin_ctz(m);
        uint32_t company = e->mask & (e->members ? e->members[i] : e->mask);
        if (!(company >> e->source[i] & 1))
            e->undefined[i] = origin_of(s, e, i);
    }
}

static const char *const uses[] = {"is used as an address", "decides a branch", "goes into an atomic operation",
                                   "is computed with and the result stored", "is stored"};

static void on_use(void *state, const PoisonUse *u)
{
    State   *s  = state;
    uint32_t id = u->origin[__builtin_ctz(u->mask)];
    if (!(id & ORIGIN_UNDEFINED))
        return;
    const Undefined *o = &s->origin[(id & ~(uint32_t)ORIGIN_UNDEFINED) - 1];
    Finding         *f = findings_note(&s->found, RULE_SHUFFLE_SOURCE, o->instr, u->instr, 0, o->block, o->thread,
                                       (unsigned)__builtin_popcount(u->mask));
    if (!f)
        return;
    f->other_block  = u->block;
    f->other_thread = u->warp * LANES + (uint32_t)__builtin_ctz(u->mask);
    f->message =
        findings_text(&s->found, "lane %u takes the value of lane %u, which %s: the result is undefined, and it %s",
                      o->thread % LANES, o->source, o->why, uses[u->kind]);
    f->other_message = findings_text(&s->found, "here the value %s", uses[u->kind]);
}

static void on_sync(void *state, const SyncEvent *e)
{
    State *s = state;
    switch ((SyncKind)e->kind) {
    case SYNC_BAR: arrive(s, block_of(s, e->block), e); break;
    case SYNC_BAR_DONE: done(s, block_of(s, e->block), e->id); break;
    case SYNC_WARP: check_members(s, e); break;
    case SYNC_EXCHANGE:
        check_members(s, e);
        check_sources(s, e);
        break;
    default: break;
    }
}

/* ---- a launch ---- */

static void no_access(void *state, const Access *a)
{
    (void)state;
    (void)a;
}

static void *on_fork(Observer *o, const LaunchInfo *info, unsigned worker)
{
    (void)worker;
    State *s     = xcalloc(1, sizeof *s);
    s->run       = (SyncRun *)o;
    s->run->info = info;
    return s;
}

static void free_blocks(BlockSync *b)
{
    for (BlockSync *next; b; b = next) {
        next = b->next;
        for (int i = 0; i < BARRIERS; i++)
            free(b->at[i]);
        free(b);
    }
}

static void on_join(Observer *o, void *state)
{
    State *s = state;
    findings_merge(&((SyncRun *)o)->found, &s->found);
    free_blocks(s->active);
    free_blocks(s->idle);
    free(s->origin);
    free(s->latest);
    free(s);
}

static bool shuffles(const Module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        for (size_t k = 0; k < m->funcs[i]->ninstrs; k++)
            if (m->funcs[i]->instrs[k].op->field[FIELD_shflmode] != WORD_NONE)
                return true;
    return false;
}

static Observer *sync_begin(void *self, const RuleSet *rules, const CheckLaunch *l)
{
    (void)self;
    SyncRun *r          = xcalloc(1, sizeof *r);
    r->rules            = rules;
    r->launch           = l;
    r->base.fork        = on_fork;
    r->base.access      = no_access;
    r->base.sync        = on_sync;
    r->base.block_start = on_block_start;
    r->base.block_end   = on_block_end;
    r->base.join        = on_join;
    if (rules->on[RULE_SHUFFLE_SOURCE] && shuffles(l->module)) {
        r->base.use                   = on_use;
        r->base.wants[ACCESS_GLOBAL]  = 1 << ACCESS_ST;
        r->base.wants[ACCESS_SHARED]  = 1 << ACCESS_ST;
        r->base.wants[ACCESS_CLUSTER] = 1 << ACCESS_ST;
    }
    return &r->base;
}

static void sync_end(void *self, Observer *o, const CheckLaunch *l, Findings *found)
{
    (void)self;
    (void)l;
    findings_merge(found, &((SyncRun *)o)->found);
    free(o);
}

const Checker checker_sync = {
    .name  = "sync",
    .begin = sync_begin,
    .end   = sync_end,
};
