/* SPDX-License-Identifier: Apache-2.0
 *
 * From uops to items and segments.  An item says which values its uops read and write.  Rows and plain accesses say it themselves; of other
 * handlers the PTX instruction's registers are known, and temporaries that lowering made for that instruction.
 * A function is left to the interpreter where a slot is used in two widths or overlaps another one, where registers are in use between
 * instructions (ctl.def: NEVER), and where it is large. */
#include "emu/jit/plan.h"

#include <stdlib.h>
#include <string.h>

#include "emu/core/layout.h"
#include "emu/core/run.h"
#include "emu/jit/flow.h"
#include "emu/sync/sync.h"
#include "ptx/registers.h"
#include "ptx/sregs.h"

typedef enum Native { STAYS, LEAVES, NEVER } Native;

static const uint8_t native[CTL_COUNT] = {
#define CTL(name, native) [CTL_##name] = native,
#include "emu/core/ctl.def"
#undef CTL
};

typedef struct Maker {
    Plan          *p;
    const WhatMap *map;
    uint32_t      *by_slot; /* value + 1, by slot / 4 */
    Item          *item;    /* all of them, in order */
    uint32_t       nitems;
    Item          *current;
    bool           fails;
} Maker;

/* ---- values ---- */

static uint32_t value_of(Maker *m, Slot slot, unsigned bytes)
{
    Plan *p = m->p;
    if (slot % 4 || slot >= p->code->frame_bytes || p->nvalues == PLAN_VALUES) {
        m->fails = true;
        return 0;
    }
    uint32_t *at = &m->by_slot[slot / 4];
    if (*at && p->value[*at - 1].bytes != bytes)
        m->fails = true;
    if (!*at) {
        p->value[p->nvalues++] = (Value){slot, (uint8_t)bytes, false, 0};
        *at                    = p->nvalues;
    }
    return *at - 1;
}

static uint32_t *appended(Maker *m, const uint32_t *list, uint32_t n, uint32_t value)
{
    uint32_t *longer = ARENA_ARRAY(m->p->arena, uint32_t, n + 1);
    if (n)
        memcpy(longer, list, n * sizeof *list);
    longer[n] = value;
    return longer;
}

static void add_read(Maker *m, Item *it, Slot slot, unsigned bytes)
{
    it->read = appended(m, it->read, it->nread, value_of(m, slot, bytes));
    it->nread++;
}

static void add_write(Maker *m, Item *it, Slot slot, unsigned bytes)
{
    it->write = appended(m, it->write, it->nwrite, value_of(m, slot, bytes));
    it->nwrite++;
}

static void add_register(void *user, const Operand *o, bool written)
{
    Maker   *m     = user;
    unsigned bytes = o->reg->type == TY_PRED ? 0 : type_bytes(o->reg->type);
    unsigned parts = o->reg->vec && o->part < 0 ? o->reg->vec : 1;
    for (unsigned k = 0; k < parts; k++) {
        Operand part = *o;
        if (parts > 1)
            part.part = (int8_t)k;
        (written ? add_write : add_read)(m, m->current, layout_register(m->p->code, &part), bytes);
    }
}

/* ---- items ---- */

/* The caller reads them when the function returns. */
static void results(Maker *m, Item *it)
{
    const Func *f = m->p->code->func;
    m->current    = it;
    for (size_t i = 0; i < f->nrets; i++)
        if (f->rets[i].reg) {
            Operand o = {.kind = OPD_REG, .reg = f->rets[i].reg, .part = -1};
            add_register(m, &o, false);
        }
}

static void instruction_registers(Maker *m, Item *it, const Uop *u)
{
    m->current      = it;
    const Instr *in = m->p->prog->instr[u->instr].in;
    ptx_each_register(in, add_register, m);
    if (in->guard) {
        Operand o = {.kind = OPD_REG, .reg = in->guard, .part = -1};
        add_register(m, &o, false);
    }
}

static void row_item(Maker *m, Item *it, const Uop *u)
{
    const Slot from[ROW_SOURCES] = {u->a, u->b, u->c, u->e};
    it->kind                     = ITEM_ROW;
    for (unsigned k = 0; k < it->shape.sources; k++)
        add_read(m, it, from[k], it->shape.bytes[1 + k]);
    add_write(m, it, u->d, it->shape.bytes[0]);
}

static void atom_item(Maker *m, Item *it, const Uop *u)
{
    const MemInfo *info = u->ptr;
    it->kind            = ITEM_ATOM;
    add_read(m, it, u->a, info->addr64 ? 8 : 4);
    add_read(m, it, info->b, info->bytes);
    if (info->c != NO_SLOT)
        add_read(m, it, info->c, info->bytes);
    if (info->v[0] != NO_SLOT)
        add_write(m, it, info->v[0], info->bytes);
}

