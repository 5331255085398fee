/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensormap proxy: with late and random copies, which bytes a copy takes for a tensor map in global memory that the kernel changes.
 *
 *   launch    for each map that tensormap.replace or cp_fenceproxy changed: the bytes that the launch found there, and those last released
 *             (cp_fenceproxy, or fence.proxy.tensormap::generic.release of any thread: less strict than the manual)
 *   cluster   the bytes that its copies see: those of its first use, or of the last fence.proxy.tensormap::generic.acquire of any of its
 *             threads
 *
 * So a copy without the acquire uses the old map, whatever memory holds; with random copies the seed chooses between old and new at each
 * use.  A map that plain stores change is found when the cluster has used it before.  With eager copies maps are read as they are.
 * Every launch begins with what memory holds: maps that the host changes between launches need no fence here. */
#include "emu/async/tensormap_proxy.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emu/async/bulk.h"
#include "emu/core/ctl.h"
#include "emu/core/schedule.h"

struct TensorView {
    TensorView *next;
    uint64_t    at;
    TensorMap   seen, released; /* of a cluster: seen only */
};

void tensormap_views_free(TensorView *list)
{
    for (TensorView *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

static TensorView *find(TensorView *list, uint64_t at)
{
    while (list && list->at != at)
        list = list->next;
    return list;
}

static const void *memory_at(uint64_t at)
{
    return (const void *)(uintptr_t)at;
}

static TensorView *view_new(TensorView **list, uint64_t at)
{
    TensorView *v = xcalloc(1, sizeof *v);
    *v            = (TensorView){.next = *list, .at = at};
    memcpy(&v->seen, memory_at(at), sizeof v->seen);
    v->released = v->seen;
    *list       = v;
    return v;
}

static bool is_modelled(const Warp *w, uint64_t at)
{
    EmuDevice   *d = w->block->launch->dev;
    Alloc        tmp;
    const Alloc *a = d->async == EMU_ASYNC_EAGER ? NULL : memory_find(&d->mem, at, &tmp);
    return a && at + TENSOR_MAP_BYTES <= a->base + a->bytes;
}

/* Where the launch has changed the map: what it found there, or what was last released. */
static void as_found(Launch *l, uint64_t at, bool released, TensorMap *map)
{
    pthread_mutex_lock(&l->lock);
    const TensorView *v = find(l->maps, at);
    if (v)
        *map = released ? v->released : v->seen;
    pthread_mutex_unlock(&l->lock);
}

static bool same_bytes(const void *a, const void *b)
{
    return memcmp(a, b, TENSOR_MAP_BYTES) == 0;
}

bool tensormap_seen(Warp *w, uint64_t at, TensorMap *map)
{
    Cluster *c = w->block->cluster;
    memcpy(map, memory_at(at), sizeof *map);
    if (w->block->launch->dev->async == EMU_ASYNC_EAGER)
        return true;
    TensorView *v = find(c->maps, at);
    if (!v) {
        v = view_new(&c->maps, at);
        as_found(w->block->launch, at, false, &v->seen);
    }
    if (same_bytes(&v->seen, map) || (w->block->launch->dev->async == EMU_ASYNC_RANDOM && schedule_toss(c)))
        return true;
    *map = v->seen;
    return false;
}

void tensormap_changes(Warp *w, uint64_t at)
{
    Launch *l = w->block->launch;
    if (!is_modelled(w, at))
        return;
    pthread_mutex_lock(&l->lock);
    if (!find(l->maps, at))
        view_new(&l->maps, at);
    pthread_mutex_unlock(&l->lock);
}

void tensormap_released(Warp *w, uint64_t at)
{
    Launch *l = w->block->launch;
    pthread_mutex_lock(&l->lock);
    TensorView *v = find(l->maps, at);
    if (v)
        memcpy(&v->released, memory_at(at), sizeof v->released);
    pthread_mutex_unlock(&l->lock);
}

/* fence.proxy.tensormap::generic.release: all that was changed so far */
const Uop *ctl_tensormap_release(Warp *w, const Uop *u)
{
    Launch *l = w->block->launch;
    pthread_mutex_lock(&l->lock);
    for (TensorView *v = l->maps; v; v = v->next)
        memcpy(&v->released, memory_at(v->at), sizeof v->released);
    pthread_mutex_unlock(&l->lock);
    return u + 1;
}

/* a: address of the map; ptr: MemInfo */
const Uop *ctl_tensormap_acquire(Warp *w, const Uop *u)
{
    const MemInfo *m = u->ptr;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        uint64_t at = (uint64_t)m->offset + (m->no_base ? 0 : SLOT(w, uint64_t, u->a)[__builtin_ctz(left)]);
        if (!is_modelled(w, at))
            continue;
        TensorView *v = find(w->block->cluster->maps, at);
        v             = v ? v : view_new(&w->block->cluster->maps, at);
        memcpy(&v->seen, memory_at(at), sizeof v->seen);
        as_found(w->block->launch, at, true, &v->seen);
    }
    return u + 1;
}
