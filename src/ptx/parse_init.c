/* SPDX-License-Identifier: Apache-2.0
 *
 * Initialisers: = value, = { ... } nested as deep as the variable has dimensions (a vector's elements count as one more).
 * Values fill the variable one after the other: braces do not pad a short row of an array, as ptxas 13.0 has it (read off its constant
 * banks and on an H200); what is not given at the end is zero.  Bytes are written little-endian as the device sees them; addresses become
 * Relocs.  "[]" takes its size from the initialiser. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "ptx/parser.h"

typedef struct Init {
    Var     *var;
    uint32_t ndim;
    uint64_t dim[10], stride[10]; /* stride[i]: bytes of one element of dimension i */
    uint64_t limit;               /* bytes of the variable, UINT64_MAX while [] is open */
    uint64_t end;                 /* behind the last byte given */
    struct {
        uint8_t *v;
        size_t   n, cap;
    } bytes;
    VEC(Reloc) relocs;
} Init;

static bool reserve(Parser *p, Init *in, uint64_t end, const Token *at)
{
    if (end > MAX_INIT_BYTES || p->init_bytes + end > MAX_INIT_BYTES)
        return parser_error(p, at->line, at->col, "the module's initialisers take more than %u MiB",
                            (unsigned)(MAX_INIT_BYTES >> 20));
    if (end > in->bytes.cap) {
        size_t cap = in->bytes.cap ? in->bytes.cap : 64;
        while (cap < end)
            cap *= 2;
        in->bytes.v = xrealloc(in->bytes.v, cap);
        memset(in->bytes.v + in->bytes.cap, 0, cap - in->bytes.cap);
        in->bytes.cap = cap;
    }
    if (end > in->end)
        in->end = end;
    return true;
}

static bool float_bits(const Value *v, Type type, uint64_t *bits)
{
    double   d = value_double(v);
    uint32_t u = f32_bits((float)d);
    switch (type) {
    case TY_F64: *bits = f64_bits(d); return true;
    case TY_F32: *bits = v->is_f32 ? v->bits : u; return true;
    case TY_B32: *bits = v->is_f32 ? v->bits : u; return true;
    case TY_B64: *bits = f64_bits(d); return true;
    case TY_F16:
    case TY_BF16: *bits = type == TY_BF16 ? bf16_from_double(d) : half_from_double(d); return true;
    default: return false;
    }
}

static bool put_address(Parser *p, Init *in, uint64_t offset, const Value *v, const Token *at)
{
    unsigned bytes = type_bytes(in->var->type);
    if (type_kind(in->var->type) == 'f' || (v->byte < 0 && bytes < 4))
        return parser_error(p, at->line, at->col,
                            "an address does not fit a .%s; use .u64, or masks like 0xff(name) for bytes",
                            type_text(in->var->type));
    *VEC_PUSH(&in->relocs) = (Reloc){.offset  = offset,
                                     .var     = v->var,
                                     .func    = v->func,
                                     .addend  = v->addend,
                                     .bytes   = (uint8_t)(v->byte >= 0 ? 1 : bytes),
                                     .generic = v->generic,
                                     .shift   = (uint8_t)(v->byte > 0 ? 8 * v->byte : 0)};
    return true;
}

static bool parse_scalar(Parser *p, Init *in, uint64_t offset)
{
    Token    at    = p->tok;
    Type     type  = in->var->type;
    unsigned bytes = type_bytes(type);
    Value    v;
    uint64_t bits;
    if (!parse_expr(p, &v, true) || !reserve(p, in, offset + bytes, &at))
        return false;
    if (v.kind == VAL_SYM)
        return put_address(p, in, offset, &v, &at);
    if (v.kind == VAL_FLOAT) {
        if (!float_bits(&v, type, &bits))
            return parser_error(p, at.line, at.col, "a float cannot initialise a .%s", type_text(type));
    } else {
        if (type_kind(type) == 'f' && type != TY_F16 && type != TY_BF16 && type != TY_F16X2 && type != TY_BF16X2)
            return parser_error(p, at.line, at.col,
                                "an integer cannot initialise a .%s: write a float (1.0, 0f3F800000)", type_text(type));
        bits = v.bits;
    }
    memcpy(in->bytes.v + offset, &bits, bytes < 8 ? bytes : 8);
    return true;
}

