/* SPDX-License-Identifier: Apache-2.0
 *
 * divergent-branch: conditional branches that lanes of one warp leave both ways, where both sides are long: the warp runs them one
 * after the other.
 *
 * It follows from how often the branch and its two successors ran: a warp that took both sides ran both, so the surplus of the
 * successors' runs over the branch's are the divergent ones.  That holds where neither successor is reached from elsewhere; other
 * branches are not judged.  A side is what is reachable from its successor alone before the paths meet.
 * Not counted: what functions called on a side run; short sides that the compiler predicated away. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "check/perf/perf.h"
#include "ptx/cfg.h"

typedef struct Side {
    uint64_t entries, instructions, lanes; /* runs of its first block; warp and lane instructions on it */
} Side;

typedef struct Body { /* a function and its instructions' ids */
    const Func *f;
    const Cfg  *cfg;
    uint32_t   *id;   /* by instruction index */
    uint8_t    *mark; /* by block: bit 0 and 1 = reachable from that side */
    uint32_t   *next; /* blocks whose successors are still to be marked */
} Body;

static uint64_t runs(const Perf *p, const Body *b, uint32_t block)
{
    uint32_t id = b->id[b->cfg->block[block].first];
    return id == UINT32_MAX ? 0 : p->launch->executed[id];
}

static void mark_from(const Body *b, uint32_t block, uint32_t stop, uint8_t bit)
{
    uint32_t n = 0;
    b->mark[block] |= bit;
    b->next[n++] = block;
    while (n) {
        const CfgBlock *at = &b->cfg->block[b->next[--n]];
        for (uint32_t i = 0; i < at->nsucc; i++)
            if (at->succ[i] != stop && !(b->mark[at->succ[i]] & bit)) {
                b->mark[at->succ[i]] |= bit;
                b->next[n++] = at->succ[i];
            }
    }
}

static void add_side(const Perf *p, const Body *b, uint8_t bit, Side *s)
{
    for (uint32_t k = 0; k < b->cfg->nblocks; k++)
        if (b->mark[k] == bit)
            for (uint32_t i = b->cfg->block[k].first; i < b->cfg->block[k].end; i++)
                if (b->id[i] != UINT32_MAX) {
                    s->instructions += p->launch->executed[b->id[i]];
                    s->lanes += p->launch->lanes[b->id[i]];
                }
}

static void note(Perf *p, uint32_t id, uint64_t times, uint64_t both, const Side *s)
{
    double a = (double)s[0].instructions / (double)s[0].entries, b = (double)s[1].instructions / (double)s[1].entries;
    double least = a < b ? a : b, percent = 100.0 * (double)both / (double)times;
    if (!perf_reaches(p, RULE_DIVERGENT_BRANCH, "instructions", least) ||
        !perf_reaches(p, RULE_DIVERGENT_BRANCH, "percent", percent))
        return;
    Finding *f = perf_note(p, RULE_DIVERGENT_BRANCH, id, both);
    if (f)
        f->message = findings_text(
            p->found,
            "%" PRIu64 " of %" PRIu64 " times a warp takes both sides of this branch, %.1f and %.1f warp instructions "
            "one after the other, with %.1f of 32 lanes active",
            both, times, a, b, (double)(s[0].lanes + s[1].lanes) / (double)(s[0].instructions + s[1].instructions));
}

static void judge(Perf *p, const Body *b, uint32_t block)
{
    const CfgBlock *k  = &b->cfg->block[block];
    uint32_t        id = b->id[k->end - 1];
    if (!k->reachable || k->nsucc != 2 || id == UINT32_MAX || k->succ[0] == k->succ[1])
        return;
    Side     s[2]  = {{0}, {0}};
    uint64_t times = p->launch->executed[id];
    for (int i = 0; i < 2; i++) {
        if (k->succ[i] == k->ipdom || b->cfg->block[k->succ[i]].npred != 1)
            return;
        s[i].entries = runs(p, b, k->succ[i]);
    }
    if (!times || !s[0].entries || !s[1].entries || s[0].entries + s[1].entries <= times)
        return;
    for (uint32_t i = 0; i < b->cfg->nblocks; i++)
        b->mark[i] = 0;
    for (int i = 0; i < 2; i++)
        mark_from(b, k->succ[i], k->ipdom, (uint8_t)(1 << i));
    for (int i = 0; i < 2; i++)
        add_side(p, b, (uint8_t)(1 << i), &s[i]);
    note(p, id, times, s[0].entries + s[1].entries - times, s);
}

/* first: the id of its first instruction; the others' follow. */
static void judge_function(Perf *p, const Func *f, uint32_t first)
{
    Arena *a = arena_new();
    Body   b = {.f = f, .cfg = cfg_build(a, f), .id = ARENA_ARRAY(a, uint32_t, f->ninstrs + 1)};
    b.mark   = ARENA_ARRAY(a, uint8_t, b.cfg->nblocks + 1);
    b.next   = ARENA_ARRAY(a, uint32_t, b.cfg->nblocks + 1);
    for (size_t i = 0; i < f->ninstrs; i++)
        b.id[i] = UINT32_MAX;
    for (uint32_t id = first; id < p->launch->ninstr && p->launch->instr[id].func == f; id++)
        if (p->launch->instr[id].in)
            b.id[p->launch->instr[id].in - f->instrs] = id;
    for (uint32_t k = 0; f->ninstrs && k < b.cfg->nblocks; k++)
        judge(p, &b, k);
    arena_free(a);
}

void perf_branches(Perf *p)
{
    const Func *last = NULL;
    for (uint32_t id = 0; perf_on(p, RULE_DIVERGENT_BRANCH) && id < p->launch->ninstr; id++) {
        const Func *f = p->launch->instr[id].func;
        if (f && f != last)
            judge_function(p, last = f, id);
    }
}
