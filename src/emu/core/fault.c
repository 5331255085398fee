/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults: what went wrong, at which instruction, in which block and thread, in one sentence with the nearest allocation.
 * A fault ends its block; launch.c keeps the fault of the lowest block so that the report does not depend on threads.
 *
 * With EmuLaunch.go_on a load, store, atomic or free that faults is kept instead, one entry for each instruction and kind, and the
 * instruction runs again without the lane (fault_others).  A block may do so PATIENCE times; then the fault ends it after all. */
#include "emu/core/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "emu/core/run.h"
#include "ptx/traits.h"

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

/* ---- faults that are kept ---- */

enum { PATIENCE = 1 << 16 };

static bool may_go_on(const Warp *w, const Uop *u)
{
    return w->block->launch->ask->go_on && u && w->worker->skipped < PATIENCE;
}

static bool may_skip(const Warp *w, const Uop *u, FaultKind kind)
{
    return may_go_on(w, u) && kind <= FAULT_WRITE_TO_CONSTANT &&
           op_is(w->block->launch->prog->instr[u->instr].in, TRAIT_LANEWISE);
}

/* The entry to fill in with the fault of this block, counted; NULL: what is there stays. */
static Fault *keep(Worker *k, uint64_t block, uint32_t instr, FaultKind kind, bool done, uint64_t count)
{
    KeptFault *f = k->kept;
    for (size_t i = 0; i < k->nkept; i++, f++)
        if (f->fault.instr == instr && f->kind == kind && f->done == done) {
            f->count += count;
            if (f->block <= block)
                return NULL;
            f->block = block;
            return &f->fault;
        }
    k->kept             = xrealloc(k->kept, (k->nkept + 1) * sizeof *k->kept);
    k->kept[k->nkept++] = (KeptFault){.kind = kind, .block = block, .count = count, .done = done};
    return &k->kept[k->nkept - 1].fault;
}

/* NULL: it is told already. */
static Fault *kept(Warp *w, const Uop *u, FaultKind kind, unsigned lane)
{
    Fault *f = keep(w->worker, w->block->index, u->instr, kind, false, 1);
    w->worker->skipped++;
    if (f) {
        *f = (Fault){.kind = kind, .instr = u->instr, .lanes = UINT32_C(1) << lane};
        fill_place(f, w, lane);
    }
    return f;
}

/* What to describe a fault in: an entry of those that are kept if it may be one, else the block's end; NULL: that is told already. */
static Fault *kept_or_begun(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes)
{
    if (!may_skip(w, u, kind))
        return begin(w, u, kind, lane, lanes);
    w->worker->skip = UINT32_C(1) << lane;
    return kept(w, u, kind, lane);
}

const Uop *fault_others(Warp *w, const Uop *u)
{
    uint32_t mask = w->mask, skip = w->worker->skip;
    if (!skip)
        return STOP;
    w->worker->skip = 0;
    w->mask         = mask & ~skip;
    const Uop *next = w->mask ? u->fn(w, u) : u + 1;
    w->mask         = mask;
    return next;
}

void fault_join(EmuResult *r, Worker *k)
{
    Worker all = {.kept = r->kept, .nkept = r->nkept};
    for (size_t i = 0; i < k->nkept; i++) {
        const KeptFault *f  = &k->kept[i];
        Fault           *to = keep(&all, f->block, f->fault.instr, f->kind, f->done, f->count);
        if (to)
            *to = f->fault;
    }
    r->kept  = all.kept;
    r->nkept = all.nkept;
    free(k->kept);
}

const Uop *fault_raise(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, const char *fmt, ...)
{
    Fault  *f = kept_or_begun(w, u, kind, lane, lanes);
    va_list ap;
    if (!f)
        return STOP;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
    va_end(ap);
    return STOP;
}

bool fault_of_lane(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, const char *fmt, ...)
{
    bool    goes_on = may_go_on(w, u);
    Fault  *f       = goes_on ? kept(w, u, kind, lane) : begin(w, u, kind, lane, lanes);
    va_list ap;
    if (!f)
        return true;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
    va_end(ap);
    return goes_on;
}

