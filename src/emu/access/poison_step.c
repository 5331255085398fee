/* SPDX-License-Identifier: Apache-2.0
 *
 * What one PTX instruction does to poison (poison.h), decided from its operands just before it runs.
 *
 * A lane's value is a mask of poisoned bytes.  An instruction reads the values of its sources, makes the mask of its result and writes it
 * to every destination register; where an address, a branch or guard, or an operand of an atomic is poisoned, that is reported and the
 * poison ends there, so one mistake is told once. */
#include <string.h>

#include "emu/access/poison.h"
#include "emu/access/shuffle.h"
#include "emu/core/layout.h"
#include "emu/sync/sync.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

typedef struct Value {                /* of 32 lanes */
    uint16_t bad[LANES];              /* bit per byte; predicates: bit 0 */
    uint32_t origin;                  /* of some poisoned byte */
    unsigned bytes;                   /* 0: a predicate */
    bool     any, constant, computed; /* computed: more than moved from place to place */
    uint64_t bits;                    /* of a constant */
} Value;

typedef struct Step {
    Warp        *w;
    const Instr *in;
    uint32_t     mask;
} Step;

static unsigned first_lane(uint32_t m)
{
    return (unsigned)__builtin_ctz(m);
}

static uint16_t whole(unsigned bytes)
{
    return (uint16_t)(bytes ? (UINT32_C(1) << bytes) - 1 : 1);
}

/* ---- registers ---- */

static uint32_t predicate_word(const uint8_t *at)
{
    uint32_t m;
    memcpy(&m, at, 4);
    return m;
}

/* Most registers of a frame with a shadow are clean. */
static bool is_clean(const uint8_t *shadow, unsigned bytes)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < bytes * (LANES / 4); i++) {
        uint32_t word;
        memcpy(&word, shadow + 4 * i, 4);
        any |= word;
    }
    return !any;
}

static void read_reg(const Step *s, const Operand *o, Value *v)
{
    const Frame *f    = s->w->frame;
    Slot         slot = layout_register(f->code, o);
    v->bytes          = type_bytes(o->reg->type);
    if (!poison_marked(f, slot, v->bytes ? v->bytes * LANES : 4))
        return;
    uint32_t word = v->bytes ? 0 : predicate_word(f->shadow + slot);
    if (v->bytes ? is_clean(f->shadow + slot, v->bytes) : !word) /* v->bad is all zero */
        return;
    for (uint32_t m = s->mask; m; m &= m - 1) {
        unsigned lane = first_lane(m);
        Slot     at   = slot + lane * v->bytes;
        v->bad[lane]  = (uint16_t)(word >> lane & 1);
        for (unsigned b = 0; b < v->bytes; b++)
            v->bad[lane] |= (uint16_t)((f->shadow[at + b] != 0) << b);
        for (unsigned b = 0; b < v->bytes; b++)
            v->computed |= f->shadow[at + b] == POISON_COMPUTED;
        if (v->bad[lane] && !v->any) {
            v->any    = true;
            v->origin = f->origin[(v->bytes ? at + first_lane(v->bad[lane]) : slot) / 4];
        }
    }
}

static Value read_value(const Step *s, const Operand *o)
{
    Value v = {.bytes = 8};
    if (o->kind == OPD_REG)
        read_reg(s, o, &v);
    else if (o->kind == OPD_INT || o->kind == OPD_FLOAT) {
        v.constant = o->kind == OPD_INT;
        v.bits     = (uint64_t)o->ival;
    } else if (o->kind == OPD_VECTOR) { /* a pack: its elements side by side */
        unsigned at = 0;
        for (unsigned i = 0; i < o->count; i++) {
            Value e = read_value(s, &o->elem[i]);
            for (unsigned lane = 0; lane < LANES; lane++) /* beyond 16 bytes: a fragment of a matrix */
                v.bad[lane] = (uint16_t)(v.bad[lane] | (at < 16       ? (unsigned)e.bad[lane] << at
                                                        : e.bad[lane] ? UINT16_MAX
                                                                      : 0u));
            v.origin = e.any && !v.any ? e.origin : v.origin;
            v.computed |= e.computed;
            v.any |= e.any;
            at += e.bytes;
        }
        v.bytes = at;
    }
    return v;
}

