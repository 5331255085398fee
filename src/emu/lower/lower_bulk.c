/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of bulk copies, of st.async and red.async, and of the instructions that change tensor maps.  Forms that only sm_100 has stop
 * when reached. */
#include "emu/async/async.h"
#include "emu/async/bulk.h"
#include "emu/lower/lower_state.h"
#include "ptx/op.h"

/* ---- addresses ---- */

static void in_shared(MemInfo *m, bool cluster)
{
    *m = (MemInfo){.space = SPACE_SHARED, .op = ACCESS_COPY, .cluster = cluster};
}

static void in_global(MemInfo *m)
{
    *m = (MemInfo){.space = SPACE_GLOBAL, .op = ACCESS_COPY};
}

/* Slot of the address, with what is added to it in m; a generic address of shared memory becomes one in the cluster's window. */
static Slot address(Lower *lo, const Operand *mem, MemInfo *m)
{
    return m->space == SPACE_GENERIC ? lo_shared_address(lo, mem, m) : lo_mem_address(lo, mem, m);
}

/* ---- copies ---- */

static bool only_sm_100(const Opcode *o)
{
    return opcode_has(o, WORD_ignore_oob) || opcode_has(o, WORD_cp_mask) || opcode_has(o, WORD_tile_gather4) ||
           opcode_has(o, WORD_tile_scatter4) || opcode_has(o, WORD_im2col_w) || opcode_has(o, WORD_im2col_w_128) ||
           o->field[FIELD_ctagroup] != WORD_NONE;
}

static TensorReduction reduction_of(const Opcode *o)
{
    return (TensorReduction){true, atom_op_of(o), o->ntypes ? o->types[o->ntypes - 1] : TY_NONE};
}

/* The operands behind the addresses and sizes, in the order im2col offsets, multicast mask; cache policies only advise. */
static void lower_rest(Lower *lo, const Instr *in, unsigned at, BulkInfo *c)
{
    c->mask = NO_SLOT;
    if (c->im2col && at < in->nopd) {
        const Operand *o = &in->opd[at++];
        c->noffsets      = o->kind == OPD_VECTOR ? o->count : 1u;
        for (unsigned i = 0; i < c->noffsets && i < 3; i++)
            c->offset[i] = lo_src(lo, o->kind == OPD_VECTOR ? &o->elem[i] : o, 2, false);
    }
    if (opcode_has(in->op, WORD_multicast_cluster) && at < in->nopd)
        c->mask = lo_src(lo, &in->opd[at], 2, false);
}

static void emit(Lower *lo, Ctl which, const BulkInfo *c, Slot a, Slot b, Slot mbar)
{
    Uop *u = lo_emit(lo, lo_ctl(lo, which));
    u->a = a, u->b = b, u->c = mbar;
    u->ptr = c;
}

static BulkInfo *bulk_info(Lower *lo, const Instr *in, BulkKind kind)
{
    const Opcode *o      = in->op;
    BulkInfo     *c      = ARENA_NEW(lo->p->arena, BulkInfo);
    bool          remote = o->field[FIELD_dstspace] == WORD_shared_cluster;
    c->kind              = kind;
    c->by_group          = kind == BULK_STORE;
    c->mask = c->size = NO_SLOT;
    in_shared(&c->mbar, remote);
    in_shared(&c->dst, remote);
    in_shared(&c->src, false);
    if (kind == BULK_LOAD || kind == BULK_PREFETCH)
        in_global(&c->src);
    if (kind == BULK_STORE)
        in_global(&c->dst);
    return c;
}