static void memory_item(Maker *m, Item *it, const Uop *u)
{
    const MemInfo *info = u->ptr;
    if (it->what.id == MEM_ld_param_32 || it->what.id == MEM_ld_param_64) {
        it->kind = ITEM_PARAM;
        add_write(m, it, u->d, it->what.id == MEM_ld_param_32 ? 4 : 8);
        return;
    }
    if (it->what.id >= MEM_atom_shared_32 && it->what.id <= MEM_atom_global_64) {
        atom_item(m, it, u);
        return;
    }
    if (it->what.id == MEM_sunk_global ||
        it->what.id == MEM_sunk_shared) { /* its instruction's result is not written here */
        it->kind  = ITEM_CALL;
        it->exact = true;
        add_read(m, it, u->a, info->addr64 ? 8 : 4);
        return;
    }
    if (it->what.id >= MEM_ld_any) {
        it->kind = ITEM_CALL;
        instruction_registers(m, it, u);
        return;
    }
    bool load = info->op == ACCESS_LD;
    it->kind  = load ? ITEM_LOAD : ITEM_STORE;
    add_read(m, it, u->a, info->addr64 ? 8 : 4);
    for (unsigned v = 0; v < info->nvec; v++)
        (load ? add_write : add_read)(m, it, info->v[v], info->reg_bytes);
}

static void control_item(Maker *m, Item *it, const Uop *u)
{
    switch ((Ctl)it->what.id) {
    case CTL_block: it->kind = ITEM_HEAD; return;
    case CTL_jump: it->kind = ITEM_JUMP; return;
    case CTL_bra:
    case CTL_bra_early:
        it->kind = ITEM_BRANCH;
        add_read(m, it, u->a, 0);
        return;
    case CTL_sreg:
    case CTL_sreg64:
        it->kind = ITEM_SREG;
        add_write(m, it, u->d, it->what.id == CTL_sreg64 ? 8 : u->x == SREG_is_explicit_cluster ? 0 : 4);
        return;
    case CTL_addr_add:
        it->kind = ITEM_PLUS;
        add_read(m, it, u->a, u->x);
        add_write(m, it, u->d, u->x);
        return;
    case CTL_pred_not:
        it->kind = ITEM_NOT;
        add_read(m, it, u->a, 0);
        add_write(m, it, u->d, 0);
        return;
    case CTL_param_addr:
    case CTL_local_addr:
    case CTL_shared_addr:
        it->kind = ITEM_SREG;
        add_write(m, it, u->d, it->what.id == CTL_param_addr ? 8 : u->x);
        return;
    default: break;
    }
    m->fails |= native[it->what.id] == NEVER;
    it->kind = native[it->what.id] == STAYS ? ITEM_CALL : ITEM_LEAVE;
    instruction_registers(m, it, u);
    if (it->what.id == CTL_ret)
        results(m, it);
}

/* Does the handler read and write more than the item says? */
static bool is_opaque(const Item *it)
{
    return (it->kind == ITEM_CALL || it->kind == ITEM_LEAVE) && !it->exact;
}

static void make_item(Maker *m, Item *it, uint32_t at);

/* A row with that prefix, unless the compiler might know its result, in the plain mode. */
static bool row_in_mode(const Maker *m, Item *it, const Uop *u)
{
    Item row   = it->inner[0];
    bool known = true;
    for (uint32_t i = 0; i < row.nread; i++)
        known &= m->p->value[row.read[i]].constant;
    if (it->ninner != 1 || row.kind != ITEM_ROW || known)
        return false;
    row.uop  = it->uop;
    row.span = it->span;
    row.mode = u->x;
    *it      = row;
    return true;
}

/* A prefix and the uops under it.  Guards are taken apart; other rounding modes than those of one row are the handler's business. */
static void prefix_item(Maker *m, Item *it, const Uop *u, uint32_t at)
{
    bool guard = it->what.id == CTL_guard;
    it->span   = 1 + u->n;
    it->kind   = guard ? ITEM_GUARD : ITEM_CALL;
    if (guard)
        add_read(m, it, u->a, 0);
    it->inner = ARENA_ARRAY(m->p->arena, Item, u->n);
    for (uint32_t k = at + 1; k < at + it->span;) {
        Item *in = &it->inner[it->ninner++];
        make_item(m, in, k);
        k += in->span;
        m->fails |= in->kind == ITEM_LEAVE || in->kind == ITEM_BRANCH || in->kind == ITEM_JUMP || in->kind == ITEM_HEAD;
    }
    if (!guard && row_in_mode(m, it, u))
        return;
    for (uint32_t j = 0; j < it->ninner; j++) {
        const Item *in = &it->inner[j];
        for (uint32_t i = 0; i < in->nread && !guard; i++)
            add_read(m, it, m->p->value[in->read[i]].slot, m->p->value[in->read[i]].bytes);
        for (uint32_t i = 0; i < in->nwrite && !guard; i++)
            add_write(m, it, m->p->value[in->write[i]].slot, m->p->value[in->write[i]].bytes);
    }
    it->exact = true;
    for (uint32_t k = 0; k < it->ninner; k++)
        it->exact &= !is_opaque(&it->inner[k]);
    if (!guard)
        it->ninner = 0;
}

