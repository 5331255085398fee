/* SPDX-License-Identifier: Apache-2.0
 *
 * A group that polls (poll.c) has the same registers after each round, so what a round does is decided by what it reads.  The round behind
 * which its registers are compared is run a uop at a time, and each word of memory that it reads is noted with its value.  While all of
 * them are as they were another round would change nothing: in its turns the group is passed over, for the price of comparing the words.
 * Whoever writes tells nobody and pays nothing.
 *
 * Such turns are turns in all but instructions: the scheduler, endless.c, pauses and limits see what they would see of a group that looks and
 * waits on, so the order in which others run is the same.  Counters and observers have the rounds that were run, and none of those that
 * were not: they would have been as many as the host's speed makes them.
 *
 * A round in SURE_TURNS is run whatever the words say: another worker may have written a word twice between its being noted and its being
 * read.  What was freed is not looked at: memory goes while launches pause (pause.c), and then all wake.
 *
 * Not noted, so that the group goes on polling: rounds that read textures, mbarriers, matrices, or more than MOST_WORDS words. */
#include "emu/run/doze.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/stress.h"
#include "emu/access/access.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "ptx/traits.h"

enum { MOST_WORDS = 72, SURE_TURNS = STRESSED(256, 3) };

typedef struct Noted {
    const uint8_t *at;
    uint32_t       bytes; /* 1, 2, 4, 8 */
    uint64_t       value;
} Noted;

struct Doze {
    bool       noting;
    const Uop *pc, *failed; /* failed: a round from here on cannot be noted */
    Frame     *frame;
    uint64_t   stirs;
    uint32_t   turns, n;
    int64_t    begun, cost; /* the quantum when the round began; what it took */
    Noted      word[MOST_WORDS];
};

static uint64_t stirs(const Warp *w)
{
    return __atomic_load_n(&w->block->launch->stirs, __ATOMIC_ACQUIRE);
}

bool doze_knows(const Warp *w)
{
    return w->doze && w->doze->pc == w->pc && w->doze->failed != w->pc;
}

bool doze_begin(Warp *w)
{
    if (!w->doze)
        w->doze = xcalloc(1, sizeof *w->doze);
    Doze *d = w->doze;
    if (d->failed == w->pc || w->frame->shadow || w->lean)
        return false;
    d->noting = true;
    d->pc     = w->pc;
    d->frame  = w->frame;
    d->stirs  = stirs(w);
    d->turns  = 0;
    d->n      = 0;
    d->begun  = w->quantum;
    return true;
}

/* ---- what a round reads ---- */

static void give_up(Doze *d)
{
    d->failed = d->pc;
    d->noting = false;
}

static void note_word(Doze *d, const uint8_t *at, uint32_t bytes)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (d->word[i].at == at && d->word[i].bytes == bytes)
            return;
    if (d->n == MOST_WORDS)
        give_up(d);
    else
        d->word[d->n++] = (Noted){at, bytes, doze_word(at, bytes)};
}

/* false: there is a fault, which was raised. */
static bool note_access(Warp *w, const Uop *u)
{
    const MemInfo *info  = u->ptr;
    uint32_t       bytes = (uint32_t)info->bytes * info->nvec, step = bytes < 8 ? bytes : 8;
    uint8_t       *p[LANES];
    if (!access_resolve(w, u, info, false, p))
        return false;
    for (uint32_t m = w->mask; m; m &= m - 1)
        for (uint32_t i = 0; w->doze->noting && i < bytes; i += step)
            note_word(w->doze, p[__builtin_ctz(m)] + i, step);
    return true;
}

typedef enum Reads { READS_NOTHING, READS_MEMORY, READS_UNKNOWN } Reads;

/* Of an instruction that reads memory, its uops make the address first. */
static Reads reads(const Launch *l, const Uop *u)
{
    const EmuDevice *d  = l->dev;
    const Instr     *in = l->prog->instr[u->instr].in;
    if (!in || !op_is(in, TRAIT_LOAD | TRAIT_ATOMIC | TRAIT_MBARRIER | TRAIT_ASYNC | TRAIT_TEXTURE | TRAIT_CALL))
        return READS_NOTHING;
    if (uop_is(l, u, CTL_guard) || uop_is(l, u, CTL_may_wait) || uop_is(l, u, CTL_addr_add) || uop_is(l, u, CTL_resize))
        return READS_NOTHING;
    for (int m = 0; m < MEM_COUNT; m++)
        if (u->fn == d->exec->mem[m][0] || u->fn == d->exec->mem[m][1])
            switch (m) {
            case MEM_ld_param:
            case MEM_ld_param_32:
            case MEM_ld_param_64:
            case MEM_ld_pbuf:
            case MEM_sunk_global:
            case MEM_sunk_shared: return READS_NOTHING;
            case MEM_multimem_ld_reduce:
            case MEM_multimem_st:
            case MEM_multimem_red: return READS_UNKNOWN;
            default: return READS_MEMORY;
            }
    return READS_UNKNOWN;
}

