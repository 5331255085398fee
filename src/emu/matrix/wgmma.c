/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma.mma_async and its fence, groups and waits.  Each warp of the warpgroup computes its own 16 rows of D; the four need not keep
 * step here.  A product happens when the emulator chooses (EmuOptions.async): at issue; at the wgmma.wait_group that covers it; or
 * between, by the seed, in the order of issue.  Factors in shared memory and registers are read then, and D is written then.
 *
 * Bad use is a fault:
 *   - a register of an unfinished product is read or written, or, of A, written (WgmmaTouch: a uop before the instruction that does)
 *   - a register was written and no wgmma.fence followed before the product that uses it, or there was no wgmma.fence at all
 *   - the warp ends, or calls or returns from a function, with products unfinished
 *   - descriptors that differ between lanes, have bits outside their fields, or reach outside shared memory; a warpgroup that is not
 *     four whole warps.
 *   - the warps of a warpgroup issue different products, or one waits for what another never issues
 * A missing fence.proxy.async shows as old data (late, random). */
#include "emu/matrix/wgmma.h"

#include <stdlib.h>
#include <string.h>

#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/group.h"
#include "emu/core/notify.h"
#include "emu/matrix/matrix_fragment.h"
#include "emu/sync/sync.h"

typedef struct WgmmaState {
    WgmmaOp  *op; /* unfinished, in the order of issue */
    uint32_t  n, cap, group, nregs;
    uint64_t  issued, landed; /* since the block began; landed: the same in all four warps */
    uint64_t  random;
    bool      fenced;
    uint16_t *writing, *reading; /* unfinished products that have the register as D, as A */
    bool     *dirty;             /* written since the last wgmma.fence */
} WgmmaState;

static const uint64_t FIELDS = UINT64_C(0xc00e3fff3fff3fff); /* of a descriptor */

void wgmma_reset(Warp *w)
{
    WgmmaState *s = w->wgmma;
    if (!s)
        return;
    *s = (WgmmaState){
        .op = s->op, .cap = s->cap, .nregs = s->nregs, .writing = s->writing, .reading = s->reading, .dirty = s->dirty};
    memset(s->writing, 0, s->nregs * sizeof *s->writing);
    memset(s->reading, 0, s->nregs * sizeof *s->reading);
    memset(s->dirty, 0, s->nregs * sizeof *s->dirty);
}

void wgmma_free(Warp *w)
{
    WgmmaState *s = w->wgmma;
    if (s) {
        free(s->op);
        free(s->writing);
        free(s->reading);
        free(s->dirty);
    }
    free(s);
    w->wgmma = NULL;
}

static WgmmaState *state_of(Warp *w)
{
    if (w->wgmma)
        return w->wgmma;
    WgmmaState *s = w->wgmma = xcalloc(1, sizeof *s);
    s->nregs                 = w->block->launch->prog->wgmma_regs;
    s->writing               = xcalloc(s->nregs + 1, sizeof *s->writing);
    s->reading               = xcalloc(s->nregs + 1, sizeof *s->reading);
    s->dirty                 = xcalloc(s->nregs + 1, sizeof *s->dirty);
    return s;
}

static unsigned line_of(const Warp *w, const Uop *u)
{
    return w->block->launch->prog->instr[u->instr].in->line;
}

static const Uop *bad_use(Warp *w, const Uop *u, const char *what, const char *name, const WgmmaOp *op)
{
    const char *state =
        op->group == w->wgmma->group ? "it was never committed" : "no wgmma.wait_group has waited for it";
    return fault_raise(w, u, FAULT_WGMMA, 0, w->mask, "%s%s of the unfinished wgmma.mma_async at PTX line %u: %s", what,
                       name, line_of(w, op->uop), state);
}

/* ---- when products happen ---- */

static void track(WgmmaState *s, const WgmmaInfo *m, int by)
{
    for (unsigned i = 0; i < m->form.nd; i++)
        s->writing[m->reg_d[i].id] = (uint16_t)(s->writing[m->reg_d[i].id] + by);
    for (unsigned i = 0; m->a_in_regs && i < 4; i++)
        s->reading[m->reg_a[i].id] = (uint16_t)(s->reading[m->reg_a[i].id] + by);
}

