/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of every state space, parameters and registers.
 *   [linkage] .space [.attribute(...)] [.align n] [.v2|.v4] .type name [dims] [= init] {, name ...} ;
 * Checked here: sizes (no overflow, at most MAX_VAR_BYTES), powers of two, duplicates, which spaces take initialisers.
 * Registers: %r<5> makes five; their number is limited (MAX_FUNC_REGS) because each costs memory in every emulated warp. */
#include <string.h>

#include "ptx/parser.h"

typedef struct Decl { /* what stands before the names */
    Space    space;
    Type     type;
    uint8_t  vec;
    uint32_t align;
    bool     managed, unified, is_ptr;
    uint64_t unified_id[2];
    Space    ptr_space;
    uint32_t ptr_align;
    Linkage  linkage;
} Decl;

static Space space_of(Keyword kw)
{
    switch (kw) {
    case KW_reg: return SPACE_REG;
    case KW_const: return SPACE_CONST;
    case KW_global:
    case KW_tex: return SPACE_GLOBAL;
    case KW_local: return SPACE_LOCAL;
    case KW_param: return SPACE_PARAM;
    case KW_shared: return SPACE_SHARED;
    default: return SPACE_GENERIC;
    }
}

static bool parse_unified(Parser *p, uint64_t id[2])
{
    Value v;
    if (!parser_need(p, '(', "'(' behind .unified"))
        return false;
    for (int i = 0; i < 2; i++) {
        if ((i && !parser_need(p, ',', "','")) || !parse_int_expr(p, &v, "a number"))
            return false;
        id[i] = v.bits;
    }
    return parser_need(p, ')', "')'");
}

bool parse_attributes(Parser *p, bool *managed, bool *unified, uint64_t unified_id[2])
{
    if (!parser_need(p, '(', "'(' behind .attribute"))
        return false;
    do {
        if (parser_take_word(p, KW_managed)) {
            *managed = true;
        } else if (parser_take_word(p, KW_unified)) {
            *unified = true;
            if (!parse_unified(p, unified_id))
                return false;
        } else {
            return parser_expected(p, ".managed or .unified");
        }
    } while (parser_take(p, ','));
    return parser_need(p, ')', "')' behind the attributes");
}

static bool parse_align(Parser *p, uint32_t *out)
{
    Token at = p->tok;
    if (!parser_uint(p, out, "an alignment in bytes"))
        return false;
    if (*out == 0 || (*out & (*out - 1)) || *out > 1u << 20)
        return parser_error(p, at.line, at.col, "the alignment must be a power of two, at most 1048576");
    return true;
}

/* .ptr [.space] [.align n] of an .entry's parameter */
static bool parse_ptr(Parser *p, Decl *d)
{
    d->is_ptr = true;
    if (p->tok.kind == TOK_WORD && space_of((Keyword)p->tok.name->keyword) != SPACE_GENERIC) {
        d->ptr_space = space_of((Keyword)p->tok.name->keyword);
        parser_next(p);
    }
    return !parser_take_word(p, KW_align) || parse_align(p, &d->ptr_align);
}

/* Everything between the state space and the first name. */
static bool parse_decl_words(Parser *p, Decl *d)
{
    while (p->tok.kind == TOK_WORD) {
        Token t = p->tok;
        parser_next(p);
        if (t.name->type) {
            if (d->type)
                return parser_error(p, t.line, t.col, "a second type: .%s stands before .%s", type_text(d->type),
                                    t.name->text);
            d->type = (Type)t.name->type;
            continue;
        }
        switch (t.name->keyword) {
        case KW_align:
            if (!parse_align(p, &d->align))
                return false;
            break;
        case KW_v2: d->vec = 2; break;
        case KW_v4: d->vec = 4; break;
        case KW_v8: d->vec = 8; break;
        case KW_attribute:
            if (!parse_attributes(p, &d->managed, &d->unified, d->unified_id))
                return false;
            break;
        case KW_ptr:
            if (d->space != SPACE_PARAM)
                return parser_error(p, t.line, t.col, ".ptr belongs to a kernel's parameters");
            if (!parse_ptr(p, d))
                return false;
            break;
        default:
            return parser_error(p, t.line, t.col, "expected a type (.b32, .f32, ...) or .align, .v2, .v4, found '.%s'",
                                t.name->text);
        }
    }
    return d->type ? true : parser_expected(p, "a type (.b32, .f32, ...)");
}

