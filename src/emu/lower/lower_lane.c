/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers arithmetic, logic, comparison, selection and data movement to lane operations.  Rows of isa.def that have an expression and
 * a form need nothing but their operands; the others are composed here.  Modifiers become uops of their own: rounding and .ftz a
 * prefix (halves and bit operations flush explicitly), .sat and .relu a clamp behind the operation.
 *
 * Not here: conversions (lower_cvt.c), memory, control and everything that exchanges data between lanes. */
#include <assert.h>

#include "emu/lower/lower_lane.h"
#include "emu/lower/lower_state.h"
#include "ptx/op.h"
#include "ptx/traits.h"

typedef enum Kind { KIND_ROW, KIND_LANE, KIND_WIDE, KIND_CONV, KIND_MASK } Kind;

static const struct {
    uint8_t kind, sources;
} rows[OP_COUNT] = {
#define ISA_ANY(id, exactness, pipe, traits, flow, form, note)        [OP_##id] = {KIND_ROW, 0},
#define LANE1(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {KIND_LANE, 1},
#define LANE2(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {KIND_LANE, 2},
#define LANE3(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {KIND_LANE, 3},
#define WIDE2(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {KIND_WIDE, 2},
#define WIDE3(id, lanes, exactness, pipe, traits, flow, form, expr)   [OP_##id] = {KIND_WIDE, 3},
#define CONV(id, D, lanes, exactness, pipe, traits, flow, form, expr) [OP_##id] = {KIND_CONV, 1},
#define MASK1(id, exactness, pipe, traits, flow, form, expr)          [OP_##id] = {KIND_MASK, 1},
#define MASK2(id, exactness, pipe, traits, flow, form, expr)          [OP_##id] = {KIND_MASK, 2},
#define MASK3(id, exactness, pipe, traits, flow, form, expr)          [OP_##id] = {KIND_MASK, 3},
#include "ptx/isa.def"
#undef ISA_ANY
};

/* ---- shared with lower_cvt.c ---- */

LaneType lane_type(Type t)
{
    switch (t) {
    case TY_PRED: return LT_pred;
    case TY_B8:
    case TY_U8: return LT_u8;
    case TY_S8: return LT_s8;
    case TY_B16:
    case TY_U16: return LT_u16;
    case TY_S16: return LT_s16;
    case TY_B32:
    case TY_U32: return LT_u32;
    case TY_S32: return LT_s32;
    case TY_B64:
    case TY_U64: return LT_u64;
    case TY_S64: return LT_s64;
    case TY_F16: return LT_f16;
    case TY_BF16: return LT_bf16;
    case TY_F32:
    case TY_TF32: return LT_f32;
    case TY_F64: return LT_f64;
    case TY_F16X2: return LT_f16x2;
    case TY_BF16X2: return LT_bf16x2;
    case TY_U16X2: return LT_u16x2;
    case TY_S16X2: return LT_s16x2;
    case TY_B128: return LT_b128;
    default: return LT_COUNT;
    }
}

unsigned lane_bytes(LaneType t)
{
    static const uint8_t bytes[LT_COUNT] = {
#define X(name, ctype, size) [LT_##name] = size,
        LANE_TYPES(X)
#undef X
    };
    return t == LT_pred ? 0 : bytes[t];
}

static bool lane_is_float(Type t)
{
    return t == TY_F32 || t == TY_F64 || t == TY_TF32;
}
bool lane_is_signed(Type t)
{
    return type_kind(t) == 's';
}

/* The unsigned lane type that rows about bits are made for. */
static LaneType plain_of(LaneType t)
{
    switch (t) {
    case LT_s8: return LT_u8;
    case LT_s16:
    case LT_f16:
    case LT_bf16: return LT_u16;
    case LT_s32:
    case LT_f32:
    case LT_f16x2:
    case LT_bf16x2:
    case LT_u16x2: return LT_u32;
    case LT_s16x2: return LT_u16x2;
    case LT_s64:
    case LT_f64: return LT_u64;
    default: return t;
    }
}

static UopFn handler(const Lower *lo, Op op, LaneType t)
{
    const UopFn *fn = lo_exec(lo)->lane[op];
    for (LaneType p; !fn[t]; t = p)
        if ((p = plain_of(t)) == t)
            return NULL;
    return fn[t];
}

Uop *lane_emit(Lower *lo, Op op, LaneType t, Slot d, Slot a, Slot b, Slot c)
{
    UopFn fn = handler(lo, op, t);
    assert(fn);
    Uop *u = lo_emit(lo, fn);
    u->d   = d;
    u->a   = a;
    u->b   = b;
    u->c   = c;
    return u;
}