/* [dst], [src], size, [mbar] ...; stores have no mbar, prefetches no dst either */
static void lower_row(Lower *lo, const Instr *in, BulkKind kind, bool reduces)
{
    BulkInfo *c  = bulk_info(lo, in, kind);
    unsigned  at = 0;
    if (reduces)
        c->reduction = reduction_of(in->op);
    if (reduces && !atom_reduces(c->reduction.op, c->reduction.type)) {
        lo_emit(lo, lo_ctl(lo, CTL_unsupported));
        return;
    }
    Slot a    = kind == BULK_PREFETCH ? 0 : address(lo, &in->opd[at++], &c->dst);
    Slot b    = address(lo, &in->opd[at++], &c->src);
    c->size   = lo_src(lo, &in->opd[at++], 4, false);
    Slot mbar = c->by_group || kind == BULK_PREFETCH ? 0 : address(lo, &in->opd[at++], &c->mbar);
    lower_rest(lo, in, at, c);
    emit(lo, CTL_bulk, c, a, b, mbar);
}

static unsigned dims_of(const Opcode *o)
{
    static const Word dims[] = {WORD_1d, WORD_2d, WORD_3d, WORD_4d, WORD_5d};
    for (unsigned i = 0; i < 5; i++)
        if (o->field[FIELD_dim] == dims[i])
            return i + 1;
    return 0;
}

/* [map, {coordinates}] */
static Slot map_operand(Lower *lo, const Operand *mem, MemInfo *m, BulkInfo *c)
{
    const Operand *v = mem->count > 1 ? &mem->elem[1] : NULL;
    for (unsigned i = 0; i < c->dims; i++) {
        const Operand *e = !v ? NULL : v->kind != OPD_VECTOR ? (i == 0 ? v : NULL) : i < v->count ? &v->elem[i] : NULL;
        if (!e)
            return NO_SLOT;
        c->coord[i] = lo_src(lo, e, 4, false);
    }
    if (v && v->kind == OPD_VECTOR && v->count != c->dims)
        return NO_SLOT;
    m->space = SPACE_GENERIC;
    return lo_mem_address(lo, mem, m);
}

/* loads: [dst], [map], [mbar] ...; stores: [map], [src]; prefetches: [map] */
static void lower_tensor(Lower *lo, const Instr *in, BulkKind kind, bool reduces)
{
    BulkInfo *c  = bulk_info(lo, in, kind);
    unsigned  at = 0;
    Slot      a = 0, b = 0, mbar = 0;
    c->tensor     = true;
    c->dims       = dims_of(in->op);
    c->im2col     = opcode_has(in->op, WORD_im2col);
    c->no_offsets = opcode_has(in->op, WORD_im2col_no_offs);
    if (reduces)
        c->reduction = reduction_of(in->op);
    if (kind == BULK_LOAD)
        a = address(lo, &in->opd[at++], &c->dst);
    Slot map = map_operand(lo, &in->opd[at++], kind == BULK_STORE ? &c->dst : &c->src, c);
    if (kind == BULK_STORE)
        b = address(lo, &in->opd[at++], &c->src);
    if (kind == BULK_LOAD)
        mbar = address(lo, &in->opd[at++], &c->mbar);
    lower_rest(lo, in, at, c);
    if (map == NO_SLOT || only_sm_100(in->op) || (c->im2col && (c->dims < 3 || c->noffsets != c->dims - 2)))
        lo_emit(lo, lo_ctl(lo, CTL_unsupported));
    else
        emit(lo, CTL_bulk_tensor, c, kind == BULK_STORE ? map : a, kind == BULK_STORE ? b : map, mbar);
}

/* [a], b, [mbar] */
static void lower_registers(Lower *lo, const Instr *in, bool reduces)
{
    BulkInfo      *c = bulk_info(lo, in, BULK_REGISTERS);
    const Operand *v = &in->opd[1];
    c->dst           = *lo_mem_info(lo, in, ACCESS_COPY);
    c->mbar          = c->dst;
    c->nvalues       = c->dst.nvec;
    if (reduces)
        c->reduction = reduction_of(in->op);
    for (unsigned i = 0; i < c->nvalues && i < 4; i++)
        c->value[i] =
            lo_src(lo, v->kind == OPD_VECTOR ? &v->elem[i] : v, c->dst.bytes, type_kind(in->op->types[0]) == 'f');
    Slot a = address(lo, &in->opd[0], &c->dst), mbar = address(lo, &in->opd[2], &c->mbar);
    emit(lo, CTL_bulk_registers, c, a, 0, mbar);
}

