/* SPDX-License-Identifier: Apache-2.0
 *
 * A module's outside: the header lines, directives at module scope, functions' signatures. */
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

/* "9.0" as it stands in the text: a float for the lexer. */
static bool parse_version(Parser *p)
{
    Token    t = p->tok;
    unsigned major, minor;
    char     text[16];
    int      used = 0;
    if (t.kind != TOK_FLOAT || t.len >= sizeof text)
        return parser_expected(p, "a version like 9.0 behind .version");
    memcpy(text, t.s, t.len);
    text[t.len] = 0;
    if (sscanf(text, "%3u.%3u%n", &major, &minor, &used) != 2 || used != (int)t.len)
        return parser_expected(p, "a version like 9.0 behind .version");
    p->m->version_major = major;
    p->m->version_minor = minor;
    parser_next(p);
    return true;
}

static bool parse_sm(Parser *p, uint32_t *sm)
{
    const char *s = p->tok.name->text, *digits;
    *sm           = 0;
    if (strncmp(s, "sm_", 3) == 0)
        digits = s + 3;
    else if (strncmp(s, "compute_", 8) == 0)
        digits = s + 8;
    else
        return false;
    size_t n = strspn(digits, "0123456789");
    for (size_t i = 0; i < n && n <= 4; i++)
        *sm = *sm * 10 + (uint32_t)(digits[i] - '0');
    const char *tail = digits + n;
    return n >= 2 && n <= 4 && (*tail == 0 || ((*tail == 'a' || *tail == 'f') && tail[1] == 0));
}

