/* SPDX-License-Identifier: Apache-2.0
 *
 * A module as PTX text that parses back to the same module.  Constants are printed by value (decimal integers, floats as their
 * bits), constant expressions as their result, addresses with "+offset"; comments and blanks of the original are gone.  Marks
 * bring back scopes, labels, .loc, pragmas and declarations at their places. */
#include <inttypes.h>
#include <string.h>

#include "ptx/ptx.h"

typedef struct Print {
    Str          *out;
    const Module *m;
    const Func   *f;
} Print;

static const char *linkage_text(Linkage l)
{
    static const char *const texts[] = {"", ".extern ", ".visible ", ".weak ", ".common "};
    return texts[l];
}

/* ---- variables ---------------------------------------------------------------------------------------------------- */

static void print_address(Str *out, const Reloc *r)
{
    const char *name = r->var ? r->var->name : r->func->name;
    if (r->bytes == 1)
        str_printf(out, "0x%" PRIx64 "(", UINT64_C(0xff) << r->shift);
    str_printf(out, r->generic ? "generic(%s)" : "%s", name);
    if (r->addend)
        str_printf(out, "+%" PRId64, r->addend);
    if (r->bytes == 1)
        str_addc(out, ')');
}

static void print_scalar(Str *out, const Var *v, uint64_t offset)
{
    uint64_t bits  = 0;
    unsigned bytes = type_bytes(v->type);
    memcpy(&bits, v->init + offset, bytes < 8 ? bytes : 8);
    if (v->type == TY_F32)
        str_printf(out, "0f%08" PRIX64, bits);
    else if (v->type == TY_F64)
        str_printf(out, "0d%016" PRIX64, bits);
    else
        str_printf(out, "%" PRIu64, bits);
}

/* Dimension `level` of v from `offset` on; *reloc walks v->relocs, which are sorted by place. */
static void print_level(Str *out, const Var *v, unsigned level, uint64_t offset, size_t *reloc)
{
    unsigned ndim = v->ndim + (v->vec ? 1u : 0);
    if (level == ndim) {
        if (*reloc < v->nrelocs && v->relocs[*reloc].offset == offset)
            print_address(out, &v->relocs[(*reloc)++]);
        else
            print_scalar(out, v, offset);
        return;
    }
    uint64_t count = level < v->ndim ? v->dim[level] : v->vec, stride = type_bytes(v->type);
    for (unsigned i = level + 1; i < ndim; i++)
        stride *= i < v->ndim ? v->dim[i] : v->vec;
    str_addc(out, '{');
    for (uint64_t i = 0; i < count && offset < v->init_bytes; i++, offset += stride) {
        str_add(out, i ? ", " : "");
        print_level(out, v, level + 1, offset, reloc);
    }
    str_addc(out, '}');
}

static void print_attributes(Str *out, bool managed, bool unified, const uint64_t id[2])
{
    if (managed)
        str_add(out, unified ? " .attribute(.managed, " : " .attribute(.managed)");
    if (unified)
        str_printf(out, "%s.unified(%" PRIu64 ", %" PRIu64 "))", managed ? "" : " .attribute(", id[0], id[1]);
}

/* From the state space to the dimensions. */
static void print_declarator(Str *out, const Var *v)
{
    unsigned natural = type_bytes(v->type) * (v->vec ? v->vec : 1u);
    str_printf(out, ".%s", space_text(v->space));
    print_attributes(out, v->managed, v->unified, v->unified_id);
    if (v->align != (natural ? natural : 1))
        str_printf(out, " .align %u", v->align);
    if (v->vec)
        str_printf(out, " .v%u", v->vec);
    str_printf(out, " .%s", type_text(v->type));
    if (v->is_ptr) {
        str_add(out, " .ptr");
        if (v->ptr_space != SPACE_GENERIC)
            str_printf(out, " .%s", space_text(v->ptr_space));
        if (v->ptr_align)
            str_printf(out, " .align %u", v->ptr_align);
    }
    str_printf(out, " %s", v->name);
    for (unsigned i = 0; i < v->ndim; i++) {
        if (v->dim[i])
            str_printf(out, "[%" PRIu64 "]", v->dim[i]);
        else
            str_add(out, "[]");
    }
}

static void print_var(Str *out, const Var *v)
{
    size_t reloc = 0;
    str_add(out, linkage_text(v->linkage));
    print_declarator(out, v);
    if (v->init) {
        str_add(out, " = ");
        print_level(out, v, 0, 0, &reloc);
    }
    str_add(out, ";\n");
}

/* ---- operands ----------------------------------------------------------------------------------------------------- */

static void print_operand(Str *out, const Func *f, const Operand *o);

