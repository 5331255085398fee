/* SPDX-License-Identifier: Apache-2.0
 *
 * What a clash is called and what would have ordered it.  The rule follows from how far the two threads are apart; the text names both
 * accesses, the variable or allocation, and the order that is missing.
 *
 * A write that leaves the value that is there already (every thread sets the same flag) is a note: whoever comes last, the result is
 * the same. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "check/race/race.h"
#include "ptx/place.h"
#include "ptx/traits.h"

typedef struct End { /* one of the two */
    Stamp             stamp;
    bool              writes;
    unsigned          thread; /* of an agent: 0 */
    uint32_t          instr;  /* the first of its source line */
    const SerialInfo *block;
} End;

typedef struct Ends {
    const RaceRun   *r;
    const RaceClash *c;
    End              here, there; /* as they are shown */
    bool             same_block, same_warp, at_once;
} Ends;

/* Unrolled loops make many instructions of one line: the first one stands for all. */
static uint32_t line_of(RaceRun *r, Stamp s)
{
    uint32_t instr = r->instr_of[stamp_site(s)], n = r->info->instrs;
    if (instr == NO_INSTR)
        return instr;
    pthread_mutex_lock(&r->lock);
    if (!r->line_of)
        r->line_of = xcalloc(n, sizeof *r->line_of);
    if (!r->line_of[instr]) {
        const Module *m = r->launch->module;
        Place         p = instr_user_place(m, r->info->instr[instr].in);
        for (uint32_t i = 0; i <= instr && !r->line_of[instr]; i++) {
            Place q = r->info->instr[i].in ? instr_user_place(m, r->info->instr[i].in) : (Place){0};
            if (q.line == p.line && q.file == p.file)
                r->line_of[instr] = i + 1;
        }
    }
    instr = r->line_of[instr] - 1;
    pthread_mutex_unlock(&r->lock);
    return instr;
}

/* Does a stand before b in the source? */
static bool stands_before(const RaceRun *r, uint32_t a, uint32_t b)
{
    if (a == b || a == NO_INSTR || b == NO_INSTR)
        return a < b;
    Place p = instr_user_place(r->launch->module, r->info->instr[a].in),
          q = instr_user_place(r->launch->module, r->info->instr[b].in);
    return p.file == q.file && p.line != q.line ? p.line < q.line : a < b;
}

/* Who is shown first does not depend on who came first: of a copy and its use, the use; of two scopes, the narrower; else what stands
 * later in the source, and of one line the block of the higher index. */
static bool is_second(const RaceRun *r, const End *a, const End *b)
{
    Strength x = stamp_strength(a->stamp), y = stamp_strength(b->stamp);
    if (stamp_async(a->stamp) != stamp_async(b->stamp))
        return stamp_async(a->stamp);
    if ((x == STRENGTH_CTA && y > x) || (y == STRENGTH_CTA && x > y))
        return x > y;
    if (a->instr == b->instr && a->block->launch == b->block->launch)
        return a->block->block < b->block->block;
    return stands_before(r, a->instr, b->instr);
}

static Ends look(RaceRun *r, const RaceBlock *b, const RaceClash *c)
{
    Ends e    = {.r = r, .c = c};
    End  me   = {c->me, c->writes, c->thread, line_of(r, c->me), serials_info(b->serials, stamp_serial(c->me))},
        other = {c->other, c->other_writes, stamp_kind(c->other) == BY_AGENT ? 0 : stamp_thread(c->other),
                 line_of(r, c->other), serials_info(b->serials, stamp_serial(c->other))};
    bool swap = is_second(r, &me, &other);
    if (!c->payload) { /* then it is a read like any other */
        me.stamp |= !me.writes && stamp_strength(me.stamp) ? STRENGTH_CTA : 0;
        other.stamp |= !other.writes && stamp_strength(other.stamp) ? STRENGTH_CTA : 0;
    }
    e.here       = swap ? other : me;
    e.there      = swap ? me : other;
    e.same_block = me.block->birth == other.block->birth;
    e.same_warp  = e.same_block && !stamp_async(c->me) && !stamp_async(c->other) &&
                  stamp_thread(c->me) / LANES == stamp_thread(c->other) / LANES;
    e.at_once = c->twin ||
                (e.same_warp && stamp_time(c->me) == stamp_time(c->other) && stamp_site(c->me) == stamp_site(c->other));
    return e;
}