static void write_predicate(const Step *s, Slot slot, const Value *v)
{
    Frame   *f    = s->w->frame;
    uint32_t word = predicate_word(f->shadow + slot) & ~s->mask;
    for (uint32_t m = s->mask; m; m &= m - 1)
        word |= v->bad[first_lane(m)] ? m & -m : 0;
    memcpy(f->shadow + slot, &word, 4);
    if (v->any) {
        f->origin[slot / 4] = v->origin;
        poison_mark(f, slot, 4);
    }
}

static void write_reg(const Step *s, const Operand *o, const Value *v, unsigned shift)
{
    Frame   *f     = s->w->frame;
    Slot     slot  = layout_register(f->code, o);
    unsigned bytes = type_bytes(o->reg->type);
    if (!v->any && !poison_marked(f, slot, bytes ? bytes * LANES : 4))
        return;
    if (!bytes) {
        write_predicate(s, slot, v);
        return;
    }
    if (!v->any && s->mask == UINT32_MAX) { /* its line may be another small register's too: the mark stays */
        memset(f->shadow + slot, 0, (size_t)bytes * LANES);
        return;
    }
    poison_mark(f, slot, (size_t)bytes * LANES);
    for (uint32_t m = s->mask; m; m &= m - 1) {
        unsigned lane = first_lane(m);
        Slot     at   = slot + lane * bytes;
        for (unsigned b = 0; b < bytes; b++) {
            f->shadow[at + b] = !(v->bad[lane] >> (b + shift) & 1) ? 0 : v->computed ? POISON_COMPUTED : POISON_MOVED;
            if (f->shadow[at + b])
                f->origin[(at + b) / 4] = v->origin;
        }
    }
}

/* Every register of a destination; elements of an unpack take their bytes one after the other. */
static void write_value(const Step *s, const Operand *o, const Value *v, bool unpack)
{
    unsigned at = 0;
    if (o->kind == OPD_REG) {
        write_reg(s, o, v, 0);
        return;
    }
    if (o->kind != OPD_VECTOR && o->kind != OPD_PAIR)
        return;
    for (unsigned i = 0; i < o->count; i++) {
        if (o->elem[i].kind != OPD_REG)
            continue;
        write_reg(s, &o->elem[i], v, unpack ? at : 0);
        at += type_bytes(o->elem[i].reg->type);
    }
}

/* ---- results ---- */

/* All of it where any of it is. */
static void spread(Value *v)
{
    for (unsigned i = 0; i < LANES; i++)
        v->bad[i] = v->bad[i] ? UINT16_MAX : 0;
    v->computed = true;
}

static void join(Value *to, const Value *from)
{
    for (unsigned i = 0; i < LANES; i++)
        to->bad[i] |= from->bad[i];
    if (from->any && !to->any)
        to->origin = from->origin;
    to->any |= from->any;
    to->computed |= from->computed;
}

/* What the lane has in the operand; false: not told here. */
static bool value_of(const Step *s, const Operand *o, unsigned lane, uint64_t *x)
{
    *x = (uint64_t)o->ival;
    if (o->kind != OPD_REG)
        return o->kind == OPD_INT;
    unsigned       bytes = type_bytes(o->reg->type);
    const uint8_t *at    = s->w->r + layout_register(s->w->frame->code, o);
    *x                   = bytes ? 0 : predicate_word(at) >> lane & 1 ? UINT64_MAX : 0;
    if (bytes <= sizeof *x)
        memcpy(x, at + (size_t)lane * bytes, bytes);
    if (!bytes && o->neg)
        *x = ~*x;
    return bytes <= sizeof *x;
}

/* and, or: bytes that one good operand decides are good, as where a condition behind && is computed though the one before it is false. */
static void keep_undecided(const Step *s, Value *v, const Value src[2], bool is_and)
{
    uint64_t x;
    for (uint32_t m = s->mask; m; m &= m - 1)
        for (unsigned k = 0, lane = first_lane(m); k < 2 && v->bad[lane]; k++)
            if (value_of(s, &s->in->opd[k + 1], lane, &x))
                for (unsigned b = 0; b < 8; b++)
                    if (!(src[k].bad[lane] >> b & 1) && (uint8_t)(x >> (8 * b)) == (is_and ? 0 : 0xff))
                        v->bad[lane] &= (uint16_t) ~(1u << b);
}

/* A mask that makes room for a bit field: most bits stay, the highest among them.  The byte that the field begins or ends in gets a member set,
 * and counts as written from then on: bits of a byte are not told apart. */