static bool type_allowed(Parser *p, const Decl *d, const Token *at)
{
    if (d->space != SPACE_REG && d->type == TY_PRED)
        return parser_error(p, at->line, at->col, "a predicate lives in a register: .reg .pred");
    bool ref = d->type == TY_TEXREF || d->type == TY_SAMPLERREF || d->type == TY_SURFREF;
    if (d->type != TY_PRED && !ref && type_bytes(d->type) == 0)
        return parser_error(p, at->line, at->col, "a variable cannot have the type .%s", type_text(d->type));
    if (ref && d->space != SPACE_GLOBAL && d->space != SPACE_PARAM)
        return parser_error(p, at->line, at->col, "a .%s must be .global or a parameter", type_text(d->type));
    return true;
}

static bool parse_dims(Parser *p, Var *v)
{
    while (p->tok.kind == '[') {
        Token at = p->tok;
        Value n;
        parser_next(p);
        if (v->ndim == 8)
            return parser_error(p, at.line, at.col, "more than 8 dimensions");
        if (p->tok.kind == ']') {
            if (v->ndim)
                return parser_error(p, at.line, at.col, "only the first dimension may be left empty");
            v->dim[v->ndim++] = 0;
        } else {
            at = p->tok;
            if (!parse_int_expr(p, &n, "the number of elements"))
                return false;
            if (n.bits == 0 || (!n.is_unsigned && (int64_t)n.bits < 0))
                return parser_error(p, at.line, at.col, "an array needs at least one element");
            v->dim[v->ndim++] = n.bits;
        }
        if (!parser_need(p, ']', "']'"))
            return false;
    }
    return true;
}

/* v->bytes; 0 for []. */
static bool size_var(Parser *p, Var *v)
{
    uint64_t bytes = type_bytes(v->type);
    if (v->vec)
        bytes *= v->vec;
    for (unsigned i = v->ndim; i-- > 0;) {
        if (__builtin_mul_overflow(bytes, v->dim[i] ? v->dim[i] : 1, &bytes) || bytes > MAX_VAR_BYTES)
            return parser_error(p, v->line, v->col, "'%s' is larger than %llu bytes, the most a variable may have",
                                v->name, (unsigned long long)MAX_VAR_BYTES);
    }
    v->bytes = v->ndim && v->dim[0] == 0 ? 0 : bytes;
    if (!v->align) {
        uint64_t natural = type_bytes(v->type) * (v->vec ? v->vec : 1u);
        v->align         = natural ? (uint32_t)natural : 1;
    }
    return true;
}

/* "name [dims]"; a prototype may leave the name out. */
static bool parse_declarator(Parser *p, Var *v, const Decl *d, Name **name)
{
    Token t = p->tok;
    if (t.kind != TOK_IDENT)
        return parser_expected(p, "a name");
    parser_next(p);
    *name = t.name;
    *v    = (Var){.name      = t.name->text,
                  .space     = d->space,
                  .type      = d->type,
                  .vec       = d->vec,
                  .align     = d->align,
                  .linkage   = d->linkage,
                  .managed   = d->managed,
                  .is_ptr    = d->is_ptr,
                  .ptr_space = d->ptr_space,
                  .ptr_align = d->ptr_align,
                  .unified   = d->unified,
                  .line      = t.line,
                  .col       = t.col};
    memcpy(v->unified_id, d->unified_id, sizeof v->unified_id);
    return parse_dims(p, v) && size_var(p, v);
}

bool parser_room_for_regs(Parser *p, uint64_t more, const Token *at)
{
    if (more <= MAX_FUNC_REGS && p->regs.n + more <= MAX_FUNC_REGS && p->total_regs + more <= p->max_regs)
        return true;
    return parser_error(p, at->line, at->col, "too many registers: a function may have %d, a module about as many",
                        MAX_FUNC_REGS);
}

