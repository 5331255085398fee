/* SPDX-License-Identifier: Apache-2.0
 *
 * Of a vector load (global or shared memory, neither volatile nor ordered) what becomes is decided by which elements' registers anybody reads:
 *
 *     elements of   read                                                   loaded
 *     4 or 8 bytes  one; the first or the last two of four                 these, at once
 *                   two others of four                                     each by itself
 *     2 bytes       one; the first or the last two of four                 these, at once
 *     all others                                                           everything
 *
 * and of a load of 8 bytes the lower or the upper four where nobody can tell the others: what it brings is cut off, taken apart, or added to,
 * multiplied, shifted up or combined bit by bit, and that cut off.
 *
 * So asked of ptxas by a kernel for each choice; bytes are loaded whole.  Where a register is read by what nobody needs, the assembler loads less. */
#include "ptx/narrow.h"

#include <stdlib.h>

#include "base/sizes.h"
#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

enum { FIRST_PAIR = 3, LAST_PAIR = 12, WORD = 4 };

static bool is_vector_load(const Instr *in)
{
    const Opcode *o = in->op;
    return o && op_plain_load(in) && !in->guard && in->nopd == 2 && in->opd[0].kind == OPD_VECTOR && o->ntypes &&
           (opcode_has(o, WORD_global) || opcode_has(o, WORD_shared) || opcode_has(o, WORD_shared_cta)) &&
           (o->field[FIELD_sem] == WORD_NONE || o->field[FIELD_sem] == WORD_weak);
}

static void note_read(void *user, const Operand *o, bool written)
{
    bool *is_read = user;
    is_read[o->reg->index] |= !written;
}

static uint32_t loaded(const Instr *in, const bool *is_read)
{
    const Operand *to    = &in->opd[0];
    unsigned       bytes = type_bytes(in->op->types[in->op->ntypes - 1]), read = 0;
    if (bytes < 2 || to->count > WORD)
        return 0;
    for (unsigned i = 0; i < to->count; i++)
        read |= to->elem[i].kind == OPD_REG && is_read[to->elem[i].reg->index] ? 1u << i : 0;
    bool some = __builtin_popcount(read) == 1 || (to->count == 4 && (read == FIRST_PAIR || read == LAST_PAIR)) ||
                (bytes >= WORD && to->count == 4 && __builtin_popcount(read) == 2);
    return some ? (read | (uint32_t)to->count << NARROW_COUNT) << NARROW_AT : 0;
}

/* ---- halves ---- */

enum { LOW = 1, HIGH = 2, BOTH = LOW | HIGH, HALVES = 2, WIDE = 8, HALF_BITS = 32, ROUNDS = 16 };

typedef struct Need {
    uint8_t *of; /* by register: the halves that somebody can tell */
    bool     more;
} Need;

static void need(Need *n, const Operand *o, unsigned halves)
{
    if (o->kind != OPD_REG)
        return;
    n->more |= (n->of[o->reg->index] & halves) != halves;
    n->of[o->reg->index] |= (uint8_t)halves;
}

static void need_both(void *user, const Operand *o, bool written)
{
    if (!written)
        need(user, o, BOTH);
}

static unsigned needed(const Need *n, const Operand *o)
{
    return o->kind == OPD_REG ? n->of[o->reg->index] : 0;
}

/* A move takes a register apart. */
static unsigned taken(const Need *n, const Operand *to)
{
    return (needed(n, &to->elem[0]) ? LOW : 0) | (needed(n, &to->elem[1]) ? HIGH : 0);
}

