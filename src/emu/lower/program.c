/* SPDX-License-Identifier: Apache-2.0
 *
 * From a kernel's name to runnable code: which functions it reaches, where registers, parameters, shared and local variables lie,
 * then the lowering of each function.
 *
 * Shared variables get offsets in the order in which the code first names them; extern arrays share the offset behind the last. */
#include "emu/core/program.h"

#include <stdlib.h>
#include <string.h>

#include "emu/core/layout.h"
#include "emu/core/run.h"
#include "ptx/merge.h"
#include "ptx/sinks.h"
#include "ptx/traits.h"

/* ---- reachable functions and shared variables ---- */

typedef struct Builder {
    Program   *p;
    EmuModule *em;
    uint32_t   code_cap, shared_cap;
    uint32_t   shared_top;
    bool       extern_shared;
    uint32_t   extern_align;
} Builder;

static void add_function(Builder *b, const Func *f)
{
    Program *p = b->p;
    if (f->alias_of)
        f = f->alias_of;
    if (!f->has_body || layout_code(p, f))
        return;
    if (p->ncode == b->code_cap) {
        b->code_cap = b->code_cap ? b->code_cap * 2 : 8;
        p->code     = xrealloc(p->code, b->code_cap * sizeof *p->code);
    }
    Code *c              = ARENA_NEW(p->arena, Code);
    c->func              = f;
    c->index             = p->ncode;
    p->code_of[f->index] = c;
    p->code[p->ncode++]  = c;
}

static bool is_dynamic(const Var *v)
{
    return v->bytes == 0;
}

static void add_shared(Builder *b, const Var *v)
{
    Program *p = b->p;
    if (layout_shared(p, v) != UINT32_MAX)
        return;
    if (p->nshared == b->shared_cap) {
        b->shared_cap    = b->shared_cap ? b->shared_cap * 2 : 8;
        p->shared_var    = xrealloc(p->shared_var, b->shared_cap * sizeof *p->shared_var);
        p->shared_offset = xrealloc(p->shared_offset, b->shared_cap * sizeof *p->shared_offset);
    }
    p->shared_var[p->nshared]      = v;
    p->shared_offset[p->nshared++] = 0; /* place_shared */
}

static void scan_operand(Builder *b, const Operand *o)
{
    if (o->kind == OPD_VAR && o->var->space == SPACE_SHARED)
        add_shared(b, o->var);
    else if (o->kind == OPD_FUNC && !o->func->entry) /* the address of a kernel is for launching it */
        add_function(b, o->func);
    else if (o->kind == OPD_MEM)
        for (unsigned i = 0; i < (o->count ? o->count : 1); i++)
            scan_operand(b, &o->elem[i]);
    else if (o->kind == OPD_VECTOR || o->kind == OPD_LIST || o->kind == OPD_PAIR)
        for (unsigned i = 0; i < o->count; i++)
            scan_operand(b, &o->elem[i]);
}

/* A call through a register can reach every function whose address is taken anywhere: we take all with a body. */
static void add_all_functions(Builder *b)
{
    const Module *m = b->em->ptx;
    for (size_t i = 0; i < m->nfuncs; i++)
        if (!m->funcs[i]->entry)
            add_function(b, m->funcs[i]);
}

static void scan_function(Builder *b, Code *c)
{
    const Func *f = c->func;
    for (size_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        for (unsigned o = 0; o < in->nopd; o++)
            scan_operand(b, &in->opd[o]);
        if (op_is(in, TRAIT_CALL) && in->nopd > 1 && in->opd[1].kind == OPD_REG) {
            c->calls_indirect = true;
            add_all_functions(b);
        }
        if (op_is(in, TRAIT_STACK))
            c->uses_alloca = true;
    }
}