Reg *parser_add_reg(Parser *p, const char *name, Type type, uint8_t vec)
{
    Reg *r              = ARENA_NEW(p->arena, Reg);
    *r                  = (Reg){.name = name, .type = type, .vec = vec, .index = (uint32_t)p->regs.n};
    *VEC_PUSH(&p->regs) = r;
    p->total_regs++;
    return r;
}

static bool bind_reg(Parser *p, Name *name, const Decl *d, const Token *at)
{
    Sym *sym = parser_bind(p, name, SYM_REG, at->line, at->col);
    if (sym)
        sym->reg = parser_add_reg(p, name->text, d->type, d->vec);
    return sym != NULL;
}

/* %r<5> with '<' as the current token */
static bool parse_reg_range(Parser *p, const Decl *d, const Token *base)
{
    Token  at = p->tok;
    char   text[300];
    size_t len = base->name->len;
    parser_next(p);
    if (p->tok.kind != TOK_INT)
        return parser_expected(p, "the number of registers");
    uint64_t n = p->tok.value;
    at         = p->tok;
    parser_next(p);
    if (!parser_need(p, '>', "'>'") || !parser_room_for_regs(p, n, &at))
        return false;
    if (len > sizeof text - 16)
        return parser_error(p, base->line, base->col, "the name is longer than %zu characters", sizeof text - 16);
    *VEC_PUSH(&p->marks) = (Mark){.at    = (uint32_t)p->instrs.n,
                                  .kind  = MARK_REGS,
                                  .index = (uint32_t)p->regs.n,
                                  .count = (uint32_t)n,
                                  .text  = base->name->text,
                                  .type  = d->type,
                                  .vec   = d->vec};
    memcpy(text, base->name->text, len);
    for (uint64_t i = 0; i < n; i++) {
        char   digits[16];
        size_t k = 0, at_digit = len;
        for (uint64_t rest = i; k == 0 || rest; rest /= 10)
            digits[k++] = (char)('0' + rest % 10);
        while (k)
            text[at_digit++] = digits[--k];
        if (!bind_reg(p, names_intern(&p->names, text, at_digit), d, base))
            return false;
    }
    return true;
}

static bool parse_regs(Parser *p, const Decl *d)
{
    if (!p->func)
        return parser_error(p, p->tok.line, p->tok.col, "registers are declared inside a function");
    do {
        Token t = p->tok;
        if (t.kind != TOK_IDENT)
            return parser_expected(p, "a register's name");
        parser_next(p);
        if (p->tok.kind == '<') {
            if (!parse_reg_range(p, d, &t))
                return false;
            continue;
        }
        *VEC_PUSH(&p->marks) = (Mark){.at    = (uint32_t)p->instrs.n,
                                      .kind  = MARK_REGS,
                                      .index = (uint32_t)p->regs.n,
                                      .count = 1,
                                      .type  = d->type,
                                      .vec   = d->vec};
        if (!parser_room_for_regs(p, 1, &t) || !bind_reg(p, t.name, d, &t))
            return false;
    } while (parser_take(p, ','));
    return parser_need(p, ';', "',' or ';' behind a register");
}

/* The module's variable of that name, where it or v is a declaration. */
static Var *redeclared(const Name *name, const Var *v)
{
    const Sym *old = name->sym;
    if (!old || old->depth != 0 || old->kind != SYM_VAR)
        return NULL;
    return old->var->linkage == LINK_EXTERN || v->linkage == LINK_EXTERN ? old->var : NULL;
}

static bool agrees(const Var *a, const Var *b)
{
    bool same = type_bytes(a->type) == type_bytes(b->type); /* nvcc declares .b64 what it defines as .u64 */
    return same && a->space == b->space && a->vec == b->vec;
}

