/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers cvt.  Every conversion goes through one of four hubs: integer lanes, f32, f64, or the bits of a narrow float.
 *   integer -> integer      truncate or extend; .sat clamps
 *   integer -> float        one rounded conversion; to a half, through an f32 rounded to odd
 *   float   -> integer      round to integral (rni, rmi, rpi; towards zero needs nothing), then convert with clamping
 *   float   -> float        widen exactly, round to integral if asked, narrow once
 * The rows of stochastic rounding and of the 4- and 6-bit formats are UNSUPPORTED. */
#include "emu/lower/lower_lane.h"
#include "ptx/op.h"

typedef struct Cvt { /* one conversion under way */
    Lower        *lo;
    const Instr  *in;
    const Opcode *o;
    Word          rnd;
    bool          ftz, sat, relu, finite;
} Cvt;

static bool is_half(Type t)
{
    return t == TY_F16 || t == TY_BF16;
}
static bool is_int(Type t)
{
    return t == TY_U8 || t == TY_S8 || t == TY_U16 || t == TY_S16 || t == TY_U32 || t == TY_S32 || t == TY_U64 ||
           t == TY_S64;
}

/* The rounding of a prefix; rounding to integral is none. */
static Word directed(const Cvt *c)
{
    return c->rnd == WORD_rz || c->rnd == WORD_rm || c->rnd == WORD_rp ? c->rnd : WORD_NONE;
}

/* f32 to the half type t, rounded once, with the clamps of the opcode. */
static Slot narrow(Cvt *c, Type t, Slot s)
{
    static const Op row[2][4] = {{OP_f16_rn, OP_f16_rz, OP_f16_rm, OP_f16_rp},
                                 {OP_bf16_rn, OP_bf16_rz, OP_bf16_rm, OP_bf16_rp}};
    bool            bf        = t == TY_BF16;
    LaneType        lane      = lane_type(t);
    unsigned        mode      = c->rnd == WORD_rz ? 1 : c->rnd == WORD_rm ? 2 : c->rnd == WORD_rp ? 3 : 0;
    Slot            x         = s;
    s                         = lane_temp(c->lo, row[bf][mode], LT_f32, 2, x, 0, 0);
    if (c->o->types[1] == TY_F64) { /* here a NaN keeps its sign and upper payload */
        Slot nan = lane_temp(c->lo, bf ? OP_bf16_nan : OP_f16_nan, LT_f32, 2, x, 0, 0);
        s = lane_temp(c->lo, OP_selp, LT_u16, 2, nan, s, lane_temp(c->lo, OP_testp_notanumber, LT_f32, 0, x, 0, 0));
    }
    if (c->relu)
        s = lane_temp(c->lo, bf ? OP_brelu : OP_hrelu, lane, 2, s, 0, 0);
    if (c->finite)
        s = lane_temp(c->lo, bf ? OP_bfinite : OP_hfinite, lane, 2, s, 0, 0);
    if (c->sat)
        s = lane_temp(c->lo, bf ? OP_bsat : OP_hsat, lane, 2, s, 0, 0);
    return s;
}

static Slot widen(Cvt *c, Type t, Slot s)
{
    return lane_temp(c->lo, t == TY_F16 ? OP_f16_f32 : OP_bf16_f32, lane_type(t), 4, s, 0, 0);
}

/* Rounding to integral, in f32 or f64. */
static Slot integral(Cvt *c, LaneType t, Slot s)
{
    Op op = c->rnd == WORD_rni   ? OP_round_n
            : c->rnd == WORD_rzi ? OP_round_z
            : c->rnd == WORD_rmi ? OP_round_m
                                 : OP_round_p;
    if (c->rnd != WORD_rni && c->rnd != WORD_rzi && c->rnd != WORD_rmi && c->rnd != WORD_rpi)
        return s;
    return lane_temp(c->lo, op, t, t == LT_f64 ? 8 : 4, s, 0, 0);
}

static Slot flush(Cvt *c, Slot s)
{
    return c->ftz ? lane_temp(c->lo, OP_fflush, LT_f32, 4, s, 0, 0) : s;
}

