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
 * So asked of ptxas by a kernel for each choice; bytes are loaded whole.  Where a register is read by what nobody needs, the assembler loads less. */
#include "ptx/narrow.h"

#include <stdlib.h>

#include "base/sizes.h"
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

void ptx_narrow(const Func *f, uint32_t *role)
{
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
