/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions that start bulk copies: cp.async.bulk, cp.reduce.async.bulk, their tensor forms, st.async, red.async.  Everything about
 * addresses and sizes is checked here, when the instruction is issued; only what a tensor's box touches of global memory is checked when it
 * lands.
 *
 * Each active lane starts a copy of its own.  A multicast copy is one copy for each destination block, each with its own mbarrier. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/access/access.h"
#include "emu/async/async.h"
#include "emu/async/bulk.h"
#include "emu/async/tensormap_proxy.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"

enum { BULK_UNIT = 16, TENSOR_UNIT = 128 };

static bool refuse(Warp *w, const Uop *u, FaultKind kind, unsigned lane, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static bool refuse(Warp *w, const Uop *u, FaultKind kind, unsigned lane, const char *fmt, ...)
{
    char    text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fault_raise(w, u, kind, lane, UINT32_C(1) << lane, "%s", text);
    return false;
}

/* `bytes` bytes of shared memory, aligned: the block, and in *t the offset. */
static bool shared_place(Warp *w, const Uop *u, const MemInfo *m, Slot s, unsigned lane, uint32_t bytes, uint32_t align,
                         Block **owner, uint64_t *t)
{
    uint64_t at     = bulk_address(w, m, s, lane);
    Block   *b      = access_owner(w, at);
    uint64_t offset = at & CLUSTER_OFFSET;
    if (offset % align)
        return refuse(w, u, FAULT_MISALIGNED, lane, "a copy's address in shared memory is %u past a multiple of %u",
                      (unsigned)(offset % align), align);
    if (!b || b->ended || (b != w->block && !m->cluster) || offset < SHARED_RESERVED ||
        offset + bytes > w->shared_bytes) {
        fault_bulk(w, u, SPACE_SHARED, lane, at, bytes);
        return false;
    }
    *owner = b;
    *t     = offset;
    return true;
}

static bool global_place(Warp *w, const Uop *u, const MemInfo *m, Slot s, unsigned lane, uint32_t bytes, bool written,
                         uint64_t *t)
{
    Alloc tmp;
    *t = bulk_address(w, m, s, lane);
    if (*t % BULK_UNIT)
        return refuse(w, u, FAULT_MISALIGNED, lane,
                      "a bulk copy's address in global memory is %u past a multiple of 16", (unsigned)(*t % BULK_UNIT));
    const Alloc *a = memory_find(&w->block->launch->dev->mem, *t, &tmp);
    if (bytes && (!a || *t + bytes > a->base + a->bytes)) {
        fault_bulk(w, u, SPACE_GLOBAL, lane, *t, bytes);
        return false;
    }
    if (a && written && (a->kind == ALLOC_CONST_VAR || a->kind == ALLOC_PARAM))
        return refuse(w, u, FAULT_WRITE_TO_CONSTANT, lane, "a bulk copy to constant memory");
    return true;
}

/* How the copy completes. */
static bool completion(Warp *w, const Uop *u, const BulkInfo *c, unsigned lane, BulkOp *o)
{
    uint64_t at = 0;
    o->by_group = c->by_group;
    if (c->by_group) {
        o->group = bulk_group(w, lane);
        return true;
    }
    if (!shared_place(w, u, &c->mbar, u->c, lane, 8, 8, &o->mbar_block, &at))
        return false;
    o->mbar = (uint32_t)at;
    if (o->mbar_block != o->to)
        return refuse(
            w, u, FAULT_ASYNC_COPY, lane,
            "the copy goes to the shared memory of block %u of the cluster, its mbarrier is in that of block %u",
            o->to->rank, o->mbar_block->rank);
    return true;
}

/* Issues o, to every block of the mask if there is one. */
static bool start(Warp *w, const Uop *u, const BulkInfo *c, unsigned lane, BulkOp *o)
{
    if (c->mask == NO_SLOT) {
        bulk_issue(o);
        return !w->worker->faulted;
    }
    const uint16_t  *masks = SLOT(w, uint16_t, c->mask);
    const Cluster   *k     = w->block->cluster;
    const TensorBox *box   = o->box;
    if (!masks[lane] || masks[lane] >> k->n)
        refuse(w, u, FAULT_CLUSTER, lane, "multicast to the blocks 0x%x of a cluster of %u", masks[lane], k->n);
    for (uint32_t m = masks[lane]; m && !w->worker->faulted; m &= m - 1) {
        Block *to = k->block[__builtin_ctz(m)];
        o->to = o->mbar_block = to;
        if (box) {
            o->box  = xmalloc(sizeof *box);
            *o->box = *box;
        }
        if (to->ended)
            refuse(w, u, FAULT_ASYNC_COPY, lane, "multicast to block %u of the cluster, which has exited", to->rank);
        bulk_issue(o);
    }
    free((TensorBox *)(uintptr_t)box);
    return !w->worker->faulted;
}

/* ---- bytes in a row ---- */

static bool issue(Warp *w, const Uop *u, const BulkInfo *c, unsigned lane)
{
    BulkOp   o     = {.warp = w, .uop = u, .lane = lane, .kind = c->kind, .reduction = c->reduction};
    uint32_t bytes = SLOT(w, uint32_t, c->size)[lane];
    o.bytes        = bytes;
    if (bytes % BULK_UNIT)
        return refuse(w, u, FAULT_MISALIGNED, lane, "a bulk copy of %u bytes: its size must be a multiple of 16",
                      bytes);
    bool from_global = c->kind == BULK_LOAD || c->kind == BULK_PREFETCH;
    if (from_global ? !global_place(w, u, &c->src, u->b, lane, bytes, false, &o.src)
                    : !shared_place(w, u, &c->src, u->b, lane, bytes, BULK_UNIT, &o.from, &o.src))
        return false;
    if (c->kind == BULK_PREFETCH)
        return true;
    if (c->kind == BULK_STORE ? !global_place(w, u, &c->dst, u->a, lane, bytes, true, &o.dst)
                              : !shared_place(w, u, &c->dst, u->a, lane, bytes, BULK_UNIT, &o.to, &o.dst))
        return false;
    return completion(w, u, c, lane, &o) && start(w, u, c, lane, &o);
}

const Uop *ctl_bulk(Warp *w, const Uop *u)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!issue(w, u, u->ptr, (unsigned)__builtin_ctz(m)))
            return STOP;
    return u + 1;
}