Slot lane_temp(Lower *lo, Op op, LaneType t, unsigned bytes, Slot a, Slot b, Slot c)
{
    Slot d = lo_temp(lo, bytes);
    lane_emit(lo, op, t, d, a, b, c);
    return d;
}

Slot lane_src(Lower *lo, const Instr *in, unsigned k, Type t)
{
    return lo_src(lo, &in->opd[k], type_bytes(t), lane_is_float(t));
}

static bool is_temp(const Lower *lo, Slot s)
{
    for (uint32_t i = 0; i < lo->ntemps; i++)
        if (lo->temps[i].slot == s)
            return true;
    return false;
}

void lane_store(Lower *lo, const Instr *in, Type t, Slot s)
{
    unsigned bytes = type_bytes(t);
    Slot     d     = lo_dst(lo, &in->opd[0], bytes);
    Uop     *last  = lo->nuops ? &lo->uops[lo->nuops - 1] : NULL;
    if (last && last->instr == lo->instr && last->d == s && is_temp(lo, s))
        last->d = d; /* the operation before is the one that made s: it can write the register itself */
    else
        lane_emit(lo, OP_copy, plain_of(lane_type(t)), d, s, 0, 0);
    lo_dst_done(lo, &in->opd[0], d, bytes, lane_is_signed(t));
}

/* ---- rows with a form: operands in, operation, result out ---- */

static Type type0(const Instr *in)
{
    return in->op->types[0];
}

static void lower_int(Lower *lo, const Instr *in, Op op, unsigned n)
{
    Type type = type0(in);
    Slot s[3] = {0};
    for (unsigned k = 0; k < n; k++)
        s[k] = lane_src(lo, in, k + 1, type);
    Slot d = lo_dst(lo, &in->opd[0], type_bytes(type));
    lane_emit(lo, op, lane_type(type), d, s[0], s[1], s[2]);
    lo_dst_done(lo, &in->opd[0], d, type_bytes(type), lane_is_signed(type));
}

static void lower_wide(Lower *lo, const Instr *in, Op op, unsigned n)
{
    Type     type = type0(in);
    unsigned wide = 2 * type_bytes(type);
    Slot     a = lane_src(lo, in, 1, type), b = lane_src(lo, in, 2, type);
    Slot     c = n == 3 ? lo_src(lo, &in->opd[3], wide, false) : 0;
    Slot     d = lo_dst(lo, &in->opd[0], wide);
    lane_emit(lo, op, lane_type(type), d, a, b, c);
    lo_dst_done(lo, &in->opd[0], d, wide, lane_is_signed(type));
}

/* popc, clz, bfind: a 32-bit result. */
static void lower_count(Lower *lo, const Instr *in, Op op)
{
    Type type = type0(in);
    Slot a = lane_src(lo, in, 1, type), d = lo_dst(lo, &in->opd[0], 4);
    lane_emit(lo, op, lane_type(type), d, a, 0, 0);
    lo_dst_done(lo, &in->opd[0], d, 4, false);
}

static void lower_mask(Lower *lo, const Instr *in, Op op, unsigned n)
{
    Slot s[3] = {0};
    for (unsigned k = 0; k < n; k++)
        s[k] = lo_src(lo, &in->opd[k + 1], 0, false);
    Slot d = lo_dst(lo, &in->opd[0], 0);
    lane_emit(lo, op, LT_pred, d, s[0], s[1], s[2]);
    lo_dst_done(lo, &in->opd[0], d, 0, false);
}

/* ---- floating point ---- */

typedef struct FloatRow { /* an operation on one float type, and the clamps that belong to the type */
    LaneType lane;
    unsigned bytes;
    Op       sat, relu, flush;
} FloatRow;

static FloatRow float_row(Type t)
{
    LaneType lane = lane_type(t);
    unsigned n    = type_bytes(t);
    if (t == TY_F16 || t == TY_F16X2)
        return (FloatRow){lane, n, OP_hsat, OP_hrelu, OP_hflush};
    if (t == TY_BF16 || t == TY_BF16X2)
        return (FloatRow){lane, n, OP_bsat, OP_brelu, OP_bflush};
    return (FloatRow){lane, n, OP_fsat, OP_frelu, OP_fflush};
}

