/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that a kernel reads while the host's work in another stream writes them.
 *
 * Loads of constants are told to nobody, so what a launch read is known from the instructions that were executed: [variable + number] is
 * exactly these bytes; of an address that was computed from a variable it is some of its bytes, so only work that writes all of it races for
 * sure.  Instructions under a guard, and addresses whose variable is not known (origin.h), are left out: nothing here invents a race. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "check/origin.h"
#include "check/race/race_work_own.h"
#include "ptx/place.h"
#include "ptx/traits.h"

typedef struct Reading { /* an instruction's */
    const Var *var;
    uint64_t   from, to;
    bool       some;
} Reading;

/* ---- what a launch read ---- */

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
static bool reading_of(const CheckLaunch *l, Arena *a, const Origin **origins, uint32_t n, Reading *out)
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
    *out = (Reading){o.var, at, at + size, base->kind == OPD_REG};
    if (!out->some) {
        uint64_t n_bytes = type_bytes(in->op->types[in->op->ntypes - 1]) * (d->kind == OPD_VECTOR ? d->count : 1u);
        out->from        = at + (uint64_t)base->ival + (uint64_t)mem->ival;
        out->to          = out->from + n_bytes;
    }
    return true;
}

/* Does work that writes [from, to) write what was read? */
static bool meets(uint64_t from, uint64_t to, uint64_t read_from, uint64_t read_to, bool some)
{
    return some ? from <= read_from && read_to <= to : from < read_to && read_from < to;
}

static void note(Findings *found, uint32_t instr, const Reading *x, const HostWork *h)
{
    size_t      len;
    const char *name = mangled_variable(x->var->name, &len);
    Finding    *f    = findings_note(found, RULE_RACE_STREAM, instr, NO_INSTR,
                                     UINT32_C(1) << 31 | (uint32_t)h->kind << 1 | h->writes, 0, 0, 1);
    if (!f)
        return;
    f->address = x->from;
    f->far     = h->asked;
    f->message =
        findings_text(found,
                      "reads the constant '%.*s', which a %s of another stream writes; nothing orders the two (an "
                      "event, a wait of the host)",
                      (int)len, name, works_noun(h));
}

/* ---- and what is kept of it ---- */

static void keep(Works *w, const CheckLaunch *l, uint32_t instr, const Reading *x)
{
    const WorkOrder *o = l->work;
    for (size_t i = w->nconstants; i--;) {
        const ConstantRead *c = &w->constant[i];
        if (c->queue != o->queue || c->count != o->count) /* a launch before */
            break;
        if (c->from == x->from && c->to == x->to && c->some == x->some)
            return;
    }
    if (w->nconstants == w->constants_cap) {
        w->constants_cap = w->constants_cap ? w->constants_cap * 2 : 16;
        w->constant      = xrealloc(w->constant, w->constants_cap * sizeof *w->constant);
    }
    Place         p = instr_user_place(l->module, l->instr[instr].in);
    ConstantRead *c = &w->constant[w->nconstants++];
    *c     = (ConstantRead){.queue = o->queue, .count = o->count, .from = x->from, .to = x->to, .some = x->some};
    c->end = (WwFindingEnd){.kernel = works_shown_name(w, l->kernel->name), .line = p.line, .col = p.col};
    if (p.file)
        c->end.file = works_file_name(w, p.file);
}

void works_constants(Works *w, const RaceRun *r, const CheckLaunch *l, Findings *found)
{
    if (!l->work || !l->executed || !l->variable || !r->rules->on[RULE_RACE_STREAM] || !has_constants(l->module))
        return;
    Arena        *a       = arena_new();
    const Origin *origins = NULL;
    const Func   *of      = NULL;
    for (uint32_t i = 0; i < l->ninstr; i++) {
        Reading x;
        if (l->instr[i].func != of)
            origins = NULL;
        of = l->instr[i].func;
        if (!l->executed[i] || !of || !reading_of(l, a, &origins, i, &x))
            continue;
        for (size_t k = 0; k < r->nbeside; k++)
            if (r->beside[k].writes && meets(r->beside[k].from, r->beside[k].to, x.from, x.to, x.some))
                note(found, i, &x, &r->beside[k]);
        keep(w, l, i, &x);
    }
    arena_free(a);
}

void constants_host(Works *w, HostWork *h, const WorkOrder *o)
{
    for (size_t i = 0; h->writes && i < w->nconstants; i++) {
        ConstantRead *c = &w->constant[i];
        if (works_is_before(o, c->queue, c->count) || !meets(h->from, h->to, c->from, c->to, c->some) ||
            !works_fresh(w, (uint64_t)c->end.line << 32 | c->end.col, (uint64_t)h->kind << 1 | h->writes))
            continue;
        WwFinding *f = works_tell(
            w, &c->end, c->from,
            arena_printf(w->arena,
                         "reads a constant at address 0x%" PRIx64
                         ", which a %s of another stream writes; nothing orders the two (an event, a wait of "
                         "the host)",
                         c->from, works_noun(h)));
        f->other = works_asked(w, h);
    }
}

void constants_settle(Works *w, const WorkOrder *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->nconstants; i++) {
        const ConstantRead *c    = &w->constant[i];
        uint32_t            upto = c->queue < o->n ? o->settled[c->queue] : 0;
        if (c->count > upto)
            w->constant[kept++] = *c;
    }
    w->nconstants = kept;
}

void constants_forget(Works *w, uint64_t address, uint64_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->nconstants; i++)
        if (w->constant[i].to <= address || address + bytes <= w->constant[i].from)
            w->constant[kept++] = w->constant[i];
    w->nconstants = kept;
}