static void make_room(Value *v, uint64_t mask, unsigned bytes)
{
    uint64_t width = bytes < 8 ? (UINT64_C(1) << (8 * bytes)) - 1 : UINT64_MAX;
    mask &= width;
    if (!(mask >> (8 * bytes - 1)) || 2 * (unsigned)__builtin_popcountll(mask) < 8 * bytes)
        return;
    for (unsigned b = 0; b < bytes; b++)
        if ((uint8_t)(mask >> (8 * b)) != 0 && (uint8_t)(mask >> (8 * b)) != 0xff)
            for (unsigned i = 0; i < LANES; i++)
                v->bad[i] &= (uint16_t) ~(1u << b);
}

/* selp by a good predicate: each lane has the one that it chooses. */
static void choose(const Step *s, Value *v, const Value src[2])
{
    uint64_t x;
    v->any = v->computed = false;
    for (uint32_t m = s->mask; m; m &= m - 1) {
        unsigned     lane = first_lane(m);
        const Value *from = &src[value_of(s, &s->in->opd[3], lane, &x) && !x];
        v->bad[lane]      = from->bad[lane];
        if (v->bad[lane] && !v->any)
            v->origin = from->origin;
        v->any |= v->bad[lane] != 0;
        v->computed |= from->computed;
    }
}

/* Shifts right (up = false) or left by a constant: bytes move, bits of a byte are not told apart. */
static void move(Value *v, unsigned by, bool up, bool sign, unsigned bytes)
{
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t bad = v->bad[i], top = sign && (bad >> (bytes - 1) & 1) ? UINT32_C(0xffff) << bytes : 0;
        uint32_t moved = up ? bad << by / 8 : (bad | top) >> by / 8;
        if (by % 8)
            moved |= up ? moved << 1 : moved >> 1;
        v->bad[i] = (uint16_t)(moved & whole(bytes));
    }
}

/* From the lowest poisoned byte upwards: carries go no other way. */
static void carry(Value *v)
{
    for (unsigned i = 0; i < LANES; i++)
        v->bad[i] = (uint16_t)(v->bad[i] | -(v->bad[i] & -v->bad[i]));
    v->computed = true;
}

static void convert(const Step *s, Value *v)
{
    const Opcode *o    = s->in->op;
    Type          from = o->types[o->ntypes - 1];
    unsigned      n    = type_bytes(from);
    if (type_kind(o->types[0]) == 'f' || type_kind(from) == 'f' || opcode_has(o, WORD_sat)) {
        spread(v);
        return;
    }
    for (unsigned i = 0; i < LANES; i++) {
        bool top  = type_kind(from) == 's' && (v->bad[i] >> (n - 1) & 1);
        v->bad[i] = (uint16_t)((v->bad[i] & whole(n)) | (top ? UINT16_MAX << n : 0));
    }
}

/* Which byte of both sources byte k of a prmt is. */
static unsigned permuted(Word mode, unsigned selector, unsigned k)
{
    unsigned n = selector & 3;
    switch (mode) {
    case WORD_f4e: return (n + k) & 7;
    case WORD_b4e: return (n - k) & 7;
    case WORD_rc8: return n;
    case WORD_ecl: return n > k ? n : k;
    case WORD_ecr: return n < k ? n : k;
    case WORD_rc16: return (n & 1) * 2 + (k & 1);
    default: return selector >> (4 * k) & 7;
    }
}

/* prmt with a constant selector. */
static void permute(Value *v, const Value *a, const Value *b, Word mode, uint64_t selector)
{
    for (unsigned i = 0; i < LANES; i++) {
        unsigned both = (a->bad[i] & 15u) | (b->bad[i] & 15u) << 4;
        v->bad[i]     = 0;
        for (unsigned k = 0; k < 4; k++)
            v->bad[i] |= (uint16_t)((both >> permuted(mode, (unsigned)selector, k) & 1) << k);
    }
}

/* Bits of a lane's operand that are poisoned. */
static uint32_t bad_bits(const Value *v, unsigned lane)
{
    uint32_t bits = 0;
    for (unsigned b = 0; b < 4; b++)
        bits |= v->bad[lane] >> b & 1 ? UINT32_C(0xff) << (8 * b) : 0;
    return bits;
}

static uint32_t lop3_of(unsigned table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        r |= table >> i & 1 ? (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c) : 0;
    return r;
}

