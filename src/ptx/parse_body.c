/* SPDX-License-Identifier: Apache-2.0
 *
 * Function bodies: scopes, labels, .loc, lists of targets, prototypes.
 *
 * Scopes are resolved away: instructions, registers, variables and labels of all scopes lie in the function's flat lists; what
 * the printer needs to bring them back is in marks.  A label may be used before it is defined, and an inner scope's label hides
 * an outer one, so a use waits in p->pending until the first enclosing scope that has the label closes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stress.h"
#include "ptx/parser.h"

static Mark *push_mark(Parser *p, int kind)
{
    Mark *m = VEC_PUSH(&p->marks);
    *m      = (Mark){.at = (uint32_t)p->instrs.n, .kind = (uint8_t)kind};
    return m;
}

void parser_label_use(Parser *p, Name *name, uint32_t *slot, uint32_t line, uint32_t col)
{
    *VEC_PUSH(&p->pending) = (Pending){name, slot, line, col};
}

static void open_scope(Parser *p)
{
    p->scope_pending[p->names.depth] = p->pending.n;
    names_open(&p->names);
}

/* Resolves the uses that wait for a label of the scope that ends here; hands the others on to the outer scope. */
static void close_scope(Parser *p)
{
    uint32_t depth = (uint32_t)p->names.depth;
    size_t   from = p->scope_pending[depth - 1], kept = from;
    for (size_t i = from; i < p->pending.n; i++) {
        Pending   *use = &p->pending.v[i];
        const Sym *sym = use->name->sym;
        if (sym && sym->depth == depth && sym->kind == SYM_LABEL)
            *use->slot = sym->label;
        else if (depth > 1)
            p->pending.v[kept++] = *use;
        else
            parser_error(p, use->line, use->col,
                         sym ? "'%s' is not a label" : "label '%s' is not defined in this function", use->name->text);
    }
    p->pending.n = kept;
    names_close(&p->names);
}

/* ---- labels and what may follow them ------------------------------------------------------------------------------ */

/* L0, L1, N<3> */
static bool parse_branch_targets(Parser *p, uint32_t index)
{
    VEC(Pending) found = {0};
    char text[300];
    bool ok = true;
    do {
        Token t = p->tok;
        if (t.kind != TOK_IDENT || t.len > sizeof text - 16) {
            ok = parser_expected(p, "a label");
            break;
        }
        parser_next(p);
        if (!parser_take(p, '<')) {
            *VEC_PUSH(&found) = (Pending){.name = t.name, .line = t.line, .col = t.col};
            continue;
        }
        Token n = p->tok;
        if (n.kind != TOK_INT || n.value > MAX_LIST) {
            ok = parser_expected(p, "the number of labels, at most 65535");
            break;
        }
        parser_next(p);
        memcpy(text, t.s, t.len);
        for (uint64_t i = 0; i < n.value; i++) {
            char  *end        = text + t.len;
            size_t len        = t.len + (size_t)snprintf(end, 16, "%llu", (unsigned long long)i);
            *VEC_PUSH(&found) = (Pending){.name = names_intern(&p->names, text, len), .line = t.line, .col = t.col};
        }
        ok = parser_need(p, '>', "'>'");
    } while (ok && parser_take(p, ','));
    ok                = ok && parser_need(p, ';', "',' or ';' in the list of labels");
    uint32_t *targets = ARENA_ARRAY(p->arena, uint32_t, found.n);
    for (size_t i = 0; ok && i < found.n; i++)
        parser_label_use(p, found.v[i].name, &targets[i], found.v[i].line, found.v[i].col);
    p->labels.v[index].targets  = targets;
    p->labels.v[index].ntargets = ok ? found.n : 0;
    vec_free(found.v);
    return ok;
}

static bool parse_call_targets(Parser *p, uint32_t index)
{
    VEC(const Func *) found = {0};
    bool ok                 = true;
    do {
        Token t = p->tok;
        if (t.kind != TOK_IDENT || !t.name->sym || t.name->sym->kind != SYM_FUNC) {
            ok = parser_expected(p, "a declared function");
            break;
        }
        *VEC_PUSH(&found) = t.name->sym->func;
        parser_next(p);
    } while (parser_take(p, ','));
    Label *l    = &p->labels.v[index];
    l->callees  = ARENA_ARRAY(p->arena, const Func *, found.n);
    l->ncallees = found.n;
    if (found.n)
        memcpy(l->callees, found.v, found.n * sizeof *found.v);
    vec_free(found.v);
    return ok && parser_need(p, ';', "',' or ';' in the list of functions");
}

static bool parse_prototype(Parser *p, uint32_t index)
{
    Func *f                      = ARENA_NEW(p->arena, Func);
    f->line                      = p->tok.line;
    f->col                       = p->tok.col;
    p->labels.v[index].prototype = f;
    return parse_signature(p, f, true) && parser_need(p, ';', "';' behind a prototype");
}

