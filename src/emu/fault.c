/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults: what went wrong, at which instruction, in which block and thread, in one sentence with the nearest allocation.
 * A fault ends its block; launch.c keeps the fault of the lowest block so that the report does not depend on threads. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "emu/run.h"

static void fill_place(Fault *f, const Warp *w, unsigned lane)
{
    const Launch *l = w->block->launch;
    uint32_t      t = w->index * LANES + lane;
    for (int i = 0; i < 3; i++)
        f->block[i] = w->block->id[i];
    f->thread[0] = t % l->block[0];
    f->thread[1] = t / l->block[0] % l->block[1];
    f->thread[2] = t / (l->block[0] * l->block[1]);
}

static Fault *begin(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes)
{
    Worker *k      = w->worker;
    k->fault       = (Fault){.kind = kind, .instr = u ? u->instr : UINT32_MAX, .lanes = lanes};
    k->faulted     = true;
    k->fault_order = w->block->order;
    k->event       = EVENT_FAULT;
    fill_place(&k->fault, w, lane);
    return &k->fault;
}

const Uop *fault_raise(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, const char *fmt, ...)
{
    Fault  *f = begin(w, u, kind, lane, lanes);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
    va_end(ap);
    return STOP;
}

static const char *verb(AccessOp op)
{
    static const char *const names[] = {"read", "write", "atomic access", "atomic update", "read", "write", "copy"};
    return names[op];
}

/* The last shared variable that begins at or before the offset; NULL: none does. */
static const Var *shared_variable(const Warp *w, uint64_t offset, uint64_t *at)
{
    const Program *p    = w->block->launch->prog;
    const Var     *best = NULL;
    for (uint32_t i = 0; i < p->nshared; i++)
        if (p->shared_offset[i] <= offset && (!best || p->shared_offset[i] >= *at)) {
            best = p->shared_var[i];
            *at  = p->shared_offset[i];
        }
    return best;
}

void fault_shared_name(const Warp *w, uint32_t offset, Str *out)
{
    uint64_t   at;
    const Var *v = shared_variable(w, offset, &at);
    if (v && offset > at)
        str_printf(out, "'%s' + %" PRIu64, v->name, offset - at);
    else if (v)
        str_printf(out, "'%s'", v->name);
    else
        str_printf(out, "at offset %u of dynamic shared memory", offset - SHARED_RESERVED);
}

/* The address lies in another block's window, or in none's; false: in the block's own. */
static bool explain_cluster(const Warp *w, uint64_t address, uint64_t bytes, Fault *f, const char *what)
{
    const Cluster *c    = w->block->cluster;
    uint64_t       rank = address >> CLUSTER_SHIFT, offset = address & CLUSTER_OFFSET;
    if (rank == w->block->rank || c->n == 1)
        return false;
    if (rank >= c->n)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at 0x%" PRIx64 ", in no block's shared memory: the cluster has %u blocks",
                 bytes, what, address, c->n);
    else if (c->block[rank]->ended)
        snprintf(
            f->text, sizeof f->text,
            "%" PRIu64
            "-byte shared %s in block (%u,%u,%u) of the cluster, which has exited: its shared memory exists no more",
            bytes, what, c->block[rank]->id[0], c->block[rank]->id[1], c->block[rank]->id[2]);
    else if (offset < SHARED_RESERVED || offset + bytes > w->shared_bytes)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at offset %" PRIu64 " of block %" PRIu64
                 " of the cluster, outside its %u bytes of shared memory",
                 bytes, what, offset - SHARED_RESERVED, rank, w->shared_bytes - SHARED_RESERVED);
    else {
        f->kind = FAULT_WRONG_SPACE;
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s of an address in the shared memory of block %" PRIu64
                 " of the cluster, which only .shared::cluster and generic accesses reach",
                 bytes, what, rank);
    }
    return true;
}

