/* SPDX-License-Identifier: Apache-2.0
 *
 * Where things lie: a kernel's parameters in their block, a function's registers in its frame, its parameter buffers and local variables,
 * a program's shared variables.  Lowering asks, and whoever passes or follows values while the kernel runs. */
#include "emu/core/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/stress.h"
#include "ptx/lifetime.h"
#include "ptx/sinks.h"

uint32_t emu_param(const Func *kernel, size_t i, uint32_t *offset, uint32_t *bytes)
{
    uint64_t at = 0;
    for (size_t j = 0; j < kernel->nparams; j++) {
        const Var *v     = &kernel->params[j];
        uint64_t   align = v->align ? v->align : 1;
        at               = (at + align - 1) & -align;
        if (j == i) {
            *offset = (uint32_t)at;
            *bytes  = (uint32_t)v->bytes;
        }
        at += v->bytes;
    }
    return (uint32_t)at;
}

void emu_arguments(const Func *kernel, const void *params, void **args)
{
    for (size_t i = 0; i < kernel->nparams; i++) {
        uint32_t at, bytes;
        emu_param(kernel, i, &at, &bytes);
        args[i] = (uint8_t *)(uintptr_t)params + at;
    }
}

Code *layout_code(const Program *p, const Func *f)
{
    return p->code_of[(f->alias_of ? f->alias_of : f)->index];
}

uint32_t layout_shared(const Program *p, const Var *v)
{
    for (uint32_t i = 0; i < p->nshared; i++)
        if (p->shared_var[i] == v)
            return p->shared_offset[i];
    return UINT32_MAX;
}

/* ---- one function ---- */

uint32_t layout_end(uint32_t at, uint64_t bytes)
{
    return bytes < LAYOUT_MOST - at ? at + (uint32_t)bytes : LAYOUT_MOST;
}

/* Gives v the next place in a memory that is filled up to at; returns its end. */
static uint32_t placed(Code *c, uint32_t at, const Var *v)
{
    uint32_t align         = v->align ? v->align : 1;
    at                     = (at + align - 1) & -align;
    c->place[c->nplaces++] = (VarPlace){v, at};
    return layout_end(at, v->bytes);
}

/* Parameter buffers: results, parameters (functions only), then every .param variable of the body. */
static uint32_t place_pbuf(Code *c, const Func *f)
{
    uint32_t at     = 0;
    size_t   nparam = f->entry ? 0 : f->nparams, total = f->nrets + nparam + f->nvars;
    for (size_t i = 0; i < total; i++) {
        const Var *v = i < f->nrets            ? &f->rets[i]
                       : i < f->nrets + nparam ? &f->params[i - f->nrets]
                                               : f->vars[i - f->nrets - nparam];
        if (v->space == SPACE_PARAM)
            at = placed(c, at, v);
    }
    return at;
}

static uint32_t place_local(Code *c, const Func *f)
{
    uint32_t at = 0;
    for (size_t i = 0; i < f->nvars; i++)
        if (f->vars[i]->space == SPACE_LOCAL)
            at = placed(c, at, f->vars[i]);
    return at;
}

static int by_variable(const void *a, const void *b)
{
    const VarPlace *x = a, *y = b;
    return (uintptr_t)x->var < (uintptr_t)y->var ? -1 : (uintptr_t)x->var > (uintptr_t)y->var;
}

uint32_t layout_variable(const Code *code, const Var *v)
{
    const VarPlace  key = {.var = v};
    const VarPlace *p   = code->nplaces ? bsearch(&key, code->place, code->nplaces, sizeof key, by_variable) : NULL;
    return p ? p->at : UINT32_MAX;
}

Slot layout_register(const Code *code, const Operand *o)
{
    Slot s = code->reg_slot[o->reg->index];
    if (o->reg->vec && o->part > 0)
        s += (uint32_t)o->part * ((type_bytes(o->reg->type) * LANES + 63) & ~63u);
    return s;
}

static uint32_t lane_bytes(const Reg *r)
{
    uint32_t bytes = type_bytes(r->type);
    return bytes ? bytes : 4;
}

static uint32_t slot_bytes(const Reg *r)
{
    return (lane_bytes(r) * LANES + 63) / 64 * 64 * (r->vec ? r->vec : 1);
}

void layout_lines(Code *c, Slot slot, unsigned bytes, unsigned n)
{
    unsigned lines = (bytes * LANES + 63) / 64;
    if (!bytes)
        c->line[slot / 64] = (FrameLine){0, 0};
    for (unsigned i = 0; i < n * lines; i++)
        c->line[slot / 64 + i] = (FrameLine){(uint8_t)bytes, (uint8_t)(i % lines * 64 / bytes)};
}