static void print_list(Str *out, const Func *f, const Operand *elem, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        str_add(out, i ? ", " : "");
        print_operand(out, f, &elem[i]);
    }
}

static void print_reg(Str *out, const Operand *o)
{
    if (o->neg)
        str_addc(out, o->reg->type == TY_PRED ? '!' : '-');
    str_add(out, o->reg->name);
    if (o->part == PART_SEL)
        str_printf(out, ".%s", o->sel);
    else if (o->part >= 0)
        str_printf(out, ".%c", "xyzw    "[o->part & 7]);
}

static void print_offset(Str *out, int64_t offset)
{
    if (offset)
        str_printf(out, "+%" PRId64, offset);
}

static void print_operand(Str *out, const Func *f, const Operand *o)
{
    switch (o->kind) {
    case OPD_REG: print_reg(out, o); break;
    case OPD_PAIR:
        print_operand(out, f, &o->elem[0]);
        str_addc(out, '|');
        print_operand(out, f, &o->elem[1]);
        break;
    case OPD_INT:
        if (o->is_unsigned)
            str_printf(out, "%" PRIu64 "U", (uint64_t)o->ival);
        else
            str_printf(out, "%" PRId64, o->ival);
        break;
    case OPD_FLOAT:
        if (o->is_f32)
            str_printf(out, "0f%08" PRIX64, o->fbits);
        else
            str_printf(out, "0d%016" PRIX64, o->fbits);
        break;
    case OPD_VAR:
        str_add(out, o->var->name);
        print_offset(out, o->ival);
        break;
    case OPD_FUNC: str_add(out, o->func->name); break;
    case OPD_LABEL: str_add(out, f->labels[o->label].name); break;
    case OPD_SREG: str_printf(out, "%%%s", o->name); break;
    case OPD_NAME: str_add(out, o->name); break;
    case OPD_SINK: str_addc(out, '_'); break;
    case OPD_MEM:
        str_addc(out, '[');
        print_operand(out, f, &o->elem[0]);
        print_offset(out, o->ival);
        str_add(out, o->count > 1 ? ", " : "");
        print_list(out, f, o->elem + 1, o->count - 1u);
        str_add(out, o->neg ? "].unified" : "]");
        break;
    case OPD_VECTOR:
        str_addc(out, '{');
        print_list(out, f, o->elem, o->count);
        str_addc(out, '}');
        break;
    case OPD_LIST:
        str_addc(out, '(');
        print_list(out, f, o->elem, o->count);
        str_addc(out, ')');
        break;
    default: break;
    }
}