/* d = op(s...) of type t with the opcode's .rnd .ftz .sat .relu; the slots are read, d is written last. */
static void float_op(Lower *lo, const Opcode *o, Op op, Type t, Slot d, Slot *s, unsigned n)
{
    FloatRow r   = float_row(t);
    bool     ftz = opcode_has(o, WORD_ftz), sat = opcode_has(o, WORD_sat), relu = opcode_has(o, WORD_relu);
    bool     moves = (op_traits(op).is & TRAIT_UNROUNDED) != 0, mode = lane_is_float(t) && !moves;
    bool     last = ftz && !mode; /* explicit flushing of the result */
    if (last && !moves)
        for (unsigned k = 0; k < n; k++)
            s[k] = lane_temp(lo, r.flush, r.lane, r.bytes, s[k], 0, 0);
    Slot x = sat || relu || last ? lo_temp(lo, r.bytes) : d;
    if (mode)
        lo_fpmode_begin(lo, (Word)o->field[FIELD_rnd], ftz);
    lane_emit(lo, op, r.lane, x, s[0], n > 1 ? s[1] : 0, n > 2 ? s[2] : 0);
    if (mode)
        lo_fpmode_end(lo);
    if (last)
        lane_emit(lo, r.flush, r.lane, sat || relu ? x : d, x, 0, 0);
    if (sat || relu)
        lane_emit(lo, sat ? r.sat : r.relu, r.lane, d, x, 0, 0);
}

void lane_float(Lower *lo, const Instr *in, Op op, Slot *s, unsigned n)
{
    Type t = type0(in);
    Slot d = lo_dst(lo, &in->opd[0], type_bytes(t));
    float_op(lo, in->op, op, t, d, s, n);
    lo_dst_done(lo, &in->opd[0], d, type_bytes(t), false);
}

static void lower_float(Lower *lo, const Instr *in, Op op, unsigned n)
{
    Slot s[3] = {0};
    for (unsigned k = 0; k < n; k++)
        s[k] = lane_src(lo, in, k + 1, type0(in));
    lane_float(lo, in, op, s, n);
}

/* add.f32.f16 d, a, c: halves among f32; the last operand is f32, so are the sum and its rounding. */
static void lower_mixed(Lower *lo, const Instr *in, Op op, unsigned n)
{
    Type half = in->op->types[1];
    Slot s[3] = {0};
    for (unsigned k = 0; k + 1 < n; k++) {
        Slot h = lane_src(lo, in, k + 1, half);
        s[k]   = lane_temp(lo, half == TY_F16 ? OP_f16_f32 : OP_bf16_f32, lane_type(half), 4, h, 0, 0);
    }
    s[n - 1] = lane_src(lo, in, n, TY_F32);
    Slot d   = lo_dst(lo, &in->opd[0], 4);
    float_op(lo, in->op, op, TY_F32, d, s, n);
    lo_dst_done(lo, &in->opd[0], d, 4, false);
}

/* Two f32 side by side in 64 bits. */
static void lower_f32x2(Lower *lo, const Instr *in, Op op, unsigned n)
{
    Slot s[2][3], r[2];
    for (unsigned k = 0; k < n; k++) {
        Slot x  = lane_src(lo, in, k + 1, TY_B64);
        s[0][k] = lane_temp(lo, OP_cvt_u32, LT_u64, 4, x, 0, 0);
        s[1][k] = lane_temp(lo, OP_high32, LT_u64, 4, x, 0, 0);
    }
    for (unsigned h = 0; h < 2; h++)
        float_op(lo, in->op, op, TY_F32, r[h] = lo_temp(lo, 4), s[h], n);
    lane_store(lo, in, TY_B64, lane_temp(lo, OP_pack2, LT_u32, 8, r[0], r[1], 0));
}

/* min, max with .NaN, .xorsign.abs and two or three sources. */
static void lower_minmax(Lower *lo, const Instr *in, bool max)
{
    static const Op rows_of[3][2][2] = {{{OP_fmin, OP_fmin_nan}, {OP_fmax, OP_fmax_nan}},
                                        {{OP_hmin, OP_hmin_nan}, {OP_hmax, OP_hmax_nan}},
                                        {{OP_bmin, OP_bmin_nan}, {OP_bmax, OP_bmax_nan}}};
    const Opcode   *o                = in->op;
    Type            t                = type0(in);
    FloatRow        r                = float_row(t);
    bool            half             = !lane_is_float(t);
    Op              op = rows_of[r.sat == OP_hsat ? 1 : r.sat == OP_bsat ? 2 : 0][max][opcode_has(o, WORD_NaN)];
    unsigned        n  = in->nopd == 4 ? 3 : 2;
    Slot            s[3], m[3];
    for (unsigned k = 0; k < n; k++) {
        s[k] = m[k] = lane_src(lo, in, k + 1, t);
        if (opcode_has(o, WORD_abs))
            m[k] = lane_temp(lo, r.sat == OP_hsat ? OP_habs : half ? OP_babs : OP_fabs, r.lane, r.bytes, s[k], 0, 0);
    }
    Slot x = lane_temp(lo, op, r.lane, r.bytes, m[0], m[1], 0);
    if (n == 3)
        x = lane_temp(lo, op, r.lane, r.bytes, x, m[2], 0);
    if (opcode_has(o, WORD_xorsign))
        x = lane_temp(lo, half ? OP_hxorsign : OP_xorsign, r.lane, r.bytes, s[0], s[1], x);
    if (opcode_has(o, WORD_ftz))
        x = lane_temp(lo, r.flush, r.lane, r.bytes, x, 0, 0);
    lane_store(lo, in, t, x);
}