/* ---- values ---- */

/* The bytes lane i stores. */
static void stored(const Access *a, unsigned lane, uint8_t *out)
{
    for (unsigned v = 0; v * a->element < a->bytes; v++)
        memcpy(out + v * a->element, a->regs + a->slot[v] + (size_t)lane * a->stride, a->element);
}

/* Does the store leave what is there, or what the other lane stores at the same time? */
static bool same_value(const Ends *e)
{
    const Access *a = e->c->access;
    uint8_t       mine[32], theirs[32];
    if (e->c->twin)
        return true;
    if (!e->c->writes || !e->c->other_writes || a->op != ACCESS_ST || !a->regs || a->bytes > sizeof mine ||
        (a->off && !a->memory))
        return false;
    stored(a, e->c->lane, mine);
    unsigned lane = stamp_thread(e->c->other) % LANES;
    if (e->at_once && (a->mask >> lane & 1)) {
        bool aligned = a->off ? a->off[lane] == a->off[e->c->lane] : a->addr[lane] == a->addr[e->c->lane];
        stored(a, lane, theirs);
        return aligned && memcmp(mine, theirs, a->bytes) == 0;
    }
    const uint8_t *memory = a->off ? a->memory + a->off[e->c->lane] : (const uint8_t *)(uintptr_t)a->addr[e->c->lane];
    return memcmp(mine, memory, a->bytes) == 0;
}

/* ---- words ---- */

static bool either(const Ends *e, Strength s)
{
    return stamp_strength(e->here.stamp) == s || stamp_strength(e->there.stamp) == s;
}

static RuleId rule_of(const Ends *e)
{
    if ((stamp_async(e->here.stamp) || stamp_async(e->there.stamp)) && !e->c->twin)
        return RULE_RACE_ASYNC;
    if (same_value(e))
        return RULE_RACE_SAME_VALUE;
    if (!either(e, STRENGTH_WEAK) && !either(e, STRENGTH_VOLATILE))
        return RULE_RACE_SCOPE;
    if (!either(e, STRENGTH_WEAK) && !e->c->payload && !(e->here.writes && e->there.writes))
        return RULE_RACE_VOLATILE;
    if (e->same_warp)
        return RULE_RACE_WARP;
    if (e->c->access->space == ACCESS_SHARED)
        return e->same_block ? RULE_RACE_SHARED : RULE_RACE_CLUSTER;
    return RULE_RACE_GLOBAL;
}

static bool is_product(Stamp s)
{
    return stamp_kind(s) == BY_AGENT && stamp_thread(s) >= AGENT_WARPGROUP;
}

/* What would have told of the end of the operation that came first here. */
static const char *missing_wait(const Ends *e)
{
    Stamp first = e->c->other;
    bool  own   = stamp_kind(first) != BY_AGENT && e->same_block && e->c->thread == stamp_thread(first);
    if (is_product(first))
        return ", with no wgmma.wait_group that has waited for the product";
    if (stamp_kind(first) == BY_AGENT)
        return ", with no wait that has seen the phase of the mbarrier complete at which the copy completes";
    if (stamp_kind(first) == BY_GROUP)
        return e->c->other_writes ? ", with no cp.async.bulk.wait_group for the copy by the thread that issued it, and "
                                    "order behind that"
                                  : ", with no cp.async.bulk.wait_group.read for the copy by the thread that issued "
                                    "it, and order behind that";
    return own ? ", before it waits for the copy (cp.async.wait_group, __pipeline_wait_prior)"
               : ", with no wait for the copy by that thread and barrier behind it";
}

