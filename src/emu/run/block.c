/* SPDX-License-Identifier: Apache-2.0
 *
 * A resident block: its warps, shared and local memory, what it printed; its passes and its end.
 *
 * A worker uses the context of a block that has ended for the next one.  What a block begins with is the same in both: everything is cleared
 * that is not named here as kept, so that counts do not depend on which blocks a worker had before. */
#include "emu/run/block.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clear.h"
#include "emu/async/async.h"
#include "emu/async/bulk.h"
#include "emu/core/frame.h"
#include "emu/core/group.h"
#include "emu/core/run.h"
#include "emu/core/schedule.h"
#include "emu/matrix/wgmma.h"
#include "emu/run/doze.h"
#include "emu/run/home.h"
#include "emu/run/turn.h"
#include "emu/sync/barrier.h"

enum { LARGE_LOCAL = 256 << 10 }; /* bytes of a block */

static uint8_t *zeroed(size_t bytes, size_t align)
{
    return bytes ? xaligned(align, (bytes + align - 1) & ~(align - 1)) : NULL;
}

/* calloc leaves untouched pages to the host; local memory can be large and is mostly never used. */
static Block *block_make(Worker *k)
{
    Launch *l = k->launch;
    Block  *b = xcalloc(1, sizeof *b);
    b->nwarps = l->nwarps;
    b->shared = zeroed(l->shared_room, 128);
    b->local  = l->local_bytes ? xcalloc((size_t)l->nwarps * LANES, l->local_bytes) : NULL;
    b->warp   = (Warp *)(void *)zeroed(sizeof(Warp) * l->nwarps, 64);
    for (uint32_t i = 0; i < b->nwarps; i++) {
        Warp *w        = &b->warp[i];
        w->index       = i;
        w->local_bytes = l->local_bytes;
        w->local       = b->local ? b->local + (size_t)i * LANES * l->local_bytes : NULL;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint32_t t      = i * LANES + lane;
            w->laneid[lane] = lane;
            w->tid[0][lane] = t % l->block[0];
            w->tid[1][lane] = t / l->block[0] % l->block[1];
            w->tid[2][lane] = t / (l->block[0] * l->block[1]);
        }
    }
    return b;
}