void layout_more_lines(Program *p, Code *c, uint32_t from, uint32_t to)
{
    FrameLine *line = ARENA_ARRAY(p->arena, FrameLine, to / 64 + 1);
    if (from)
        memcpy(line, c->line, from / 64 * sizeof *line);
    for (uint32_t i = from / 64; i < to / 64; i++)
        line[i] = (FrameLine){LINE_APART, 0};
    c->line = line;
}

/* ---- registers that share slots ---- */

enum {
    SIZES = 8, /* of slots, in powers of two times 64 bytes */
    SHARE_FROM =
        STRESSED(NATIVE_UOPS, 0) /* instructions: native code knows more of a register that has its slot alone */
};

typedef struct Pool { /* slots of one size */
    Slot    *free;
    uint32_t n;
} Pool;

/* Brief registers of one slot size have lanes of one size. */
static unsigned size_of(const Reg *r)
{
    return (unsigned)__builtin_ctz(slot_bytes(r) / 64);
}

/* Brief registers take the slots of dead ones with lanes of the same size.  Groups of a warp's lanes may be at different places in a block, but an instruction
 * writes the executing lanes alone: of what shares a slot no two are alive in one lane.  Returns the end of the slots. */
static uint32_t share_slots(const Lifetime *life, Arena *tmp, Code *c, uint32_t top)
{
    const Func *f           = c->func;
    Pool        pool[SIZES] = {0};
    uint32_t   *next        = ARENA_ARRAY(tmp, uint32_t, f->nregs + 1); /* registers of one list, plus 1 */
    uint32_t   *begin = ARENA_ARRAY(tmp, uint32_t, f->ninstrs + 1), *end = ARENA_ARRAY(tmp, uint32_t, f->ninstrs + 1);
    uint32_t   *next_to_end = ARENA_ARRAY(tmp, uint32_t, f->nregs + 1);
    for (unsigned s = 0; s < SIZES; s++)
        pool[s].free = ARENA_ARRAY(tmp, Slot, f->nregs + 1);
    for (uint32_t r = 0; r < f->nregs; r++)
        if (life[r].brief) {
            next[r]              = begin[life[r].first];
            begin[life[r].first] = r + 1;
            next_to_end[r]       = end[life[r].last];
            end[life[r].last]    = r + 1;
        }
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        for (uint32_t r = begin[i]; r--; r = next[r]) {
            Pool *q = &pool[size_of(f->regs[r])];
            if (!q->n) {
                q->free[q->n++] = top;
                top += slot_bytes(f->regs[r]);
            }
            c->reg_slot[r] = q->free[--q->n];
        }
        for (uint32_t r = end[i]; r--;
             r          = next_to_end[r]) { /* behind it: the instruction may write one result before it has read all */
            Pool *q         = &pool[size_of(f->regs[r])];
            q->free[q->n++] = c->reg_slot[r];
        }
    }
    return top;
}

/* ---- all of it ---- */

void layout_function(Program *p, Code *c)
{
    const Func *f     = c->func;
    Arena      *tmp   = arena_new();
    bool        share = f->ninstrs > SHARE_FROM;
    Lifetime   *life  = ptx_lifetimes(tmp, f, share ? c->cfg : NULL);
    for (uint32_t i = 0; i < c->nsinks; i++) /* it is asked for its address once more, in another block */
        life[f->instrs[c->sink[i].instr].opd[1].elem[0].reg->index].brief = false;
    uint32_t top = 0, pred = 0, pred_left = 0;
    c->reg_slot = ARENA_ARRAY(p->arena, Slot, f->nregs);
    for (size_t i = 0; i < f->nregs; i++) {
        const Reg *r = f->regs[i];
        if (life[i].brief || (!life[i].used && r->type != TY_PRED))
            continue;
        if (r->type == TY_PRED) {
            if (pred_left == 0) {
                pred      = top;
                pred_left = 16;
                top += 64;
            }
            c->reg_slot[i] = pred;
            pred += 4;
            pred_left--;
        } else {
            c->reg_slot[i] = top;
            top += slot_bytes(r);
        }
    }
    top = share ? share_slots(life, tmp, c, top) : top;
    layout_more_lines(p, c, 0, top);
    for (size_t i = 0; i < f->nregs; i++) {
        const Reg *r = f->regs[i];
        if (life[i].used || r->type == TY_PRED)
            layout_lines(c, c->reg_slot[i], r->type == TY_PRED ? 0 : lane_bytes(r), r->vec ? r->vec : 1);
    }
    arena_free(tmp);
    c->place       = ARENA_ARRAY(p->arena, VarPlace, f->nrets + f->nparams + f->nvars + 1);
    c->pbuf_stride = (place_pbuf(c, f) + 15) & ~15u;
    c->pbuf        = top;
    c->first_free  = top + ((c->pbuf_stride * LANES + 63) & ~63u);
    c->local_bytes = (place_local(c, f) + 15) & ~15u;
    qsort(c->place, c->nplaces, sizeof *c->place, by_variable);
}
