/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk over an instruction's operands.  An instruction that writes names its result first, as d, p or q in the manual's notation of its
 * form; a call lists its results first.  A result that is added to (wgmma's) is told as written only, a partly written one as written. */
#include "ptx/registers.h"

#include <string.h>

#include "ptx/traits.h"

static void visit(const Operand *o, bool written, EachRegister *each, void *user)
{
    unsigned n = 0;
    switch (o->kind) {
    case OPD_REG: each(user, o, written); return;
    case OPD_PAIR: n = 2; break;
    case OPD_VECTOR:
    case OPD_LIST: n = o->count; break;
    case OPD_MEM: n = o->count ? o->count : 1; break;
    default: return;
    }
    for (unsigned i = 0; i < n; i++)
        visit(&o->elem[i], written && o->kind != OPD_MEM, each, user);
}

bool ptx_has_result(const Instr *in)
{
    const char *form =
        strchr(op_form(in->op->op)->form, ' '); /* what is written is called d, p or q and stands first */
    return form && (form[1] == 'd' || form[1] == 'p' || form[1] == 'q');
}

void ptx_each_register(const Instr *in, EachRegister *each, void *user)
{
    bool writes = op_is(in, TRAIT_CALL) || ptx_has_result(in);
    for (unsigned i = in->nopd; i-- > 0;) /* sources first */
        visit(&in->opd[i], writes && i == 0, each, user);
}