static void make_item(Maker *m, Item *it, uint32_t at)
{
    const Uop *u = &m->p->code->uops[at];
    it->uop      = at;
    it->span     = 1;
    it->what     = what_is(m->map, u);
    switch ((WhatKind)it->what.kind) {
    case WHAT_CTL:
        if (it->what.id == CTL_guard || it->what.id == CTL_fpmode)
            prefix_item(m, it, u, at);
        else
            control_item(m, it, u);
        return;
    case WHAT_MEM: memory_item(m, it, u); return;
    case WHAT_ROW:
        if (what_shape(it->what, &it->shape)) {
            row_item(m, it, u);
            return;
        }
        __attribute__((fallthrough));
    default: it->kind = ITEM_CALL; instruction_registers(m, it, u);
    }
}

/* Temporaries pass values among the uops of one instruction: what was written before an opaque handler it may read, and what is read
 * behind it it may have written.  Registers, too, that are read and written in one instruction. */
static void join_temporaries(Maker *m, Item **of, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (!is_opaque(of[k]))
            continue;
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t i = 0; i < of[j]->nwrite && !is_opaque(of[j]); i++) {
                const Value *v = &m->p->value[of[j]->write[i]];
                add_read(m, of[k], v->slot, v->bytes);
            }
        for (uint32_t j = k + 1; j < n; j++)
            for (uint32_t i = 0; i < of[j]->nread && !is_opaque(of[j]); i++) {
                const Value *v = &m->p->value[of[j]->read[i]];
                if (v->constant)
                    continue;
                add_read(m, of[k], v->slot, v->bytes); /* if it does not write it, it stays as it was */
                add_write(m, of[k], v->slot, v->bytes);
            }
    }
}

static void temporaries(Maker *m)
{
    Item   **of = xcalloc(m->p->code->nuops, sizeof *of);
    uint32_t n = 0, instr = UINT32_MAX;
    for (uint32_t i = 0; i < m->nitems; i++) {
        Item *it = &m->item[i];
        if (it->kind == ITEM_HEAD)
            continue;
        if (m->p->code->uops[it->uop].instr != instr) {
            join_temporaries(m, of, n);
            n     = 0;
            instr = m->p->code->uops[it->uop].instr;
        }
        if (it->kind == ITEM_GUARD)
            for (uint32_t k = 0; k < it->ninner; k++)
                of[n++] = &it->inner[k];
        else
            of[n++] = it;
    }
    join_temporaries(m, of, n);
    free(of);
}

/* ---- segments ---- */

static bool ends_here(const Item *it)
{
    return it->kind == ITEM_JUMP || it->kind == ITEM_BRANCH || it->kind == ITEM_LEAVE;
}

static uint32_t uop_index(const Plan *p, const Uop *u)
{
    return (uint32_t)(u - p->code->uops);
}

static void mark_heads(const Maker *m, bool *head)
{
    const Plan *p = m->p;
    head[0]       = true;
    for (uint32_t i = 0; i < m->nitems; i++) {
        const Item *it = &m->item[i];
        const Uop  *u  = &p->code->uops[it->uop];
        if (it->kind == ITEM_HEAD)
            head[it->uop] = true;
        if (it->kind == ITEM_JUMP || it->kind == ITEM_BRANCH)
            head[uop_index(p, u->target)] = true;
        if (it->what.kind == WHAT_CTL && it->what.id == CTL_brx) {
            const BranchTable *t = u->ptr;
            for (uint32_t k = 0; k < t->count; k++)
                head[uop_index(p, t->target[k])] = true;
        }
        if (ends_here(it))
            head[it->uop + it->span] = true;
    }
}

