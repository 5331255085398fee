/* SPDX-License-Identifier: Apache-2.0
 *
 * A module's life: parse, find, free.  The text is copied first (with a zero byte behind it that stops the lexer), so that
 * messages can show source lines as long as the module lives. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"
#include "ptx/place.h"
#include "ptx/traits.h"

static void keywords_init(Names *n)
{
    static const char *const words[KW_COUNT] = {
        [KW_NONE] = NULL,
#define KEYWORD(id) [KW_##id] = #id,
#include "ptx/keywords.def"
#undef KEYWORD
    };
    for (int i = KW_NONE + 1; i < KW_COUNT; i++)
        names_intern(n, words[i], strlen(words[i]))->keyword = (uint8_t)i;
    for (int t = TY_NONE + 1; t < TY_COUNT; t++)
        names_intern(n, type_text((Type)t), strlen(type_text((Type)t)))->type = (uint8_t)t;
}

#define KEEP(dst, count, src, T)                                                                                       \
    do {                                                                                                               \
        (count) = (src)->n;                                                                                            \
        (dst)   = ARENA_ARRAY(m->arena, T, (src)->n);                                                                  \
        if ((src)->n)                                                                                                  \
            memcpy((dst), (src)->v, (src)->n * sizeof *(src)->v);                                                      \
    } while (0)

static void keep_module(Parser *p, Module *m)
{
    if (p->outside) { /* it grows with every body that is read */
        m->srclocs  = p->srclocs.v;
        m->nsrclocs = p->srclocs.n;
    } else {
        KEEP(m->srclocs, m->nsrclocs, &p->srclocs, SrcLoc);
    }
    KEEP(m->files, m->nfiles, &p->files, const char *);
    m->file_is_system = ARENA_ARRAY(m->arena, bool, m->nfiles + 1);
    for (size_t i = 0; i < m->nfiles; i++)
        m->file_is_system[i] = m->files[i] && place_is_system(m->files[i]);
    KEEP(m->file_time, m->nfiles, &p->file_time, uint64_t);
    KEEP(m->file_size, m->nfiles, &p->file_size, uint64_t);
    KEEP(m->vars, m->nvars, &p->mod_vars, Var *);
    KEEP(m->funcs, m->nfuncs, &p->funcs, Func *);
    KEEP(m->sections, m->nsections, &p->sections, const char *);
    KEEP(m->order, m->norder, &p->order, struct ModuleItem);
}

static void parser_free(Parser *p)
{
    void *const lists[] = {p->instrs.v,    p->regs.v,  p->vars.v,      p->labels.v,    p->marks.v,   p->pending.v,
                           p->opds.v,      p->files.v, p->file_time.v, p->file_size.v, p->srclocs.v, p->mod_vars.v,
                           p->var_order.v, p->funcs.v, p->sections.v,  p->order.v,     p->loc_slot};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    names_free(&p->names);
    arena_free(p->scratch);
    free(p);
}

static Module *module_new(const char *name, const char *text, size_t len)
{
    Arena  *a = arena_new();
    Module *m = ARENA_NEW(a, Module);
    m->arena  = a;
    m->name   = arena_strdup(a, name ? name : "ptx");
    while (len > 0 && text[len - 1] == 0) /* modules of fat binaries end in zero bytes */
        len--;
    m->text           = arena_strndup(a, text, len);
    m->text_len       = len;
    m->target_options = "";
    m->address_size   = 64;
    return m;
}

static Status parse(const char *name, const char *text, size_t len, bool outside, Diags *diags, Module **out)
{
    *out = NULL;
    if (len > PTX_MOST_BYTES) {
        diag_add(diags, DIAG_ERROR, name, 1, 1, NULL, "a module of %zu bytes: at most %zu are read", len,
                 PTX_MOST_BYTES);
        return WW_ERR_PARSE;
    }
    Module *m = module_new(name, text, len);
    Parser *p = xcalloc(1, sizeof *p);
    *p        = (Parser){.m           = m,
                         .arena       = m->arena,
                         .scratch     = arena_new(),
                         .diags       = diags,
                         .first_error = diags->errors,
                         .outside     = outside,
                         .max_regs    = MAX_FUNC_REGS + m->text_len};
    names_init(&p->names, p->arena, p->scratch);
    keywords_init(&p->names);
    lexer_init(&p->lx, &p->names, m->text, m->text_len);
    parser_next(p);
    parse_module(p);
    keep_module(p, m);
    bool ok   = diags->errors == p->first_error;
    m->parser = p;
    if (!ok) {
        ptx_module_free(m);
        return WW_ERR_PARSE;
    }
    if (!outside) {
        parser_free(p);
        m->parser = NULL;
    }
    *out = m;
    return WW_OK;
}

Status ptx_parse(const char *name, const char *text, size_t len, Diags *diags, Module **out)
{
    return parse(name, text, len, false, diags, out);
}

Status ptx_parse_outside(const char *name, const char *text, size_t len, Diags *diags, Module **out)
{
    return parse(name, text, len, true, diags, out);
}

void ptx_module_free(Module *m)
{
    if (!m)
        return;
    if (m->parser)
        parser_free(m->parser);
    arena_free(m->arena);
}

const Func *ptx_find_func(const Module *m, const char *name)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        if (strcmp(m->funcs[i]->name, name) == 0)
            return m->funcs[i];
    return NULL;
}

const Var *ptx_find_var(const Module *m, const char *name)
{
    for (size_t i = 0; i < m->nvars; i++)
        if (strcmp(m->vars[i]->name, name) == 0)
            return m->vars[i];
    return NULL;
}

/* ---- what a kernel can reach ---- */

typedef struct Search {
    const Func **found;
    size_t       nfound; /* functions, each once; what they call is looked up in their order */
    bool        *seen;   /* by Func.index */
} Search;

static void search_add(Search *s, const Func *f)
{
    f = f->alias_of ? f->alias_of : f;
    if (!s->seen[f->index])
        s->found[s->nfound++] = f;
    s->seen[f->index] = true;
}

/* Is one of the function's own instructions such?  What it calls is added. */
static bool search_function(Search *s, const Module *m, const Func *f, bool (*is)(const Instr *in))
{
    bool all = false;
    for (size_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        if (is(in))
            return true;
        if (!op_is(in, TRAIT_CALL))
            continue;
        if (in->opd[1].kind == OPD_FUNC)
            search_add(s, in->opd[1].func);
        else
            all = true;
    }
    for (size_t k = 0; all && k < m->nfuncs; k++)
        if (!m->funcs[k]->entry)
            search_add(s, m->funcs[k]);
    return false;
}

bool ptx_reaches(const Module *m, const Func *kernel, bool (*is)(const Instr *in))
{
    Search s     = {xcalloc(m->nfuncs + 1, sizeof(const Func *)), 0, xcalloc(m->nfuncs + 1, sizeof(bool))};
    bool   found = false;
    search_add(&s, kernel);
    for (size_t i = 0; i < s.nfound && !found; i++)
        found = search_function(&s, m, s.found[i], is);
    free(s.found);
    free(s.seen);
    return found;
}
