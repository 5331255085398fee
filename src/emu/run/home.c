/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving lanes between frames of one function, and their way back.
 *
 * Frame.alive: lanes whose home it is, wherever they run.  Frame.guests: lanes that run in it and have another home.  A frame is free when it
 * has neither.  What lanes left in their home's registers when they moved means nothing any more.
 *
 * Frames whose local variables lie at different places stay apart: the place is the frame's, not a lane's. */
#include "emu/run/home.h"

#include <string.h>

#include "emu/access/poison.h"
#include "emu/core/frame.h"

bool home_meets(const Group *a, const Group *b)
{
    const Frame *f = a->frame, *g = b->frame;
    if (a->state != GROUP_SYNC || b->state != GROUP_SYNC || a->pc != b->pc || f == g || f->code != g->code)
        return false;
    bool waits = (a->need & b->mask) || (b->need & a->mask);
    bool local = f->code->local_bytes || f->code->uses_alloca;
    return waits && (!local || f->local_base == g->local_base);
}

void home_move(Warp *w, const Group *a, const Group *b)
{
    Frame *to = a->frame, *from = b->frame;
    frame_copy(to->code, to->regs, from->regs, b->mask);
    poison_move(w->worker, from, to, b->mask);
    if (!to->home)
        to->home = xcalloc(LANES, sizeof *to->home);
    for (uint32_t m = b->mask; m; m &= m - 1) {
        unsigned lane  = (unsigned)__builtin_ctz(m);
        to->home[lane] = from->guests >> lane & 1 ? from->home[lane] : from;
        to->guests     = to->home[lane] == to ? to->guests & ~(m & -m) : to->guests | (m & -m);
    }
    if (from->parted || to->parted)
        for (uint32_t m = b->mask; m; m &= m - 1)
            frame_tops(to)[__builtin_ctz(m)] = frame_top(from, m & -m);
    if (from->local_top > to->local_top)
        to->local_top = from->local_top;
    if (to->ngaps != from->ngaps)
        to->ngaps = 0;
    for (uint32_t i = 0; i < to->ngaps; i++)
        for (uint32_t m = b->mask; m; m &= m - 1)
            to->gap[i].from[__builtin_ctz(m)] =
                from->gap[i].to == to->gap[i].to ? from->gap[i].from[__builtin_ctz(m)] : to->gap[i].to;
    from->guests &= ~b->mask;
    if (!from->alive && !from->guests)
        frame_free(w->worker, from);
}

Frame *home_of(Frame *f, uint32_t *lanes)
{
    unsigned first = (unsigned)__builtin_ctz(*lanes);
    if (!(*lanes & f->guests))
        return f;
    if (!(f->guests >> first & 1)) {
        *lanes &= ~f->guests;
        return f;
    }
    for (uint32_t m = *lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (!(f->guests >> lane & 1) || f->home[lane] != f->home[first])
            *lanes &= ~(m & -m);
    }
    return f->home[first];
}

void home_leave(Worker *k, Frame *f, Frame *home, uint32_t lanes)
{
    home->alive &= ~lanes;
    f->guests &= ~lanes;
    if (!home->alive && !home->guests)
        frame_free(k, home);
    if (f != home && !f->alive && !f->guests)
        frame_free(k, f);
}

void home_leave_all(Worker *k, Frame *f, uint32_t lanes)
{
    for (Frame *up; f; f = up) {
        uint32_t same = lanes;
        Frame   *home = home_of(f, &same);
        if (same != lanes) { /* each with a way of its own from here on */
            home_leave_all(k, f, lanes & ~same);
            lanes = same;
        }
        up = home->parent;
        home_leave(k, f, home, lanes);
    }
}