const Uop *fault_at(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, uint64_t address,
                    uint64_t bytes, const char *fmt, ...)
{
    Fault  *f = kept_or_begun(w, u, kind, lane, lanes);
    va_list ap;
    if (!f)
        return STOP;
    f->address = address;
    f->bytes   = bytes;
    f->space   = SPACE_GLOBAL;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
    va_end(ap);
    return STOP;
}

/* ---- what an address is ---- */

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
    uint64_t    at;
    size_t      n;
    const Var  *v    = shared_variable(w, offset, &at);
    const char *name = v ? mangled_variable(v->name, &n) : NULL;
    if (v && offset > at)
        str_printf(out, "'%.*s' + %" PRIu64, (int)n, name, offset - at);
    else if (v)
        str_printf(out, "'%.*s'", (int)n, name);
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
    const Var  *best = shared_variable(w, address, &best_at);
    size_t      len  = 0;
    const char *name = best ? mangled_variable(best->name, &len) : "";
    if (address < SHARED_RESERVED)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at offset %" PRIu64 ", before the block's first variable", bytes, what,
                 address);
    else if (best)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s %" PRIu64 " bytes from the start of '%.*s' (%" PRIu64
                 " bytes), outside the block's %u bytes of shared memory",
                 bytes, what, address - best_at, (int)len, name, best->bytes ? best->bytes : w->shared_bytes - best_at,
                 w->shared_bytes - SHARED_RESERVED);
    else
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at offset %" PRIu64 " of the block's %u bytes of shared memory", bytes,
                 what, address - SHARED_RESERVED, w->shared_bytes - SHARED_RESERVED);
}

static FaultKind kind_of_global(Memory *m, uint64_t address)
{
    if (address < 65536)
        return FAULT_NULL_ACCESS;
    if (memory_window(m, address) || address - SHARED_WINDOW < WINDOW_BYTES || address - LOCAL_WINDOW < WINDOW_BYTES)
        return FAULT_WRONG_SPACE;
    if (memory_was_freed(m, address))
        return FAULT_USE_AFTER_FREE;
    if (memory_reserved(m, address))
        return FAULT_OUT_OF_BOUNDS;
    uint64_t base, bytes; /* an index that ran over leads to where nothing is, not so far from an allocation */
    bool     ours = address >= m->base && address < m->base + m->size;
    return ours || (!memory_of_host(address) && memory_nearest(m, address, &base, &bytes)) ? FAULT_OUT_OF_BOUNDS
                                                                                           : FAULT_HOST_POINTER;
}

static void explain_global(Warp *w, uint64_t address, uint64_t bytes, AccessOp op, Fault *f)
{
    Memory *m = &w->block->launch->dev->mem;
    char    where[300];
    switch (memory_window(m, address) ? FAULT_NONE : f->kind) {
    case FAULT_NULL_ACCESS:
        snprintf(f->text, sizeof f->text, "%" PRIu64 "-byte global %s through a null pointer (address 0x%" PRIx64 ")",
                 bytes, verb(op), address);
        return;
    case FAULT_WRONG_SPACE:
        snprintf(f->text, sizeof f->text, "%" PRIu64 "-byte global %s of a generic address that points into %s memory",
                 bytes, verb(op), address - SHARED_WINDOW < WINDOW_BYTES ? "shared" : "local");
        return;
    case FAULT_HOST_POINTER:
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte global %s at 0x%" PRIx64 ", which is not device memory (a host pointer?)", bytes,
                 verb(op), address);
        return;
    default:
        memory_explain(m, address, bytes, where, sizeof where);
        snprintf(f->text, sizeof f->text, "%" PRIu64 "-byte global %s, %s", bytes, verb(op), where);
    }
}