static void explain_shared(const Warp *w, uint64_t address, uint64_t bytes, Fault *f, const char *what)
{
    uint64_t best_at = 0;
    if (explain_cluster(w, address, bytes, f, what))
        return;
    if (w->block->cluster->n > 1)
        address &= CLUSTER_OFFSET;
    const Var *best = shared_variable(w, address, &best_at);
    if (address < SHARED_RESERVED)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at offset %" PRIu64 ", before the block's first variable", bytes, what,
                 address);
    else if (best)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s %" PRIu64 " bytes from the start of '%s' (%" PRIu64
                 " bytes), outside the block's %u bytes of shared memory",
                 bytes, what, address - best_at, best->name, best->bytes, w->shared_bytes - SHARED_RESERVED);
    else
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at offset %" PRIu64 " of the block's %u bytes of shared memory", bytes,
                 what, address - SHARED_RESERVED, w->shared_bytes - SHARED_RESERVED);
}

static void explain_global(Warp *w, uint64_t address, uint64_t bytes, AccessOp op, Fault *f)
{
    Memory *m = &w->block->launch->dev->mem;
    char    where[300];
    if (address < 65536) {
        f->kind = FAULT_NULL_ACCESS;
        snprintf(f->text, sizeof f->text, "%" PRIu64 "-byte global %s through a null pointer (address 0x%" PRIx64 ")",
                 bytes, verb(op), address);
        return;
    }
    if (address - SHARED_WINDOW < WINDOW_BYTES || address - LOCAL_WINDOW < WINDOW_BYTES) {
        f->kind = FAULT_WRONG_SPACE;
        snprintf(f->text, sizeof f->text, "%" PRIu64 "-byte global %s of a generic address that points into %s memory",
                 bytes, verb(op), address - SHARED_WINDOW < WINDOW_BYTES ? "shared" : "local");
        return;
    }
    if (address < m->base || address >= m->base + m->size) {
        f->kind = FAULT_HOST_POINTER;
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte global %s at 0x%" PRIx64 ", which is no device memory (a host pointer?)", bytes,
                 verb(op), address);
        return;
    }
    if (memory_was_freed(m, address))
        f->kind = FAULT_USE_AFTER_FREE;
    memory_explain(m, address, bytes, where, sizeof where);
    snprintf(f->text, sizeof f->text, "%" PRIu64 "-byte global %s, %s", bytes, verb(op), where);
}

void fault_slack(Warp *w, const Uop *u, unsigned lane, uint64_t address, uint64_t bytes, AccessOp op)
{
    Worker *k = w->worker;
    if (k->nslack++ && k->slack_block <= w->block->index)
        return;
    k->slack_block = w->block->index;
    k->slack       = (Fault){.kind    = FAULT_OUT_OF_BOUNDS,
                             .instr   = u->instr,
                             .lanes   = UINT32_C(1) << lane,
                             .address = address,
                             .bytes   = bytes,
                             .space   = SPACE_GLOBAL};
    fill_place(&k->slack, w, lane);
    explain_global(w, address, bytes, op, &k->slack);
}

const Uop *fault_bulk(Warp *w, const Uop *u, Space space, unsigned lane, uint64_t address, uint64_t bytes)
{
    Fault *f   = begin(w, u, FAULT_OUT_OF_BOUNDS, lane, UINT32_C(1) << lane);
    f->address = address;
    f->bytes   = bytes;
    f->space   = space;
    if (space == SPACE_SHARED)
        explain_shared(w, address, bytes, f, verb(ACCESS_COPY));
    else
        explain_global(w, address, bytes, ACCESS_COPY, f);
    return STOP;
}

const Uop *fault_access(Warp *w, const Uop *u, Space space, unsigned lane, uint32_t lanes, uint64_t address,
                        uint64_t bytes, AccessOp op)
{
    Fault *f         = begin(w, u, FAULT_OUT_OF_BOUNDS, lane, lanes);
    f->address       = address;
    f->bytes         = bytes;
    f->space         = space;
    uint64_t element = bytes;
    if (address & (element - 1)) {
        f->kind = FAULT_MISALIGNED;
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte %s %s at an address that is %" PRIu64 " past a multiple of %" PRIu64, bytes,
                 space_text(space), verb(op), address & (element - 1), element);
    } else if (space == SPACE_SHARED) {
        explain_shared(w, address, bytes, f, verb(op));
    } else if (space == SPACE_LOCAL) {
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte local %s at offset %" PRIu64 " of the thread's %u bytes of local memory", bytes,
                 verb(op), address, w->local_bytes);
    } else {
        explain_global(w, address, bytes, op, f);
    }
    return STOP;
}
