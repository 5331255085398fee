/* SPDX-License-Identifier: Apache-2.0
 *
 * What a card does in such a loop depends on its clock, not on how often the emulator, whose clock is another, went round.
 *
 *     start = clock();
 *     while (clock() - start < n) ...        or   end = clock() + n;   while (clock() < end) ...
 *
 * A register is followed back to what it is made of: a number that is known (an argument, a constant), a moment (what the clock showed, and a
 * number), or a span between two moments.  The way out of the loop compares a span with a number, or two moments; one of the two is read in the
 * loop.  What is missing when they are alike is what the loop waits for.
 *
 * Left out: bounds that come from memory or from arithmetic other than sums; clocks of 32 bits that overflow meanwhile. */
#include "check/time/wait.h"

#include <string.h>

#include "base/arena.h"
#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

enum { NONE = UINT32_MAX, MANY = UINT32_MAX - 1, DEPTH = 16, STEPS = 200, WIDE = 0xffff };

typedef enum Kind { UNKNOWN, NUMBER, MOMENT, SPAN } Kind;

typedef struct Value {
    Kind     kind;
    bool     ns;   /* nanoseconds, not clocks */
    uint64_t n;    /* the number; what is added to the clock, or to the span */
    uint32_t read; /* the instruction that read the clock, of a span the later one */
} Value;

typedef struct Trace {
    const WaitInput *in;
    uint32_t        *def;  /* by register: the one instruction that writes it; NONE, MANY */
    unsigned        *left; /* steps back that may still be made for this way out */
} Trace;

static Value value_of(const Trace *t, const Operand *o, uint32_t at, unsigned depth);

/* ---- registers ---- */

typedef struct Seek {
    const Reg *of;
    bool       found;
} Seek;

static void seek(void *user, const Operand *o, bool written)
{
    Seek *s  = user;
    s->found = s->found || (written && o->reg == s->of);
}

static bool writes(const Instr *in, const Reg *r)
{
    Seek s = {r, false};
    ptx_each_register(in, seek, &s);
    return s.found;
}

typedef struct Definer {
    uint32_t *def, at;
} Definer;

static void define(void *user, const Operand *o, bool written)
{
    Definer  *d   = user;
    uint32_t *def = &d->def[o->reg->index];
    if (written)
        *def = *def == NONE ? d->at : MANY;
}

static void find_definitions(Trace *t)
{
    const Func *f = t->in->func;
    for (uint32_t r = 0; r < f->nregs; r++)
        t->def[r] = NONE;
    for (uint32_t i = 0; i < f->ninstrs; i++)
        ptx_each_register(&f->instrs[i], define, &(Definer){t->def, i});
}

/* Where the register gets what it holds before an instruction: in the same block, or at the only place where it is written. */
static uint32_t definition(const Trace *t, const Reg *r, uint32_t at)
{
    const Func *f = t->in->func;
    for (uint32_t i = at, first = t->in->cfg->block[t->in->cfg->block_of[at]].first; i-- > first;)
        if (writes(&f->instrs[i], r))
            return i;
    return t->def[r->index];
}

/* ---- values ---- */

static Value clock_read(const Operand *o, uint32_t at)
{
    bool ns = !strncmp(o->name, "globaltimer", strlen("globaltimer"));
    if (ns || !strcmp(o->name, "clock") || !strcmp(o->name, "clock64"))
        return (Value){MOMENT, ns, 0, at};
    return (Value){0};
}

/* A number as an operand of the type has it. */
static uint64_t as_type(uint64_t n, Type type)
{
    unsigned off = type_bytes(type) && type_bytes(type) < sizeof n ? 64 - 8 * type_bytes(type) : 0;
    return type_kind(type) == 's' ? (uint64_t)((int64_t)(n << off) >> off) : n << off >> off;
}

static Value argument(const Trace *t, const Instr *in)
{
    const Operand *m    = &in->opd[1];
    const Func    *f    = t->in->func;
    Type           type = in->op->types[in->op->ntypes - 1];
    unsigned       n    = type_bytes(type);
    Value          v    = {NUMBER, false, 0, 0};
    if (!t->in->args || m->kind != OPD_MEM || m->elem[0].kind != OPD_VAR || n > sizeof v.n)
        return (Value){0};
    for (size_t i = 0; i < f->nparams; i++) {
        uint64_t from = (uint64_t)m->ival + (uint64_t)m->elem[0].ival;
        if (&f->params[i] != m->elem[0].var || from > f->params[i].bytes || n > f->params[i].bytes - from)
            continue;
        memcpy(&v.n, (const char *)t->in->args[i] + from, n);
        v.n = as_type(v.n, type);
        return v;
    }
    return (Value){0};
}

static Value sum(Value a, Value b)
{
    if (a.kind == NUMBER) {
        Value c = a;
        a       = b;
        b       = c;
    }
    a.n += b.n;
    return b.kind == NUMBER ? a : (Value){0};
}

static Value difference(Value a, Value b)
{
    if (a.kind == MOMENT && b.kind == MOMENT && a.ns == b.ns)
        return (Value){SPAN, a.ns, a.n - b.n, a.read};
    a.n -= b.n;
    return b.kind == NUMBER ? a : (Value){0};
}

/* The lower half of a clock or a span stands for all of it. */
static Value cut_off(Value a, Value mask)
{
    if (a.kind == NUMBER && mask.kind != NUMBER)
        return cut_off(mask, a);
    if (mask.kind != NUMBER || mask.n < WIDE)
        return (Value){0};
    a.n = a.kind == NUMBER ? a.n & mask.n : a.n;
    return a;
}