/* Any function of three bits: poisoned are the bits that poisoned ones decide.  Bits that come out as they went in were moved. */
static void three_bits(const Step *s, Value *v, const Value src[4])
{
    unsigned table = (unsigned)s->in->opd[4].ival & 255;
    for (uint32_t m = s->mask; m; m &= m - 1) {
        unsigned lane = first_lane(m);
        uint32_t x[3], bad[3], zero = 0, one = 0, any = 0, all = UINT32_MAX;
        for (unsigned k = 0; k < 3; k++) {
            uint64_t now   = 0;
            bool     known = value_of(s, &s->in->opd[k + 1], lane, &now);
            x[k]           = (uint32_t)now;
            bad[k]         = known ? bad_bits(&src[k], lane) : UINT32_MAX;
        }
        for (unsigned i = 0; i < 8; i++) {
            uint32_t set[3];
            for (unsigned k = 0; k < 3; k++)
                set[k] = i >> k & 1 ? x[k] | bad[k] : x[k] & ~bad[k];
            uint32_t r = lop3_of(table, set[0], set[1], set[2]);
            any |= r;
            all &= r;
            zero = i == 0 ? r : zero;
            one  = i == 7 ? r : one;
        }
        uint32_t open = any & ~all;
        v->bad[lane]  = 0;
        for (unsigned b = 0; b < 4; b++)
            v->bad[lane] |= (uint16_t)((open >> (8 * b) & 0xff ? 1u : 0u) << b);
        v->computed |= (open & (zero | ~one)) != 0;
    }
}

/* Which bytes of the result are poisoned, of the sources' ones joined in v.  Amounts that are not constants: any of them. */
static void flow(const Step *s, Value *v, const Value src[4], unsigned n)
{
    const Opcode *o  = s->in->op;
    ByteFlow      f  = (ByteFlow)op_traits(o->op).flow;
    bool          by = n > 1 && src[1].constant; /* a constant amount */
    if (f == FLOW_SELECT && !src[2].any)
        choose(s, v, src);
    else if (f == FLOW_TABLE)
        three_bits(s, v, src);
    else if (f == FLOW_AND || f == FLOW_OR) {
        keep_undecided(s, v, src, f == FLOW_AND);
        if (f == FLOW_AND && by && type_bytes(o->types[0]))
            make_room(v, src[1].bits, type_bytes(o->types[0]));
    } else if (f == FLOW_CONVERT)
        convert(s, v);
    else if ((f == FLOW_UP || f == FLOW_DOWN) && by)
        move(v, src[1].bits < 64 ? (unsigned)src[1].bits : 63, f == FLOW_UP, type_kind(o->types[0]) == 's',
             type_bytes(o->types[0]));
    else if (f == FLOW_EXTRACT && by && src[2].constant && src[1].bits < 64) {
        move(v, (unsigned)src[1].bits, false, false, type_bytes(o->types[0]));
        for (unsigned i = 0; i < LANES; i++)
            v->bad[i] &= whole((unsigned)((src[2].bits & 63) + 7) / 8);
    } else if (f == FLOW_PERMUTE && src[2].constant)
        permute(v, &src[0], &src[1], (Word)o->field[FIELD_prmtmode], src[2].bits);
    else if (f == FLOW_CARRY)
        carry(v);
    else if (f == FLOW_BITWISE)
        v->computed = true;
    else if (f != FLOW_COPY)
        spread(v);
    if (f == FLOW_UP || f == FLOW_DOWN)
        v->computed = true;
}

static Value result(const Step *s)
{
    const Instr *in = s->in;
    Value        v  = {.bytes = 0}, src[4];
    unsigned     n  = 0;
    memset(src, 0, sizeof src);
    for (unsigned i = 1; i < in->nopd && n < 4; i++, n++) {
        src[n] = read_value(s, &in->opd[i]);
        join(&v, &src[n]);
    }
    if (v.any)
        flow(s, &v, src, n);
    return v;
}

/* ---- instructions with rules of their own ---- */

static void clear(const Step *s, const Operand *d)
{
    static const Value clean;
    write_value(s, d, &clean, false);
}

static void report(const Step *s, PoisonUseKind kind, const Value *v)
{
    uint32_t bad = 0, origin[LANES];
    for (uint32_t m = s->mask; m; m &= m - 1)
        if (v->bad[first_lane(m)])
            bad |= m & -m;
    for (unsigned i = 0; i < LANES; i++)
        origin[i] = v->origin;
    uint32_t id = (uint32_t)(s->in - s->w->frame->code->func->instrs) + s->w->frame->code->instr_base;
    if (bad)
        poison_report(s->w, id, kind, bad, origin);
}