/* ---- tensors ---- */

static bool read_map(Warp *w, const Uop *u, uint64_t at, unsigned lane, TensorMap *map)
{
    Alloc tmp;
    if (at % TENSOR_MAP_ALIGN)
        return refuse(w, u, FAULT_TENSOR_MAP, lane, "the tensor map's address is %u past a multiple of 64",
                      (unsigned)(at % TENSOR_MAP_ALIGN));
    const Alloc *a = memory_find(&w->block->launch->dev->mem, at, &tmp);
    if (!a || at + sizeof *map > a->base + a->bytes) {
        fault_bulk(w, u, SPACE_GLOBAL, lane, at, sizeof *map);
        return false;
    }
    bool current = tensormap_seen(w, at, map);
    if (map->magic != TENSOR_MAP_MAGIC)
        return refuse(w, u, FAULT_TENSOR_MAP, lane,
                      "these 128 bytes are not a tensor map, or one that was overwritten%s",
                      current ? ""
                              : "; the kernel has made one there since, but no fence.proxy.tensormap::generic "
                                "(release by who made it, acquire in this cluster) shows it to the copy");
    return true;
}

/* Does the map fit the instruction? */
static bool fits(Warp *w, const Uop *u, const BulkInfo *c, unsigned lane, const TensorMap *m)
{
    if (m->rank != c->dims)
        return refuse(w, u, FAULT_TENSOR_MAP, lane, "the instruction names %u dimensions, the tensor map has %u",
                      c->dims, m->rank);
    if (m->im2col != (c->im2col || c->no_offsets))
        return refuse(w, u, FAULT_TENSOR_MAP, lane, "the instruction's mode is %s, the tensor map's %s",
                      m->im2col ? "tile" : "im2col", m->im2col ? "im2col" : "tile");
    if (c->reduction.on && !atom_reduces(c->reduction.op, tensormap_reduction_type(m)))
        return refuse(w, u, FAULT_TENSOR_MAP, lane, "the reduction is not defined for the tensor's element type");
    return true;
}

