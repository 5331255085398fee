/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of tex, tld4, txq, suld, sust, sured, suq and istypep.
 *
 *     tex  d{|p}, [handle{, sampler}, coordinates]{, level | dx, dy}{, offset}{, reference}
 *
 * Coordinates are a vector, or one register in one dimension; layers come first in it.  An offset is whole numbers, a reference
 * value a float.  Multisampled textures and shapes that an instruction does not have stop when reached. */
#include "emu/lower/lower_state.h"
#include "emu/texture/tex_op.h"
#include "ptx/op.h"

static unsigned elements(const Operand *o)
{
    return o->kind == OPD_VECTOR ? o->count : 1;
}

static const Operand *element(const Operand *o, unsigned i)
{
    return o->kind == OPD_VECTOR ? &o->elem[i] : o;
}

typedef struct Shape {
    Word     word;
    TexShape shape;
    uint8_t  ncoords;
    bool     layered;
} Shape;

static const Shape shapes[] = {{WORD_1d, TEX_1D, 1, false},
                               {WORD_2d, TEX_2D, 2, false},
                               {WORD_3d, TEX_3D, 3, false},
                               {WORD_a1d, TEX_1D_LAYERED, 1, true},
                               {WORD_a2d, TEX_2D_LAYERED, 2, true},
                               {WORD_cube, TEX_CUBE, 3, false},
                               {WORD_acube, TEX_CUBE_LAYERED, 3, true}};

static const Shape *shape_of(const Opcode *o)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (o->field[FIELD_geom] == shapes[i].word)
            return &shapes[i];
    return NULL;
}

/* Fills slots from a vector's elements [from, from + n). */
static void words(Lower *lo, const Operand *o, unsigned from, unsigned n, bool is_float, Slot *slot)
{
    for (unsigned k = 0; k < n && from + k < elements(o); k++)
        slot[k] = lo_src(lo, element(o, from + k), 4, is_float);
}

static bool is_float_operand(const Operand *o)
{
    const Operand *e = element(o, 0);
    return e->kind == OPD_FLOAT || (e->kind == OPD_REG && type_kind(e->reg->type) == 'f');
}

/* ---- tex, tld4 ---- */

static TexInfo *new_info(Lower *lo)
{
    TexInfo *t = ARENA_NEW(lo->p->arena, TexInfo);
    *t         = (TexInfo){
                .handle = NO_SLOT, .sampler = NO_SLOT, .layer = NO_SLOT, .lod = NO_SLOT, .resident = NO_SLOT, .gather = -1};
    for (unsigned k = 0; k < 3; k++)
        t->coord[k] = t->dx[k] = t->dy[k] = t->offset[k] = NO_SLOT;
    for (unsigned k = 0; k < 4; k++)
        t->d[k] = NO_SLOT;
    return t;
}

static bool read_place(Lower *lo, const Instr *in, const Shape *s, TexInfo *t)
{
    const Operand *mem = &in->opd[1], *c = &mem->elem[mem->count - 1];
    unsigned       need = s->ncoords + (unsigned)s->layered;
    if (mem->count < 2 || mem->count > 3 || mem->ival || elements(c) < need)
        return false;
    t->handle = lo_src(lo, &mem->elem[0], 8, false);
    if (mem->count == 3)
        t->sampler = lo_src(lo, &mem->elem[1], 8, false);
    if (s->layered)
        t->layer = lo_src(lo, element(c, 0), 4, false);
    words(lo, c, s->layered, s->ncoords, !t->whole, t->coord);
    return true;
}

static bool read_rest(Lower *lo, const Instr *in, const Shape *s, TexInfo *t)
{
    unsigned at = 2;
    if (in->op->op == OP_tex_grad) {
        t->lod_mode = TEX_LOD_GRADIENT;
        words(lo, &in->opd[at++], 0, 3, true, t->dx);
        words(lo, &in->opd[at++], 0, 3, true, t->dy);
    } else if (opcode_has(in->op, WORD_level)) {
        t->lod_mode = TEX_LOD_LEVEL;
        if (in->nopd <= at)
            return false;
        t->lod = lo_src(lo, &in->opd[at++], 4, !t->whole);
    }
    if (at < in->nopd && !is_float_operand(&in->opd[at]))
        words(lo, &in->opd[at++], 0, s->ncoords, false, t->offset);
    if (at < in->nopd)
        at++; /* a value to compare with: no sampler that CUDA makes compares, and the card then ignores it */
    return at == in->nopd;
}