/* Reports a register's poison and ends it. */
static void use(const Step *s, const Operand *o, PoisonUseKind kind)
{
    Value v = read_value(s, o);
    if (!v.any)
        return;
    report(s, kind, &v);
    clear(s, o);
}

static const Operand *memory_operand(const Instr *in)
{
    for (unsigned i = 0; i < in->nopd; i++)
        if (in->opd[i].kind == OPD_MEM)
            return &in->opd[i];
    return NULL;
}

/* Call buffers: variables of .param in a body, which lie in the frame. */
static bool in_buffers(const Step *s, const Operand *mem)
{
    const Operand *base = &mem->elem[0];
    return (Word)s->in->op->field[FIELD_space] == WORD_param && base->kind == OPD_VAR &&
           layout_variable(s->w->frame->code, base->var) != UINT32_MAX &&
           !(s->w->frame->code->func->entry && base->var >= s->w->frame->code->func->params &&
             base->var < s->w->frame->code->func->params + s->w->frame->code->func->nparams);
}

/* st.param and ld.param of a call: between registers and buffers. */
static void move_buffer(const Step *s, const Operand *mem, const Operand *reg, bool store)
{
    Frame         *f    = s->w->frame;
    const Operand *base = &mem->elem[0];
    size_t         at   = f->code->pbuf + layout_variable(f->code, base->var) + (size_t)(base->ival + mem->ival);
    unsigned bytes = type_bytes(s->in->op->types[s->in->op->ntypes - 1]), n = reg->kind == OPD_VECTOR ? reg->count : 1;
    for (unsigned k = 0; k < n; k++) {
        const Operand *o = reg->kind == OPD_VECTOR ? &reg->elem[k] : reg;
        Value          v = store ? read_value(s, o) : (Value){.bytes = bytes};
        for (uint32_t m = s->mask; m; m &= m - 1) {
            unsigned lane = first_lane(m);
            size_t   b    = at + k * bytes + (size_t)lane * f->code->pbuf_stride;
            if (store && v.any)
                poison_mark(f, b, bytes);
            for (unsigned i = 0; i < bytes; i++) {
                if (store) {
                    f->shadow[b + i] = v.bad[lane] >> i & 1 ? v.computed ? POISON_COMPUTED : POISON_MOVED : 0;
                    if (f->shadow[b + i])
                        f->origin[(b + i) / 4] = v.origin;
                } else if (f->shadow[b + i]) {
                    v.bad[lane] |= (uint16_t)(1u << i);
                    v.any      = true;
                    v.computed = v.computed || f->shadow[b + i] == POISON_COMPUTED;
                    v.origin   = f->origin[(b + i) / 4];
                }
            }
        }
        if (!store)
            write_value(s, o, &v, false);
    }
}

static void memory(const Step *s, const Operand *mem)
{
    const Instr *in   = s->in;
    bool         load = op_plain_load(in), store = op_plain_store(in);
    if ((load || store) && in_buffers(s, mem)) {
        move_buffer(s, mem, &in->opd[load ? 1 - (mem == &in->opd[1]) : 1], store);
        return;
    }
    for (unsigned i = 0; i < mem->count; i++) /* several: coordinates of a texture or tensor */
        if (mem->elem[i].kind == OPD_REG || mem->elem[i].kind == OPD_VECTOR)
            use(s, &mem->elem[i], POISON_ADDRESS);
    if (load) { /* what it loads: poison_notify */
        clear(s, &in->opd[0]);
        return;
    }
    for (const Operand *o = mem + 1; op_is(in, TRAIT_ATOMIC) && o < in->opd + in->nopd; o++)
        if (o->kind == OPD_REG)
            use(s, o, POISON_ATOMIC);
    if (ptx_has_result(in) && mem != in->opd) /* whatever it brings, textures and matrices too */
        clear(s, &in->opd[0]);
}

/* shfl: what is taken from elsewhere is as good as it was there.  Whether it comes from within its segment, the predicate, depends on the
 * lane's own numbers alone. */
static void shuffle(const Step *s)
{
    const Instr   *in = s->in;
    const Operand *d  = &in->opd[0];
    Value data = read_value(s, &in->opd[1]), place = read_value(s, &in->opd[2]), c = read_value(s, &in->opd[3]);
    join(&place, &c);
    if (data.any)
        shuffle_poison(s->w, in, data.bad);
    if (place.any)
        spread(&place);
    join(&data, &place);
    if (d->kind != OPD_PAIR) {
        write_value(s, d, &data, false);
        return;
    }
    write_value(s, &d->elem[0], &data, false);
    write_value(s, &d->elem[1], &place, false);
}