static const char *missing(const Ends *e)
{
    Stamp me = e->here.stamp, other = e->there.stamp;
    if (e->at_once)
        return same_value(e) ? " in the same instruction"
                             : " in the same instruction; which of them stays is undefined";
    if (stamp_async(e->c->other))
        return missing_wait(e);
    if (stamp_async(e->c->me))
        return is_product(e->c->me)
                   ? ", with no barrier between that and the product"
                   : "; nothing orders the copy behind that: a barrier or an mbarrier before it is issued";
    if (e->c->payload)
        return "; volatile orders nothing: the flag, lock or counter that these threads go by has no fence that is "
               "wide enough "
               "on the way from the one to the other";
    if (e->same_warp)
        return ", with no __syncwarp() between: lanes of a warp run in no fixed order";
    if (!either(e, STRENGTH_WEAK) && !either(e, STRENGTH_VOLATILE))
        return "; both are atomic, but the scope of the first does not hold the other's block";
    if (e->same_block && e->c->access->space == ACCESS_SHARED)
        return ", with no __syncthreads() between";
    if (e->c->access->space == ACCESS_SHARED)
        return ", with no barrier.cluster (cluster.sync()) or remote mbarrier between";
    if (e->same_block)
        return ", with no __syncthreads() or release and acquire between";
    if (!either(e, STRENGTH_WEAK) && !e->same_block)
        return "; volatile orders nothing, and there is no release and acquire pattern (fence and atomic) between";
    if (stamp_strength(me) || stamp_strength(other))
        return "; not both are atomic, and there is no release and acquire pattern (fence and atomic) between";
    return ", with no release and acquire pattern (fence and atomic) between: blocks run in no fixed order";
}

static const char *block_text(const RaceRun *r, Findings *f, uint64_t b)
{
    const uint32_t *g = r->info->grid;
    return findings_text(f, "block (%u, %u, %u)", (unsigned)(b % g[0]), (unsigned)(b / g[0] % g[1]),
                         (unsigned)(b / g[0] / g[1]));
}

/* Whose shared memory, where blocks of a cluster meet. */
static const char *of_block(const Ends *e, Findings *f)
{
    const RaceBlock *o = e->c->owner;
    return o && (!e->same_block || o->birth != e->here.block->birth)
               ? findings_text(f, " of %s", block_text(e->r, f, o->index))
               : "";
}

static const char *allocation(const RaceRun *r, Findings *f, uint64_t at)
{
    uint64_t    base, bytes;
    const char *name;
    if (!r->launch->find || !r->launch->find(r->launch->user, at, &base, &bytes, &name))
        return findings_text(f, "address 0x%" PRIx64, at);
    size_t      len;
    const char *shown = name ? mangled_variable(name, &len) : NULL;
    if (shown)
        return findings_text(f, "'%.*s' + %" PRIu64, (int)len, shown, at - base);
    return findings_text(f, "byte %" PRIu64 " of an allocation of %" PRIu64 " bytes", at - base, bytes);
}

/* 'tile' + 20, or allocation and offset. */
static const char *place_in_memory(const Ends *e, Findings *f)
{
    const LaunchInfo *info = e->r->info;
    uint64_t          at   = e->c->at;
    if (e->c->access->space == ACCESS_GLOBAL)
        return allocation(e->r, f, at);
    uint32_t best = info->nshared;
    for (uint32_t i = 0; i < info->nshared; i++)
        if (info->shared_offset[i] <= at &&
            (best == info->nshared || info->shared_offset[i] >= info->shared_offset[best]))
            best = i;
    if (best == info->nshared)
        return findings_text(f, "shared byte %" PRIu64, at);
    size_t      len;
    const char *shown = mangled_variable(info->shared_var[best]->name, &len);
    return findings_text(f, "shared '%.*s' + %" PRIu64 "%s", (int)len, shown, at - info->shared_offset[best],
                         of_block(e, f));
}

