/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of cp.async with its groups, and of mbarrier instructions. */
#include "emu/async/async.h"
#include "emu/lower/lower_state.h"
#include "ptx/op.h"

static void lower_copy(Lower *lo, const Instr *in)
{
    CopyInfo      *c     = ARENA_NEW(lo->p->arena, CopyInfo);
    const Operand *o     = in->opd;
    unsigned       given = in->nopd - (opcode_has(in->op, WORD_L2_cache_hint) ? 1u : 0u);
    int64_t        bytes = o[2].kind == OPD_INT ? o[2].ival : 0;
    bool           cg    = opcode_has(in->op, WORD_cg);
    if (bytes != 16 && (cg || (bytes != 4 && bytes != 8))) {
        lo_emit(lo, lo_ctl(lo, CTL_unsupported));
        return;
    }
    c->src          = *lo_mem_info(lo, in, ACCESS_COPY);
    c->src.space    = SPACE_GLOBAL;
    c->src.bytes    = (uint8_t)bytes;
    c->src.cache    = cg ? CACHE_CG : CACHE_CA;
    c->src.seen     = (Access){.instr = lo->instr, .op = ACCESS_COPY, .cache = c->src.cache, .bytes = (uint8_t)bytes};
    c->dst          = c->src;
    c->dst.space    = SPACE_SHARED;
    c->src.observed = lo->p->wants[ACCESS_GLOBAL] >> ACCESS_COPY & 1;
    c->dst.observed = lo->p->wants[ACCESS_SHARED] >> ACCESS_COPY & 1;
    c->size = c->ignore = NO_SLOT;
    Slot a = lo_mem_address(lo, &o[0], &c->dst), b = lo_mem_address(lo, &o[1], &c->src);
    if (given > 3 && o[3].kind == OPD_REG && o[3].reg->type == TY_PRED) {
        c->ignore     = layout_register(lo->code, &o[3]);
        c->ignore_neg = o[3].neg;
    } else if (given > 3) {
        c->size = lo_src(lo, &o[3], 4, false);
    }
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_cp_async));
    u->a = a, u->b = b;
    u->ptr = c;
}

static void lower_wait(Lower *lo, const Instr *in, bool all)
{
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_cp_wait));
    u->x   = all;
    u->imm = all ? 0 : in->opd[0].ival;
}

/* d, [a], b: which of them there are follows from the operation. */
static void lower_mbarrier(Lower *lo, const Instr *in, MbarOp op)
{
    bool           test = op == MBAR_TEST || op == MBAR_TEST_PARITY, state = op >= MBAR_ARRIVE_TX && op <= MBAR_DROP;
    const Operand *mem = &in->opd[test || state ? 1 : 0], *last = &in->opd[in->nopd];
    MemInfo       *m = lo_mem_info(lo, in, ACCESS_ATOM);
    m->bytes         = 8;
    m->cluster       = m->cluster && op != MBAR_INIT && op != MBAR_INVAL && !test && op < MBAR_COPIES;
    m->observed      = false;
    m->nvec          = 1;
    Slot a           = lo_shared_address(lo, mem, m);
    Slot b           = mem + 1 < last ? lo_src(lo, mem + 1, op == MBAR_TEST ? 8 : 4, false) : NO_SLOT;
    Slot d           = test ? lo_dst(lo, &in->opd[0], 0) : state ? lo_dst(lo, &in->opd[0], 8) : NO_SLOT;
    Uop *u           = lo_emit(lo, lo_ctl(lo, test ? CTL_mbarrier_test : CTL_mbarrier));
    u->d = d, u->a = a, u->b = b;
    u->x   = (uint16_t)op;
    u->ptr = m;
    if (state)
        lo_dst_done(lo, &in->opd[0], d, 8, false);
}

static bool mbarrier_op(Op op, MbarOp *out)
{
    static const struct {
        Op     op;
        MbarOp is;
    } ops[] = {
        {OP_mbarrier_init, MBAR_INIT},
        {OP_mbarrier_inval, MBAR_INVAL},
        {OP_mbarrier_expect_tx, MBAR_EXPECT_TX},
        {OP_mbarrier_complete_tx, MBAR_COMPLETE_TX},
        {OP_mbarrier_arrive_tx, MBAR_ARRIVE_TX},
        {OP_mbarrier_arrive_nc, MBAR_ARRIVE_NC},
        {OP_mbarrier_arrive, MBAR_ARRIVE},
        {OP_mbarrier_drop_tx, MBAR_DROP_TX},
        {OP_mbarrier_drop_nc, MBAR_DROP_NC},
        {OP_mbarrier_drop, MBAR_DROP},
        {OP_mbarrier_test_parity, MBAR_TEST_PARITY},
        {OP_mbarrier_try_parity, MBAR_TEST_PARITY},
        {OP_mbarrier_test, MBAR_TEST},
        {OP_mbarrier_try, MBAR_TEST},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].op == op) {
            *out = ops[i].is;
            return true;
        }
    return false;
}

bool lower_async(Lower *lo, const Instr *in)
{
    MbarOp op;
    switch (in->op->op) {
    case OP_cp_async: lower_copy(lo, in); return true;
    case OP_cp_async_commit: lo_emit(lo, lo_ctl(lo, CTL_cp_commit)); return true;
    case OP_cp_async_wait: lower_wait(lo, in, false); return true;
    case OP_cp_async_wait_all: lower_wait(lo, in, true); return true;
    case OP_cp_async_mbarrier:
        lower_mbarrier(lo, in, opcode_has(in->op, WORD_noinc) ? MBAR_COPIES_NOINC : MBAR_COPIES);
        return true;
    case OP_mbarrier_pending: {
        Slot a = lo_src(lo, &in->opd[1], 8, false), d = lo_dst(lo, &in->opd[0], 4);
        Uop *u = lo_emit(lo, lo_ctl(lo, CTL_mbarrier_pending));
        u->d = d, u->a = a;
        lo_dst_done(lo, &in->opd[0], d, 4, false);
        return true;
    }
    default:
        if (!mbarrier_op(in->op->op, &op))
            return false;
        lower_mbarrier(lo, in, op);
        return true;
    }
}