/* Which halves an instruction tells of its sources of 8 bytes; of all others both. */
static void need_of(Need *n, const Instr *in)
{
    const Opcode  *op    = in->op;
    const Operand *o     = in->opd;
    Type           type  = op->ntypes ? op->types[op->ntypes - 1] : op->types[0];
    bool           plain = op->ntypes && type_bytes(type) == WIDE && in->nopd >= 2 && o[0].kind == OPD_REG;
    unsigned       to = plain ? needed(n, &o[0]) : 0, carried = to & HIGH ? BOTH : to;
    if (in->guard)
        n->of[in->guard->index] = BOTH;
    switch (op->op) {
    case OP_cvt:
        if (plain && op->ntypes == 2 && type_kind(type) != 'f' && type_kind(op->types[0]) != 'f' &&
            type_bytes(op->types[0]) < WIDE && !opcode_has(op, WORD_sat) && o[1].kind == OPD_REG) {
            need(n, &o[1], to ? LOW : 0);
            return;
        }
        break;
    case OP_mov:
        if (in->nopd == 2 && o[0].kind == OPD_VECTOR && o[0].count == HALVES && o[1].kind == OPD_REG) {
            need(n, &o[1], taken(n, &o[0]));
            return;
        }
        if (plain && o[1].kind == OPD_REG) {
            need(n, &o[1], to);
            return;
        }
        break;
    case OP_add:
    case OP_sub:
    case OP_mul_lo:
    case OP_mad_lo: to = carried; __attribute__((fallthrough));
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_not:
        for (unsigned i = 1; plain && i < in->nopd; i++)
            need(n, &o[i], to);
        if (plain)
            return;
        break;
    case OP_shl:
        if (plain && o[1].kind == OPD_REG && o[2].kind == OPD_INT) {
            need(n, &o[1], o[2].ival < HALF_BITS ? carried : to & HIGH ? LOW : 0);
            return;
        }
        break;
    case OP_shr:
        if (plain && o[1].kind == OPD_REG && o[2].kind == OPD_INT && o[2].ival >= HALF_BITS) {
            need(n, &o[1], to ? HIGH : 0);
            return;
        }
        break;
    default: break;
    }
    ptx_each_register(in, need_both, n);
}

static bool is_wide_load(const Instr *in)
{
    const Opcode *o = in->op;
    return o && op_plain_load(in) && !in->guard && in->nopd == 2 && in->opd[0].kind == OPD_REG && o->ntypes == 1 &&
           type_bytes(o->types[0]) == WIDE &&
           (opcode_has(o, WORD_global) || opcode_has(o, WORD_shared) || opcode_has(o, WORD_shared_cta)) &&
           (o->field[FIELD_sem] == WORD_NONE || o->field[FIELD_sem] == WORD_weak);
}

/* Loads of 8 bytes. */
static void narrow_wide(const Func *f, uint32_t *role)
{
    Need n = {NULL, true};
    for (size_t i = 0; i < f->ninstrs && !n.of; i++)
        if (is_wide_load(&f->instrs[i]))
            n.of = xcalloc(f->nregs + 1, sizeof *n.of);
    for (unsigned round = 0; n.of && n.more && round <= ROUNDS; round++) {
        n.more = false;
        for (size_t i = f->ninstrs; i-- > 0;)
            if (f->instrs[i].op)
                need_of(&n, &f->instrs[i]);
    }
    for (size_t i = 0; i < f->ninstrs && n.of && !n.more; i++) {
        unsigned halves = is_wide_load(&f->instrs[i]) && !role[i] ? needed(&n, &f->instrs[i].opd[0]) : BOTH;
        if (halves == LOW || halves == HIGH)
            role[i] |= (halves | (uint32_t)HALVES << NARROW_COUNT) << NARROW_AT;
    }
    free(n.of);
}

void ptx_narrow(const Func *f, uint32_t *role)
{
    narrow_wide(f, role);
    bool *is_read = NULL;
    for (size_t i = 0; i < f->ninstrs; i++) {
        if (!is_vector_load(&f->instrs[i]))
            continue;
        if (!is_read) {
            is_read = xcalloc(f->nregs + 1, sizeof *is_read);
            for (size_t k = 0; k < f->ninstrs; k++) {
                ptx_each_register(&f->instrs[k], note_read, is_read);
                if (f->instrs[k].guard)
                    is_read[f->instrs[k].guard->index] = true;
            }
        }
        role[i] |= loaded(&f->instrs[i], is_read);
    }
    free(is_read);
}