static void add_successors(Plan *p, Segment *s)
{
    const Item *last = &s->item[s->nitems - 1];
    const Uop  *u    = &p->code->uops[last->uop];
    uint32_t    next = last->uop + last->span;
    next             = next < p->code->nuops ? p->segment_of[next] : UINT32_MAX;
    bool ends        = last->kind == ITEM_JUMP;
    if (last->kind == ITEM_LEAVE && last->what.kind == WHAT_CTL) {
        Ctl c = (Ctl)last->what.id;
        ends  = c == CTL_exit || c == CTL_ret || c == CTL_trap || c == CTL_unsupported || c == CTL_undefined ||
               c == CTL_brx;
        if (c == CTL_brx) {
            const BranchTable *t = u->ptr;
            s->more              = ARENA_ARRAY(p->arena, uint32_t, t->count);
            for (uint32_t k = 0; k < t->count; k++)
                s->more[s->nmore++] = p->segment_of[uop_index(p, t->target[k])];
        }
    }
    if (!ends && next != UINT32_MAX)
        s->succ[s->nsucc++] = next;
    if (last->kind == ITEM_JUMP || last->kind == ITEM_BRANCH)
        s->succ[s->nsucc++] = p->segment_of[uop_index(p, u->target)];
}

static void make_segments(Maker *m)
{
    Plan *p       = m->p;
    bool *head    = ARENA_ARRAY(p->arena, bool, p->code->nuops + 1);
    p->segment_of = ARENA_ARRAY(p->arena, uint32_t, p->code->nuops + 1);
    p->segment    = ARENA_ARRAY(p->arena, Segment, m->nitems + 1);
    memset(p->segment_of, 0xff, (p->code->nuops + 1) * sizeof *p->segment_of);
    mark_heads(m, head);
    for (uint32_t i = 0; i < m->nitems; i++) {
        Item *it = &m->item[i];
        if (head[it->uop]) {
            p->segment_of[it->uop]     = p->nsegments;
            p->segment[p->nsegments++] = (Segment){.item = it, .first = it->uop, .meets = UINT32_MAX};
        }
        p->segment[p->nsegments - 1].nitems++;
    }
    for (uint32_t i = 0; i < p->nsegments; i++)
        add_successors(p, &p->segment[i]);
}

/* ---- the whole ---- */

static void mark_constants(Maker *m)
{
    const Code *c = m->p->code;
    for (uint32_t i = 0; i < c->nconsts; i++) {
        uint32_t v              = value_of(m, c->consts[i].slot, c->consts[i].bytes);
        m->p->value[v].constant = true;
        m->p->value[v].value    = c->consts[i].bits;
        if (!c->consts[i].bytes)
            m->p->value[v].value = c->consts[i].bits ? UINT32_MAX : 0;
    }
}

static int by_place(const void *a, const void *b)
{
    const Value *x = a, *y = b;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static bool overlaps(const Plan *p)
{
    Value *v   = xcalloc(p->nvalues + 1, sizeof *v);
    bool   bad = false;
    memcpy(v, p->value, p->nvalues * sizeof *v);
    qsort(v, p->nvalues, sizeof *v, by_place);
    for (uint32_t i = 0; i + 1 < p->nvalues; i++)
        bad |= v[i].slot + (v[i].bytes ? v[i].bytes * LANES : 4u) > v[i + 1].slot;
    free(v);
    return bad;
}

static void make_items(Maker *m)
{
    const Code *c = m->p->code;
    m->item       = ARENA_ARRAY(m->p->arena, Item, c->nuops);
    for (uint32_t at = 0; at < c->nuops && !m->fails;) {
        Item *it = &m->item[m->nitems++];
        make_item(m, it, at);
        at += it->span;
    }
}

Plan *jit_plan(const WhatMap *map, const Program *prog, const Code *code, const uint32_t block[3], const uint8_t *args,
               const char **why)
{
    *why = "it is too large for native code";
    if (code->nuops > PLAN_UOPS)
        return NULL;
    *why     = "native code has no form for some of what it does";
    Arena *a = arena_new();
    Plan  *p = ARENA_NEW(a, Plan);
    *p       = (Plan){.arena = a, .code = code, .prog = prog};
    memcpy(p->block, block, sizeof p->block);
    p->value = ARENA_ARRAY(a, Value, PLAN_VALUES);
    spread_pool_init(&p->patterns);
    Maker m = {.p = p, .map = map, .by_slot = xcalloc(code->frame_bytes / 4 + 1, sizeof(uint32_t))};
    mark_constants(&m);
    make_items(&m);
    if (!m.fails)
        temporaries(&m);
    m.fails |= overlaps(p);
    if (!m.fails) {
        make_segments(&m);
        flow_live(p);
        p->args  = args;
        p->known = args ? UINT64_MAX : 0;
        flow_spreads(p);
        p->known &= p->patterns.used; /* what makes no pattern stays a parameter */
        if (args)
            flow_spreads(p);
        flow_homes(p);
    }
    free(m.by_slot);
    if (!m.fails)
        return p;
    jit_plan_free(p);
    return NULL;
}

void jit_plan_free(Plan *p)
{
    if (!p)
        return;
    spread_pool_free(&p->patterns);
    arena_free(p->arena);
}