static Warp *peer(Warp *w, unsigned i)
{
    return &w->block->warp[(w->index & ~3u) + i];
}

/* Products that all four warps have issued; none when the block has no four warps here. */
static uint64_t issued_by_all(Warp *w)
{
    uint64_t least = UINT64_MAX;
    if ((w->index | 3) >= w->block->nwarps)
        return 0;
    for (unsigned i = 0; i < 4; i++) {
        const WgmmaState *s = peer(w, i)->wgmma;
        uint64_t          n = s ? s->issued : 0;
        least               = n < least ? n : least;
    }
    return least;
}

/* The k-th product of a warp, which is not over yet. */
static WgmmaOp *product(const WgmmaState *s, uint64_t k)
{
    return &s->op[k - (s->issued - s->n)];
}

static bool same(Warp *w, const WgmmaOp *a, const WgmmaOp *b)
{
    if (a->uop == b->uop && a->desc_a == b->desc_a && a->desc_b == b->desc_b && a->scale_d == b->scale_d)
        return true;
    fault_raise(w, b->uop, FAULT_WGMMA, 0, w->mask,
                "the warps of a warpgroup issue the same products; the warpgroup's first warp has issued the one at "
                "PTX line %u, "
                "with descriptors 0x%016llx and 0x%016llx, this one 0x%016llx and 0x%016llx",
                line_of(w, a->uop), (unsigned long long)a->desc_a, (unsigned long long)a->desc_b,
                (unsigned long long)b->desc_a, (unsigned long long)b->desc_b);
    return false;
}

/* The first n products happen, in all four warps.  false: a fault was raised. */
static bool land(Warp *w, uint64_t n)
{
    for (uint64_t k = w->wgmma->landed; k < n; k++) {
        const WgmmaOp *first = product(peer(w, 0)->wgmma, k);
        for (unsigned i = 0; i < 4; i++) {
            Warp          *p  = peer(w, i);
            const WgmmaOp *op = product(p->wgmma, k);
            unsigned       lane;
            if (!same(p, first, op))
                return false;
            p->wgmma->landed = k + 1;
            if (!wgmma_product(p, op, &lane)) {
                sparse_fault(p, op->uop, lane);
                return false;
            }
        }
    }
    return true;
}

/* eager: all that can happen does; random: perhaps some of it. */
static bool perhaps_land(Warp *w, WgmmaState *s)
{
    const EmuDevice *dev = w->block->launch->dev;
    uint64_t         all = issued_by_all(w), n = s->landed;
    if (dev->async == EMU_ASYNC_EAGER)
        return land(w, all);
    if (!s->random)
        s->random = (dev->seed ^ (w->block->index * 1024 + w->index)) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (; dev->async == EMU_ASYNC_RANDOM && n < all; n++) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 7;
        s->random ^= s->random << 17;
        if (s->random >> 40 & 1)
            break;
    }
    return land(w, n);
}

/* The first n of this warp's products are over. */
static void finish(WgmmaState *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        track(s, s->op[i].info, -1);
    s->n -= n;
    if (s->n)
        memmove(s->op, s->op + n, s->n * sizeof *s->op);
}

/* Warps that wait for this one's products look again. */
static void wake_peers(Warp *w)
{
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t k = 0; k < peer(w, i)->ngroups; k++)
            if (peer(w, i)->group[k].state == GROUP_WGMMA)
                peer(w, i)->group[k].state = GROUP_READY;
}

void wgmma_explain(Warp *w, const Uop *u)
{
    for (unsigned i = 0; i < 4; i++) {
        const WgmmaState *s = peer(w, i)->wgmma;
        if ((s ? s->issued : 0) == issued_by_all(w)) {
            fault_raise(w, u, FAULT_WGMMA, 0, UINT32_MAX,
                        "this warp waits for its %u unfinished wgmma.mma_async, which need all four warps of the "
                        "warpgroup; warp %u has issued "
                        "%llu, this one %llu, and nobody can run",
                        w->wgmma->n, peer(w, i)->index, (unsigned long long)(s ? s->issued : 0),
                        (unsigned long long)w->wgmma->issued);
            return;
        }
    }
}

