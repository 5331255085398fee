/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers video instructions: packed ones without part selectors and destination masks, as compilers emit them, to a lane operation;
 * the others, and the scalar ones, to ctl_video. */
#include <string.h>

#include "emu/core/video.h"
#include "emu/lower/lower_lane.h"
#include "emu/lower/lower_state.h"
#include "ptx/op.h"

typedef struct VideoRow {
    unsigned parts; /* 0: no video instruction */
    VideoOp  op;
} VideoRow;

static VideoRow video_row(Op op)
{
    switch (op) {
    case OP_vadd: return (VideoRow){1, VIDEO_ADD};
    case OP_vsub: return (VideoRow){1, VIDEO_SUB};
    case OP_vabsdiff: return (VideoRow){1, VIDEO_ABSDIFF};
    case OP_vmin: return (VideoRow){1, VIDEO_MIN};
    case OP_vmax: return (VideoRow){1, VIDEO_MAX};
    case OP_vset: return (VideoRow){1, VIDEO_SET};
    case OP_vshl: return (VideoRow){1, VIDEO_SHL};
    case OP_vshr: return (VideoRow){1, VIDEO_SHR};
    case OP_vmad:
    case OP_vmad_po: return (VideoRow){1, VIDEO_MAD};
    case OP_vadd2: return (VideoRow){2, VIDEO_ADD};
    case OP_vsub2: return (VideoRow){2, VIDEO_SUB};
    case OP_vavrg2: return (VideoRow){2, VIDEO_AVERAGE};
    case OP_vabsdiff2: return (VideoRow){2, VIDEO_ABSDIFF};
    case OP_vmin2: return (VideoRow){2, VIDEO_MIN};
    case OP_vmax2: return (VideoRow){2, VIDEO_MAX};
    case OP_vset2: return (VideoRow){2, VIDEO_SET};
    case OP_vadd4: return (VideoRow){4, VIDEO_ADD};
    case OP_vsub4: return (VideoRow){4, VIDEO_SUB};
    case OP_vavrg4: return (VideoRow){4, VIDEO_AVERAGE};
    case OP_vabsdiff4: return (VideoRow){4, VIDEO_ABSDIFF};
    case OP_vmin4: return (VideoRow){4, VIDEO_MIN};
    case OP_vmax4: return (VideoRow){4, VIDEO_MAX};
    case OP_vset4: return (VideoRow){4, VIDEO_SET};
    default: return (VideoRow){0, VIDEO_ADD};
    }
}

static unsigned accepted(Word w)
{
    switch (w) {
    case WORD_eq: return VIDEO_EQUAL;
    case WORD_ne: return VIDEO_LESS | VIDEO_GREATER;
    case WORD_lt:
    case WORD_lo: return VIDEO_LESS;
    case WORD_le:
    case WORD_ls: return VIDEO_LESS | VIDEO_EQUAL;
    case WORD_gt:
    case WORD_hi: return VIDEO_GREATER;
    default: return VIDEO_GREATER | VIDEO_EQUAL;
    }
}

static bool selected(const Operand *o)
{
    return o->kind == OPD_REG && o->part == PART_SEL;
}

/* The register alone, whole and as it is. */
static Slot word_of(Lower *lo, const Operand *o)
{
    Operand plain = *o;
    if (selected(o))
        plain.part = -1;
    plain.neg = false;
    return lo_src(lo, &plain, 4, false);
}

/* ---- scalar: .b0 ... .b3, .h0, .h1 or the whole word ---- */

static VideoPart one_part(const Operand *o)
{
    if (!selected(o))
        return (VideoPart){0, 32};
    unsigned width = o->sel[0] == 'b' ? 8 : 16;
    return (VideoPart){(uint8_t)((unsigned)(o->sel[1] - '0') * width), (uint8_t)width};
}

/* ---- packed: a digit for each part, the highest first ---- */

static void many_parts(const Operand *o, unsigned n, unsigned first, VideoPart *to)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned place = selected(o) ? (unsigned)(o->sel[n - i] - '0') : first + i;
        to[i]          = (VideoPart){(uint8_t)(place * (32 / n)), (uint8_t)(32 / n)};
    }
}

static void mask_parts(const Operand *o, unsigned n, VideoPart *to)
{
    for (unsigned i = 0; i < n; i++) {
        bool is = !selected(o) || strchr(o->sel + 1, (int)('0' + i));
        to[i]   = (VideoPart){(uint8_t)(i * (32 / n)), (uint8_t)(is ? 32 / n : 0)};
    }
}