static void destinations(Lower *lo, const Operand *d, unsigned bytes, TexInfo *t)
{
    const Operand *v = d->kind == OPD_PAIR ? &d->elem[0] : d;
    t->nd            = elements(v);
    for (unsigned k = 0; k < t->nd; k++)
        if (element(v, k)->kind != OPD_SINK)
            t->d[k] = lo_dst(lo, element(v, k), bytes);
    if (d->kind == OPD_PAIR && d->elem[1].kind == OPD_REG)
        t->resident = layout_register(lo->code, &d->elem[1]);
}

static void destinations_done(Lower *lo, const Operand *d, unsigned bytes, const TexInfo *t)
{
    const Operand *v = d->kind == OPD_PAIR ? &d->elem[0] : d;
    for (unsigned k = 0; k < t->nd; k++)
        if (t->d[k] != NO_SLOT)
            lo_dst_done(lo, element(v, k), t->d[k], bytes, false);
}

static int gathered_component(const Opcode *o)
{
    static const Word names[] = {WORD_r, WORD_g, WORD_b, WORD_a};
    for (int k = 0; k < 4; k++)
        if (o->field[FIELD_comp] == names[k])
            return k;
    return -1;
}

static bool lower_fetch(Lower *lo, const Instr *in)
{
    const Shape   *s = shape_of(in->op);
    const Operand *d = &in->opd[0], *dv = d->kind == OPD_PAIR ? &d->elem[0] : d;
    Type           out = in->op->types[0];
    TexInfo       *t   = new_info(lo);
    if (!s || elements(dv) > 4)
        return false;
    t->shape   = s->shape;
    t->whole   = in->op->types[1] == TY_S32;
    t->packed  = out == TY_F16X2;
    t->to_half = t->packed || out == TY_F16;
    if (in->op->op == OP_tld4)
        t->gather = gathered_component(in->op);
    if (!read_place(lo, in, s, t) || !read_rest(lo, in, s, t))
        return false;
    unsigned bytes = out == TY_F16 ? 2 : 4;
    destinations(lo, d, bytes, t);
    lo_emit(lo, lo_ctl(lo, CTL_tex))->ptr = t;
    destinations_done(lo, d, bytes, t);
    return true;
}

/* ---- queries ---- */

/* Of channel types, orders, filter and address modes the manual gives no numbers, and a card has none for handles: they stop when
 * reached. */
static bool lower_query(Lower *lo, const Instr *in, TexKind kind)
{
    static const struct {
        Word     word;
        TexQuery query;
    } names[]     = {{WORD_width, QUERY_WIDTH},
                     {WORD_height, QUERY_HEIGHT},
                     {WORD_depth, QUERY_DEPTH},
                     {WORD_array_size, QUERY_ARRAY_SIZE},
                     {WORD_num_mipmap_levels, QUERY_LEVELS},
                     {WORD_num_samples, QUERY_SAMPLES},
                     {WORD_normalized_coords, QUERY_NORMALIZED}};
    Word     word = (Word)in->op->field[kind == TEX_TEXTURE ? FIELD_txquery : FIELD_suquery];
    unsigned k    = 0;
    while (k < sizeof names / sizeof *names && names[k].word != word)
        k++;
    if (k == sizeof names / sizeof *names)
        return false;
    Slot a = lo_src(lo, &in->opd[1].elem[0], 8, false);
    Slot b = in->nopd > 2 ? lo_src(lo, &in->opd[2], 4, false) : NO_SLOT;
    Slot d = lo_dst(lo, &in->opd[0], 4);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_txq));
    u->d = d, u->a = a, u->b = b;
    u->x = (uint16_t)names[k].query;
    u->y = (uint16_t)kind;
    lo_dst_done(lo, &in->opd[0], d, 4, false);
    return true;
}