static const char *verb(bool writes, Stamp s)
{
    if (is_product(s))
        return "multiplies";
    if (stamp_async(s))
        return writes ? stamp_strength(s) ? "adds to" : "copies to" : "copies from";
    if (stamp_strength(s) == STRENGTH_VOLATILE)
        return writes ? "writes (volatile)" : "reads (volatile)";
    if (stamp_strength(s))
        return writes ? "writes (atomic)" : "reads (atomic or volatile)";
    return writes ? "writes" : "reads";
}

/* What the other end did, behind its name. */
static const char *verb_of_other(bool writes, Stamp s)
{
    if (stamp_kind(s) == BY_AGENT && !is_product(s))
        return writes ? stamp_strength(s) ? "adds to" : "writes" : "reads";
    return verb(writes, s);
}

static const char *thread_name(const Ends *e, const End *end, Findings *f)
{
    const uint32_t *n = e->r->info->block;
    unsigned        t = end->thread;
    const char     *who;
    if (is_product(end->stamp))
        who = findings_text(f, "warpgroup %u", stamp_thread(end->stamp) - AGENT_WARPGROUP);
    else if (stamp_kind(end->stamp) == BY_AGENT)
        return "a bulk copy";
    else
        who = findings_text(f, "thread (%u, %u, %u)", t % n[0], t / n[0] % n[1], t / (n[0] * n[1]));
    return e->same_block ? who : findings_text(f, "%s of %s", who, block_text(e->r, f, end->block->block));
}

static const char *line_text(const RaceRun *r, Findings *f, uint32_t instr)
{
    if (instr == NO_INSTR)
        return "a place that was not kept";
    return findings_text(f, "line %u", instr_user_place(r->launch->module, r->info->instr[instr].in).line);
}

static const char *why_far(const RaceRun *r, uint32_t other)
{
    if (r->handed.at && other == r->handed.launch)
        return "a kernel does not wait for one that it has launched: what it does behind the launch, or in another "
               "block, may come at any time (one in cudaStreamTailLaunch begins when it has ended)";
    if (works_siblings(r->race->works, r, other))
        return "one kernel launched both, in different streams or from different blocks: they may run side by side";
    if (works_same_stream(r->race->works, r, other))
        return "of these two programmatic launches the second may begin before the first has ended: what depends on it "
               "comes behind griddepcontrol.wait (cudaGridDependencySynchronize)";
    return "nothing orders the two launches (an event, a wait of the host)";
}

/* The other end is of another launch. */
static void report_far(RaceRun *r, Findings *found, const RaceBlock *b, const RaceClash *c, const SerialInfo *other)
{
    uint32_t     instr = line_of(r, c->me);
    WwFindingEnd end   = works_end_of(r->race->works, other->launch, stamp_site(c->other),
                                    stamp_async(c->other) ? 0 : stamp_thread(c->other), other->block);
    uint32_t     part  = end.line * 31 + (end.kernel ? (uint32_t)strlen(end.kernel) : 0);
    if (!r->rules->on[RULE_RACE_STREAM])
        return;
    Finding *f = findings_note(found, RULE_RACE_STREAM, instr, NO_INSTR, part, b->index, c->thread, 1);
    if (!f)
        return;
    WwFindingEnd *far = findings_alloc(found, sizeof *far);
    *far              = end;
    far->message      = c->other_writes ? "written here" : "read here";
    f->far            = far;
    f->address        = c->at;
    f->message        = findings_text(
               found, "%s %s, which kernel %s %s at line %u; %s", verb(c->writes, c->me), allocation(r, found, c->at),
        end.kernel ? end.kernel : "(running)",
               findings_text(found, "%s%s", works_same_stream(r->race->works, r, other->launch) ? "" : "of another stream ",
                             verb(c->other_writes, c->other)),
               end.line, why_far(r, other->launch));
}