static void store(Cvt *c, Type t, Slot s)
{
    lane_store(c->lo, c->in, t, s);
}

static Op int_row(Type t, bool sat)
{
    switch (t) {
    case TY_U8: return sat ? OP_cvts_u8 : OP_cvt_u8;
    case TY_S8: return sat ? OP_cvts_s8 : OP_cvt_u8;
    case TY_U16: return sat ? OP_cvts_u16 : OP_cvt_u16;
    case TY_S16: return sat ? OP_cvts_s16 : OP_cvt_u16;
    case TY_U32: return sat ? OP_cvts_u32 : OP_cvt_u32;
    case TY_S32: return sat ? OP_cvts_s32 : OP_cvt_u32;
    case TY_U64: return sat ? OP_cvts_u64 : OP_cvt_u64;
    default: return sat ? OP_cvts_s64 : OP_cvt_u64;
    }
}

static void int_to_int(Cvt *c, Type d, Type a)
{
    Slot     s = lane_src(c->lo, c->in, 1, a);
    unsigned n = type_bytes(d);
    Slot     x = lo_dst(c->lo, &c->in->opd[0], n);
    lane_emit(c->lo, int_row(d, c->sat), lane_type(a), x, s, 0, 0);
    lo_dst_done(c->lo, &c->in->opd[0], x, n, lane_is_signed(d));
}

static void int_to_float(Cvt *c, Type d, Type a)
{
    Slot s = lane_src(c->lo, c->in, 1, a);
    if (is_half(d)) {
        store(c, d, narrow(c, d, lane_temp(c->lo, OP_cvt_odd, lane_type(a), 4, s, 0, 0)));
        return;
    }
    unsigned n = type_bytes(d);
    lo_fpmode_begin(c->lo, directed(c), false);
    s = lane_temp(c->lo, d == TY_F64 ? OP_cvt_f64 : OP_cvt_f32, lane_type(a), n, s, 0, 0);
    lo_fpmode_end(c->lo);
    if (c->sat)
        s = lane_temp(c->lo, OP_fsat, lane_type(d), n, s, 0, 0);
    store(c, d, s);
}

static Op f2i_row(Type t)
{
    switch (t) {
    case TY_U8: return OP_f2i_u8;
    case TY_S8: return OP_f2i_s8;
    case TY_U16: return OP_f2i_u16;
    case TY_S16: return OP_f2i_s16;
    case TY_U32: return OP_f2i_u32;
    case TY_S32: return OP_f2i_s32;
    case TY_U64: return OP_f2i_u64;
    default: return OP_f2i_s64;
    }
}

static void float_to_int(Cvt *c, Type d, Type a)
{
    Slot     s = lane_src(c->lo, c->in, 1, a);
    LaneType t = a == TY_F64 ? LT_f64 : LT_f32;
    if (is_half(a))
        s = widen(c, a, s);
    if (a == TY_F32)
        s = flush(c, s);
    if (c->rnd != WORD_rzi)
        s = integral(c, t, s);
    store(c, d, lane_temp(c->lo, f2i_row(d), t, type_bytes(d), s, 0, 0));
}

/* To f32 or f64. */
static void float_to_wide(Cvt *c, Type d, Type a)
{
    Slot     s = lane_src(c->lo, c->in, 1, a);
    LaneType t = lane_type(d);
    unsigned n = type_bytes(d);
    if (is_half(a)) {
        s = a == TY_F16 && d == TY_F64 ? lane_temp(c->lo, OP_f16_raw, LT_f16, 4, s, 0, 0) : widen(c, a, s);
        a = TY_F32;
    }
    if (a == TY_F32 && (d == TY_F32 || c->o->types[1] == TY_F32))
        s = flush(c, s);
    if (d != a) {
        lo_fpmode_begin(c->lo, d == TY_F32 ? directed(c) : WORD_NONE, c->ftz);
        s = lane_temp(c->lo, d == TY_F64 ? OP_cvt_f64 : OP_cvt_f32, lane_type(a), n, s, 0, 0);
        lo_fpmode_end(c->lo);
    }
    s = integral(c, t, s);
    if (c->relu)
        s = lane_temp(c->lo, OP_frelu, t, n, s, 0, 0);
    if (c->sat)
        s = lane_temp(c->lo, OP_fsat, t, n, s, 0, 0);
    store(c, d, s);
}