static bool parse_label(Parser *p)
{
    Token    t     = p->tok;
    Sym     *sym   = parser_bind(p, t.name, SYM_LABEL, t.line, t.col);
    uint32_t index = (uint32_t)p->labels.n;
    parser_next(p);
    parser_next(p); /* ':' */
    if (!sym)
        return true; /* reported; what follows is fine */
    sym->label = index;
    *VEC_PUSH(&p->labels) =
        (Label){.name = t.name->text, .target = (uint32_t)p->instrs.n, .line = t.line, .defined = true};
    push_mark(p, MARK_LABEL)->index = index;
    if (parser_take_word(p, KW_branchtargets))
        return parse_branch_targets(p, index);
    if (parser_take_word(p, KW_calltargets))
        return parse_call_targets(p, index);
    if (parser_take_word(p, KW_callprototype))
        return parse_prototype(p, index);
    return true;
}

/* ---- .loc --------------------------------------------------------------------------------------------------------- */

static size_t loc_hash(const SrcLoc *s)
{
    uint64_t h = (s->file * UINT64_C(0x9e3779b97f4a7c15)) ^ (s->line * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                 (s->col * UINT64_C(0x165667b19e3779f9));
    return (size_t)(h ^ h >> 29);
}

/* The slot of that place in the table: 0 inside, or the last .loc of the place. */
static uint32_t *loc_find(Parser *p, const SrcLoc *s)
{
    size_t mask = p->loc_slots - 1;
    for (size_t i = loc_hash(s) & mask;; i = (i + 1) & mask) {
        const SrcLoc *old = p->loc_slot[i] ? &p->srclocs.v[p->loc_slot[i] - 1] : NULL;
        if (!old || (old->file == s->file && old->line == s->line && old->col == s->col))
            return &p->loc_slot[i];
    }
}

static uint32_t add_loc(Parser *p, const SrcLoc *s)
{
    if (p->srclocs.n * 2 >= p->loc_slots) {
        free(p->loc_slot);
        p->loc_slots = p->loc_slots ? p->loc_slots * 2 : STRESSED(256, 2);
        p->loc_slot  = xcalloc(p->loc_slots, sizeof *p->loc_slot);
        for (size_t i = 0; i < p->srclocs.n; i++)
            *loc_find(p, &p->srclocs.v[i]) = (uint32_t)i + 1;
    }
    *VEC_PUSH(&p->srclocs) = *s;
    *loc_find(p, s)        = (uint32_t)p->srclocs.n;
    return (uint32_t)p->srclocs.n;
}

static bool parse_place(Parser *p, SrcLoc *s)
{
    *s = (SrcLoc){0};
    return parser_uint(p, &s->file, "a file number") && parser_uint(p, &s->line, "a line number") &&
           parser_uint(p, &s->col, "a column");
}

/* ", function_name label {+ n}, inlined_at file line col" */
static bool parse_inlined(Parser *p, SrcLoc *s)
{
    SrcLoc site;
    while (parser_take(p, ',')) {
        Token t = p->tok;
        if (t.kind != TOK_IDENT)
            return parser_expected(p, "function_name or inlined_at");
        parser_next(p);
        if (strcmp(t.name->text, "function_name") == 0) {
            if (p->tok.kind != TOK_IDENT)
                return parser_expected(p, "the label of the function's name");
            s->function = p->tok.name->text;
            parser_next(p);
            Value v;
            if (parser_take(p, '+')) {
                if (!parse_int_expr(p, &v, "an offset"))
                    return false;
                s->function_off = (int64_t)v.bits;
            }
        } else if (strcmp(t.name->text, "inlined_at") == 0) {
            if (!parse_place(p, &site))
                return false;
            uint32_t known = p->loc_slots ? *loc_find(p, &site) : 0;
            s->inlined_at  = known ? known : add_loc(p, &site);
        } else {
            return parser_error(p, t.line, t.col, "expected function_name or inlined_at, found '%s'", t.name->text);
        }
    }
    return true;
}

bool parse_loc(Parser *p)
{
    SrcLoc s;
    if (!parse_place(p, &s) || !parse_inlined(p, &s))
        return false;
    s.before                      = p->srcloc;
    p->srcloc                     = add_loc(p, &s);
    push_mark(p, MARK_LOC)->index = p->srcloc - 1;
    return true;
}

/* ---- statements --------------------------------------------------------------------------------------------------- */

static bool parse_body_pragma(Parser *p)
{
    do {
        if (p->tok.kind != TOK_STRING)
            return parser_expected(p, "a string");
        push_mark(p, MARK_PRAGMA)->text = names_intern(&p->names, p->tok.s, p->tok.len)->text;
        parser_next(p);
    } while (parser_take(p, ','));
    return parser_need(p, ';', "';' behind a pragma");
}

static bool parse_body_word(Parser *p)
{
    Token t = p->tok;
    switch (t.name->keyword) {
    case KW_reg:
    case KW_global:
    case KW_const:
    case KW_shared:
    case KW_local:
    case KW_param: return parse_var_decl(p, LINK_NONE);
    case KW_loc: parser_next(p); return parse_loc(p);
    case KW_pragma: parser_next(p); return parse_body_pragma(p);
    case KW_branchtargets:
    case KW_calltargets:
    case KW_callprototype: return parser_error(p, t.line, t.col, "a .%s list needs a label before it", t.name->text);
    case KW_extern:
    case KW_visible:
    case KW_weak:
    case KW_common: {
        Linkage link = t.name->keyword == KW_extern ? LINK_EXTERN : LINK_VISIBLE;
        parser_next(p);
        if (parser_is_word(p, KW_shared) || parser_is_word(p, KW_global) || parser_is_word(p, KW_const))
            return parse_var_decl(p, link);
        return parser_error(p, t.line, t.col, "'.%s' inside a function: is a '}' missing before it?", t.name->text);
    }
    case KW_entry:
    case KW_func:
        return parser_error(p, t.line, t.col, "'.%s' inside a function: is a '}' missing before it?", t.name->text);
    default: return parser_error(p, t.line, t.col, "'.%s' is not a directive that a function may have", t.name->text);
    }
}

/* One statement; *depth counts the scopes that are open in the body. */
static bool parse_statement(Parser *p, uint32_t *depth)
{
    switch (p->tok.kind) {
    case '{':
        if (*depth == MAX_SCOPES)
            return parser_error(p, p->tok.line, p->tok.col, "scopes are nested more than %d deep", MAX_SCOPES);
        ++*depth;
        open_scope(p);
        push_mark(p, MARK_OPEN);
        parser_next(p);
        return true;
    case '}':
        if (--*depth == 0)
            return true;
        close_scope(p);
        push_mark(p, MARK_CLOSE);
        parser_next(p);
        return true;
    case TOK_WORD: return parse_body_word(p);
    case TOK_IDENT: return lexer_peek(&p->lx) == ':' ? parse_label(p) : parse_instr(p);
    case '@': return parse_instr(p);
    default: return parser_expected(p, "an instruction, a label or a directive");
    }
}

#define KEEP(dst, count, src, T)                                                                                       \
    do {                                                                                                               \
        (count) = (src)->n;                                                                                            \
        (dst)   = ARENA_ARRAY(p->arena, T, (src)->n);                                                                  \
        if ((src)->n)                                                                                                  \
            memcpy((dst), (src)->v, (src)->n * sizeof *(src)->v);                                                      \
    } while (0)

static void keep_body(Parser *p, Func *f)
{
    KEEP(f->instrs, f->ninstrs, &p->instrs, Instr);
    KEEP(f->regs, f->nregs, &p->regs, Reg *);
    KEEP(f->vars, f->nvars, &p->vars, Var *);
    KEEP(f->labels, f->nlabels, &p->labels, Label);
    KEEP(f->marks, f->nmarks, &p->marks, Mark);
}

static void bind_params(Parser *p, Var *params, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Var *v   = &params[i];
        Sym *sym = parser_bind(p, names_of(v->name), SYM_VAR, v->line, v->col);
        if (sym)
            sym->var = v;
        if (v->space == SPACE_REG)
            v->reg = parser_add_reg(p, v->name, v->type, v->vec);
    }
}

/* With '{' as the current token. */
bool parse_body(Parser *p, Func *f)
{
    uint32_t depth = 1, open_line = p->tok.line;
    p->instrs.n = p->regs.n = p->vars.n = p->labels.n = p->marks.n = p->pending.n = 0;
    p->func                                                                       = f;
    p->srcloc                                                                     = 0;
    open_scope(p);
    bind_params(p, f->rets, f->nrets);
    bind_params(p, f->params, f->nparams);
    parser_next(p);
    while (depth > 0 && p->tok.kind != TOK_END && !p->stop)
        if (!parse_statement(p, &depth)) {
            if (p->tok.kind == TOK_WORD && (p->tok.name->keyword == KW_entry || p->tok.name->keyword == KW_func))
                break;
            parser_recover(p, RECOVER_BODY);
        }
    bool closed = depth == 0;
    if (p->tok.kind == TOK_END && !p->stop)
        parser_error(p, p->tok.line, p->tok.col, "the body of '%s', which begins in line %u, has no '}'", f->name,
                     open_line);
    while (p->names.depth > 0)
        close_scope(p);
    keep_body(p, f);
    p->func = NULL;
    if (closed)
        parser_next(p);
    return true;
}
