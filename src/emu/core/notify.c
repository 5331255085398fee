/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells observers of accesses, and of other events: barriers, fences, asynchronous operations, exits, the device-side heap, blocks that
 * start. */
#include "emu/core/notify.h"
#include "emu/core/run.h"

void sync_notify(Warp *w, const Uop *u, SyncEvent e)
{
    const EmuLaunch *ask = w->block->launch->ask;
    e.instr              = u ? u->instr : UINT32_MAX;
    e.live               = w->live;
    e.warp               = w->index;
    e.block              = w->block->index;
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->sync)
            ask->observers[o]->sync(w->worker->observer[o], &e);
}

void async_notify(Warp *w, const Uop *u, AsyncAccess a)
{
    const EmuLaunch *ask = w->block->launch->ask;
    a.instr              = u->instr;
    a.warp               = w->index;
    a.block              = w->block->index;
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->async)
            ask->observers[o]->async(w->worker->observer[o], &a);
}

void block_notify_start(Block *b, Worker *k)
{
    const EmuLaunch *ask = b->launch->ask;
    for (size_t i = 0; i < ask->nobservers; i++) {
        const Observer *o = ask->observers[i];
        if (o->block_start)
            o->block_start(k->observer[i], b->index);
        b->swept |= (o->takes || o->sweep) && !(o->skips && o->skips(k->observer[i], b->index));
    }
}

void read_notify(Warp *w, const Uop *u, unsigned lane, uint64_t address, unsigned bytes)
{
    uint64_t shared = address - SHARED_WINDOW - w->shared_base, local = address - LOCAL_WINDOW;
    bool     in_shared = shared < w->shared_bytes, in_local = local < w->local_bytes;
    uint32_t off[LANES]  = {0};
    uint64_t addr[LANES] = {0};
    off[lane]            = (uint32_t)(in_shared ? shared : local);
    addr[lane]           = address;
    Access a             = {.instr = u->instr,
                            .space = in_shared  ? ACCESS_SHARED
                                     : in_local ? ACCESS_LOCAL
                                                : ACCESS_GLOBAL,
                            .op    = ACCESS_LD,
                            .bytes = (uint8_t)bytes,
                            .mask  = UINT32_C(1) << lane,
                            .warp  = w->index,
                            .block = w->block->index,
                            .off   = in_shared || in_local ? off : NULL,
                            .addr  = in_shared || in_local ? NULL : addr};
    use_notify(w, &a);
}

void use_notify(Warp *w, const Access *a)
{
    const EmuLaunch *ask = w->block->launch->ask;
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->use)
            ask->observers[o]->access(w->worker->observer[o], a);
}

/* Lanes that touch bytes which an alloca left free, and those. */
static const StackGap *stray(const Warp *w, const Access *a, uint32_t *lanes)
{
    *lanes = 0;
    if (!__atomic_load_n(&w->block->launch->gaps, __ATOMIC_RELAXED))
        return NULL;
    for (const Frame *f = w->frame; f; f = f->parent)
        for (uint32_t i = 0; i < f->ngaps; i++) {
            const StackGap *g = &f->gap[i];
            for (uint32_t m = a->mask; m; m &= m - 1) {
                unsigned lane = (unsigned)__builtin_ctz(m);
                *lanes |= a->off[lane] < g->to && a->off[lane] + a->bytes > g->from[lane] ? m & -m : 0;
            }
            if (*lanes)
                return g;
        }
    return NULL;
}

void access_notify_all(Warp *w, const Access *seen)
{
    const EmuLaunch *ask   = w->block->launch->ask;
    const Access    *a     = seen;
    uint32_t         lanes = 0;
    const StackGap  *gap   = seen->space == ACCESS_LOCAL ? stray(w, seen, &lanes) : NULL;
    Access           with;
    if (gap || (seen->space == ACCESS_LOCAL && w->block->launch->watches_tops)) {
        with        = *seen;
        with.gap    = gap;
        with.stray  = lanes;
        with.top    = w->frame->local_top;
        with.topped = !w->frame->moves;
        a           = &with;
    }
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->wants[a->space] >> a->op & 1)
            ask->observers[o]->access(w->worker->observer[o], a);
}

void access_notify_sunk(Warp *w, const Access *seen, AccessSpace space, const uint32_t *off, const uint64_t *addr)
{
    const EmuLaunch *ask = w->block->launch->ask;
    Access           a   = *seen;
    a.space              = (uint8_t)space;
    a.mask               = w->mask;
    a.warp               = w->index;
    a.block              = w->block->index;
    a.off                = off;
    a.addr               = addr;
    a.memory             = space == ACCESS_SHARED ? w->shared : NULL;
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->wants[space] >> ACCESS_SUNK & 1)
            ask->observers[o]->sunk(w->worker->observer[o], &a);
}