static void lower_wait(Lower *lo, const Instr *in)
{
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_bulk_wait));
    u->imm = in->opd[0].ival;
    u->x   = opcode_has(in->op, WORD_read);
}

/* ---- tensor maps ---- */

/* [map], value, or [map], dimension, value */
static void lower_replace(Lower *lo, const Instr *in)
{
    MemInfo *m     = lo_mem_info(lo, in, ACCESS_ST);
    unsigned bytes = type_bytes(in->op->types[in->op->ntypes - 1]);
    m->bytes       = TENSOR_MAP_ALIGN; /* the handler looks at both halves */
    m->nvec        = 1;
    m->observed    = false;
    Slot a = lo_mem_address(lo, &in->opd[0], m), b = lo_src(lo, &in->opd[in->nopd - 1u], bytes, false);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_tensormap_replace));
    u->a = a, u->b = b;
    u->ptr = m;
    u->n   = in->nopd > 2 ? (uint32_t)in->opd[1].ival : 0;
    u->x   = in->op->field[FIELD_tensormapfield];
    u->y   = lo->em->ptx->version_major < 8 || (lo->em->ptx->version_major == 8 && lo->em->ptx->version_minor < 5);
}

static void lower_map_copy(Lower *lo, const Instr *in)
{
    BulkInfo *c  = bulk_info(lo, in, BULK_STORE);
    c->size      = lo_src(lo, &in->opd[2], 4, false);
    c->dst.bytes = c->src.bytes = TENSOR_MAP_BYTES;
    c->dst.nvec = c->src.nvec = 1;
    Slot a = address(lo, &in->opd[0], &c->dst), b = address(lo, &in->opd[1], &c->src);
    emit(lo, CTL_tensormap_copy, c, a, b, 0);
}

bool lower_bulk(Lower *lo, const Instr *in)
{
    if (only_sm_100(in->op)) {
        lo_emit(lo, lo_ctl(lo, CTL_unsupported));
        return true;
    }
    switch (in->op->op) {
    case OP_cp_bulk_load:
        lower_row(lo, in, opcode_has(in->op, WORD_global) ? BULK_LOAD : BULK_MOVE, false);
        return true;
    case OP_cp_bulk_store: lower_row(lo, in, BULK_STORE, false); return true;
    case OP_cp_bulk_prefetch: lower_row(lo, in, BULK_PREFETCH, false); return true;
    case OP_cp_reduce_cluster: lower_row(lo, in, BULK_MOVE, true); return true;
    case OP_cp_reduce_global: lower_row(lo, in, BULK_STORE, true); return true;
    case OP_cp_bulk_tensor_load: lower_tensor(lo, in, BULK_LOAD, false); return true;
    case OP_cp_bulk_tensor_store: lower_tensor(lo, in, BULK_STORE, false); return true;
    case OP_cp_bulk_prefetch_tensor: lower_tensor(lo, in, BULK_PREFETCH, false); return true;
    case OP_cp_reduce_tensor: lower_tensor(lo, in, BULK_STORE, true); return true;
    case OP_st_async: lower_registers(lo, in, false); return true;
    case OP_red_async: lower_registers(lo, in, true); return true;
    case OP_cp_bulk_commit: lo_emit(lo, lo_ctl(lo, CTL_bulk_commit)); return true;
    case OP_cp_bulk_wait: lower_wait(lo, in); return true;
    case OP_tensormap_replace: lower_replace(lo, in); return true;
    case OP_tensormap_cp_fenceproxy: lower_map_copy(lo, in); return true;
    default: return false;
    }
}
