/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutations that keep PTX well-formed, so that inputs get behind the parser: registers of one type take each other's place, opcodes
 * other words of their own sets (isa.def), instructions come, go and repeat, also from another input; constants, offsets, guards, labels
 * and sizes of variables change.  The module is parsed, changed and printed; a change that the checker refuses is not kept.  Every sixth
 * time, and where the text is no module, libFuzzer's own mutations are used.
 *
 * A first line "// fuzz HEX" (fuzz_launch.c) survives and sometimes changes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/op.h"
#include "ptx/ptx.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most,
                                 unsigned seed);

enum { TRIES = 5, MOST_OPERANDS = 64, MOST_WORDS = 24, MODES = 1 << 12 };

static uint64_t state;

static size_t pick(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

static void begin(unsigned seed)
{
    state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static Module *parse(const uint8_t *data, size_t size)
{
    Module *m = NULL;
    Diags   diags;
    diags_init(&diags);
    if (ptx_parse("mutated", (const char *)data, size, &diags, &m) != WW_OK)
        m = NULL;
    diags_free(&diags);
    return m;
}

/* ---- what there is in a function ---- */

typedef struct Operands {
    Operand *at[MOST_OPERANDS];
    size_t   n;
} Operands;

static void gather(Operand *o, Operands *all)
{
    bool inner = o->kind == OPD_PAIR || o->kind == OPD_MEM || o->kind == OPD_VECTOR || o->kind == OPD_LIST;
    if (all->n < MOST_OPERANDS)
        all->at[all->n++] = o;
    for (size_t i = 0; inner && i < (o->kind == OPD_PAIR ? 2u : o->count); i++)
        gather(&o->elem[i], all);
}

static Operands operands_of(Instr *in)
{
    Operands all = {.n = 0};
    for (size_t i = 0; i < in->nopd; i++)
        gather(&in->opd[i], &all);
    return all;
}

static Func *some_body(const Module *m)
{
    for (int i = 0; i < 8 && m->nfuncs; i++) {
        Func *f = m->funcs[pick(m->nfuncs)];
        if (f->ninstrs)
            return f;
    }
    return NULL;
}

/* A register as wide and of the same kind; NULL: there is none. */
static const Reg *like(const Func *f, const Reg *r)
{
    for (int i = 0; i < 32 && f->nregs; i++) {
        const Reg *other = f->regs[pick(f->nregs)];
        if (other->vec == r->vec &&
            (other->type == r->type || (type_bytes(other->type) == type_bytes(r->type) && pick(2))))
            return other;
    }
    return NULL;
}

static const Reg *some_predicate(const Func *f)
{
    static const Reg wanted = {.type = TY_PRED};
    return like(f, &wanted);
}

/* ---- changes ---- */

static int64_t some_number(int64_t v)
{
    static const int64_t numbers[] = {0,    1,     -1,        2,         4,          8,         31,
                                      32,   63,    64,        255,       256,        1024,      4095,
                                      4096, 65535, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN};
    switch (pick(5)) {
    case 0: return (int64_t)((uint64_t)v + 1);
    case 1: return (int64_t)((uint64_t)v - 1);
    case 2: return (int64_t)((uint64_t)v ^ UINT64_C(1) << pick(64));
    default: return numbers[pick(sizeof numbers / sizeof *numbers)];
    }
}

static void change_operand(const Func *f, Instr *in)
{
    Operands all = operands_of(in);
    if (!all.n)
        return;
    Operand   *o = all.at[pick(all.n)];
    const Reg *r = o->kind == OPD_REG ? like(f, o->reg) : NULL;
    if (r)
        o->reg = r;
    else if (o->kind == OPD_INT || o->kind == OPD_VAR || o->kind == OPD_MEM)
        o->ival = some_number(o->ival);
    else if (o->kind == OPD_FLOAT)
        o->fbits = (uint64_t)some_number((int64_t)o->fbits) & (o->is_f32 ? UINT32_MAX : UINT64_MAX);
    else if (o->kind == OPD_LABEL && f->nlabels)
        o->label = (uint32_t)pick(f->nlabels);
}

static void change_guard(const Func *f, Instr *in)
{
    if (pick(3) == 0)
        in->guard = NULL;
    else if (pick(2))
        in->guard = some_predicate(f);
    in->guard_neg = in->guard && pick(2);
}

/* Appends a word of the set, which stands in `words` with blanks between. */
static void add_some_word(Str *out, const char *words)
{
    const char *word[64];
    size_t      n = 0;
    for (const char *p = words; *p && n < 64; p += strcspn(p, " "), p += *p == ' ')
        word[n++] = p;
    const char *w = word[pick(n)];
    for (size_t len = strcspn(w, " "), i = 0; i < len; i++)
        str_addc(out, w[i] == '#' ? (char)('1' + pick(8)) : w[i]);
}

static const char *set_words(const char *name, size_t len)
{
    static const struct {
        const char *name, *words;
    } sets[] = {
#define SET(name, words) {#name, words},
#include "ptx/sets.def"
#undef SET
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strlen(sets[i].name) == len && !memcmp(sets[i].name, name, len))
            return sets[i].words;
    return NULL;
}

/* The opcode of the form with words of its sets, optional ones by chance. */
static void write_opcode(const char *form, Str *out)
{
    size_t base = strcspn(form, ". {");
    str_addn(out, form, base);
    for (const char *p = form + base; *p == '.' || *p == '{';) {
        bool        optional = *p == '{';
        const char *word     = p + 1 + optional;
        size_t      len      = strcspn(word, ".{} ,");
        const char *set      = set_words(word, len);
        if (p[optional] != '.')
            return;
        if (*word != '*' && !(optional && pick(2))) {
            str_addc(out, '.');
            if (set)
                add_some_word(out, set);
            else
                str_addn(out, word, len);
        }
        p = word + len + optional;
    }
}

/* Another opcode: of the same row, or of another with the same first word. */
static void change_opcode(const Module *m, Instr *in)
{
    const char *form = op_form(in->op->op)->form, *why;
    size_t      base = strcspn(form, ". {");
    Str         text = {0};
    for (int i = 0; i < 400 && pick(3) == 0; i++) {
        const char *other = op_form((Op)pick(OP_COUNT))->form;
        if (strncmp(other, form, base) == 0 && strcspn(other, ". {") == base)
            form = other;
    }
    write_opcode(form, &text);
    const Opcode *op = opcode_match(m->arena, str_text(&text), text.len, &why);
    if (op)
        in->op = op;
    str_free(&text);
}

static void remove_instr(Func *f, size_t at)
{
    memmove(f->instrs + at, f->instrs + at + 1, (f->ninstrs - at - 1) * sizeof *f->instrs);
    f->ninstrs--;
    for (size_t i = 0; i < f->nlabels; i++)
        f->labels[i].target -= f->labels[i].target > at;
    for (size_t i = 0; i < f->nmarks; i++)
        f->marks[i].at -= f->marks[i].at > at;
}

static void insert_instr(const Module *m, Func *f, size_t at, Instr in)
{
    Instr *list = ARENA_ARRAY(m->arena, Instr, f->ninstrs + 1);
    memcpy(list, f->instrs, at * sizeof *list);
    memcpy(list + at + 1, f->instrs + at, (f->ninstrs - at) * sizeof *list);
    list[at]  = in;
    f->instrs = list;
    f->ninstrs++;
    for (size_t i = 0; i < f->nlabels; i++)
        f->labels[i].target += f->labels[i].target > at;
    for (size_t i = 0; i < f->nmarks; i++)
        f->marks[i].at += f->marks[i].at > at;
}

static void change_variable(const Module *m, const Func *f)
{
    size_t n = pick(2) && f->nvars ? f->nvars : 0;
    Var   *v = n ? f->vars[pick(n)] : m->nvars ? m->vars[pick(m->nvars)] : NULL;
    if (v && v->ndim && !v->init)
        v->dim[0] = (uint64_t)some_number((int64_t)v->dim[0]) & 0xffff;
    else if (v)
        v->align = 1u << pick(8);
}

static void change(Module *m)
{
    Func *f = some_body(m);
    if (!f)
        return;
    size_t at = pick(f->ninstrs);
    Instr *in = &f->instrs[at];
    switch (pick(12)) {
    case 0: remove_instr(f, at); break;
    case 1: insert_instr(m, f, pick(f->ninstrs + 1), *in); break;
    case 2: change_guard(f, in); break;
    case 3: change_variable(m, f); break;
    case 4:
    case 5:
    case 6: change_opcode(m, in); break;
    default: change_operand(f, in); break;
    }
}

/* ---- text ---- */

/* The module as text behind its mode; 0: the checker refuses it, or it is too long. */
static size_t write_module(const Module *m, const uint8_t *old, size_t size, uint8_t *out, size_t most)
{
    char     head[24] = {0};
    unsigned mode     = 0;
    Str      text     = {0};
    memcpy(head, old, size < sizeof head ? size : sizeof head - 1);
    bool moded = sscanf(head, "// fuzz %8x", &mode) == 1;
    if (pick(6) == 0)
        mode ^= 1u << pick(12);
    if (moded || mode)
        str_printf(&text, "// fuzz %x\n", mode % MODES);
    ptx_print(m, &text);
    Module *again = text.len <= most ? parse((const uint8_t *)text.s, text.len) : NULL;
    size_t  n     = again ? text.len : 0;
    if (n)
        memcpy(out, text.s, n);
    ptx_module_free(again);
    str_free(&text);
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    begin(seed);
    for (int i = 0; i < TRIES && pick(6) != 0; i++) {
        Module *m = parse(data, size);
        if (!m)
            break;
        for (size_t k = pick(3) + 1; k > 0; k--)
            change(m);
        size_t n = write_module(m, data, size, data, most);
        ptx_module_free(m);
        if (n)
            return n;
    }
    return LLVMFuzzerMutate(data, size, most);
}

/* An operand of the other module as one of this function; false: there is none. */
static bool adopt(const Module *m, const Func *f, Operand *o)
{
    if (o->kind == OPD_REG)
        return (o->reg = like(f, o->reg)) != NULL;
    if (o->kind == OPD_LABEL && f->nlabels) {
        o->label = (uint32_t)pick(f->nlabels);
        return true;
    }
    for (int i = 0; o->kind == OPD_VAR && i < 16; i++) {
        const Var *v = f->nvars && pick(2) ? f->vars[pick(f->nvars)] : m->nvars ? m->vars[pick(m->nvars)] : NULL;
        if (v && v->space == o->var->space) {
            o->var = v;
            return true;
        }
    }
    return o->kind != OPD_VAR && o->kind != OPD_LABEL && o->kind != OPD_FUNC && o->kind != OPD_NAME;
}

/* Instructions of b come into a. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most,
                                 unsigned seed)
{
    begin(seed);
    Module *to = parse(a, na), *from = parse(b, nb);
    Func   *f = to ? some_body(to) : NULL, *g = from ? some_body(from) : NULL;
    size_t  n = 0, at = f ? pick(f->ninstrs + 1) : 0;
    for (size_t first = g ? pick(g->ninstrs) : 0, k = 0; f && g && first + k < g->ninstrs && k < 4; k++) {
        Instr    in   = g->instrs[first + k];
        Operands all  = operands_of(&in);
        bool     fits = true;
        for (size_t i = 0; fits && i < all.n; i++)
            fits = adopt(to, f, all.at[i]);
        in.srcloc = 0;
        in.guard  = in.guard ? some_predicate(f) : NULL;
        if (fits)
            insert_instr(to, f, at++, in);
    }
    if (f && g)
        n = write_module(to, a, na, out, most);
    ptx_module_free(to);
    ptx_module_free(from);
    return n;
}
