/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers the packed video instructions (vadd2, vabsdiff4, ...) without part selectors and destination masks, as compilers emit them.
 * Not lowered: selectors, vavrg, and the scalar ones (vadd, vmad, ...). */
#include "emu/lower_lane.h"
#include "emu/video.h"

typedef struct VideoRow {
    bool    known, four;
    VideoOp op;
} VideoRow;

static VideoRow video_row(Op op)
{
    switch (op) {
    case OP_vadd2: return (VideoRow){true, false, VIDEO_ADD};
    case OP_vsub2: return (VideoRow){true, false, VIDEO_SUB};
    case OP_vabsdiff2: return (VideoRow){true, false, VIDEO_ABSDIFF};
    case OP_vmin2: return (VideoRow){true, false, VIDEO_MIN};
    case OP_vmax2: return (VideoRow){true, false, VIDEO_MAX};
    case OP_vset2: return (VideoRow){true, false, VIDEO_SET};
    case OP_vadd4: return (VideoRow){true, true, VIDEO_ADD};
    case OP_vsub4: return (VideoRow){true, true, VIDEO_SUB};
    case OP_vabsdiff4: return (VideoRow){true, true, VIDEO_ABSDIFF};
    case OP_vmin4: return (VideoRow){true, true, VIDEO_MIN};
    case OP_vmax4: return (VideoRow){true, true, VIDEO_MAX};
    case OP_vset4: return (VideoRow){true, true, VIDEO_SET};
    default: return (VideoRow){false, false, VIDEO_ADD};
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

bool lower_video(Lower *lo, const Instr *in)
{
    const Opcode *o = in->op;
    VideoRow      r = video_row(o->op);
    if (!r.known || in->nopd < 3)
        return false;
    for (unsigned k = 0; k < in->nopd; k++)
        if (in->opd[k].kind == OPD_REG && in->opd[k].part >= 0)
            return false;
    bool     set = r.op == VIDEO_SET;
    Type     d = set ? TY_U32 : o->types[0], a = o->types[set ? 0 : 1], b = o->types[set ? 1 : 2];
    unsigned x = (lane_is_signed(d) ? VIDEO_SIGNED_D : 0u) | (lane_is_signed(a) ? VIDEO_SIGNED_A : 0u) |
                 (lane_is_signed(b) ? VIDEO_SIGNED_B : 0u) | (opcode_has(o, WORD_sat) ? VIDEO_SAT : 0u) |
                 (opcode_has(o, WORD_add) ? VIDEO_SUM : 0u) | (r.four ? VIDEO_FOUR : 0u);
    Slot s[3] = {lane_src(lo, in, 1, TY_B32), lane_src(lo, in, 2, TY_B32),
                 in->nopd > 3 ? lane_src(lo, in, 3, TY_B32) : lo_const(lo, 0, 4)};
    Slot dst  = lo_dst(lo, &in->opd[0], 4);
    Uop *u    = lane_emit(lo, OP_video_lane, LT_u32, dst, s[0], s[1], s[2]);
    u->x      = (uint16_t)x;
    u->y      = (uint16_t)((unsigned)r.op | accepted((Word)o->field[FIELD_icmp]) << 4);
    lo_dst_done(lo, &in->opd[0], dst, 4, lane_is_signed(d));
    return true;
}
