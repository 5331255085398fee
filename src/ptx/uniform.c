/* SPDX-License-Identifier: Apache-2.0
 *
 * A register is the same in all lanes when one instruction alone writes it, without a guard, and makes it of constants, parameters, special
 * registers of the block (sregs.def) and such registers.  Everything else may vary: what is read from memory, what several instructions
 * write (lanes may have come by different ones), what a call gives back.
 * Not found: loop counters, and loads of one address. */
#include "ptx/uniform.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "ptx/registers.h"
#include "ptx/sregs.h"
#include "ptx/traits.h"

typedef struct Walk {
    bool *varies, *written; /* by register */
    bool  entry;            /* a kernel: all lanes have the same parameters */
    bool  reads,
        changed; /* of the instruction that is looked at: does a source vary?  Of the pass: was one more found? */
} Walk;

static void note_writer(void *user, const Operand *o, bool written)
{
    Walk *w = user;
    if (!written || !o->reg)
        return;
    w->varies[o->reg->index] |= w->written[o->reg->index];
    w->written[o->reg->index] = true;
}

static void read_register(void *user, const Operand *o, bool written)
{
    Walk *w = user;
    w->reads |= !written && o->reg && (w->varies[o->reg->index] || !w->written[o->reg->index]);
}

static void write_register(void *user, const Operand *o, bool written)
{
    Walk *w = user;
    if (!written || !o->reg || w->varies[o->reg->index])
        return;
    w->varies[o->reg->index] = w->changed = true;
}

/* A special register's operand has its part behind its name. */
static bool same_everywhere(const Operand *o)
{
    const SregInfo *s = sreg_find(o->name, strcspn(o->name, "."), NULL);
    return s && s->same;
}

static bool varies(Walk *w, const Instr *in)
{
    bool parameter = w->entry && op_plain_load(in) && opcode_has(in->op, WORD_param);
    if (in->guard || (!parameter && !op_is(in, TRAIT_COMPUTE)))
        return true;
    w->reads = false;
    ptx_each_register(in, read_register, w);
    for (unsigned i = 0; i < in->nopd && !w->reads; i++)
        w->reads = in->opd[i].kind == OPD_SREG && !same_everywhere(&in->opd[i]);
    return w->reads;
}

bool *uniform_varying(const Func *f)
{
    Walk w = {.varies  = xcalloc(f->nregs + 1, sizeof(bool)),
              .written = xcalloc(f->nregs + 1, sizeof(bool)),
              .entry   = f->entry};
    for (size_t i = 0; i < f->ninstrs; i++)
        if (f->instrs[i].op)
            ptx_each_register(&f->instrs[i], note_writer, &w);
    do {
        w.changed = false;
        for (size_t i = 0; i < f->ninstrs; i++)
            if (f->instrs[i].op && varies(&w, &f->instrs[i]))
                ptx_each_register(&f->instrs[i], write_register, &w);
    } while (w.changed);
    free(w.written);
    return w.varies;
}