void race_report_beside(RaceRun *r, Findings *found, const Access *a, unsigned lane, bool writes, const HostWork *h)
{
    Stamp    me    = stamp_make(0, 0, __atomic_load_n(&r->site_of[a->instr], __ATOMIC_ACQUIRE), false, STRENGTH_WEAK);
    uint32_t instr = line_of(r, me);
    if (!r->rules->on[RULE_RACE_STREAM])
        return;
    Finding *f =
        findings_note(found, RULE_RACE_STREAM, instr, NO_INSTR, UINT32_C(1) << 31 | (uint32_t)h->kind << 1 | h->writes,
                      a->block, a->warp * LANES + lane, 1);
    if (!f)
        return;
    f->address = a->addr[lane];
    f->far     = h->asked;
    f->message = findings_text(
        found, "%s %s, which a %s of another stream %s; nothing orders the two (an event, a wait of the host)",
        writes ? "writes" : "reads", allocation(r, found, a->addr[lane]), works_noun(h), works_verb(h));
}

void race_report(RaceRun *r, Findings *found, const RaceBlock *b, const RaceClash *c)
{
    const SerialInfo *who = serials_info(b->serials, stamp_serial(c->other));
    if (who->launch != b->launch) {
        report_far(r, found, b, c, who);
        return;
    }
    Ends       e    = look(r, b, c);
    const End *here = &e.here, *there = &e.there;
    RuleId     rule = rule_of(&e);
    if (!r->rules->on[rule])
        return;
    Finding *f = findings_note(found, rule, here->instr, there->instr, 0, here->block->block, here->thread, 1);
    if (!f)
        return;
    f->address      = c->at;
    f->other_block  = there->block->block;
    f->other_thread = there->thread;
    f->message =
        findings_text(found, "%s %s, which %s %s at %s%s", verb(here->writes, here->stamp), place_in_memory(&e, found),
                      thread_name(&e, there, found), verb_of_other(there->writes, there->stamp),
                      line_text(r, found, there->instr), missing(&e));
    f->other_message = findings_text(found, "%s here",
                                     is_product(there->stamp)    ? "multiplied"
                                     : stamp_async(there->stamp) ? "copied"
                                     : there->writes             ? "written"
                                                                 : "read");
}

/* ---- the async proxy, swizzles, the end of a block ---- */

/* A finding at the operation, with the write as its other end. */
static Finding *note_read(RaceRun *r, Findings *found, const Ends *e, RuleId rule)
{
    uint32_t here = line_of(r, e->c->me), there = line_of(r, e->c->other);
    Finding *f =
        r->rules->on[rule] ? findings_note(found, rule, here, there, 0, e->c->access->block, e->c->thread, 1) : NULL;
    if (!f)
        return NULL;
    f->address       = e->c->at;
    f->other_block   = serials_info(e->c->owner->serials, stamp_serial(e->c->other))->block;
    f->other_thread  = stamp_async(e->c->other) ? 0 : stamp_thread(e->c->other);
    f->other_message = "written here";
    return f;
}

void race_report_proxy(RaceRun *r, Findings *found, const RaceBlock *b, const RaceClash *c)
{
    Ends     e = look(r, b, c);
    Finding *f =
        note_read(r, found, &e, stamp_async(c->other) ? RULE_MISSING_PROXY_FENCE_COPY : RULE_MISSING_PROXY_FENCE);
    if (f)
        f->message = findings_text(found,
                                   "%s %s, which %s wrote at %s, with no fence.proxy.async between: the async proxy "
                                   "may see what was there before",
                                   verb(false, c->me), place_in_memory(&e, found),
                                   thread_name(&e, stamp_async(e.here.stamp) ? &e.there : &e.here, found),
                                   line_text(r, found, line_of(r, c->other)));
}