static void float_to_half(Cvt *c, Type d, Type a)
{
    Slot s = lane_src(c->lo, c->in, 1, a);
    if (is_half(a))
        s = integral(c, LT_f32, widen(c, a, s));
    else if (a == TY_F64)
        s = lane_temp(c->lo, OP_cvt_odd, LT_f64, 4, s, 0, 0);
    else if (d == TY_BF16) /* to f16 the hardware flushes nothing: rounding away from zero shows it */
        s = flush(c, s);
    store(c, d, narrow(c, d, s));
}

static void plain(Cvt *c)
{
    Type d = c->o->types[0], a = c->o->types[1];
    if (is_int(d) && is_int(a))
        int_to_int(c, d, a);
    else if (is_int(a))
        int_to_float(c, d, a);
    else if (is_int(d))
        float_to_int(c, d, a);
    else if (is_half(d))
        float_to_half(c, d, a);
    else
        float_to_wide(c, d, a);
}

static void to_tf32(Cvt *c)
{
    Op   op = c->rnd == WORD_rna ? OP_tf32_rna : c->rnd == WORD_rz ? OP_tf32_rz : OP_tf32_rn;
    Slot s  = lane_src(c->lo, c->in, 1, TY_F32);
    if (c->relu) /* first: what comes last gives a NaN its tf32 form */
        s = lane_temp(c->lo, OP_frelu, LT_f32, 4, s, 0, 0);
    s = lane_temp(c->lo, op, LT_f32, 4, s, 0, 0);
    if (c->finite)
        s = lane_temp(c->lo, OP_ffinite, LT_f32, 4, s, 0, 0);
    store(c, TY_B32, s);
}

/* Two f32 to a pair of halves; the first source is the upper one. */
static void to_half2(Cvt *c)
{
    Type t  = c->o->types[0] == TY_F16X2 ? TY_F16 : TY_BF16;
    Slot hi = narrow(c, t, lane_src(c->lo, c->in, 1, TY_F32)), low = narrow(c, t, lane_src(c->lo, c->in, 2, TY_F32));
    store(c, TY_B32, lane_temp(c->lo, OP_pack2, LT_u16, 4, low, hi, 0));
}

/* Two f32 to a pair of 8-bit floats. */
static void to_fp8(Cvt *c, Slot hi, Slot low)
{
    Lower *lo   = c->lo;
    Op     op   = c->o->types[0] == TY_E4M3X2 ? OP_e4m3_f32 : OP_e5m2_f32;
    Slot   s[2] = {low, hi};
    for (unsigned k = 0; k < 2; k++) {
        if (c->relu)
            s[k] = lane_temp(lo, OP_frelu, LT_f32, 4, s[k], 0, 0);
        s[k] = lane_temp(lo, op, LT_f32, 2, s[k], 0, 0);
    }
    hi = lane_temp(lo, OP_shl_lane, LT_u16, 2, s[1], lo_const(lo, 8, 4), 0);
    store(c, TY_B16, lane_temp(lo, OP_or, LT_u16, 2, hi, s[0], 0));
}

static void half2_to_fp8(Cvt *c)
{
    Lower *lo  = c->lo;
    Slot   s   = lane_src(lo, c->in, 1, TY_B32);
    Slot   low = lane_temp(lo, OP_cvt_u16, LT_u32, 2, s, 0, 0), hi = lane_temp(lo, OP_high16, LT_u32, 2, s, 0, 0);
    to_fp8(c, widen(c, TY_F16, hi), widen(c, TY_F16, low));
}