/* A braced list for dimension `level`, '{' being the current token; *offset moves on behind each value. */
static bool parse_level(Parser *p, Init *in, uint32_t level, uint64_t *offset)
{
    Token at = p->tok;
    if (level >= in->ndim)
        return parser_error(p, at.line, at.col, "more braces than '%s' has dimensions", in->var->name);
    parser_next(p);
    for (uint64_t i = 0; p->tok.kind != '}'; i++) {
        at = p->tok;
        if (i >= in->dim[level])
            return parser_error(p, at.line, at.col, "too many values for '%s': dimension %u has %llu elements",
                                in->var->name, level + 1, (unsigned long long)in->dim[level]);
        if (at.kind == '{') {
            if (!parse_level(p, in, level + 1, offset))
                return false;
            if (in->var->vec && level + 2 == in->ndim) { /* a vector is whole */
                *offset = (*offset + in->stride[level] - 1) / in->stride[level] * in->stride[level];
                if (!reserve(p, in, *offset, &at))
                    return false;
            }
        } else {
            if (!parse_scalar(p, in, *offset))
                return false;
            *offset += type_bytes(in->var->type);
        }
        if (p->tok.kind != '}' && !parser_need(p, ',', "',' or '}' in the initialiser"))
            return false;
    }
    parser_next(p);
    return true;
}

static void layout(Init *in)
{
    Var     *v = in->var;
    uint64_t dim[10];
    uint32_t n = 0;
    for (; n < v->ndim; n++)
        dim[n] = v->dim[n] ? v->dim[n] : UINT64_MAX;
    if (v->vec)
        dim[n++] = v->vec;
    in->ndim        = n;
    uint64_t stride = type_bytes(v->type);
    for (uint32_t i = n; i-- > 0;) {
        in->dim[i]    = dim[i];
        in->stride[i] = stride;
        stride        = dim[i] == UINT64_MAX ? UINT64_MAX : stride * dim[i];
    }
}

/* .samplerref s = { filter_mode = nearest, ... }: states of the texture unit, which no part of this program models. */
static bool skip_states(Parser *p)
{
    parser_next(p);
    while (p->tok.kind != '}' && p->tok.kind != TOK_END && p->tok.kind != ';')
        parser_next(p);
    return parser_need(p, '}', "'}' behind the states");
}

static void finish(Parser *p, Init *in)
{
    Var *v = in->var;
    if (v->ndim && v->dim[0] == 0) {
        uint64_t row = in->stride[0];
        v->dim[0]    = (in->end + row - 1) / row;
        v->bytes     = v->dim[0] * row;
    }
    v->init_bytes = in->end;
    v->init       = arena_alloc(p->arena, in->end);
    if (in->end)
        memcpy(v->init, in->bytes.v, in->end);
    p->init_bytes += in->end;
    v->nrelocs = in->relocs.n;
    v->relocs  = ARENA_ARRAY(p->arena, Reloc, in->relocs.n);
    if (in->relocs.n)
        memcpy(v->relocs, in->relocs.v, in->relocs.n * sizeof *v->relocs);
}

bool parse_init(Parser *p, Var *v)
{
    Init in = {.var = v};
    bool ok;
    if (v->type == TY_TEXREF || v->type == TY_SAMPLERREF || v->type == TY_SURFREF)
        return p->tok.kind == '{' ? skip_states(p) : parser_expected(p, "'{'");
    layout(&in);
    if (p->tok.kind == '{')
        ok = parse_level(p, &in, 0, &(uint64_t){0});
    else if (in.ndim)
        ok = parser_expected(p, "'{': the variable has several elements");
    else
        ok = parse_scalar(p, &in, 0);
    if (ok)
        finish(p, &in);
    free(in.bytes.v);
    vec_free(in.relocs.v);
    return ok;
}