static Op testp_row(Word w)
{
    switch (w) {
    case WORD_finite: return OP_testp_finite;
    case WORD_infinite: return OP_testp_infinite;
    case WORD_number: return OP_testp_number;
    case WORD_notanumber: return OP_testp_notanumber;
    case WORD_normal: return OP_testp_normal;
    default: return OP_testp_subnormal;
    }
}

static void lower_testp(Lower *lo, const Instr *in)
{
    Slot a = lane_src(lo, in, 1, type0(in)), d = lo_dst(lo, &in->opd[0], 0);
    lane_emit(lo, testp_row((Word)in->op->field[FIELD_testop]), lane_type(type0(in)), d, a, 0, 0);
    lo_dst_done(lo, &in->opd[0], d, 0, false);
}

/* ---- comparison and selection ---- */

static Op compare_row(Word w, bool is_float)
{
    switch (w) {
    case WORD_eq: return is_float ? OP_fcmp_eq : OP_cmp_eq;
    case WORD_ne: return is_float ? OP_fcmp_ne : OP_cmp_ne;
    case WORD_lt: return is_float ? OP_fcmp_lt : OP_cmp_lt;
    case WORD_le: return is_float ? OP_fcmp_le : OP_cmp_le;
    case WORD_gt: return is_float ? OP_fcmp_gt : OP_cmp_gt;
    case WORD_ge: return is_float ? OP_fcmp_ge : OP_cmp_ge;
    case WORD_lo: return OP_cmp_lt;
    case WORD_ls: return OP_cmp_le;
    case WORD_hi: return OP_cmp_gt;
    case WORD_hs: return OP_cmp_ge;
    case WORD_equ: return OP_fcmp_equ;
    case WORD_neu: return OP_fcmp_neu;
    case WORD_ltu: return OP_fcmp_ltu;
    case WORD_leu: return OP_fcmp_leu;
    case WORD_gtu: return OP_fcmp_gtu;
    case WORD_geu: return OP_fcmp_geu;
    case WORD_num: return OP_fcmp_num;
    default: return OP_fcmp_nan;
    }
}

/* Halves k (0 = low) of a packed slot, or the slot itself, as f32. */
static Slot half_to_f32(Lower *lo, Type t, Slot s, unsigned k, bool ftz)
{
    bool bf   = t == TY_BF16 || t == TY_BF16X2;
    bool pair = t == TY_F16X2 || t == TY_BF16X2;
    if (ftz)
        s = lane_temp(lo, bf ? OP_bflush : OP_hflush, lane_type(t), type_bytes(t), s, 0, 0);
    if (pair)
        s = lane_temp(lo, k ? OP_high16 : OP_cvt_u16, LT_u32, 2, s, 0, 0);
    return lane_temp(lo, bf ? OP_bf16_f32 : OP_f16_f32, bf ? LT_bf16 : LT_f16, 4, s, 0, 0);
}

/* A temporary predicate: half k of operands i and i + 1, of type t, compared. */
static Slot compare(Lower *lo, const Instr *in, unsigned i, Type t, unsigned k)
{
    const Opcode *o = in->op;
    Slot          p = lo_temp(lo, 0);
    Slot          a = lane_src(lo, in, i, t), b = lane_src(lo, in, i + 1, t);
    bool          ftz = opcode_has(o, WORD_ftz), is_float = type_kind(t) == 'f';
    Word          w = (Word)o->field[is_float ? FIELD_fcmp : FIELD_icmp];
    if (is_float && !lane_is_float(t)) {
        a = half_to_f32(lo, t, a, k, ftz);
        b = half_to_f32(lo, t, b, k, ftz);
        lane_emit(lo, compare_row(w, true), LT_f32, p, a, b, 0);
        return p;
    }
    if (ftz)
        lo_fpmode_begin(lo, WORD_NONE, true);
    LaneType lane = lane_type(t);
    if (w == WORD_lo || w == WORD_ls || w == WORD_hi || w == WORD_hs)
        lane = plain_of(lane);
    lane_emit(lo, compare_row(w, is_float), lane, p, a, b, 0);
    if (ftz)
        lo_fpmode_end(lo);
    return p;
}