/* Values of the other lanes of the group: of any. */
static void exchange(const Step *s)
{
    const Instr *in = s->in;
    Value        v  = {.bytes = 4};
    if (in->op->field[FIELD_shflmode] != WORD_NONE) {
        shuffle(s);
        return;
    }
    for (unsigned i = 1; i < in->nopd; i++) {
        Value a = read_value(s, &in->opd[i]);
        join(&v, &a);
    }
    if (!v.any) {
        clear(s, &in->opd[0]);
        return;
    }
    for (unsigned i = 0; i < LANES; i++)
        v.bad[i] = UINT16_MAX;
    write_value(s, &in->opd[0], &v, false);
}

/* ---- which instructions are looked at ---- */

typedef enum StepKind {
    KIND_UNKNOWN,
    KIND_LOAD,
    KIND_STORE,
    KIND_MEMORY,
    KIND_TABLE,
    KIND_EXCHANGE,
    KIND_RESULT,
    KIND_NONE
} StepKind;

static StepKind kind_of(const Instr *in)
{
    bool buffer = (Word)in->op->field[FIELD_space] == WORD_param;
    if (memory_operand(in))
        return buffer ? KIND_MEMORY : op_plain_load(in) ? KIND_LOAD : op_plain_store(in) ? KIND_STORE : KIND_MEMORY;
    if (op_is(in, TRAIT_JUMP))
        return KIND_TABLE;
    if (!ptx_has_result(in))
        return KIND_NONE;
    return op_is(in, TRAIT_EXCHANGE | TRAIT_BARRIER) ? KIND_EXCHANGE : op_is(in, TRAIT_CALL) ? KIND_NONE : KIND_RESULT;
}

static bool is_marked(const Step *s, const Operand *o)
{
    const Frame *f = s->w->frame;
    if (o->kind == OPD_REG) {
        unsigned bytes = type_bytes(o->reg->type);
        return poison_marked(f, layout_register(f->code, o), bytes ? bytes * LANES : 4);
    }
    if (o->kind == OPD_MEM)
        return is_marked(s, &o->elem[0]);
    for (unsigned i = 0; (o->kind == OPD_VECTOR || o->kind == OPD_PAIR) && i < o->count; i++)
        if (is_marked(s, &o->elem[i]))
            return true;
    return false;
}

/* Nothing it reads or writes may be poisoned; asked before every instruction, so the walk ends at the first mark (ptx_each_register would
 * look at all).  What a load brings and a store takes is poison_notify's. */
static bool is_untouched(const Step *s, StepKind kind)
{
    const Instr *in = s->in;
    Operand      g  = {.kind = OPD_REG, .part = -1, .reg = in->guard};
    if (kind == KIND_MEMORY || (in->guard && is_marked(s, &g)))
        return false;
    for (unsigned i = 0; kind != KIND_NONE && i < in->nopd; i++)
        if ((kind != KIND_STORE || in->opd[i].kind == OPD_MEM) && is_marked(s, &in->opd[i]))
            return false;
    return true;
}

void poison_step(Warp *w, uint32_t instr)
{
    const Instr *in   = w->block->launch->prog->instr[instr].in;
    Step         s    = {w, in, w->mask};
    uint8_t     *kind = &w->worker->poison_kind[instr];
    if (*kind == KIND_UNKNOWN)
        *kind = (uint8_t)kind_of(in);
    if (is_untouched(&s, (StepKind)*kind))
        return;
    if (in->guard) {
        Operand  g    = {.kind = OPD_REG, .part = -1, .reg = in->guard};
        uint32_t word = 0;
        use(&s, &g, POISON_BRANCH);
        memcpy(&word, w->r + layout_register(w->frame->code, &g), 4);
        s.mask &= in->guard_neg ? ~word : word;
    }
    if (!s.mask)
        return;
    if (*kind == KIND_LOAD || *kind == KIND_STORE || *kind == KIND_MEMORY)
        memory(&s, memory_operand(in));
    else if (*kind == KIND_TABLE)
        use(&s, &in->opd[0], POISON_BRANCH);
    else if (*kind == KIND_EXCHANGE)
        exchange(&s);
    else if (*kind == KIND_RESULT) {
        Value v = result(&s);
        write_value(&s, &in->opd[0], &v, in->opd[0].kind == OPD_VECTOR);
    }
}