void race_report_swizzle(RaceRun *r, Findings *found, const RaceBlock *b, const RaceClash *c, unsigned written,
                         unsigned read)
{
    static const char *const mode[] = {"no swizzle", "the 32-byte swizzle", "the 64-byte swizzle",
                                       "the 128-byte swizzle"};
    Ends                     e      = look(r, b, c);
    Finding                 *f      = note_read(r, found, &e, RULE_SWIZZLE);
    if (f)
        f->message = findings_text(found, "the descriptor reads %s with %s; the tensor copy at %s wrote it with %s",
                                   place_in_memory(&e, found), mode[read & 3],
                                   line_text(r, found, line_of(r, c->other)), mode[written & 3]);
}

void race_report_read_only(RaceRun *r, Findings *found, const RaceBlock *b, const Access *a, unsigned lane, Stamp me,
                           Stamp write)
{
    RaceClash   c    = {.access       = a,
                        .lane         = lane,
                        .thread       = stamp_thread(me),
                        .me           = me,
                        .other        = write,
                        .other_writes = true,
                        .at           = a->addr[lane]};
    Ends        e    = look(r, b, &c);
    uint32_t    here = line_of(r, me), there = line_of(r, write);
    const char *cache = op_is(r->info->instr[a->instr].in, TRAIT_TEXTURE)
                            ? "texture cache"
                            : "read-only cache (ld.global.nc: __ldg, const __restrict__)";
    Finding    *f     = r->rules->on[RULE_RACE_READ_ONLY]
                            ? findings_note(found, RULE_RACE_READ_ONLY, here, there, 0, b->index, stamp_thread(me), 1)
                            : NULL;
    if (!f)
        return;
    f->address       = c.at;
    f->other_block   = serials_info(b->serials, stamp_serial(write))->block;
    f->other_thread  = stamp_async(write) ? 0 : stamp_thread(write);
    f->other_message = "written here";
    f->message       = findings_text(found, "reads %s through the %s, and the same launch wrote it at %s: %s",
                                     place_in_memory(&e, found), cache, line_text(r, found, there),
                                     "the cache may hold what was there before");
}

void race_report_exit(RaceRun *r, Findings *found, const RaceBlock *b, Stamp s, bool writes, uint64_t at)
{
    Access    x    = {.space = ACCESS_SHARED, .op = ACCESS_COPY, .block = b->index};
    RaceClash c    = {.access = &x, .me = s, .other = s, .at = at, .owner = b, .writes = writes};
    RuleId    rule = stamp_async(s) ? RULE_RACE_ASYNC : RULE_RACE_CLUSTER;
    Ends      e    = look(r, b, &c);
    Finding  *f    = r->rules->on[rule] ? findings_note(found, rule, line_of(r, s), NO_INSTR, 1, e.here.block->block,
                                                    stamp_kind(s) == BY_AGENT ? 0 : stamp_thread(s), 1)
                                        : NULL;
    if (!f)
        return;
    f->address = at;
    f->message = findings_text(found, "%s %s, and nothing keeps %s from exiting before that: %s", verb(writes, s),
                               place_in_memory(&e, found), block_text(r, found, b->index),
                               stamp_async(s) ? "none of its threads waits for it"
                                              : "barrier.cluster (cluster.sync()) has to follow the last access");
}

/* What barriers of the block would order needs none of the warp's: one finding for two lines. */
static bool stands_alone(const Finding *f, void *found)
{
    const struct FindingKey *k = &f->key;
    return k->rule != RULE_RACE_WARP || (!findings_have(found, RULE_RACE_SHARED, k->instr, k->other, 0) &&
                                         !findings_have(found, RULE_RACE_GLOBAL, k->instr, k->other, 0));
}

void race_conclude(Findings *to, Findings *from)
{
    Findings all = {0};
    findings_merge(&all, from);
    Findings kept = {0};
    findings_merge_if(&kept, &all, stands_alone, &all);
    findings_merge(to, &kept);
}