/* p combined with the instruction's third source by .and .or .xor; p itself without. */
static Slot combine(Lower *lo, const Instr *in, Slot p, unsigned k)
{
    Word w = (Word)in->op->field[FIELD_bool];
    if (w == WORD_NONE)
        return p;
    Slot c = lo_src(lo, &in->opd[k], 0, false);
    return lane_temp(lo, w == WORD_and ? OP_and_pred : w == WORD_or ? OP_or_pred : OP_xor_pred, LT_pred, 0, p, c, 0);
}

static void pred_store(Lower *lo, const Operand *o, Slot p)
{
    Slot d = lo_dst(lo, o, 0);
    lane_emit(lo, OP_mov_pred, LT_pred, d, p, 0, 0);
    lo_dst_done(lo, o, d, 0, false);
}

static bool is_pair(Type t)
{
    return t == TY_F16X2 || t == TY_BF16X2;
}

static void lower_setp(Lower *lo, const Instr *in)
{
    Type           t   = type0(in);
    const Operand *d   = &in->opd[0];
    bool           two = d->kind == OPD_PAIR;
    Slot           p = compare(lo, in, 1, t, 0), q = 0;
    if (is_pair(t))
        q = compare(lo, in, 1, t, 1);
    else if (two)
        q = lane_temp(lo, OP_not_pred, LT_pred, 0, p, 0, 0);
    p = combine(lo, in, p, 3);
    if (two)
        q = combine(lo, in, q, 3);
    pred_store(lo, two ? &d->elem[0] : d, p);
    if (two)
        pred_store(lo, &d->elem[1], q);
}

/* set: all ones or 1.0 of the destination's type where the comparison holds. */
static void lower_set(Lower *lo, const Instr *in)
{
    Type     dt = in->op->types[0], t = in->op->types[1];
    unsigned n = is_pair(t) ? 2 : 1, bytes = type_bytes(dt) / n;
    uint64_t one = dt == TY_F32                       ? 0x3f800000
                   : dt == TY_F16 || dt == TY_F16X2   ? 0x3c00
                   : dt == TY_BF16 || dt == TY_BF16X2 ? 0x3f80
                                                      : UINT64_MAX;
    Slot     yes = lo_const(lo, one, bytes), no = lo_const(lo, 0, bytes), r[2] = {0};
    LaneType lane = bytes == 2 ? LT_u16 : LT_u32;
    for (unsigned k = 0; k < n; k++) {
        Slot p = combine(lo, in, compare(lo, in, 1, t, k), 3);
        r[k]   = lane_temp(lo, OP_selp, lane, bytes, yes, no, p);
    }
    if (n == 2)
        r[0] = lane_temp(lo, OP_pack2, LT_u16, 4, r[0], r[1], 0);
    lane_store(lo, in, dt, r[0]);
}

static void lower_selp(Lower *lo, const Instr *in)
{
    Type t = type0(in);
    Slot a = lane_src(lo, in, 1, t), b = lane_src(lo, in, 2, t), c = lo_src(lo, &in->opd[3], 0, false);
    Slot d = lo_dst(lo, &in->opd[0], type_bytes(t));
    lane_emit(lo, OP_selp, plain_of(lane_type(t)), d, a, b, c);
    lo_dst_done(lo, &in->opd[0], d, type_bytes(t), lane_is_signed(t));
}

static void lower_slct(Lower *lo, const Instr *in)
{
    Type t = in->op->types[0], ct = in->op->types[1];
    Slot a = lane_src(lo, in, 1, t), b = lane_src(lo, in, 2, t), c = lane_src(lo, in, 3, ct), p = lo_temp(lo, 0);
    bool ftz = opcode_has(in->op, WORD_ftz);
    if (ftz)
        lo_fpmode_begin(lo, WORD_NONE, true);
    lane_emit(lo, ct == TY_F32 ? OP_fcmp_ge : OP_cmp_ge, lane_type(ct), p, c, lo_const(lo, 0, 4), 0);
    if (ftz)
        lo_fpmode_end(lo);
    lane_store(lo, in, t, lane_temp(lo, OP_selp, plain_of(lane_type(t)), type_bytes(t), a, b, p));
}

/* ---- integer rows with unlike operands ---- */

static void lower_shift(Lower *lo, const Instr *in, Op op)
{
    Type t = type0(in);
    Slot a = lane_src(lo, in, 1, t), n = lo_src(lo, &in->opd[2], 4, false), d = lo_dst(lo, &in->opd[0], type_bytes(t));
    lane_emit(lo, op, op == OP_shl_lane ? plain_of(lane_type(t)) : lane_type(t), d, a, n, 0);
    lo_dst_done(lo, &in->opd[0], d, type_bytes(t), lane_is_signed(t));
}