/* A declaration that resolves or repeats an .extern one keeps the first Var, so that uses of it stay valid. */
static Var *register_var(Parser *p, Name *name, const Var *v)
{
    Var *old = p->func ? NULL : redeclared(name, v);
    if (old && !agrees(old, v)) {
        parser_error(p, v->line, v->col, "'%s' does not agree with its declaration in line %u", name->text, old->line);
        return NULL;
    }
    if (old) {
        if (v->linkage != LINK_EXTERN) {
            uint32_t index                         = old->index;
            *old                                   = *v;
            old->index                             = index;
            p->order.v[p->var_order.v[index]].kind = 'e';
            p->var_order.v[index]                  = (uint32_t)p->order.n;
            parser_order(p, 'v', index);
        }
        return old;
    }
    Sym *sym = parser_bind(p, name, SYM_VAR, v->line, v->col);
    if (!sym)
        return NULL;
    Var *copy  = ARENA_NEW(p->arena, Var);
    *copy      = *v;
    copy->func = p->func;
    sym->var   = copy;
    if (p->func) {
        copy->index          = (uint32_t)p->vars.n;
        *VEC_PUSH(&p->marks) = (Mark){.at = (uint32_t)p->instrs.n, .kind = MARK_VAR, .index = copy->index};
        *VEC_PUSH(&p->vars)  = copy;
    } else {
        copy->index              = (uint32_t)p->mod_vars.n;
        *VEC_PUSH(&p->mod_vars)  = copy;
        *VEC_PUSH(&p->var_order) = (uint32_t)p->order.n;
        parser_order(p, 'v', copy->index);
    }
    return copy;
}

static bool finish_var(Parser *p, Var *v, const Decl *d, const Token *at)
{
    if (p->tok.kind == '=') {
        Token eq = p->tok;
        parser_next(p);
        if (d->space != SPACE_GLOBAL && d->space != SPACE_CONST)
            return parser_error(p, eq.line, eq.col, "a .%s variable cannot be initialised", space_text(d->space));
        if (d->linkage == LINK_EXTERN)
            return parser_error(p, eq.line, eq.col, "an .extern variable cannot be initialised");
        return parse_init(p, v);
    }
    if (v->ndim && v->dim[0] == 0 && d->linkage != LINK_EXTERN)
        return parser_error(p, at->line, at->col, "'%s[]' needs a size or an initialiser: only .extern arrays are open",
                            v->name);
    return true;
}

static bool parse_vars(Parser *p, const Decl *d)
{
    do {
        Token at = p->tok;
        Name *name;
        Var   v;
        if (!parse_declarator(p, &v, d, &name))
            return false;
        Var *kept = register_var(p, name, &v);
        if (!kept || !finish_var(p, kept, d, &at))
            return false;
    } while (parser_take(p, ','));
    return parser_need(p, ';', "',', '=' or ';' behind a variable");
}

bool parse_var_decl(Parser *p, Linkage linkage)
{
    Token at  = p->tok;
    Decl  d   = {.space = space_of((Keyword)at.name->keyword), .linkage = linkage};
    bool  tex = at.name->keyword == KW_tex;
    parser_next(p);
    if (d.space == SPACE_CONST && parser_take(p, '[')) { /* a constant bank of old modules: there is one bank now */
        uint32_t bank;
        if (!parser_uint(p, &bank, "a constant bank") || !parser_need(p, ']', "']'"))
            return false;
    }
    if (!p->func && (d.space == SPACE_PARAM || d.space == SPACE_LOCAL))
        return parser_error(p, at.line, at.col, ".%s variables are declared inside a function", space_text(d.space));
    if (!parse_decl_words(p, &d) || !type_allowed(p, &d, &at))
        return false;
    if (tex)
        d.type = TY_TEXREF;
    return d.space == SPACE_REG ? parse_regs(p, &d) : parse_vars(p, &d);
}

bool parse_param(Parser *p, Var *v, bool in_prototype)
{
    Token at = p->tok;
    Name *name;
    Decl  d = {0};
    if (!parser_is_word(p, KW_param) && !parser_is_word(p, KW_reg))
        return parser_expected(p, "a parameter (.param or .reg)");
    d.space = space_of((Keyword)at.name->keyword);
    parser_next(p);
    if (!parse_decl_words(p, &d) || !type_allowed(p, &d, &at))
        return false;
    at = p->tok;
    if (!parse_declarator(p, v, &d, &name))
        return false;
    if (!in_prototype && strcmp(v->name, "_") == 0)
        return parser_error(p, at.line, at.col, "a parameter needs a name");
    return true;
}