/* ---- issue ---- */

static bool descriptor(Warp *w, const Uop *u, Slot slot, bool is_a, uint64_t *out)
{
    const WgmmaInfo *m  = u->ptr;
    const uint64_t  *d  = SLOT(w, uint64_t, slot);
    const char      *of = is_a ? "A" : "B";
    *out                = d[0];
    for (unsigned i = 1; i < LANES; i++)
        if (d[i] != d[0]) {
            fault_raise(w, u, FAULT_WGMMA, i, w->mask,
                        "the descriptor of %s is 0x%016llx, in thread 0 of the warp 0x%016llx", of,
                        (unsigned long long)d[i], (unsigned long long)d[0]);
            return false;
        }
    if (d[0] & ~FIELDS) {
        fault_raise(w, u, FAULT_WGMMA, 0, w->mask,
                    "the descriptor of %s, 0x%016llx, has bits outside its fields (0x%016llx)", of,
                    (unsigned long long)d[0], (unsigned long long)(d[0] & ~FIELDS));
        return false;
    }
    uint32_t end = wgmma_extent(m, is_a, d[0]), start = (uint32_t)(d[0] & 0x3fff) << 4;
    if (start < SHARED_RESERVED || end > w->shared_bytes) {
        fault_raise(
            w, u, FAULT_OUT_OF_BOUNDS, 0, w->mask,
            "%s reaches, by its descriptor 0x%016llx, from %u to %u, outside the block's shared memory from %u to %u",
            of, (unsigned long long)d[0], start, end, SHARED_RESERVED, w->shared_bytes);
        return false;
    }
    return true;
}

static bool fenced(Warp *w, const Uop *u, const WgmmaState *s, const WgmmaReg *reg, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!s->fenced || s->dirty[reg[i].id]) {
            fault_raise(w, u, FAULT_WGMMA, 0, w->mask,
                        s->fenced ? "%s was written after the last wgmma.fence"
                                  : "no wgmma.fence stands before the use of %s",
                        reg[i].name);
            return false;
        }
    return true;
}

static bool may_issue(Warp *w, const Uop *u, const WgmmaState *s)
{
    const WgmmaInfo *m = u->ptr;
    const Block     *b = w->block;
    if ((w->index | 3) >= b->nwarps || b->threads < ((w->index | 3) + 1) * LANES) {
        fault_raise(w, u, FAULT_WGMMA, 0, w->mask, "a warpgroup is four whole warps; this warp's has %u threads",
                    b->threads - (w->index & ~3u) * LANES);
        return false;
    }
    return fenced(w, u, s, m->reg_d, m->form.nd) && fenced(w, u, s, m->reg_a, m->a_in_regs ? 4 : 0);
}

/* Each warp tells of its rows of A and of all of B. */
static void tell(Warp *w, const Uop *u, bool is_a, uint64_t desc)
{
    const WgmmaInfo *m = u->ptr;
    AsyncRun         run[WGMMA_RUNS];
    size_t           n = is_a ? wgmma_runs(m, true, desc, w->index % 4 * MATRIX_ROWS, MATRIX_ROWS, run)
                              : wgmma_runs(m, false, desc, 0, m->form.n, run);
    async_notify(w, u,
                 (AsyncAccess){.space   = ACCESS_SHARED,
                               .by      = ASYNC_BY_WGMMA,
                               .each    = is_a,
                               .product = w->wgmma->issued,
                               .tensor  = true,
                               .swizzle = (uint8_t)wgmma_swizzle(desc),
                               .owner   = w->block->index,
                               .run     = run,
                               .nruns   = n});
}