static uint32_t first_lanes(uint32_t n)
{
    return n >= LANES ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

/* Where block `rank` of its cluster lies in the grid: x runs fastest, in the grid of clusters and in the cluster. */
static void place(Block *b, const Launch *l)
{
    const uint32_t *size = l->cluster;
    const uint64_t  nx = l->grid[0] / size[0], ny = l->grid[1] / size[1], i = b->cluster->index;
    if (i < nx && l->cluster_blocks == 1) { /* a row of blocks: most launches need no division */
        b->id[0] = (uint32_t)i;
        b->index = i;
        b->order = b->cluster->order;
        return;
    }
    const uint32_t in[3] = {b->rank % size[0], b->rank / size[0] % size[1], b->rank / (size[0] * size[1])};
    const uint32_t of[3] = {(uint32_t)(i % nx), (uint32_t)(i / nx % ny), (uint32_t)(i / (nx * ny))};
    for (int k = 0; k < 3; k++)
        b->id[k] = of[k] * size[k] + in[k];
    b->index = ((uint64_t)b->id[2] * l->grid[1] + b->id[1]) * l->grid[0] + b->id[0];
    b->order = b->cluster->order * l->cluster_blocks + b->rank;
}

/* Local memory begins as zeros.  Of a large one the pages go back to the host, which costs what was touched. */
static void clear_local(Block *b, const Launch *l)
{
    const uintptr_t page = 4096;
    size_t          all  = (size_t)l->nwarps * LANES * l->local_bytes;
    uintptr_t       at = (uintptr_t)b->local, first = (at + page - 1) & -page, end = (at + all) & -page;
    if (all < LARGE_LOCAL || madvise((void *)first, end - first, MADV_DONTNEED) != 0) {
        if (all)
            memset(b->local, 0, all);
        return;
    }
    memset(b->local, 0, first - at);
    memset((void *)end, 0, at + all - end);
}

static void warp_begin(Warp *w, Block *b, Worker *k)
{
    Launch *l = k->launch;
    clear(w, offsetof(Warp, group));
    w->worker            = k;
    w->block             = b;
    w->shared            = b->shared;
    w->shared_bytes      = l->shared_bytes;
    w->shared_base       = b->rank << CLUSTER_SHIFT;
    w->live              = first_lanes(l->threads - w->index * LANES);
    w->maxnreg.registers = l->registers;
    async_reset(w);
    bulk_reset(w);
    wgmma_reset(w);
    Frame *f     = frame_new(k, l->prog->code[0]);
    f->alive     = w->live;
    f->local_top = f->code->local_bytes;
    f->moves     = f->code->uses_alloca;
    warp_put(w, f->code->uops, f, w->live);
}

static void block_begin(Block *b, Worker *k, Cluster *c, uint32_t rank)
{
    Launch  *l      = k->launch;
    Warp    *warp   = b->warp;
    uint8_t *shared = b->shared, *local = b->local, *proxy = b->proxy;
    uint32_t nwarps = b->nwarps;
    clear(b, sizeof *b);
    b->launch  = l;
    b->cluster = c;
    b->rank    = rank;
    b->nwarps  = nwarps;
    b->threads = b->live = l->threads;
    b->warp              = warp;
    b->shared            = shared;
    b->local             = local;
    b->proxy             = proxy;
    place(b, l);
    uint32_t untouched = l->prog->reads_reserved ? 0 : SHARED_RESERVED;
    memset(b->shared + untouched, 0, l->shared_room - untouched);
    if (b->proxy)
        memset(b->proxy, 0, l->shared_bytes);
    for (uint32_t i = 0; i < b->nwarps; i++)
        warp_begin(&b->warp[i], b, k);
}

Block *block_new(Worker *k, Cluster *c, uint32_t rank)
{
    Block *b = k->idle_blocks;
    if (b) {
        k->idle_blocks = b->next;
        clear_local(b, k->launch);
    } else {
        b = block_make(k);
    }
    block_begin(b, k, c, rank);
    return b;
}

void block_release(Block *b, Worker *k)
{
    b->next        = k->idle_blocks;
    k->idle_blocks = b;
}

void block_destroy(Block *b)
{
    for (uint32_t i = 0; i < b->nwarps; i++) {
        async_free(&b->warp[i]);
        doze_free(&b->warp[i]);
        free(b->warp[i].bulk);
        wgmma_free(&b->warp[i]);
    }
    free(b->proxy);
    str_free(&b->printed);
    free(b->shared);
    free(b->local);
    free(b->warp);
    free(b);
}

void block_stop(Block *b, Worker *k)
{
    for (uint32_t i = 0; i < b->nwarps; i++) {
        Warp *w = &b->warp[i];
        for (uint32_t j = 0; j < w->ngroups; j++)
            home_leave_all(k, w->group[j].frame, w->group[j].mask);
        w->ngroups = 0;
    }
}

bool block_pass(Block *b, Worker *k)
{
    bool ran    = false;
    b->progress = false;
    k->met      = false;
    Turns turns = schedule_turns(b);
    for (uint32_t n = 0, i = turns.first; n < b->nwarps && !k->met; n++, i += turns.step) {
        i       = i < b->nwarps ? i : i - b->nwarps;
        Warp *w = &b->warp[i];
        if (w->ngroups == 0)
            continue;
        if (k->launch->random && schedule_skips(w)) {
            ran = true;
            continue;
        }
        k->follow     = k->launch->random ? 0 : b->nwarps - 1 - n;
        uint32_t more = (uint32_t)(warp_run(w, &ran) - w);
        n += more;
        i += more;
        if (k->faulted)
            return true;
    }
    if (b->pending && b->live)
        ran |= block_check_barriers(b);
    return ran;
}

/* ---- its end ---- */

static void keep_output(Worker *k, Block *b)
{
    if (!b->printed.len) {
        str_free(&b->printed);
        return;
    }
    Launch *l = k->launch;
    pthread_mutex_lock(&l->lock);
    if (l->nprinted == l->printed_cap) {
        l->printed_cap = l->printed_cap ? l->printed_cap * 2 : 16;
        l->printed     = xrealloc(l->printed, l->printed_cap * sizeof *l->printed);
    }
    l->printed[l->nprinted++] = (Printed){b->order, b->printed};
    pthread_mutex_unlock(&l->lock);
    b->printed = (Str){0};
}

void block_ended(Worker *k, Block *b)
{
    Launch *l = k->launch;
    b->ended  = true;
    b->cluster->ended++;
    k->ended++;
    for (size_t o = 0; o < l->ask->nobservers; o++) {
        const Observer *to = l->ask->observers[o];
        for (uint32_t i = 0; to->warp_end && i < b->nwarps; i++)
            to->warp_end(k->observer[o], b->index, i, b->warp[i].spent);
        if (to->block_end)
            to->block_end(k->observer[o], b->index);
    }
    keep_output(k, b);
}
