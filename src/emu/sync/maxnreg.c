/* SPDX-License-Identifier: Apache-2.0
 *
 * setmaxnreg: the registers that the warps of a block own, and the pool that they give to and take from.
 *
 * A thread begins with what the assembler makes of the kernel's bounds (ptxas 13.0): .maxntid with .minnctapersm, the threads taken in
 * whole warpgroups, and .maxnreg; no more than the largest number that the kernel asks for.  Without such bounds the assembler ignores the
 * instruction, and so does this.  The block owns as many as its warps begin with: what a warp gives up by .dec, another may take; what it
 * has when it exits comes to nobody (an H200 hung); one that asks for more than is left waits.  What registers hold is of no consequence here.
 * Misuse is a fault: a warp alone, the warpgroup's warps with different numbers, .dec to more or .inc to fewer registers than a thread
 * owns, and a wait that nobody can end. */
#include "emu/sync/maxnreg.h"

#include <stdio.h>

#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/group.h"
#include "emu/sync/sync.h"

enum { REGISTERS = 65536, MOST = 256, GRAIN = 8, WARPGROUP = 4 };

static uint32_t down(uint32_t n)
{
    return (n < MOST ? n : MOST) / GRAIN * GRAIN;
}

uint32_t maxnreg_at_entry(const Func *f, uint32_t largest_inc)
{
    uint32_t threads = f->maxntid[0], n = 0;
    for (int i = 1; i < 3; i++)
        threads *= f->maxntid[i] ? f->maxntid[i] : 1;
    if (threads && f->minnctapersm)
        n = down(REGISTERS / ((threads + WARPGROUP * LANES - 1) / (WARPGROUP * LANES) * (WARPGROUP * LANES)) /
                 f->minnctapersm);
    if (f->maxnreg && (!n || f->maxnreg < n))
        n = down(f->maxnreg + GRAIN - 1);
    return largest_inc && largest_inc < n ? largest_inc : n;
}

static uint32_t owned(const Warp *w)
{
    return w->maxnreg.registers;
}

/* Could the warp have n registers a thread? */
static bool has_room(const Warp *w, uint32_t n)
{
    const Block *b   = w->block;
    uint32_t     all = n;
    for (uint32_t i = 0; i < b->nwarps; i++)
        all += &b->warp[i] == w ? 0 : owned(&b->warp[i]);
    return all <= b->launch->registers * b->nwarps;
}

/* Has a warp of the warpgroup not come to the one before yet? */
static bool runs_ahead(Warp *w, const Uop *u)
{
    const Block *b = w->block;
    for (uint32_t i = w->index / WARPGROUP * WARPGROUP, end = i + WARPGROUP; i < end && i < b->nwarps; i++)
        if (b->warp[i].maxnreg.count < w->maxnreg.count) {
            fault_raise(w, u, FAULT_SETMAXNREG, 0, w->mask,
                        "warp %u executes setmaxnreg again while warp %u of the same warpgroup has not executed the "
                        "last one: the warpgroup has to synchronise between",
                        w->index, i);
            return true;
        }
    return false;
}

/* The other way than the instruction says: undefined. */
static bool goes_wrong_way(Warp *w, const Uop *u)
{
    uint32_t n = (uint32_t)u->imm, has = w->maxnreg.registers;
    bool     inc = u->x;
    if (!has || (inc ? n >= has : n <= has))
        return false;
    fault_raise(w, u, FAULT_SETMAXNREG, 0, w->mask, "setmaxnreg.%s to %u registers by threads that own %u%s",
                inc ? "inc" : "dec", n, has, w->maxnreg.count ? "" : " (by the kernel's bounds)");
    return true;
}

/* imm: registers of a thread; x: .inc */
const Uop *ctl_setmaxnreg(Warp *w, const Uop *u)
{
    uint32_t n = (uint32_t)u->imm;
    if (!sync_whole_warp(w, u) || runs_ahead(w, u) || goes_wrong_way(w, u))
        return STOP;
    if (w->maxnreg.registers && !has_room(w, n)) {
        warp_put(w, u, w->frame, w->mask);
        w->group[w->ngroups - 1].state         = GROUP_REGISTERS;
        w->worker->event                       = EVENT_SYNC;
        w->block->cluster->waits_for_registers = true;
        return STOP;
    }
    w->maxnreg.count++;
    w->maxnreg.uop   = u;
    w->maxnreg.asked = n;
    if (w->maxnreg.registers)
        w->maxnreg.registers = n;
    return u + 1;
}

void maxnreg_wake(Cluster *c)
{
    c->waits_for_registers = false;
    for (uint32_t b = 0; b < c->n; b++)
        for (uint32_t i = 0; !c->block[b]->ended && i < c->block[b]->nwarps; i++)
            for (uint32_t j = 0; j < c->block[b]->warp[i].ngroups; j++) {
                Warp  *w = &c->block[b]->warp[i];
                Group *g = &w->group[j];
                if (g->state != GROUP_REGISTERS)
                    continue;
                if (has_room(w, (uint32_t)g->pc->imm))
                    g->state = GROUP_READY;
                else
                    c->waits_for_registers = true;
            }
}

void maxnreg_explain(Warp *w, const Uop *u)
{
    const Block *b   = w->block;
    uint32_t     all = 0;
    char         text[256];
    size_t       n = 0;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        all += owned(&b->warp[i]);
        if (i % WARPGROUP == 0 && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", i ? ", " : "", owned(&b->warp[i]));
    }
    fault_raise(
        w, u, FAULT_SETMAXNREG, 0, UINT32_MAX,
        "warp %u waits for ever at setmaxnreg.inc: it asks for %u registers a thread and owns %u, the block has "
        "%u for its %u warps, of which %u are free, and nobody is left who could give some up (a thread's by "
        "warpgroup: %s)",
        w->index, (unsigned)u->imm, w->maxnreg.registers, b->launch->registers * LANES * b->nwarps, b->nwarps,
        (b->launch->registers * b->nwarps - all) * LANES, text);
}

void maxnreg_block_ended(Block *b)
{
    for (uint32_t i = 0; i < b->nwarps; i++) {
        const Warp *w = &b->warp[i / WARPGROUP * WARPGROUP], *o = &b->warp[i],
                   *has = w->maxnreg.count > o->maxnreg.count ? w : o;
        if (o->maxnreg.count == w->maxnreg.count && o->maxnreg.asked == w->maxnreg.asked)
            continue;
        fault_raise(&b->warp[has->index], has->maxnreg.uop, FAULT_SETMAXNREG, 0, UINT32_MAX,
                    "warp %u has executed setmaxnreg %u times (at last for %u registers), warp %u of the same "
                    "warpgroup %u times (%u): all four warps must, with the same number",
                    w->index, w->maxnreg.count, w->maxnreg.asked, i, o->maxnreg.count, o->maxnreg.asked);
        return;
    }
}
