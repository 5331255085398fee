/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules whose functions' bodies are read when they are needed: a program has thousands of kernels and launches a few.
 *
 * The first pass goes past a body by its braces, and the parser stays with the module.  Who compiles the text can leave bodies out.
 * Reading a function reads all that it can reach: the functions it names, those that the module's initialisers name, and every .func
 * once there is a call through a register.  A body is read in the module's scope as it is at the end, so a name that is declared only
 * behind its use is not an error here. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"
#include "ptx/traits.h"

bool skip_body(Parser *p, Func *f)
{
    const char *open = p->tok.s;
    uint32_t    line = p->tok.line;
    if (!p->outside || !lexer_skip_braces(&p->lx))
        return false;
    f->unread    = true;
    f->body_at   = (size_t)(open - p->m->text);
    f->body_line = line;
    f->body_end  = (size_t)(p->lx.p - p->m->text);
    parser_next(p);
    return true;
}

bool ptx_kernels_stand_alone(const Module *m)
{
    for (size_t i = 0; i < m->nvars; i++)
        if (m->vars[i]->space == SPACE_GLOBAL || m->vars[i]->space == SPACE_CONST)
            return false;
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->entry && !m->funcs[i]->body_end)
            return false;
    return true;
}

void ptx_text_of(const Module *m, const Func *kernel, Str *out)
{
    size_t from = 0;
    for (size_t i = 0; i < m->nfuncs; i++) {
        const Func *f = m->funcs[i];
        if (f == kernel || !f->entry || !f->body_end)
            continue;
        str_addn(out, m->text + from, f->body_at - from);
        str_add(out, "{ ret;");
        for (const char *c = m->text + f->body_at; (c = memchr(c, '\n', (size_t)(m->text + f->body_end - c))); c++)
            str_addc(out, '\n');
        str_addc(out, '}');
        from = f->body_end;
    }
    str_addn(out, m->text + from, m->text_len - from);
}

typedef struct Reading {
    Parser *p;
    VEC(Func *) todo;
    bool   all; /* every .func was put on the list */
    Status status;
} Reading;

static void want(Reading *r, const Func *f)
{
    Func *own = r->p->m->funcs[(f->alias_of ? f->alias_of : f)->index];
    if (own->unread)
        *VEC_PUSH(&r->todo) = own;
}

static void want_all(Reading *r)
{
    const Module *m = r->p->m;
    for (size_t i = 0; !r->all && i < m->nfuncs; i++)
        if (!m->funcs[i]->entry)
            want(r, m->funcs[i]);
    r->all = true;
}

static void want_named(Reading *r, const Operand *o)
{
    size_t n = o->kind == OPD_MEM                                                    ? (o->count ? o->count : 1)
               : o->kind == OPD_VECTOR || o->kind == OPD_LIST || o->kind == OPD_PAIR ? o->count
                                                                                     : 0;
    if (o->kind == OPD_FUNC)
        want(r, o->func);
    for (size_t i = 0; i < n; i++)
        want_named(r, &o->elem[i]);
}

static void want_reached(Reading *r, const Func *f)
{
    for (size_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        for (unsigned o = 0; o < in->nopd; o++)
            want_named(r, &in->opd[o]);
        if (in->op && op_is(in, TRAIT_CALL) && in->nopd > 1 && in->opd[1].kind == OPD_REG)
            want_all(r);
    }
}

static void read_body(Reading *r, Func *f)
{
    Parser *p      = r->p;
    size_t  before = p->diags->errors;
    p->lx.p = p->lx.line_start = p->m->text + f->body_at;
    while (p->lx.line_start > p->m->text && p->lx.line_start[-1] != '\n')
        p->lx.line_start--;
    p->lx.line     = f->body_line;
    p->stop        = false;
    p->first_error = before;
    parser_next(p);
    parse_body(p, f);
    if (p->diags->errors != before) {
        r->status  = WW_ERR_PARSE; /* and it stays unread */
        f->ninstrs = f->nregs = f->nvars = f->nlabels = f->nmarks = 0;
        return;
    }
    f->unread = false;
    want_reached(r, f);
}

Status ptx_read(const Module *m, const Func *f, Diags *diags)
{
    Parser *p = m->parser;
    if (!p || !f->unread)
        return WW_OK;
    Reading r = {.p = p};
    p->diags  = diags;
    want(&r, f);
    for (size_t v = 0; v < m->nvars; v++)
        for (size_t i = 0; i < m->vars[v]->nrelocs; i++)
            if (m->vars[v]->relocs[i].func)
                want(&r, m->vars[v]->relocs[i].func);
    while (r.todo.n && r.status == WW_OK) {
        Func *next = r.todo.v[--r.todo.n];
        if (next->unread)
            read_body(&r, next);
    }
    vec_free(r.todo.v);
    p->m->srclocs  = p->srclocs.v; /* the list may have moved */
    p->m->nsrclocs = p->srclocs.n;
    p->diags       = NULL;
    return r.status;
}