/* A later .target only adds: the highest architecture counts. */
static bool parse_target(Parser *p)
{
    static const char *const options[] = {"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
    uint32_t                 sm;
    if (p->tok.kind != TOK_IDENT || !parse_sm(p, &sm))
        return parser_expected(p, "a target like sm_90");
    if (sm >= p->m->sm) {
        p->m->sm     = sm;
        p->m->target = p->tok.name->text;
    }
    parser_next(p);
    while (parser_take(p, ',')) {
        bool known = false;
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            known |= p->tok.kind == TOK_IDENT && strcmp(p->tok.name->text, options[i]) == 0;
        if (!known)
            return parser_expected(p, "texmode_unified, texmode_independent, debug or map_f64_to_f32");
        if (!strstr(p->m->target_options, p->tok.name->text))
            p->m->target_options = arena_printf(p->arena, "%s, %s", p->m->target_options, p->tok.name->text);
        parser_next(p);
    }
    return true;
}

static bool parse_address_size(Parser *p)
{
    Token t = p->tok;
    if (!parser_uint(p, &p->m->address_size, "32 or 64 behind .address_size"))
        return false;
    if (p->m->address_size != 32 && p->m->address_size != 64)
        return parser_error(p, t.line, t.col, ".address_size must be 32 or 64");
    return true;
}

/* .file n "name" {, time, size} */
static bool parse_file(Parser *p)
{
    Token    at = p->tok;
    uint32_t n;
    Value    time = {0}, size = {0};
    if (!parser_uint(p, &n, "a file number"))
        return false;
    if (n == 0 || n > 1u << 20)
        return parser_error(p, at.line, at.col, "a file number must lie between 1 and 1048576");
    if (p->tok.kind != TOK_STRING)
        return parser_expected(p, "the file's name in quotes");
    const char *name = arena_strndup(p->arena, p->tok.s, p->tok.len);
    parser_next(p);
    if (parser_take(p, ',')) {
        if (!parse_int_expr(p, &time, "the file's time") || !parser_need(p, ',', "',' and the file's size") ||
            !parse_int_expr(p, &size, "the file's size"))
            return false;
    }
    while (p->files.n < n) {
        *VEC_PUSH(&p->files)     = NULL;
        *VEC_PUSH(&p->file_time) = 0;
        *VEC_PUSH(&p->file_size) = 0;
    }
    p->files.v[n - 1]     = name;
    p->file_time.v[n - 1] = time.bits;
    p->file_size.v[n - 1] = size.bits;
    return true;
}

/* Keeps the text from `from` to the lexer's place (the token before the current one) for the printer. */
static void keep_raw(Parser *p, const char *from, const char *end)
{
    parser_order(p, 's', p->sections.n);
    *VEC_PUSH(&p->sections) = arena_strndup(p->arena, from, (size_t)(end - from));
}

/* .section name { ... }: debug information, kept as it is. */
static bool parse_section(Parser *p, const char *from)
{
    Token at = p->tok;
    if (p->tok.kind != TOK_WORD && p->tok.kind != TOK_IDENT)
        return parser_expected(p, "a section's name");
    parser_next(p);
    if (!parser_need(p, '{', "'{'"))
        return false;
    while (p->tok.kind != '}' && p->tok.kind != TOK_END && p->tok.kind != TOK_BAD)
        parser_next(p);
    if (p->tok.kind == TOK_END)
        return parser_error(p, at.line, at.col, "the section that begins here has no '}'");
    if (p->tok.kind == TOK_BAD)
        return parser_expected(p, "'}'");
    keep_raw(p, from, p->tok.s + 1);
    parser_next(p);
    return true;
}

static bool parse_pragma(Parser *p, const char *from)
{
    do {
        if (p->tok.kind != TOK_STRING)
            return parser_expected(p, "a string");
        parser_next(p);
    } while (parser_take(p, ','));
    if (p->tok.kind == ';')
        keep_raw(p, from, p->tok.s + 1);
    return parser_need(p, ';', "';' behind a pragma");
}

static bool parse_alias(Parser *p, const char *from)
{
    Func *f[2];
    for (int i = 0; i < 2; i++) {
        if (i && !parser_need(p, ',', "',' and the function it stands for"))
            return false;
        Token t = p->tok;
        if (t.kind != TOK_IDENT)
            return parser_expected(p, "a function's name");
        if (!t.name->sym || t.name->sym->kind != SYM_FUNC)
            return parser_error(p, t.line, t.col, "'%s' is not a declared function", t.name->text);
        f[i] = t.name->sym->func;
        parser_next(p);
    }
    f[0]->alias_of = f[1];
    if (p->tok.kind == ';')
        keep_raw(p, from, p->tok.s + 1);
    return parser_need(p, ';', "';' behind an alias");
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

static bool parse_params(Parser *p, Var **out, size_t *n, bool prototype)
{
    VEC(Var) list = {0};
    bool ok       = true;
    parser_next(p);
    while (ok && p->tok.kind != ')') {
        Var v;
        ok = parse_param(p, &v, prototype);
        if (!ok)
            break;
        v.index          = (uint32_t)list.n;
        *VEC_PUSH(&list) = v;
        if (p->tok.kind != ')')
            ok = parser_need(p, ',', "',' or ')' in the list of parameters");
    }
    *n   = list.n;
    *out = ARENA_ARRAY(p->arena, Var, list.n);
    if (list.n)
        memcpy(*out, list.v, list.n * sizeof *list.v);
    vec_free(list.v);
    return ok && parser_need(p, ')', "')'");
}

/* "256, 1, 1": up to three numbers, the missing ones 1 */
static bool parse_extent(Parser *p, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        Token t = p->tok;
        if (!parser_uint(p, &out[i], "a number"))
            return false;
        if (out[i] == 0)
            return parser_error(p, t.line, t.col, "an extent must be at least 1");
        if (!parser_take(p, ','))
            return true;
    }
    return parser_expected(p, "at most three numbers");
}

static bool parse_func_pragma(Parser *p, Func *f)
{
    VEC(const char *) list = {0};
    bool ok                = true;
    for (size_t i = 0; i < f->npragmas; i++)
        *VEC_PUSH(&list) = f->pragmas[i];
    do {
        if (p->tok.kind != TOK_STRING) {
            ok = parser_expected(p, "a string");
            break;
        }
        *VEC_PUSH(&list) = arena_strndup(p->arena, p->tok.s, p->tok.len);
        parser_next(p);
    } while (parser_take(p, ','));
    f->npragmas = list.n;
    f->pragmas  = ARENA_ARRAY(p->arena, const char *, list.n);
    if (list.n)
        memcpy(f->pragmas, list.v, list.n * sizeof *list.v);
    vec_free(list.v);
    return ok && parser_need(p, ';', "';' behind a pragma");
}

/* Directives between the parameters and the body. */
static bool parse_directives(Parser *p, Func *f)
{
    while (p->tok.kind == TOK_WORD) {
        Token t  = p->tok;
        bool  ok = true;
        parser_next(p);
        switch (t.name->keyword) {
        case KW_noreturn: f->noreturn = true; break;
        case KW_maxntid: ok = parse_extent(p, f->maxntid); break;
        case KW_reqntid: ok = parse_extent(p, f->reqntid); break;
        case KW_reqnctapercluster: ok = parse_extent(p, f->reqnctapercluster); break;
        case KW_minnctapersm: ok = parser_uint(p, &f->minnctapersm, "a number"); break;
        case KW_maxnctapersm: ok = parser_uint(p, &f->maxnctapersm, "a number"); break;
        case KW_maxnreg: ok = parser_uint(p, &f->maxnreg, "a number"); break;
        case KW_maxclusterrank: ok = parser_uint(p, &f->maxclusterrank, "a number"); break;
        case KW_explicitcluster: f->explicitcluster = true; break;
        case KW_blocksareclusters: f->blocksareclusters = true; break;
        case KW_abi_preserve: ok = parser_uint(p, &f->abi_preserve, "a number"); break;
        case KW_abi_preserve_control: ok = parser_uint(p, &f->abi_preserve_control, "a number"); break;
        case KW_pragma: ok = parse_func_pragma(p, f); break;
        default: return parser_error(p, t.line, t.col, "'.%s' is not a directive of functions", t.name->text);
        }
        if (!ok)
            return false;
    }
    return true;
}

bool parse_signature(Parser *p, Func *f, bool prototype)
{
    bool managed = false;
    if (parser_take_word(p, KW_attribute) && !parse_attributes(p, &managed, &f->unified, f->unified_id))
        return false;
    if (!f->entry && p->tok.kind == '(' && !parse_params(p, &f->rets, &f->nrets, prototype))
        return false;
    if (p->tok.kind != TOK_IDENT)
        return parser_expected(p, "a function's name");
    f->name = p->tok.name->text;
    f->line = p->tok.line;
    f->col  = p->tok.col;
    parser_next(p);
    if (p->tok.kind == '(' && !parse_params(p, &f->params, &f->nparams, prototype))
        return false;
    return parse_directives(p, f);
}

static bool same_params(const Var *a, size_t na, const Var *b, size_t nb)
{
    if (na != nb)
        return false;
    for (size_t i = 0; i < na; i++)
        if (a[i].bytes != b[i].bytes || a[i].space != b[i].space)
            return false;
    return true;
}

/* The Func that the name stands for from now on: a new one, or an earlier declaration. */
static Func *register_func(Parser *p, const Func *f, bool body)
{
    Name *name = names_of(f->name);
    if (name->sym && name->sym->kind == SYM_FUNC) {
        Func *old = name->sym->func;
        if (old->has_body) {
            parser_error(p, f->line, f->col, "'%s' is defined a second time; the first definition is in line %u",
                         f->name, old->line);
            return NULL;
        }
        if (old->entry != f->entry || !same_params(old->params, old->nparams, f->params, f->nparams) ||
            !same_params(old->rets, old->nrets, f->rets, f->nrets)) {
            parser_error(p, f->line, f->col, "'%s' does not agree with its declaration in line %u", f->name, old->line);
            return NULL;
        }
        uint32_t    index    = old->index;
        const Func *alias_of = old->alias_of;
        *old                 = *f;
        old->index           = index;
        old->alias_of        = alias_of;
        old->has_body        = body;
        return old;
    }
    Sym *sym = parser_bind(p, name, SYM_FUNC, f->line, f->col);
    if (!sym)
        return NULL;
    Func *copy           = ARENA_NEW(p->arena, Func);
    *copy                = *f;
    copy->index          = (uint32_t)p->funcs.n;
    copy->has_body       = body;
    sym->func            = copy;
    *VEC_PUSH(&p->funcs) = copy;
    return copy;
}

static void own_params(Func *f)
{
    for (size_t i = 0; i < f->nrets; i++)
        f->rets[i].func = f;
    for (size_t i = 0; i < f->nparams; i++)
        f->params[i].func = f;
}

static bool parse_func(Parser *p, Linkage linkage)
{
    Func f     = {.linkage = linkage, .entry = p->tok.name->keyword == KW_entry};
    p->in_func = true;
    parser_next(p);
    if (!parse_signature(p, &f, false))
        return false;
    bool body = p->tok.kind == '{';
    if (!body && p->tok.kind != ';')
        return parser_expected(p, "'{' or ';' behind a function's signature");
    if (f.entry)
        for (size_t i = 0; i < f.nparams; i++)
            if (f.params[i].space == SPACE_REG || (f.params[i].ndim && f.params[i].dim[0] == 0))
                return parser_error(p, f.params[i].line, f.params[i].col,
                                    "a kernel's parameter must be .param and have a size");
    Func *kept = register_func(p, &f, body);
    if (!kept)
        return false;
    own_params(kept);
    parser_order(p, body ? 'f' : 'd', kept->index);
    if (!body) {
        parser_next(p);
        return true;
    }
    return skip_body(p, kept) || parse_body(p, kept);
}

/* ---- module scope ------------------------------------------------------------------------------------------------- */

static bool parse_linked(Parser *p)
{
    static const uint8_t links[KW_COUNT] = {
        [KW_extern] = LINK_EXTERN, [KW_visible] = LINK_VISIBLE, [KW_weak] = LINK_WEAK, [KW_common] = LINK_COMMON};
    Linkage link = (Linkage)links[p->tok.name->keyword];
    parser_next(p);
    if (parser_is_word(p, KW_func) || parser_is_word(p, KW_entry))
        return parse_func(p, link);
    if (parser_is_word(p, KW_global) || parser_is_word(p, KW_const) || parser_is_word(p, KW_shared) ||
        parser_is_word(p, KW_tex))
        return parse_var_decl(p, link);
    return parser_expected(p, ".entry, .func, .global, .const or .shared");
}

static bool parse_directive(Parser *p)
{
    Token t = p->tok;
    if (t.kind != TOK_WORD)
        return parser_expected(p, "a directive (.visible, .entry, .func, .global ...)");
    switch (t.name->keyword) {
    case KW_extern:
    case KW_visible:
    case KW_weak:
    case KW_common: return parse_linked(p);
    case KW_entry:
    case KW_func: return parse_func(p, LINK_NONE);
    case KW_global:
    case KW_const:
    case KW_shared:
    case KW_local:
    case KW_param:
    case KW_reg:
    case KW_tex: return parse_var_decl(p, LINK_NONE);
    case KW_file: parser_next(p); return parse_file(p);
    case KW_section: parser_next(p); return parse_section(p, t.s);
    case KW_pragma: parser_next(p); return parse_pragma(p, t.s);
    case KW_alias: parser_next(p); return parse_alias(p, t.s);
    case KW_target: parser_next(p); return parse_target(p);
    case KW_version: return parser_error(p, t.line, t.col, "a second .version");
    case KW_address_size: return parser_error(p, t.line, t.col, ".address_size belongs right behind .target");
    default: return parser_error(p, t.line, t.col, "unknown directive '.%s'", t.name->text);
    }
}

static bool parse_header(Parser *p)
{
    if (!parser_take_word(p, KW_version))
        return parser_expected(p, "a PTX module, which begins with .version");
    if (!parse_version(p))
        return false;
    if (!parser_take_word(p, KW_target))
        return parser_expected(p, ".target behind the version");
    if (!parse_target(p))
        return false;
    return !parser_take_word(p, KW_address_size) || parse_address_size(p);
}

void parse_module(Parser *p)
{
    if (!parse_header(p))
        return;
    while (p->tok.kind != TOK_END && !p->stop) {
        const char *before = p->tok.s;
        p->in_func         = false;
        if (parse_directive(p))
            continue;
        if (p->tok.s == before) /* nothing was taken: a loop must */
            parser_next(p);
        parser_recover(p, p->in_func ? RECOVER_FUNC : RECOVER_VAR);
    }
}