static Value made_by(const Trace *t, uint32_t at, unsigned depth)
{
    const Instr   *in = &t->in->func->instrs[at];
    const Operand *o  = in->opd;
    OpTraits       is = op_traits(in->op->op);
    if (in->guard || in->nopd < 2 || o[0].kind != OPD_REG || !in->op->ntypes)
        return (Value){0};
    Type from = in->op->types[in->op->ntypes - 1];
    if (type_kind(from) == 'f' || type_kind(in->op->types[0]) == 'f')
        return (Value){0};
    if (op_plain_load(in))
        return argument(t, in);
    if (in->nopd == 2 && (is.flow == FLOW_COPY || is.flow == FLOW_CONVERT) && is.is & TRAIT_COMPUTE) {
        Value v = o[1].kind == OPD_SREG ? clock_read(&o[1], at) : value_of(t, &o[1], at, depth + 1);
        v.n     = v.kind == NUMBER ? as_type(v.n, from) : v.n;
        return v;
    }
    if (in->nopd != 3 || (is.flow != FLOW_CARRY && is.flow != FLOW_AND) || is.is & TRAIT_MULTIPLIES)
        return (Value){0};
    Value a = value_of(t, &o[1], at, depth + 1), b = value_of(t, &o[2], at, depth + 1);
    return is.flow == FLOW_AND ? cut_off(a, b) : is.is & TRAIT_SUBTRACTS ? difference(a, b) : sum(a, b);
}

/* Of an operand of the instruction `at`. */
static Value value_of(const Trace *t, const Operand *o, uint32_t at, unsigned depth)
{
    if (o->kind == OPD_INT)
        return (Value){NUMBER, false, (uint64_t)o->ival, 0};
    if (o->kind != OPD_REG || o->neg || depth > DEPTH || !*t->left || !--*t->left)
        return (Value){0};
    uint32_t def = definition(t, o->reg, at);
    return def == NONE || def == MANY ? (Value){0} : made_by(t, def, depth);
}

/* ---- loops ---- */

static bool leaves(const Cfg *cfg, uint32_t block, uint32_t loop)
{
    for (uint32_t i = 0; i < cfg->block[block].nsucc; i++)
        if (!cfg_lies_in(cfg, cfg->block[block].succ[i], loop))
            return true;
    return false;
}

/* What the first one, which goes on in the loop, lacks of the second one; 0: it is not like that. */
static double lacks(const Trace *t, uint32_t loop, Value a, Value b)
{
    bool    alike = (a.kind == SPAN && b.kind == NUMBER) || (a.kind == MOMENT && b.kind == MOMENT && a.ns == b.ns);
    int64_t more  = (int64_t)(b.n - a.n);
    if (!alike || more <= 0 || !cfg_lies_in(t->in->cfg, t->in->cfg->block_of[a.read], loop))
        return 0;
    if (b.kind == MOMENT && cfg_lies_in(t->in->cfg, t->in->cfg->block_of[b.read], loop))
        return 0;
    return (double)more * (a.ns ? t->in->mhz / 1e3 : 1);
}

/* Of a block's jump out of the loop. */
static double waits_at(const Trace *t, uint32_t block, uint32_t loop)
{
    const CfgBlock *b    = &t->in->cfg->block[block];
    const Instr    *jump = b->end > b->first ? &t->in->func->instrs[b->end - 1] : NULL;
    if (!jump || !jump->guard)
        return 0;
    uint32_t at = definition(t, jump->guard, b->end - 1);
    if (at == NONE || at == MANY)
        return 0;
    const Instr *cmp = &t->in->func->instrs[at];
    if (cmp->op->op != OP_setp_i || cmp->nopd != 3)
        return 0;
    *t->left = STEPS;
    Value  x = value_of(t, &cmp->opd[1], at, 0), y = value_of(t, &cmp->opd[2], at, 0);
    double clocks = lacks(t, loop, x, y);
    return clocks > 0 ? clocks : lacks(t, loop, y, x);
}

/* Of a loop that nothing else ends. */
static double waits_in(const Trace *t, uint32_t loop)
{
    const Cfg *cfg  = t->in->cfg;
    double     most = 0;
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        const CfgBlock *k    = &cfg->block[b];
        const Instr    *last = k->end > k->first ? &t->in->func->instrs[k->end - 1] : NULL;
        if (!last || !cfg_lies_in(cfg, b, loop))
            continue;
        double clocks = leaves(cfg, b, loop) ? waits_at(t, b, loop) : 0;
        if (op_is(last, TRAIT_END) || (leaves(cfg, b, loop) && clocks <= 0))
            return 0;
        most = clocks > most ? clocks : most;
    }
    return most;
}

static bool reads_clock(const Func *f)
{
    for (uint32_t i = 0; i < f->ninstrs; i++)
        if (f->instrs[i].nopd == 2 && f->instrs[i].opd[1].kind == OPD_SREG && clock_read(&f->instrs[i].opd[1], i).kind)
            return true;
    return false;
}

void wait_clocks(const WaitInput *in, double *clocks)
{
    memset(clocks, 0, in->cfg->nloops * sizeof *clocks);
    if (!reads_clock(in->func))
        return;
    Arena   *arena = arena_new();
    unsigned left  = 0;
    Trace    t     = {.in = in, .def = ARENA_ARRAY(arena, uint32_t, in->func->nregs + 1), .left = &left};
    find_definitions(&t);
    for (uint32_t l = 0; l < in->cfg->nloops; l++)
        clocks[l] = waits_in(&t, l);
    arena_free(arena);
}
