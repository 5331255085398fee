/* SPDX-License-Identifier: Apache-2.0
 *
 * Register frames.  A frame's constants are written once, when it is made; frames go back to a per-worker list by function and
 * are used again.  When a launch is over, they stay with its program for the next one: a small kernel of many registers would else spend most
 * of its time on pages that the host gives and takes.  Past KEPT_BYTES on a device those are freed whose program's launch ended longest ago, but for
 * the last one's.
 * A register that may be read before it is written is zero then, so that such a kernel, whose results are undefined on the hardware, has the
 * same ones in every run; the others are as they were left. */
#include "emu/core/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/stress.h"
#include "emu/core/run.h"

enum { KEPT_BYTES = STRESSED(64 << 20, 32 << 10) };

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

/* One that the worker has, or that an earlier launch left. */
static Frame *take_free(Worker *k, const Code *code)
{
    Launch  *l = k->launch;
    Program *p = l->prog;
    Frame   *f = k->free_frames[code->index];
    if (f) {
        k->free_frames[code->index] = f->next_free;
    } else if (p->kept) {
        pthread_mutex_lock(&l->lock);
        f = p->kept[code->index];
        if (f) {
            p->kept[code->index] = f->next_free;
            p->kept_bytes -= frame_size(code);
            l->dev->kept_bytes -= frame_size(code);
        }
        pthread_mutex_unlock(&l->lock);
        if (f) {
            f->next_made   = k->made_frames;
            k->made_frames = f;
        }
    }
    return f;
}

Frame *frame_new(Worker *k, const Code *code)
{
    Frame *f = take_free(k, code);
    if (f) {
        for (uint32_t i = 0; i < code->nunset; i++)
            memset(f->regs + code->unset[i].slot, 0, code->unset[i].bytes);
    } else {
        f       = xcalloc(1, sizeof *f);
        f->regs = xaligned(64, frame_size(code));
        fill_consts(f, code);
        f->next_made   = k->made_frames;
        k->made_frames = f;
    }
    *f = (Frame){.code          = code,
                 .regs          = f->regs,
                 .home          = f->home,
                 .gap           = f->gap,
                 .tops          = f->tops,
                 .shadow_memory = f->shadow_memory,
                 .next_made     = f->next_made};
    return f;
}

void frame_free(Worker *k, Frame *f)
{
    f->next_free                   = k->free_frames[f->code->index];
    k->free_frames[f->code->index] = f;
}

uint32_t *frame_tops(Frame *f)
{
    if (!f->tops)
        f->tops = xcalloc(LANES, sizeof *f->tops);
    for (unsigned i = 0; i < LANES && !f->parted; i++)
        f->tops[i] = f->local_top;
    f->parted = true;
    return f->tops;
}

uint32_t frame_top(const Frame *f, uint32_t mask)
{
    uint32_t top = f->parted ? 0 : f->local_top;
    for (uint32_t m = f->parted ? mask : 0; m; m &= m - 1)
        if (f->tops[__builtin_ctz(m)] > top)
            top = f->tops[__builtin_ctz(m)];
    return top;
}

/* What lies in line i of the lanes. */
static void copy_line(const Code *code, size_t i, uint8_t *to, const uint8_t *from, uint32_t mask)
{
    FrameLine line = code->line[i];
    for (unsigned at = 0; at < 64 && line.bytes && line.bytes != LINE_APART; at += line.bytes)
        if (line.first + at / line.bytes < LANES && mask >> (line.first + at / line.bytes) & 1)
            memcpy(to + 64 * i + at, from + 64 * i + at, line.bytes);
    for (unsigned at = 0; at < 64 && !line.bytes; at += 4) {
        uint32_t old, lanes;
        memcpy(&old, to + 64 * i + at, 4);
        memcpy(&lanes, from + 64 * i + at, 4);
        lanes = (old & ~mask) | (lanes & mask);
        memcpy(to + 64 * i + at, &lanes, 4);
    }
}

void frame_copy(const Code *code, uint8_t *to, const uint8_t *from, uint32_t mask)
{
    for (size_t i = 0; i < code->frame_bytes / 64; i++)
        copy_line(code, i, to, from, mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        size_t at = code->pbuf + (size_t)__builtin_ctz(m) * code->pbuf_stride;
        memcpy(to + at, from + at, code->pbuf_stride);
    }
}

static void destroy(Frame *f)
{
    free(f->regs);
    free(f->shadow_memory);
    free(f->home);
    free(f->gap);
    free(f->tops);
    free(f);
}

/* The one whose launch ended longest ago. */
static Program *oldest_kept(const EmuDevice *d)
{
    Program *oldest = d->kept;
    for (Program *p = d->kept; p; p = p->next_kept)
        oldest = p->kept_turn < oldest->kept_turn ? p : oldest;
    return oldest;
}

void frames_keep(Worker *k)
{
    Program   *p = k->launch->prog;
    EmuDevice *d = k->launch->dev;
    if (!p->kept) {
        p->kept      = xcalloc(p->ncode, sizeof(Frame *));
        p->next_kept = d->kept;
        d->kept      = p;
    }
    p->kept_turn = ++d->kept_turns;
    for (Frame *f = k->made_frames, *next; f; f = next) { /* in use or not: a launch may have been stopped */
        next = f->next_made;
        free(f->shadow_memory); /* checkers' */
        f->shadow_memory        = NULL;
        f->next_free            = p->kept[f->code->index];
        p->kept[f->code->index] = f;
        p->kept_bytes += frame_size(f->code);
        d->kept_bytes += frame_size(f->code);
    }
    k->made_frames = NULL;
    while (d->kept_bytes > KEPT_BYTES && d->kept->next_kept)
        frames_drop(d, oldest_kept(d));
}

void frames_drop(EmuDevice *d, Program *p)
{
    Program **at = &d->kept;
    while (*at && *at != p)
        at = &(*at)->next_kept;
    if (!*at)
        return;
    *at = p->next_kept;
    for (uint32_t i = 0; i < p->ncode; i++)
        for (Frame *f = p->kept[i], *next; f; f = next) {
            next = f->next_free;
            destroy(f);
        }
    free(p->kept);
    d->kept_bytes -= p->kept_bytes;
    p->kept       = NULL;
    p->kept_bytes = 0;
}