/* Moves v, if the program has it, to the others that have their order, which are `n`. */
static uint32_t order_next(Program *p, uint32_t n, const Var *v)
{
    for (uint32_t i = n; i < p->nshared; i++)
        if (p->shared_var[i] == v) {
            p->shared_var[i] = p->shared_var[n];
            p->shared_var[n] = v;
            return n + 1;
        }
    return n;
}

/* Variables that are used lie as the assembler has them: the kernel's own as they are declared, then the module's. */
static void order_shared(const Module *m, Program *p)
{
    uint32_t n = 0;
    for (size_t i = 0; i < p->kernel->nvars && n < p->nshared; i++)
        n = order_next(p, n, p->kernel->vars[i]);
    for (size_t i = 0; i < m->nvars && n < p->nshared; i++)
        n = order_next(p, n, m->vars[i]);
}

static void place_shared(Builder *b)
{
    Program *p = b->p;
    order_shared(b->em->ptx, p);
    for (uint32_t i = 0; i < p->nshared; i++) {
        const Var *v     = p->shared_var[i];
        uint32_t   align = v->align ? v->align : 1;
        if (is_dynamic(v)) {
            b->extern_shared = true;
            b->extern_align  = align > b->extern_align ? align : b->extern_align;
            continue;
        }
        p->shared_offset[i] = (b->shared_top + align - 1) & -align;
        b->shared_top       = layout_end(p->shared_offset[i], v->bytes);
    }
    uint32_t align   = b->extern_align > 16 ? b->extern_align : 16;
    p->static_shared = b->shared_top - SHARED_RESERVED;
    p->dynamic_base  = b->extern_shared ? (b->shared_top + align - 1) & -align : b->shared_top;
    for (uint32_t i = 0; i < p->nshared; i++)
        if (is_dynamic(p->shared_var[i]))
            p->shared_offset[i] = p->dynamic_base;
}

/* ---- local memory of the deepest call path ---- */

typedef struct Depth { /* of a function */
    enum { NEW, ON_PATH, DONE } state;
    uint32_t               bytes; /* of the deepest path below it; when done, its own too */
    const struct CallEdge *next;  /* on the path: the call that comes next */
} Depth;

static Depth step_into(Program *p, const Code *c)
{
    p->recursive |= c->calls_indirect || c->uses_alloca;
    return (Depth){ON_PATH, 0, c->calls};
}

/* Calls may be nested as deep as there are functions, so the path is a list and not the processor's stack. */
static uint32_t deepest(Program *p)
{
    Depth *d    = xcalloc(p->ncode, sizeof *d);
    Code **path = xcalloc(p->ncode, sizeof(Code *));
    size_t n    = 1;
    path[0]     = p->code[0];
    d[0]        = step_into(p, path[0]);
    while (n) {
        Code                  *c     = path[n - 1];
        Depth                 *own   = &d[c->index];
        const struct CallEdge *e     = own->next;
        uint32_t               below = 0;
        if (!e) {
            own->bytes = below = layout_end(c->local_bytes, own->bytes);
            own->state         = DONE;
            n--;
            own = n ? &d[path[n - 1]->index] : own;
        } else {
            own->next    = e->next;
            Depth *other = &d[e->callee->index];
            p->recursive |= other->state == ON_PATH;
            below = other->state == DONE ? other->bytes : 0;
            if (other->state == NEW) {
                *other    = step_into(p, e->callee);
                path[n++] = e->callee;
            }
        }
        own->bytes = below > own->bytes ? below : own->bytes;
    }
    uint32_t bytes = d[0].bytes;
    free(path);
    free(d);
    return bytes;
}

/* ---- programs ---- */

static uint32_t shared_at(const void *p, const Var *v)
{
    return layout_shared(p, v);
}

static int by_block(const void *pa, const void *pb)
{
    const Sink *a = pa, *b = pb;
    return a->block != b->block ? (a->block < b->block ? -1 : 1) : (a->instr > b->instr) - (a->instr < b->instr);
}