static void lower_bfe(Lower *lo, const Instr *in)
{
    Type t = type0(in);
    Slot a = lane_src(lo, in, 1, t), b = lo_src(lo, &in->opd[2], 4, false), c = lo_src(lo, &in->opd[3], 4, false);
    Slot d = lo_dst(lo, &in->opd[0], type_bytes(t));
    lane_emit(lo, OP_bfe_lane, lane_type(t), d, a, b, c);
    lo_dst_done(lo, &in->opd[0], d, type_bytes(t), lane_is_signed(t));
}

static void lower_bfi(Lower *lo, const Instr *in)
{
    Type t = type0(in);
    Slot a = lane_src(lo, in, 1, t), b = lane_src(lo, in, 2, t);
    Slot c = lo_src(lo, &in->opd[3], 4, false), e = lo_src(lo, &in->opd[4], 4, false);
    Slot d                                                  = lo_dst(lo, &in->opd[0], type_bytes(t));
    lane_emit(lo, OP_bfi_lane, lane_type(t), d, a, b, c)->e = e;
    lo_dst_done(lo, &in->opd[0], d, type_bytes(t), false);
}

static void lower_dot(Lower *lo, const Instr *in, bool bytes4)
{
    static const Op row[2][2][2] = {{{OP_dp2a_lo_uu, OP_dp2a_lo_us}, {OP_dp2a_lo_su, OP_dp2a_lo_ss}},
                                    {{OP_dp4a_uu, OP_dp4a_us}, {OP_dp4a_su, OP_dp4a_ss}}};
    bool            sa = lane_is_signed(in->op->types[0]), sb = lane_is_signed(in->op->types[1]);
    Slot            a = lane_src(lo, in, 1, TY_B32), b = lane_src(lo, in, 2, TY_B32), c = lane_src(lo, in, 3, TY_B32);
    if (!bytes4 && opcode_has(in->op, WORD_hi))
        b = lane_temp(lo, OP_shr_lane, LT_u32, 4, b, lo_const(lo, 16, 4), 0);
    Slot d = lo_dst(lo, &in->opd[0], 4);
    lane_emit(lo, row[bytes4][sa][sb], LT_u32, d, a, b, c);
    lo_dst_done(lo, &in->opd[0], d, 4, sa || sb);
}

static void lower_carry(Lower *lo, const Instr *in, Op op)
{
    Type t = type0(in);
    Slot a = lane_src(lo, in, 1, t), b = lane_src(lo, in, 2, t), d = lo_dst(lo, &in->opd[0], type_bytes(t));
    lane_emit(lo, op, lane_type(t), d, a, b, 0)->e = lo_carry(lo);
    lo_dst_done(lo, &in->opd[0], d, type_bytes(t), lane_is_signed(t));
}

static void lower_mad_carry(Lower *lo, const Instr *in, Op op)
{
    Type t = type0(in);
    Slot a = lane_src(lo, in, 1, t), b = lane_src(lo, in, 2, t), c = lane_src(lo, in, 3, t);
    Slot m = lane_temp(lo, opcode_has(in->op, WORD_hi) ? OP_mul_hi : OP_mul_lo, lane_type(t), type_bytes(t), a, b, 0);
    Slot d = lo_dst(lo, &in->opd[0], type_bytes(t));
    lane_emit(lo, op, lane_type(t), d, m, c, 0)->e = lo_carry(lo);
    lo_dst_done(lo, &in->opd[0], d, type_bytes(t), lane_is_signed(t));
}

static void lower_lop3(Lower *lo, const Instr *in)
{
    const Operand *o   = &in->opd[0];
    bool           two = o->kind == OPD_PAIR;
    Slot           a = lane_src(lo, in, 1, TY_B32), b = lane_src(lo, in, 2, TY_B32), c = lane_src(lo, in, 3, TY_B32),
         t                                        = lo_temp(lo, 4);
    lane_emit(lo, OP_lop3, LT_u32, t, a, b, c)->x = (uint16_t)(in->opd[4].ival & 255);
    if (two) {
        Slot p = lane_temp(lo, OP_cmp_ne, LT_u32, 0, t, lo_const(lo, 0, 4), 0), q = lo_src(lo, &in->opd[5], 0, false);
        p = lane_temp(lo, opcode_has(in->op, WORD_or) ? OP_or_pred : OP_and_pred, LT_pred, 0, p, q, 0);
        pred_store(lo, &o->elem[1], p);
        o = &o->elem[0];
    }
    Slot d = lo_dst(lo, o, 4);
    lane_emit(lo, OP_copy, LT_u32, d, t, 0, 0);
    lo_dst_done(lo, o, d, 4, false);
}

