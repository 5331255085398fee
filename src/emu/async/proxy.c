/* SPDX-License-Identifier: Apache-2.0
 *
 * The async proxy: what asynchronous copies and wgmma see of a block's shared memory.
 *
 * With late and random copies that is a second copy of it, brought up to date by fence.proxy.async (of any thread: less strict than the
 * manual), so that a missing fence shows as old data; with eager ones it is the memory itself. */
#include "emu/async/proxy.h"

#include <string.h>

#include "emu/core/ctl.h"
#include "emu/core/notify.h"

uint8_t *proxy_view(Block *b)
{
    if (b->launch->dev->async == EMU_ASYNC_EAGER)
        return b->shared;
    if (!b->proxy)
        b->proxy = xcalloc(1, b->launch->shared_bytes);
    return b->proxy;
}

const Uop *ctl_fence_async(Warp *w, const Uop *u)
{
    Cluster *c = w->block->cluster;
    NOTIFY_SYNC(w, u, .kind = SYNC_PROXY, .mask = w->mask);
    for (uint32_t i = 0; c->launch->dev->async != EMU_ASYNC_EAGER && i < c->n; i++)
        memcpy(proxy_view(c->block[i]), c->block[i]->shared, c->launch->shared_bytes);
    return u + 1;
}
