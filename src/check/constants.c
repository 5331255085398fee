/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk over a launch's instructions; origins are found only where an address was computed. */
#include "check/constants.h"

#include "base/arena.h"
#include "check/origin.h"
#include "ptx/traits.h"

static bool has_constants(const Module *m)
{
    bool has = false;
    for (size_t i = 0; i < m->nvars && !has; i++)
        has = m->vars[i]->space == SPACE_CONST;
    return has;
}

static const Operand *address_of(const Instr *in)
{
    bool loads = op_plain_load(in) && (Word)in->op->field[FIELD_space] == WORD_const && !in->guard;
    return loads && in->nopd > 1 && in->opd[1].kind == OPD_MEM ? &in->opd[1] : NULL;
}

static bool not_asked(void *user, uint32_t offset)
{
    (void)user, (void)offset;
    return false;
}

/* The n-th instruction of the launch; origins of its function's addresses are found when they are first wanted. */
static bool reading_of(const CheckLaunch *l, Arena *a, const Origin **origins, uint32_t n, ConstantReading *out)
{
    const Instr   *in  = l->instr[n].in;
    const Func    *f   = l->instr[n].func;
    const Operand *mem = address_of(in), *base = mem ? &mem->elem[0] : NULL, *d = &in->opd[0];
    uint64_t       size = 0, at;
    if (!mem || (base->kind != OPD_VAR && base->kind != OPD_REG))
        return false;
    if (base->kind == OPD_REG && !*origins)
        *origins = origins_of(a, f, not_asked, NULL);
    Origin o = base->kind == OPD_REG ? (*origins)[in - f->instrs] : (Origin){ORIGIN_VAR, base->var, 0};
    if (o.kind != ORIGIN_VAR || o.var->space != SPACE_CONST || !(at = l->variable(l->loaded, o.var, &size)))
        return false;
    *out = (ConstantReading){o.var, at, at + size, base->kind == OPD_REG};
    if (!out->some) {
        uint64_t n_bytes = type_bytes(in->op->types[in->op->ntypes - 1]) * (d->kind == OPD_VECTOR ? d->count : 1u);
        out->from        = at + (uint64_t)base->ival + (uint64_t)mem->ival;
        out->to          = out->from + n_bytes;
    }
    return true;
}

void constants_read(const CheckLaunch *l, void (*each)(void *user, uint32_t instr, const ConstantReading *x),
                    void              *user)
{
    if (!l->executed || !l->variable || !has_constants(l->module))
        return;
    Arena        *a       = arena_new();
    const Origin *origins = NULL;
    const Func   *of      = NULL;
    for (uint32_t i = 0; i < l->ninstr; i++) {
        ConstantReading x;
        if (l->instr[i].func != of)
            origins = NULL;
        of = l->instr[i].func;
        if (l->executed[i] && of && reading_of(l, a, &origins, i, &x))
            each(user, i, &x);
    }
    arena_free(a);
}