static Op prmt_row(Word w)
{
    switch (w) {
    case WORD_f4e: return OP_prmt_f4e;
    case WORD_b4e: return OP_prmt_b4e;
    case WORD_rc8: return OP_prmt_rc8;
    case WORD_ecl: return OP_prmt_ecl;
    case WORD_ecr: return OP_prmt_ecr;
    case WORD_rc16: return OP_prmt_rc16;
    default: return OP_prmt_idx;
    }
}

/* ---- movement ---- */

/* Splits slot s, `bytes` wide, into n parts, lowest first. */
static void split(Lower *lo, Slot s, unsigned bytes, unsigned n, Slot *part)
{
    if (n == 1) {
        part[0] = s;
        return;
    }
    Op       low  = bytes == 16 ? OP_low64 : bytes == 8 ? OP_cvt_u32 : bytes == 4 ? OP_cvt_u16 : OP_cvt_u8;
    Op       high = bytes == 16 ? OP_high64 : bytes == 8 ? OP_high32 : bytes == 4 ? OP_high16 : OP_high8;
    LaneType t    = bytes == 16 ? LT_b128 : bytes == 8 ? LT_u64 : bytes == 4 ? LT_u32 : LT_u16;
    split(lo, lane_temp(lo, low, t, bytes / 2, s, 0, 0), bytes / 2, n / 2, part);
    split(lo, lane_temp(lo, high, t, bytes / 2, s, 0, 0), bytes / 2, n / 2, part + n / 2);
}

/* Joins n parts, lowest first, to one slot `bytes` wide. */
static Slot join(Lower *lo, const Slot *part, unsigned bytes, unsigned n)
{
    if (n == 1)
        return part[0];
    LaneType half = bytes == 16 ? LT_u64 : bytes == 8 ? LT_u32 : bytes == 4 ? LT_u16 : LT_u8;
    Slot     a = join(lo, part, bytes / 2, n / 2), b = join(lo, part + n / 2, bytes / 2, n / 2);
    return lane_temp(lo, bytes == 16 ? OP_pack2_b128 : OP_pack2, half, bytes, a, b, 0);
}

/* Vectors of mov have 2, 4 (or, of bytes in 64 bits, 8) elements. */
static bool pack_count(unsigned n, unsigned bytes)
{
    return (n == 2 || n == 4 || n == 8) && bytes >= n && bytes / n <= 8;
}

/* Element by element; all are read before any is written. */
static bool lower_mov_vec(Lower *lo, const Instr *in)
{
    const Operand *d = &in->opd[0], *a = &in->opd[1];
    Type           t     = type0(in);
    unsigned       bytes = type_bytes(t);
    LaneType       lane  = plain_of(lane_type(t));
    Slot           part[8];
    if (bytes == 0 || lane == LT_COUNT || d->kind != OPD_VECTOR || a->kind != OPD_VECTOR || a->count > 8)
        return false;
    for (unsigned k = 0; k < a->count; k++)
        part[k] = lane_temp(lo, OP_copy, lane, bytes, lo_src(lo, &a->elem[k], bytes, lane_is_float(t)), 0, 0);
    for (unsigned k = 0; k < d->count; k++) {
        Slot s = lo_dst(lo, &d->elem[k], bytes);
        lane_emit(lo, OP_copy, lane, s, part[k], 0, 0);
        lo_dst_done(lo, &d->elem[k], s, bytes, false);
    }
    return true;
}

static bool lower_mov(Lower *lo, const Instr *in)
{
    Type           t     = type0(in);
    unsigned       bytes = type_bytes(t);
    const Operand *d = &in->opd[0], *a = &in->opd[1];
    Slot           part[8];
    if (t == TY_PRED) {
        pred_store(lo, d, lo_src(lo, a, 0, false));
        return true;
    }
    if (a->kind == OPD_VECTOR) {
        if (!pack_count(a->count, bytes) || d->kind == OPD_VECTOR)
            return false;
        for (unsigned k = 0; k < a->count; k++)
            part[k] = lo_src(lo, &a->elem[k], bytes / a->count, false);
        lane_store(lo, in, t, join(lo, part, bytes, a->count));
        return true;
    }
    if (d->kind == OPD_VECTOR) {
        if (!pack_count(d->count, bytes))
            return false;
        split(lo, lane_src(lo, in, 1, t), bytes, d->count, part);
        for (unsigned k = 0; k < d->count; k++) {
            Slot s = lo_dst(lo, &d->elem[k], bytes / d->count);
            lane_emit(lo, OP_copy,
                      bytes / d->count == 8   ? LT_u64
                      : bytes / d->count == 4 ? LT_u32
                      : bytes / d->count == 2 ? LT_u16
                                              : LT_u8,
                      s, part[k], 0, 0);
            lo_dst_done(lo, &d->elem[k], s, bytes / d->count, false);
        }
        return true;
    }
    lane_store(lo, in, t, lane_src(lo, in, 1, t));
    return true;
}

