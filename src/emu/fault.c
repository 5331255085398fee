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
    Worker *k  = w->worker;
    k->fault   = (Fault){.kind = kind, .instr = u ? u->instr : UINT32_MAX, .lanes = lanes};
    k->faulted = true;
    k->event   = EVENT_FAULT;
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

static void explain_shared(const Warp *w, uint64_t address, uint64_t bytes, Fault *f, const char *what)
{
    const Launch  *l         = w->block->launch;
    const char    *verb_text = what;
    const Program *p         = l->prog;
    const Var     *best      = NULL;
    uint64_t       best_at   = 0;
    for (uint32_t i = 0; i < p->nshared; i++)
        if (p->shared_offset[i] <= address && (!best || p->shared_offset[i] >= best_at)) {
            best    = p->shared_var[i];
            best_at = p->shared_offset[i];
        }
    if (address < SHARED_RESERVED)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at offset %" PRIu64 ", before the block's first variable", bytes,
                 verb_text, address);
    else if (best)
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s %" PRIu64 " bytes from the start of '%s' (%" PRIu64
                 " bytes), outside the block's %u bytes of shared memory",
                 bytes, verb_text, address - best_at, best->name, best->bytes, w->shared_bytes - SHARED_RESERVED);
    else
        snprintf(f->text, sizeof f->text,
                 "%" PRIu64 "-byte shared %s at offset %" PRIu64 " of the block's %u bytes of shared memory", bytes,
                 verb_text, address - SHARED_RESERVED, w->shared_bytes - SHARED_RESERVED);
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