static VideoSecond second_of(const Opcode *o)
{
    return opcode_has(o, WORD_add)   ? VIDEO_THEN_ADD
           : opcode_has(o, WORD_min) ? VIDEO_THEN_MIN
           : opcode_has(o, WORD_max) ? VIDEO_THEN_MAX
                                     : VIDEO_NONE;
}

static void lower_any(Lower *lo, const Instr *in, VideoRow r)
{
    VideoInfo     *v   = ARENA_NEW(lo->p->arena, VideoInfo);
    const Opcode  *o   = in->op;
    const Operand *opd = in->opd;
    bool           set = r.op == VIDEO_SET;
    v->op              = r.op;
    v->parts           = r.parts;
    v->signed_d        = lane_is_signed(set ? TY_U32 : o->types[0]);
    v->signed_a        = lane_is_signed(o->types[set ? 0 : 1]);
    v->signed_b        = lane_is_signed(o->types[set ? 1 : 2]);
    v->saturate        = opcode_has(o, WORD_sat);
    v->wrap            = opcode_has(o, WORD_wrap);
    v->plus_one        = o->op == OP_vmad_po;
    v->scale           = opcode_has(o, WORD_shr7) ? 7 : opcode_has(o, WORD_shr15) ? 15 : 0;
    v->second          = second_of(o);
    v->accept          = set ? accepted((Word)o->field[FIELD_icmp]) : 0;
    v->merge           = r.parts == 1 && selected(&opd[0]);
    v->negate_product  = opd[1].neg != opd[2].neg;
    v->negate_c        = in->nopd > 3 && opd[3].neg;
    if (r.parts == 1) {
        v->a[0] = one_part(&opd[1]), v->b[0] = one_part(&opd[2]), v->d[0] = one_part(&opd[0]);
    } else {
        many_parts(&opd[1], r.parts, 0, v->a), many_parts(&opd[2], r.parts, r.parts, v->b);
        mask_parts(&opd[0], r.parts, v->d);
    }
    Operand to = opd[0];
    to.part    = selected(&to) ? -1 : to.part;
    Slot a = word_of(lo, &opd[1]), b = word_of(lo, &opd[2]),
         c = in->nopd > 3 ? word_of(lo, &opd[3]) : lo_const(lo, 0, 4), d = lo_dst(lo, &to, 4);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_video));
    u->a = a, u->b = b, u->c = c, u->d = d;
    u->ptr = v;
    lo_dst_done(lo, &to, d, 4, v->signed_d);
}

/* As compilers emit them. */
static void lower_packed(Lower *lo, const Instr *in, VideoRow r)
{
    const Opcode *o   = in->op;
    bool          set = r.op == VIDEO_SET;
    Type          d = set ? TY_U32 : o->types[0], a = o->types[set ? 0 : 1], b = o->types[set ? 1 : 2];
    unsigned      x = (lane_is_signed(d) ? VIDEO_SIGNED_D : 0u) | (lane_is_signed(a) ? VIDEO_SIGNED_A : 0u) |
                 (lane_is_signed(b) ? VIDEO_SIGNED_B : 0u) | (opcode_has(o, WORD_sat) ? VIDEO_SAT : 0u) |
                 (opcode_has(o, WORD_add) ? VIDEO_SUM : 0u) | (r.parts == 4 ? VIDEO_FOUR : 0u);
    Slot s[3] = {lane_src(lo, in, 1, TY_B32), lane_src(lo, in, 2, TY_B32),
                 in->nopd > 3 ? lane_src(lo, in, 3, TY_B32) : lo_const(lo, 0, 4)};
    Slot dst  = lo_dst(lo, &in->opd[0], 4);
    Uop *u    = lane_emit(lo, OP_video_lane, LT_u32, dst, s[0], s[1], s[2]);
    u->x      = (uint16_t)x;
    u->y      = (uint16_t)((unsigned)r.op | accepted((Word)o->field[FIELD_icmp]) << 4);
    lo_dst_done(lo, &in->opd[0], dst, 4, lane_is_signed(d));
}

bool lower_video(Lower *lo, const Instr *in)
{
    VideoRow r     = video_row(in->op->op);
    bool     plain = r.parts > 1 && r.op != VIDEO_AVERAGE;
    if (r.parts == 0 || in->nopd < 3)
        return false;
    for (unsigned k = 0; k < in->nopd; k++)
        plain &= !selected(&in->opd[k]);
    if (plain)
        lower_packed(lo, in, r);
    else
        lower_any(lo, in, r);
    return true;
}
