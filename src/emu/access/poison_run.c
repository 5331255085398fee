/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a group whose frame has a shadow: one PTX instruction at a time, poison first. */
#include "emu/access/poison.h"

enum { BLOCKS_BETWEEN_LOOKS = 64 };

const Uop *poison_run(Warp *w, const Uop *pc)
{
    Frame      *f    = w->frame;
    const UopFn head = w->block->launch->dev->ctl[CTL_block];
    uint32_t    last = UINT32_MAX, blocks = 0;
    do {
        if (pc->fn == head) {
            last = UINT32_MAX;
            if (++blocks % BLOCKS_BETWEEN_LOOKS == 0 && poison_is_clean(f)) {
                f->shadow = NULL;
                break;
            }
        } else if (pc->instr != last) {
            last = pc->instr;
            poison_step(w, last);
        }
        pc = pc->fn(w, pc);
    } while (pc < w->merge && w->frame == f);
    return pc;
}
