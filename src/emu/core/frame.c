/* SPDX-License-Identifier: Apache-2.0
 *
 * Register frames.  A frame's constants are written once, when it is made; frames go back to a per-worker list by function and
 * are used again.  A register that may be read before it is written is zero then, so that such a kernel, whose results are undefined on the
 * hardware, has the same ones in every run; the others are as they were left. */
#include "emu/core/frame.h"

#include <stdlib.h>
#include <string.h>

#include "emu/core/run.h"

static void fill_consts(Frame *f, const Code *code)
{
    for (uint32_t i = 0; i < code->nconsts; i++) {
        const ConstSlot *c  = &code->consts[i];
        uint8_t         *at = f->regs + c->slot;
        if (c->bytes == 0)
            memcpy(at, &c->bits, 4);
        else
            for (unsigned lane = 0; lane < LANES; lane++)
                memcpy(at + lane * c->bytes, &c->bits, c->bytes);
    }
}

Frame *frame_new(Worker *k, const Code *code)
{
    Frame *f = k->free_frames[code->index];
    if (f) {
        k->free_frames[code->index] = f->next_free;
        for (uint32_t i = 0; i < code->nunset; i++)
            memset(f->regs + code->unset[i].slot, 0, code->unset[i].bytes);
    } else {
        size_t bytes = ((size_t)code->frame_bytes + 63) & ~(size_t)63;
        f            = xcalloc(1, sizeof *f);
        f->regs      = xaligned(64, bytes ? bytes : 64);
        fill_consts(f, code);
        f->next_made   = k->made_frames;
        k->made_frames = f;
    }
    *f = (Frame){.code = code, .regs = f->regs, .shadow_memory = f->shadow_memory, .next_made = f->next_made};
    return f;
}

void frame_free(Worker *k, Frame *f)
{
    f->next_free                   = k->free_frames[f->code->index];
    k->free_frames[f->code->index] = f;
}