static void fp8_to_half2(Cvt *c)
{
    Lower *lo  = c->lo;
    Op     op  = c->o->types[1] == TY_E4M3X2 ? OP_f16_e4m3 : OP_f16_e5m2;
    Slot   s   = lane_src(lo, c->in, 1, TY_B16);
    Slot   low = lane_temp(lo, OP_cvt_u8, LT_u16, 1, s, 0, 0), hi = lane_temp(lo, OP_high8, LT_u16, 1, s, 0, 0);
    low = lane_temp(lo, op, LT_u8, 2, low, 0, 0);
    hi  = lane_temp(lo, op, LT_u8, 2, hi, 0, 0);
    s   = lane_temp(lo, OP_pack2, LT_u16, 4, low, hi, 0);
    if (c->relu)
        s = lane_temp(lo, OP_hrelu, LT_f16x2, 4, s, 0, 0);
    store(c, TY_B32, s);
}

/* ---- cvt.pack: two s32 clamped to a few bits, above what c held ---- */

static unsigned pack_bits(Type t)
{
    switch (t) {
    case TY_U16:
    case TY_S16: return 16;
    case TY_U8:
    case TY_S8: return 8;
    case TY_U4:
    case TY_S4: return 4;
    default: return 2;
    }
}

static Slot pack_clamp(Cvt *c, unsigned k, Type t)
{
    Lower   *lo   = c->lo;
    unsigned bits = pack_bits(t);
    bool     sgn  = lane_is_signed(t);
    int32_t  top = (1 << (sgn ? bits - 1 : bits)) - 1, low = sgn ? -top - 1 : 0;
    Slot     s = lane_src(lo, c->in, k, TY_S32);
    s          = lane_temp(lo, OP_min, LT_s32, 4, s, lo_const(lo, (uint32_t)top, 4), 0);
    s          = lane_temp(lo, OP_max, LT_s32, 4, s, lo_const(lo, (uint32_t)low, 4), 0);
    return lane_temp(lo, OP_and, LT_u32, 4, s, lo_const(lo, (1u << bits) - 1, 4), 0);
}

static void cvt_pack(Cvt *c, bool into)
{
    Lower   *lo   = c->lo;
    Type     t    = c->o->types[0];
    unsigned bits = pack_bits(t);
    Slot     hi = pack_clamp(c, 1, t), s = pack_clamp(c, 2, t);
    hi = lane_temp(lo, OP_shl_lane, LT_u32, 4, hi, lo_const(lo, bits, 4), 0);
    s  = lane_temp(lo, OP_or, LT_u32, 4, s, hi, 0);
    if (into) {
        Slot old = lane_temp(lo, OP_shl_lane, LT_u32, 4, lane_src(lo, c->in, 3, TY_B32), lo_const(lo, 2 * bits, 4), 0);
        s        = lane_temp(lo, OP_or, LT_u32, 4, s, old, 0);
    }
    store(c, TY_B32, s);
}

/* Each kind of form has a set of its own. */
static Word rounding(const Opcode *o)
{
    return (Word)(o->field[FIELD_cvtrnd] | o->field[FIELD_tf32rnd] | o->field[FIELD_packrnd]);
}

bool lower_cvt(Lower *lo, const Instr *in)
{
    const Opcode *o = in->op;
    Cvt           c = {.lo     = lo,
                       .in     = in,
                       .o      = o,
                       .rnd    = rounding(o),
                       .ftz    = opcode_has(o, WORD_ftz),
                       .sat    = opcode_has(o, WORD_sat),
                       .relu   = opcode_has(o, WORD_relu),
                       .finite = opcode_has(o, WORD_satfinite)};
    switch (o->op) {
    case OP_cvt: plain(&c); break;
    case OP_cvt_tf32: to_tf32(&c); break;
    case OP_cvt_pack2: to_half2(&c); break;
    case OP_cvt_to_fp8: to_fp8(&c, lane_src(lo, in, 1, TY_F32), lane_src(lo, in, 2, TY_F32)); break;
    case OP_cvt_fp8_half2: half2_to_fp8(&c); break;
    case OP_cvt_half2_fp8: fp8_to_half2(&c); break;
    case OP_cvt_pack: cvt_pack(&c, false); break;
    case OP_cvt_pack_into: cvt_pack(&c, true); break;
    default: return false;
    }
    return true;
}