/* Loads that are told of elsewhere: those that stay what they are, of spaces of which somebody wants it. */
static void plan_sinks(Program *p, Code *c, uint32_t *merge)
{
    uint32_t    n;
    Arena      *tmp = arena_new();
    bool        any = (p->wants[ACCESS_GLOBAL] | p->wants[ACCESS_SHARED]) >> ACCESS_SUNK & 1;
    const Sink *all = any ? ptx_sinks(tmp, c->func, c->cfg, &n) : NULL;
    Sink       *own = any ? ARENA_ARRAY(p->arena, Sink, n + 1) : NULL;
    for (uint32_t i = 0; any && i < n; i++)
        if (!(merge[all[i].instr] & ~(uint32_t)MERGE_READ)) {
            merge[all[i].instr] |= MERGE_SINKS;
            own[c->nsinks++] = all[i];
        }
    if (c->nsinks)
        qsort(own, c->nsinks, sizeof *own, by_block);
    c->sink = own;
    arena_free(tmp);
}

/* graphs: where those of the functions lie. */
static void number_instructions(Program *p, Arena *graphs)
{
    for (uint32_t i = 0; i < p->ncode; i++) {
        p->code[i]->instr_base = p->ninstr;
        p->ninstr += (uint32_t)p->code[i]->func->ninstrs;
    }
    if (p->ninstr == 0)
        p->ninstr = 1;
    p->instr = ARENA_ARRAY(p->arena, EmuInstr, p->ninstr);
    for (uint32_t i = 0; i < p->ncode; i++) {
        const Func *f     = p->code[i]->func;
        EmuInstr   *at    = p->instr + p->code[i]->instr_base;
        uint32_t   *merge = xcalloc(f->ninstrs + 1, sizeof *merge);
        p->code[i]->cfg   = cfg_build(graphs, f);
        merge_plan(f, p->code[i]->cfg, shared_at, p, merge);
        plan_sinks(p, p->code[i], merge);
        for (size_t j = 0; j < f->ninstrs; j++)
            at[j] = (EmuInstr){.func = f, .in = &f->instrs[j], .merges = merge[j]};
        free(merge);
    }
}

static Program *build(EmuModule *em, const Func *kernel, const uint8_t *wants, bool clustered)
{
    Program *p   = xcalloc(1, sizeof *p);
    p->arena     = arena_new();
    p->kernel    = kernel;
    p->clustered = clustered;
    p->code_of   = xcalloc(em->ptx->nfuncs + 1, sizeof(Code *));
    memcpy(p->wants, wants, sizeof p->wants);
    Builder b = {.p = p, .em = em, .shared_top = SHARED_RESERVED};
    add_function(&b, kernel);
    for (uint32_t i = 0; i < p->ncode; i++)
        scan_function(&b, p->code[i]);
    place_shared(&b);
    Arena *graphs = arena_new();
    number_instructions(p, graphs);
    for (uint32_t i = 0; i < p->ncode; i++)
        layout_function(p, p->code[i]);
    for (uint32_t i = 0; i < p->ncode; i++)
        lower_function(em, p, p->code[i]);
    for (uint32_t i = 0; i < p->ncode; i++)
        p->code[i]->cfg = NULL;
    arena_free(graphs);
    p->local_bytes = deepest(p);
    return p;
}

void program_free(Program *p)
{
    free(p->code);
    free(p->code_of);
    free(p->shared_var);
    free(p->shared_offset);
    arena_free(p->arena);
    free(p);
}

Program *program_get(EmuModule *em, const Func *kernel, const uint8_t wants[ACCESS_SPACES], bool clustered)
{
    for (Program *p = em->programs; p; p = p->next)
        if (p->kernel == kernel && p->clustered == clustered && memcmp(p->wants, wants, sizeof p->wants) == 0)
            return p;
    Program *p   = build(em, kernel, wants, clustered);
    p->next      = em->programs;
    em->programs = p;
    return p;
}