static void print_instr(Str *out, const Func *f, const Instr *in)
{
    bool first = true;
    str_addc(out, '\t');
    if (in->guard)
        str_printf(out, "@%s%s ", in->guard_neg ? "!" : "", in->guard->name);
    str_add(out, in->op->text);
    for (unsigned i = 0; i < in->nopd; i++) {
        if (in->opd[i].kind == OPD_NONE) /* what a call does not have */
            continue;
        str_add(out, first ? " " : ", ");
        print_operand(out, f, &in->opd[i]);
        first = false;
    }
    str_add(out, ";\n");
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

static void print_params(Str *out, const Var *v, size_t n)
{
    str_addc(out, '(');
    for (size_t i = 0; i < n; i++) {
        str_add(out, i ? ", " : "");
        print_declarator(out, &v[i]);
    }
    str_addc(out, ')');
}

static void print_extent(Str *out, const char *word, const uint32_t n[3])
{
    if (n[0])
        str_printf(out, "\n.%s %u, %u, %u", word, n[0], n[1], n[2]);
}

static void print_count(Str *out, const char *word, uint32_t n)
{
    if (n)
        str_printf(out, "\n.%s %u", word, n);
}

static void print_directives(Str *out, const Func *f)
{
    str_add(out, f->noreturn ? "\n.noreturn" : "");
    print_extent(out, "maxntid", f->maxntid);
    print_extent(out, "reqntid", f->reqntid);
    print_count(out, "minnctapersm", f->minnctapersm);
    print_count(out, "maxnctapersm", f->maxnctapersm);
    print_count(out, "maxnreg", f->maxnreg);
    print_extent(out, "reqnctapercluster", f->reqnctapercluster);
    str_add(out, f->explicitcluster ? "\n.explicitcluster" : "");
    print_count(out, "maxclusterrank", f->maxclusterrank);
    str_add(out, f->blocksareclusters ? "\n.blocksareclusters" : "");
    print_count(out, "abi_preserve", f->abi_preserve);
    print_count(out, "abi_preserve_control", f->abi_preserve_control);
    for (size_t i = 0; i < f->npragmas; i++)
        str_printf(out, "\n.pragma \"%s\";", f->pragmas[i]);
}

static void print_signature(Str *out, const Func *f)
{
    print_attributes(out, false, f->unified, f->unified_id);
    str_addc(out, ' ');
    if (f->nrets) {
        print_params(out, f->rets, f->nrets);
        str_addc(out, ' ');
    }
    str_printf(out, "%s ", f->name);
    print_params(out, f->params, f->nparams);
    print_directives(out, f);
}

static void print_loc(Print *p, const SrcLoc *s)
{
    str_printf(p->out, "\t.loc %u %u %u", s->file, s->line, s->col);
    if (s->function) {
        str_printf(p->out, ", function_name %s", s->function);
        print_offset(p->out, s->function_off);
    }
    if (s->inlined_at) {
        const SrcLoc *at = &p->m->srclocs[s->inlined_at - 1];
        str_printf(p->out, ", inlined_at %u %u %u", at->file, at->line, at->col);
    }
    str_addc(p->out, '\n');
}

static void print_label(Print *p, const Label *l)
{
    str_printf(p->out, "%s:", l->name);
    if (l->targets)
        str_add(p->out, " .branchtargets ");
    for (size_t i = 0; i < l->ntargets; i++)
        str_printf(p->out, "%s%s", i ? ", " : "", p->f->labels[l->targets[i]].name);
    if (l->callees)
        str_add(p->out, " .calltargets ");
    for (size_t i = 0; i < l->ncallees; i++)
        str_printf(p->out, "%s%s", i ? ", " : "", l->callees[i]->name);
    if (l->prototype) {
        str_add(p->out, " .callprototype");
        print_signature(p->out, l->prototype);
    }
    str_add(p->out, l->targets || l->callees || l->prototype ? ";\n" : "\n");
}

static void print_mark(Print *p, const Mark *k)
{
    switch (k->kind) {
    case MARK_OPEN: str_add(p->out, "{\n"); break;
    case MARK_CLOSE: str_add(p->out, "}\n"); break;
    case MARK_PRAGMA: str_printf(p->out, "\t.pragma \"%s\";\n", k->text); break;
    case MARK_LABEL: print_label(p, &p->f->labels[k->index]); break;
    case MARK_LOC: print_loc(p, &p->m->srclocs[k->index]); break;
    case MARK_VAR:
        str_addc(p->out, '\t');
        print_var(p->out, p->f->vars[k->index]);
        break;
    case MARK_REGS:
        str_add(p->out, "\t.reg ");
        if (k->vec)
            str_printf(p->out, ".v%u ", k->vec);
        if (k->text)
            str_printf(p->out, ".%s %s<%u>;\n", type_text(k->type), k->text, k->count);
        else
            str_printf(p->out, ".%s %s;\n", type_text(k->type), p->f->regs[k->index]->name);
        break;
    }
}

static void print_func(Print *p, const Func *f, bool body)
{
    str_printf(p->out, "%s%s", linkage_text(f->linkage), f->entry ? ".entry" : ".func");
    print_signature(p->out, f);
    if (!body) {
        str_add(p->out, ";\n");
        return;
    }
    str_add(p->out, "\n{\n");
    size_t mark = 0;
    p->f        = f;
    for (size_t i = 0; i <= f->ninstrs; i++) {
        for (; mark < f->nmarks && f->marks[mark].at == i; mark++)
            print_mark(p, &f->marks[mark]);
        if (i < f->ninstrs)
            print_instr(p->out, f, &f->instrs[i]);
    }
    str_add(p->out, "}\n");
}

static void print_header(Str *out, const Module *m)
{
    str_printf(out, ".version %u.%u\n.target %s%s\n.address_size %u\n", m->version_major, m->version_minor, m->target,
               m->target_options, m->address_size);
    for (size_t i = 0; i < m->nfiles; i++) {
        if (!m->files[i])
            continue;
        str_printf(out, ".file %zu \"%s\"", i + 1, m->files[i]);
        if (m->file_time[i] || m->file_size[i])
            str_printf(out, ", %" PRIu64 ", %" PRIu64, m->file_time[i], m->file_size[i]);
        str_addc(out, '\n');
    }
}

void ptx_print(const Module *m, Str *out)
{
    Print p = {.out = out, .m = m};
    print_header(out, m);
    for (size_t i = 0; i < m->norder; i++) {
        uint32_t index = m->order[i].index;
        switch (m->order[i].kind) {
        case 'v': print_var(out, m->vars[index]); break;
        case 'e':
            str_add(out, ".extern ");
            print_declarator(out, m->vars[index]);
            str_add(out, ";\n");
            break;
        case 'd': print_func(&p, m->funcs[index], false); break;
        case 'f': print_func(&p, m->funcs[index], true); break;
        default: str_printf(out, "%s\n", m->sections[index]); break;
        }
    }
}
