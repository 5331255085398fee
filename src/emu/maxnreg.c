/* SPDX-License-Identifier: Apache-2.0
 *
 * setmaxnreg: how many registers the threads of a warp have is of no consequence here, but misuse hangs a card, so it is a fault: when a block
 * has ended, the four warps of a warpgroup must have executed it as often as each other and with the same number at the end, and the block's warps must not
 * have asked for more than a multiprocessor's 65536 registers.
 * Not looked at: whether the registers were free when they were asked for (the block's own at its start are the assembler's to know). */
#include "emu/ctl.h"

enum { REGISTERS = 65536, FEWEST = 24 };

/* imm: registers of a thread */
const Uop *ctl_setmaxnreg(Warp *w, const Uop *u)
{
    w->maxnreg.count++;
    w->maxnreg.registers = (uint32_t)u->imm;
    w->maxnreg.uop       = u;
    return u + 1;
}

static bool same_in_warpgroup(Block *b, uint32_t first)
{
    const Warp *w = &b->warp[first];
    for (uint32_t i = first; i < first + 4 && i < b->nwarps; i++) {
        const Warp *o = &b->warp[i], *has = w->maxnreg.count > o->maxnreg.count ? w : o;
        if (o->maxnreg.count == w->maxnreg.count && o->maxnreg.registers == w->maxnreg.registers)
            continue;
        fault_raise(&b->warp[has->index], has->maxnreg.uop, FAULT_SETMAXNREG, 0, UINT32_MAX,
                    "warp %u has executed setmaxnreg %u times (at last for %u registers), warp %u of the same "
                    "warpgroup %u times (%u): all four "
                    "warps must, with the same number",
                    first, w->maxnreg.count, w->maxnreg.registers, i, o->maxnreg.count, o->maxnreg.registers);
        return false;
    }
    return true;
}

void maxnreg_block_ended(Block *b)
{
    uint32_t    all  = 0;
    const Warp *most = NULL;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        const Warp *w = &b->warp[i];
        if (i % 4 == 0 && !same_in_warpgroup(b, i))
            return;
        all += (w->maxnreg.count ? w->maxnreg.registers : FEWEST) * LANES;
        if (w->maxnreg.count && (!most || w->maxnreg.registers > most->maxnreg.registers))
            most = w;
    }
    if (most && all > REGISTERS)
        fault_raise(&b->warp[most->index], most->maxnreg.uop, FAULT_SETMAXNREG, 0, UINT32_MAX,
                    "the block's warps ask for %u registers together, a multiprocessor has %u: the warps that ask last "
                    "wait for ever",
                    all, REGISTERS);
}