static TensorReduction reduction(const BulkInfo *c, const TensorMap *m)
{
    bool            ftz = m->type == TENSOR_FLOAT32_FTZ || m->type == TENSOR_TFLOAT32_FTZ;
    TensorReduction r   = {c->reduction.on, c->reduction.op, tensormap_reduction_type(m)};
    if (ftz && r.op == ATOM_ADD)
        r.op = ATOM_ADD_FTZ;
    return r;
}

static bool issue_tensor(Warp *w, const Uop *u, const BulkInfo *c, unsigned lane)
{
    TensorBox box  = {0};
    BulkOp    o    = {.warp = w, .uop = u, .lane = lane, .kind = c->kind, .reduction = c->reduction};
    bool      load = c->kind != BULK_STORE;
    if (!read_map(w, u, bulk_address(w, load ? &c->src : &c->dst, load ? u->b : u->a, lane), lane, &box.map) ||
        !fits(w, u, c, lane, &box.map))
        return false;
    for (unsigned i = 0; i < c->dims; i++)
        box.start[i] = SLOT(w, int32_t, c->coord[i])[lane];
    for (unsigned i = 0; i < c->noffsets; i++)
        box.offset[i] = SLOT(w, uint16_t, c->offset[i])[lane];
    unsigned i;
    if (!tensor_base_inside(&box, &i))
        return refuse(w, u, FAULT_TENSOR_MAP, lane,
                      "the base pixel's coordinate %u is %d, outside of the map's box of base pixels", i, box.start[i]);
    const char *why = c->kind == BULK_STORE ? tensor_bad_store(&box) : NULL;
    if (why)
        return refuse(w, u, FAULT_TENSOR_MAP, lane, "%s", why);
    int64_t begin = (int64_t)box.start[0] * tensormap_element_bytes(&box.map);
    if (box.map.interleave == INTERLEAVE_NONE && begin % BULK_UNIT)
        return refuse(w, u, FAULT_TENSOR_MAP, lane,
                      "a box must begin at a multiple of 16 bytes in the innermost dimension, not at %lld",
                      (long long)begin);
    if (c->kind == BULK_PREFETCH)
        return true;
    o.bytes     = tensor_box_bytes(&box.map);
    o.swizzle   = (Swizzle)box.map.swizzle;
    o.reduction = reduction(c, &box.map);
    tensor_rows(&box.map, &o.row, &o.pitch);
    uint32_t taken = o.bytes / o.row * o.pitch;
    if (load ? !shared_place(w, u, &c->dst, u->a, lane, taken, TENSOR_UNIT, &o.to, &o.dst)
             : !shared_place(w, u, &c->src, u->b, lane, taken, TENSOR_UNIT, &o.from, &o.src))
        return false;
    if (!completion(w, u, c, lane, &o))
        return false;
    o.box  = xmalloc(sizeof box);
    *o.box = box;
    return start(w, u, c, lane, &o);
}

const Uop *ctl_bulk_tensor(Warp *w, const Uop *u)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!issue_tensor(w, u, u->ptr, (unsigned)__builtin_ctz(m)))
            return STOP;
    return u + 1;
}

/* ---- registers ---- */

static bool issue_registers(Warp *w, const Uop *u, const BulkInfo *c, unsigned lane)
{
    unsigned bytes = c->dst.bytes;
    BulkOp o = {.warp = w, .uop = u, .lane = lane, .kind = BULK_REGISTERS, .reduction = c->reduction, .has_read = true};
    o.bytes  = bytes * c->nvalues;
    if (!shared_place(w, u, &c->dst, u->a, lane, o.bytes, o.bytes, &o.to, &o.dst) || !completion(w, u, c, lane, &o))
        return false;
    o.data = xmalloc(o.bytes);
    for (unsigned i = 0; i < c->nvalues; i++)
        memcpy(o.data + (size_t)i * bytes, w->r + c->value[i] + (size_t)lane * bytes, bytes);
    return start(w, u, c, lane, &o);
}

const Uop *ctl_bulk_registers(Warp *w, const Uop *u)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!issue_registers(w, u, u->ptr, (unsigned)__builtin_ctz(m)))
            return STOP;
    return u + 1;
}