/* ---- the rows ---- */

static bool lower_row(Lower *lo, const Instr *in)
{
    Op op = in->op->op;
    switch (op) {
    case OP_bfe: lower_bfe(lo, in); return true;
    case OP_bfi: lower_bfi(lo, in); return true;
    case OP_dp4a: lower_dot(lo, in, true); return true;
    case OP_dp2a: lower_dot(lo, in, false); return true;
    case OP_add_cc:
    case OP_addc:
    case OP_addc_cc:
    case OP_sub_cc:
    case OP_subc:
    case OP_subc_cc: lower_carry(lo, in, op); return true;
    case OP_mad_cc: lower_mad_carry(lo, in, OP_add_cc); return true;
    case OP_madc: lower_mad_carry(lo, in, OP_addc); return true;
    case OP_madc_cc: lower_mad_carry(lo, in, OP_addc_cc); return true;
    case OP_fadd_f64: lower_float(lo, in, OP_fadd, 2); return true;
    case OP_fsub_f64: lower_float(lo, in, OP_fsub, 2); return true;
    case OP_fmul_f64: lower_float(lo, in, OP_fmul, 2); return true;
    case OP_fdiv_f64: lower_float(lo, in, OP_fdiv, 2); return true;
    case OP_ffma_f64:
    case OP_fmad:
    case OP_fmad_f64: lower_float(lo, in, OP_ffma, 3); return true;
    case OP_fadd_mixed: lower_mixed(lo, in, OP_fadd, 2); return true;
    case OP_fsub_mixed: lower_mixed(lo, in, OP_fsub, 2); return true;
    case OP_ffma_mixed: lower_mixed(lo, in, OP_ffma, 3); return true;
    case OP_f32x2_add: lower_f32x2(lo, in, OP_fadd, 2); return true;
    case OP_f32x2_sub: lower_f32x2(lo, in, OP_fsub, 2); return true;
    case OP_f32x2_mul: lower_f32x2(lo, in, OP_fmul, 2); return true;
    case OP_f32x2_fma: lower_f32x2(lo, in, OP_ffma, 3); return true;
    case OP_fabs_f64: lower_float(lo, in, OP_fabs, 1); return true;
    case OP_fneg_f64: lower_float(lo, in, OP_fneg, 1); return true;
    case OP_frcp_f64: lower_float(lo, in, OP_frcp, 1); return true;
    case OP_fsqrt_f64: lower_float(lo, in, OP_fsqrt, 1); return true;
    case OP_fmin_f64: lower_minmax(lo, in, false); return true;
    case OP_fmax_f64: lower_minmax(lo, in, true); return true;
    case OP_testp: lower_testp(lo, in); return true;
    case OP_setp_i:
    case OP_setp_i_bool:
    case OP_setp_f:
    case OP_setp_f_bool: lower_setp(lo, in); return true;
    case OP_set_i:
    case OP_set_i_bool:
    case OP_set_f:
    case OP_set_f_bool: lower_set(lo, in); return true;
    case OP_selp: lower_selp(lo, in); return true;
    case OP_slct: lower_slct(lo, in); return true;
    case OP_lop3:
    case OP_lop3_bool: lower_lop3(lo, in); return true;
    case OP_shl: lower_shift(lo, in, OP_shl_lane); return true;
    case OP_shr: lower_shift(lo, in, OP_shr_lane); return true;
    case OP_prmt: lower_int(lo, in, prmt_row((Word)in->op->field[FIELD_prmtmode]), 3); return true;
    case OP_mov_vec: return lower_mov_vec(lo, in);
    case OP_mov: return lower_mov(lo, in);
    default: return lower_cvt(lo, in) || lower_video(lo, in);
    }
}

bool lower_lane(Lower *lo, const Instr *in)
{
    Op       op = in->op->op;
    unsigned n  = rows[op].sources;
    if (lower_contracted(lo, in))
        return true;
    switch (op) { /* rows with a form of their own whose modifiers choose other rows */
    case OP_fmin:
    case OP_hmin:
    case OP_bmin: lower_minmax(lo, in, false); return true;
    case OP_fmax:
    case OP_hmax:
    case OP_bmax: lower_minmax(lo, in, true); return true;
    default: break;
    }
    switch ((Kind)rows[op].kind) {
    case KIND_LANE:
        if (type_kind(type0(in)) == 'f')
            lower_float(lo, in, op, n);
        else
            lower_int(lo, in, op, n);
        return true;
    case KIND_WIDE: lower_wide(lo, in, op, n); return true;
    case KIND_CONV: lower_count(lo, in, op); return true;
    case KIND_MASK: lower_mask(lo, in, op, n); return true;
    default: return lower_row(lo, in);
    }
}