const Uop *ctl_wgmma(Warp *w, const Uop *u)
{
    const WgmmaInfo *m = u->ptr;
    if (!sync_whole_warp(w, u))
        return STOP;
    WgmmaState *s  = state_of(w);
    WgmmaOp     op = {.info = m, .uop = u, .regs = w->r, .group = s->group, .scale_d = pred_get(w, m->scale_d) & 1};
    if (!may_issue(w, u, s) || (!m->a_in_regs && !descriptor(w, u, m->desc_a, true, &op.desc_a)) ||
        !descriptor(w, u, m->desc_b, false, &op.desc_b))
        return STOP;
    if (w->block->launch->watches_async && !m->a_in_regs)
        tell(w, u, true, op.desc_a);
    if (w->block->launch->watches_async)
        tell(w, u, false, op.desc_b);
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 16;
        s->op  = xrealloc(s->op, s->cap * sizeof *s->op);
    }
    s->op[s->n++] = op;
    s->issued++;
    track(s, m, 1);
    wake_peers(w);
    return perhaps_land(w, s) ? u + 1 : STOP;
}

/* ---- fence, groups, other instructions ---- */

const Uop *ctl_wgmma_fence(Warp *w, const Uop *u)
{
    if (!sync_whole_warp(w, u))
        return STOP;
    WgmmaState *s = state_of(w);
    s->fenced     = true;
    memset(s->dirty, 0, s->nregs * sizeof *s->dirty);
    return u + 1;
}

const Uop *ctl_wgmma_commit(Warp *w, const Uop *u)
{
    if (!sync_whole_warp(w, u))
        return STOP;
    WgmmaState *s = state_of(w);
    s->group++;
    NOTIFY_SYNC(w, u, .kind = SYNC_WGMMA_COMMIT, .mask = w->mask);
    return perhaps_land(w, s) ? u + 1 : STOP;
}

/* All but the last imm groups are over. */
const Uop *ctl_wgmma_wait(Warp *w, const Uop *u)
{
    if (!sync_whole_warp(w, u))
        return STOP;
    WgmmaState *s     = state_of(w);
    uint32_t    first = s->group > (uint64_t)u->imm ? s->group - (uint32_t)u->imm : 0, n = 0;
    while (n < s->n && s->op[n].group < first)
        n++;
    uint64_t over = s->issued - s->n + n;
    if (issued_by_all(w) < over) {
        warp_put(w, u, w->frame, w->mask);
        w->group[w->ngroups - 1].state = GROUP_WGMMA;
        w->worker->event               = EVENT_SYNC;
        return STOP;
    }
    if (s->landed < over && !land(w, over))
        return STOP;
    finish(s, n);
    NOTIFY_SYNC(w, u, .kind = SYNC_WGMMA_WAIT, .mask = w->mask, .count = (uint32_t)u->imm);
    return u + 1;
}

const Uop *ctl_wgmma_touch(Warp *w, const Uop *u)
{
    const WgmmaTouch *t = u->ptr;
    WgmmaState       *s = w->wgmma;
    if (!s)
        return u + 1;
    for (unsigned i = 0; i < t->n; i++) {
        const WgmmaReg *r = &t->reg[i];
        s->dirty[r->id] |= r->written;
        if (!s->writing[r->id] && !(r->written && s->reading[r->id]))
            continue;
        for (uint32_t k = 0; k < s->n; k++)
            for (unsigned j = 0; j < s->op[k].info->form.nd; j++)
                if (s->op[k].info->reg_d[j].id == r->id)
                    return bad_use(w, u, r->written ? "write to the result " : "read of the result ", r->name,
                                   &s->op[k]);
        return bad_use(w, u, "write to the factor ", r->name, &s->op[0]);
    }
    return u + 1;
}

/* The frame is about to be left: nothing may be unfinished. */
const Uop *ctl_wgmma_leave(Warp *w, const Uop *u)
{
    const WgmmaState *s = w->wgmma;
    if (!s || s->n == 0)
        return u + 1;
    return bad_use(w, u, "end of the thread, a call or a return before the end", "", &s->op[0]);
}