static bool lower_istypep(Lower *lo, const Instr *in)
{
    Slot a = lo_src(lo, &in->opd[1], 8, false), d = lo_dst(lo, &in->opd[0], 0);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_istypep));
    u->d = d, u->a = a;
    u->x = (uint16_t)in->op->types[0];
    return true;
}

/* ---- surfaces ---- */

static SurfaceClamp clamp_of(const Opcode *o)
{
    Word w = (Word)o->field[FIELD_clampmode];
    return w == WORD_zero ? SURF_ZERO : w == WORD_clamp ? SURF_CLAMP : SURF_TRAP;
}

static SurfaceReduce reduce_of(const Opcode *o)
{
    switch ((Word)o->field[FIELD_suredop]) {
    case WORD_min: return SURF_MIN;
    case WORD_max: return SURF_MAX;
    case WORD_and: return SURF_AND;
    case WORD_or: return SURF_OR;
    default: return SURF_ADD;
    }
}

static bool lower_surface(Lower *lo, const Instr *in, SurfaceOp op)
{
    const Shape   *s   = shape_of(in->op);
    const Operand *mem = &in->opd[op == SURF_LOAD], *data = &in->opd[op != SURF_LOAD];
    const Operand *c = &mem->elem[mem->count - 1];
    SurfInfo      *f = ARENA_NEW(lo->p->arena, SurfInfo);
    if (!s || s->shape >= TEX_CUBE || mem->count != 2 || mem->ival || elements(c) < s->ncoords + (unsigned)s->layered ||
        elements(data) > 4)
        return false;
    *f           = (SurfInfo){.op      = op,
                              .clamp   = clamp_of(in->op),
                              .reduce  = reduce_of(in->op),
                              .shape   = s->shape,
                              .layer   = NO_SLOT,
                              .coord   = {NO_SLOT, NO_SLOT, NO_SLOT},
                              .samples = op == SURF_STORE_FORMATTED || (op == SURF_REDUCE && opcode_has(in->op, WORD_p)),
                              .type    = op == SURF_STORE_FORMATTED ? TY_B32 : in->op->types[0],
                              .nv      = elements(data)};
    f->bytes     = type_bytes(f->type);
    f->reg_bytes = f->bytes == 1 ? 2 : f->bytes;
    f->handle    = lo_src(lo, &mem->elem[0], 8, false);
    if (s->layered)
        f->layer = lo_src(lo, element(c, 0), 4, false);
    words(lo, c, s->layered, s->ncoords, false, f->coord);
    for (unsigned k = 0; k < f->nv; k++)
        f->v[k] = op == SURF_LOAD ? lo_dst(lo, element(data, k), f->reg_bytes)
                                  : lo_src(lo, element(data, k), f->reg_bytes, false);
    lo_emit(lo, lo_ctl(lo, CTL_surface))->ptr = f;
    for (unsigned k = 0; k < f->nv && op == SURF_LOAD; k++)
        lo_dst_done(lo, element(data, k), f->v[k], f->reg_bytes, false);
    return true;
}

static bool lower_one(Lower *lo, const Instr *in)
{
    switch (in->op->op) {
    case OP_tex:
    case OP_tex_grad:
    case OP_tld4: return lower_fetch(lo, in);
    case OP_txq:
    case OP_txq_level: return lower_query(lo, in, TEX_TEXTURE);
    case OP_suq: return lower_query(lo, in, TEX_SURFACE);
    case OP_istypep: return lower_istypep(lo, in);
    case OP_suld: return lower_surface(lo, in, SURF_LOAD);
    case OP_sust: return lower_surface(lo, in, SURF_STORE);
    case OP_sust_p: return lower_surface(lo, in, SURF_STORE_FORMATTED);
    default: return lower_surface(lo, in, SURF_REDUCE);
    }
}

bool lower_texture(Lower *lo, const Instr *in)
{
    switch (in->op->op) {
    case OP_tex:
    case OP_tex_grad:
    case OP_tld4:
    case OP_txq:
    case OP_txq_level:
    case OP_suq:
    case OP_istypep:
    case OP_suld:
    case OP_sust:
    case OP_sust_p:
    case OP_sured: break;
    default: return false;
    }
    if (!lower_one(lo, in))
        lo_emit(lo, lo_ctl(lo, CTL_unsupported));
    return true;
}