static bool note(Warp *w, const Uop *u)
{
    Reads what = w->doze->noting ? reads(w->block->launch, u) : READS_NOTHING;
    if (what == READS_UNKNOWN)
        give_up(w->doze);
    return what != READS_MEMORY || note_access(w, u);
}

static const Uop *step(Warp *w, const Uop *u)
{
    return note(w, u) ? u->fn(w, u) : fault_others(w, u);
}

/* As ctl_guard. */
static const Uop *guarded(Warp *w, const Uop *u)
{
    uint32_t   mask = w->mask, m = pred_get(w, u->a);
    const Uop *p = u + 1, *end = p + u->n;
    m = mask & (u->x ? ~m : m);
    if (!m)
        return end;
    w->mask = m;
    while (p < end)
        p = step(w, p);
    w->mask = mask;
    return p;
}

const Uop *doze_run(Warp *w, const Uop *u)
{
    const Launch *l      = w->block->launch;
    bool          noting = w->worker->look.noting;
    while (u < w->merge)
        if (uop_is(l, u, CTL_block)) /* the handler would go on in native code */
            u = block_enter(w, u->instr, u->n) ? u + 1 : block_spent(w, u);
        else if (noting && uop_is(l, u, CTL_guard))
            u = guarded(w, u);
        else
            u = noting ? step(w, u) : u->fn(w, u);
    return u;
}

void doze_end(Warp *w)
{
    Doze *d = w->doze;
    if (!d->noting || !d->n)
        return;
    d->cost   = d->begun - w->quantum;
    d->noting = false;
    w->asleep = w->mask;
}

/* ---- turns ---- */

static bool changed(const Doze *d)
{
    bool any = false;
    for (uint32_t i = 0; i < d->n && !any; i++)
        any = doze_word(d->word[i].at, d->word[i].bytes) != d->word[i].value;
    return any;
}

bool doze_passes(Warp *w)
{
    Doze    *d   = w->doze;
    uint32_t was = w->asleep;
    if (!(was & w->mask))
        return false;
    w->asleep = 0;
    if (was != w->mask || w->pc != d->pc || w->frame != d->frame || d->stirs != stirs(w) ||
        ++d->turns % SURE_TURNS == 0 || changed(d))
        return false;
    w->asleep           = was;
    w->polls            = true;
    w->worker->event    = EVENT_QUANTUM;
    w->worker->sync_ops = true;
    w->quantum -= d->cost;
    return true;
}

/* ---- turns that nobody takes (ring.c) ---- */

bool doze_rests(const Warp *w)
{
    for (uint32_t i = 0; i < w->ngroups; i++) {
        const Group *g = &w->group[i];
        switch ((GroupState)g->state) {
        case GROUP_BARRIER:
        case GROUP_SYNC:
        case GROUP_CLUSTER: continue;
        case GROUP_READY:
            if (!w->asleep || g->nap || g->mask != w->asleep || g->pc != w->doze->pc || g->frame != w->doze->frame)
                return false;
            continue;
        case GROUP_MBARRIER:
        case GROUP_WGMMA:
        case GROUP_GRID:
        case GROUP_REGISTERS: return false;
        }
    }
    return true;
}

bool doze_stays(const Warp *w)
{
    return !w->asleep || (w->doze->stirs == stirs(w) && !changed(w->doze));
}

uint32_t doze_words(const Warp *w, const uint8_t **at, uint32_t *bytes, uint64_t *value)
{
    if (!w->ngroups || !w->asleep)
        return 0;
    *at    = w->doze->word[0].at;
    *bytes = w->doze->word[0].bytes;
    *value = w->doze->word[0].value;
    return w->doze->n;
}

void doze_free(Warp *w)
{
    free(w->doze);
    w->doze = NULL;
}