static void explain_access(Warp *w, Space space, uint64_t address, uint64_t bytes, AccessOp op, Fault *f)
{
    f->address = address;
    f->bytes   = bytes;
    f->space   = space;
    if (f->kind == FAULT_MISALIGNED)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte %s %s at an address that is %" PRIu64 " past a multiple of %" PRIu64, bytes,
                 space_text(space), verb(op), address & (bytes - 1), bytes);
    else if (space == SPACE_SHARED)
        explain_shared(w, address, bytes, f, verb(op));
    else if (space == SPACE_LOCAL)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte local %s at offset %" PRIu64 " of the thread's %u bytes of local memory", bytes,
                 verb(op), address, w->local_bytes);
    else
        explain_global(w, address, bytes, op, f);
}

/* What to describe a fault in that a card lets pass; NULL: that is told already. */
static Fault *passed(Warp *w, const Uop *u, FaultKind kind, unsigned lane)
{
    Fault *f = keep(w->worker, w->block->index, u->instr, kind, true, 1);
    if (f) {
        *f = (Fault){.kind = kind, .instr = u->instr, .lanes = UINT32_C(1) << lane};
        fill_place(f, w, lane);
    }
    return f;
}

void fault_passed(Warp *w, const Uop *u, Space space, unsigned lane, uint64_t address, uint64_t bytes, AccessOp op,
                  const char *why)
{
    Fault *f             = passed(w, u, FAULT_OUT_OF_BOUNDS, lane);
    w->worker->described = f;
    if (!f)
        return;
    explain_access(w, space, address, bytes, op, f);
    size_t n = strlen(f->text);
    snprintf(f->text + n, sizeof f->text - n, "; %s", why);
}

void fault_let_pass(Warp *w, const Uop *u, FaultKind kind, unsigned lane, const char *text)
{
    Fault *f = passed(w, u, kind, lane);
    if (f)
        snprintf(f->text, sizeof f->text, "%s", text);
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
    FaultKind kind       = address & (bytes - 1) ? FAULT_MISALIGNED
                           : space == SPACE_SHARED || space == SPACE_LOCAL
                               ? FAULT_OUT_OF_BOUNDS
                               : kind_of_global(&w->block->launch->dev->mem, address);
    Fault    *f          = kept_or_begun(w, u, kind, lane, lanes);
    w->worker->described = f;
    if (f)
        explain_access(w, space, address, bytes, op, f);
    return STOP;
}

/* ---- all lanes of it, for a picture ---- */

static bool is_bad(Warp *w, const Fault *f, uint64_t at)
{
    Alloc        tmp;
    const Alloc *a;
    if (at & (f->bytes - 1))
        return true;
    switch (f->space) {
    case SPACE_SHARED:
        at &= w->block->cluster->n > 1 ? CLUSTER_OFFSET : UINT64_MAX;
        return at < SHARED_RESERVED || at + f->bytes > w->shared_bytes;
    case SPACE_LOCAL: return at > w->local_bytes || at + f->bytes > w->local_bytes;
    default: a = memory_find(&w->block->launch->dev->mem, at, &tmp); return !a || at + f->bytes > a->base + a->bytes;
    }
}

/* What should have been accessed. */
static void find_room(Warp *w, Fault *f)
{
    uint64_t   at = 0;
    const Var *v;
    if (f->kind == FAULT_NULL_ACCESS)
        return;
    if (f->space == SPACE_SHARED && (v = shared_variable(w, f->address & CLUSTER_OFFSET, &at))) {
        f->base = at;
        f->room = v->bytes ? v->bytes : w->shared_bytes - at;
    } else if (f->space == SPACE_LOCAL) {
        f->room = w->local_bytes;
    } else if (f->space == SPACE_GLOBAL) {
        memory_nearest(&w->block->launch->dev->mem, f->address, &f->base, &f->room);
    }
}

void fault_lanes(Warp *w, uint32_t mask, const uint64_t *at, AccessOp op)
{
    Fault *f = w->worker->described;
    if (!f || f->mask)
        return;
    f->mask = mask;
    f->bad  = f->lanes & -f->lanes;
    f->op   = (uint8_t)op;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        f->lane[i] = at[i];
        if (is_bad(w, f, at[i]))
            f->bad |= m & -m;
    }
    find_room(w, f);
}
