/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of loads, stores, atomics and address conversions.
 *
 * Scalar 4- and 8-byte accesses of global and shared memory through a register get the fast handlers; everything else gets the
 * general ones with the same MemInfo.  Kernel parameters at a fixed offset are read from the parameter block without an address. */
#include "base/sizes.h"
#include "emu/access/atom.h"
#include "emu/lower/lower_state.h"
#include "ptx/op.h"

/* ---- modifiers ---- */

static Space space_of(const Opcode *o)
{
    switch ((Word)o->field[FIELD_space]) {
    case WORD_const: return SPACE_CONST;
    case WORD_global: return SPACE_GLOBAL;
    case WORD_local: return SPACE_LOCAL;
    case WORD_shared:
    case WORD_shared_cta:
    case WORD_shared_cluster: return SPACE_SHARED;
    case WORD_param:
    case WORD_param_entry:
    case WORD_param_func: return SPACE_PARAM;
    default: return SPACE_GENERIC;
    }
}

static AccessCache cache_of(const Opcode *o)
{
    switch ((Word)o->field[FIELD_cop]) {
    case WORD_ca: return CACHE_CA;
    case WORD_cg: return CACHE_CG;
    case WORD_cs: return CACHE_CS;
    case WORD_lu: return CACHE_LU;
    case WORD_cv: return CACHE_CV;
    case WORD_wb: return CACHE_WB;
    case WORD_wt: return CACHE_WT;
    default: return CACHE_DEFAULT;
    }
}

static unsigned vec_of(const Opcode *o)
{
    switch ((Word)o->field[FIELD_vec]) {
    case WORD_v2: return 2;
    case WORD_v4: return 4;
    case WORD_v8: return 8;
    default: return 1;
    }
}

/* May the value be what another thread is about to change? */
static bool is_synchronising(const Opcode *o)
{
    switch ((Word)o->field[FIELD_sem]) {
    case WORD_NONE:
    case WORD_weak: return opcode_has(o, WORD_mmio);
    default: return true;
    }
}

Sem lo_sem(const Opcode *o)
{
    switch ((Word)o->field[FIELD_sem]) {
    case WORD_volatile:
    case WORD_relaxed: return SEM_RELAXED;
    case WORD_acquire: return SEM_ACQUIRE;
    case WORD_release: return SEM_RELEASE;
    case WORD_acq_rel: return SEM_ACQ_REL;
    case WORD_sc: return SEM_SC;
    default: return SEM_WEAK;
    }
}

Scope lo_scope(const Opcode *o)
{
    switch ((Word)o->field[FIELD_scope]) {
    case WORD_cta: return SCOPE_CTA;
    case WORD_cluster: return SCOPE_CLUSTER;
    case WORD_gpu: return SCOPE_GPU;
    case WORD_sys: return SCOPE_SYS;
    default: return SCOPE_NONE;
    }
}

/* What observers are told of order: the words, or what their absence means. */
static void set_order(const Instr *in, const MemInfo *m, Access *a)
{
    bool atomic = m->op == ACCESS_ATOM || m->op == ACCESS_RED;
    Sem  sem    = lo_sem(in->op);
    a->sem      = (uint8_t)(sem == SEM_WEAK && atomic ? SEM_RELAXED : sem);
    a->scope    = (uint8_t)lo_scope(in->op);
    if (a->scope == SCOPE_NONE && a->sem != SEM_WEAK)
        a->scope = m->is_volatile || in->op->op == OP_multimem_red ? SCOPE_SYS : SCOPE_GPU;
}

static bool observed(const Lower *lo, Space s, AccessOp op)
{
    const uint8_t *w = lo->p->wants;
    switch (s) {
    case SPACE_GLOBAL: return w[ACCESS_GLOBAL] >> op & 1;
    case SPACE_SHARED: return (w[ACCESS_SHARED] | w[ACCESS_CLUSTER]) >> op & 1;
    case SPACE_LOCAL: return w[ACCESS_LOCAL] >> op & 1;
    case SPACE_GENERIC: return (w[ACCESS_GLOBAL] | w[ACCESS_SHARED] | w[ACCESS_LOCAL] | w[ACCESS_CLUSTER]) >> op & 1;
    default: return false;
    }
}

MemInfo *lo_mem_info(Lower *lo, const Instr *in, AccessOp op)
{
    const Opcode *o = in->op;
    MemInfo      *m = ARENA_NEW(lo->p->arena, MemInfo);
    m->space        = (uint8_t)space_of(o);
    m->op           = (uint8_t)op;
    m->cache        = (uint8_t)cache_of(o);
    m->nvec         = (uint8_t)vec_of(o);
    m->cluster      = m->space == SPACE_GENERIC || o->field[FIELD_space] == WORD_shared_cluster;
    m->nc           = opcode_has(o, WORD_nc);
    m->is_volatile  = opcode_has(o, WORD_volatile);
    m->sync         = is_synchronising(o);
    Type last       = o->ntypes ? o->types[o->ntypes - 1] : TY_NONE; /* copies name their width elsewhere */
    m->bytes        = (uint8_t)type_bytes(last);
    m->reg_bytes    = m->bytes;
    m->is_signed    = type_kind(last) == 's';
    m->observed     = observed(lo, (Space)m->space, op);
    return m;
}

/* ---- addresses ---- */

static uint64_t window_of(const Var *v)
{
    return v->space == SPACE_SHARED ? SHARED_WINDOW : v->space == SPACE_LOCAL ? LOCAL_WINDOW : 0;
}

/* Fills in how the address is made; returns its slot.  32-bit spaces take 4-byte addresses, the others 8-byte ones. */
Slot lo_mem_address(Lower *lo, const Operand *mem, MemInfo *m)
{
    const Operand *base   = &mem->elem[0];
    bool           narrow = m->space == SPACE_SHARED;
    m->addr64             = !narrow;
    m->offset             = mem->ival;
    if (base->kind == OPD_VAR) {
        const Var *v   = base->var;
        int64_t    off = offset_add(mem->ival, base->ival);
        m->offset      = 0;
        if (v->space == SPACE_PARAM && !lo_is_entry_param(lo, v)) {
            m->no_base = true;
            m->offset  = offset_add((int64_t)layout_variable(lo->code, v), off);
            return 0;
        }
        if (m->space == SPACE_GENERIC)
            off = offset_add(off, (int64_t)window_of(v));
        return lo_address(lo, v, off, narrow ? 4 : 8);
    }
    if (base->kind == OPD_INT) {
        m->offset = 0;
        return lo_const(lo, (uint64_t)offset_add(base->ival, mem->ival), narrow ? 4 : 8);
    }
    return lo_src(lo, base, narrow ? 4 : 8, false);
}

/* A parameter of the kernel at a fixed place: no address at all. */
static bool kernel_param(Lower *lo, const Operand *mem, MemInfo *m)
{
    const Operand *base = &mem->elem[0];
    uint32_t       at, bytes;
    if (m->space != SPACE_PARAM || base->kind != OPD_VAR || !lo_is_entry_param(lo, base->var))
        return false;
    uint32_t total = emu_param(lo->f, (size_t)(base->var - lo->f->params), &at, &bytes);
    m->offset      = offset_add(at, offset_add(base->ival, mem->ival));
    return m->offset >= 0 && (uint64_t)m->offset + (uint64_t)m->bytes * m->nvec <= total;
}

/* Parameters of functions and arguments of calls are in the frame, not in memory. */
static bool in_call_buffers(const Lower *lo, const Operand *mem, const MemInfo *m)
{
    const Operand *base = &mem->elem[0];
    if (m->space != SPACE_PARAM)
        return false;
    return base->kind == OPD_VAR ? !lo_is_entry_param(lo, base->var) : !lo->f->entry;
}

/* ---- loads and stores ---- */

static const Operand *element(const Operand *o, unsigned v)
{
    return o->kind == OPD_VECTOR ? &o->elem[v] : o;
}

static bool fits_offset(const MemInfo *m)
{
    return m->offset >= INT32_MIN && m->offset <= INT32_MAX;
}

/* Fast handlers, by what they serve: elements in registers of `reg` bytes. */
static const struct {
    uint8_t space, bytes, nvec, reg;
    Mem     load, load_signed, store;
} fast[] = {
    {SPACE_GLOBAL, 4, 1, 4, MEM_ld_global_32, MEM_ld_global_32, MEM_st_global_32},
    {SPACE_GLOBAL, 8, 1, 8, MEM_ld_global_64, MEM_ld_global_64, MEM_st_global_64},
    {SPACE_SHARED, 4, 1, 4, MEM_ld_shared_32, MEM_ld_shared_32, MEM_st_shared_32},
    {SPACE_SHARED, 8, 1, 8, MEM_ld_shared_64, MEM_ld_shared_64, MEM_st_shared_64},
    {SPACE_LOCAL, 4, 1, 4, MEM_ld_local_32, MEM_ld_local_32, MEM_st_local_32},
    {SPACE_LOCAL, 8, 1, 8, MEM_ld_local_64, MEM_ld_local_64, MEM_st_local_64},
    {SPACE_GLOBAL, 1, 1, 2, MEM_ld_u8_16_global, MEM_ld_s8_16_global, MEM_st_8_16_global},
    {SPACE_SHARED, 1, 1, 2, MEM_ld_u8_16_shared, MEM_ld_s8_16_shared, MEM_st_8_16_shared},
    {SPACE_GLOBAL, 1, 1, 4, MEM_ld_u8_32_global, MEM_ld_s8_32_global, MEM_st_8_32_global},
    {SPACE_SHARED, 1, 1, 4, MEM_ld_u8_32_shared, MEM_ld_s8_32_shared, MEM_st_8_32_shared},
    {SPACE_GLOBAL, 2, 1, 2, MEM_ld_16_global, MEM_ld_16_global, MEM_st_16_global},
    {SPACE_SHARED, 2, 1, 2, MEM_ld_16_shared, MEM_ld_16_shared, MEM_st_16_shared},
    {SPACE_GLOBAL, 4, 2, 4, MEM_ld_global_v2_32, MEM_ld_global_v2_32, MEM_st_global_v2_32},
    {SPACE_GLOBAL, 4, 4, 4, MEM_ld_global_v4_32, MEM_ld_global_v4_32, MEM_st_global_v4_32},
    {SPACE_GLOBAL, 8, 2, 8, MEM_ld_global_v2_64, MEM_ld_global_v2_64, MEM_st_global_v2_64},
    {SPACE_SHARED, 4, 2, 4, MEM_ld_shared_v2_32, MEM_ld_shared_v2_32, MEM_st_shared_v2_32},
    {SPACE_SHARED, 4, 4, 4, MEM_ld_shared_v4_32, MEM_ld_shared_v4_32, MEM_st_shared_v4_32},
    {SPACE_SHARED, 8, 2, 8, MEM_ld_shared_v2_64, MEM_ld_shared_v2_64, MEM_st_shared_v2_64},
};

/* The fast handler, or the general one. */
static Mem choose(const MemInfo *m, bool load, bool in_buffers)
{
    if (in_buffers)
        return load ? MEM_ld_pbuf : MEM_st_pbuf;
    bool plain = fits_offset(m) && !m->cluster;
    for (unsigned v = 0; v < m->nvec; v++)
        plain &= m->v[v] != NO_SLOT;
    for (size_t i = 0; plain && i < sizeof fast / sizeof *fast; i++)
        if (m->space == fast[i].space && m->bytes == fast[i].bytes && m->nvec == fast[i].nvec &&
            m->reg_bytes == fast[i].reg)
            return !load ? fast[i].store : m->is_signed ? fast[i].load_signed : fast[i].load;
    return load ? MEM_ld_any : MEM_st_any;
}

/* The handler of a kernel parameter at a fixed offset. */
static Mem choose_param(const MemInfo *m)
{
    if (m->nvec > 1 || m->v[0] == NO_SLOT || m->reg_bytes != m->bytes)
        return MEM_ld_param;
    return m->bytes == 4 ? MEM_ld_param_32 : m->bytes == 8 ? MEM_ld_param_64 : MEM_ld_param;
}

static void emit_access(Lower *lo, Mem which, Slot a, MemInfo *m)
{
    if (m->sync)
        lo_emit(lo, lo_ctl(lo, CTL_may_wait));
    m->seen = (Access){.instr       = lo->instr,
                       .op          = m->op,
                       .cache       = m->cache,
                       .nc          = m->nc,
                       .is_volatile = m->is_volatile,
                       .bytes       = (uint8_t)(m->bytes * m->nvec)};
    if (m->op == ACCESS_LD || m->op == ACCESS_ST) {
        m->seen.slot    = m->v;
        m->seen.element = m->bytes;
        m->seen.stride  = m->reg_bytes;
    }
    set_order(lo->in, m, &m->seen);
    Uop *u = lo_emit(lo, lo_exec(lo)->mem[which][m->observed]);
    u->a   = a;
    u->d   = m->v[0];
    u->e   = (uint32_t)(int32_t)m->offset;
    u->ptr = m;
}

static void lower_ld(Lower *lo, const Instr *in)
{
    MemInfo       *m = lo_mem_info(lo, in, ACCESS_LD);
    const Operand *d = &in->opd[0], *mem = &in->opd[1];
    bool           param = kernel_param(lo, mem, m);
    Slot           a     = param ? 0 : lo_mem_address(lo, mem, m);
    for (unsigned v = 0; v < m->nvec; v++) {
        const Operand *e = element(d, v);
        m->v[v]          = e->kind == OPD_REG ? layout_register(lo->code, e) : NO_SLOT;
        if (e->kind == OPD_REG)
            m->reg_bytes = (uint8_t)type_bytes(e->reg->type);
    }
    bool buffers = in_call_buffers(lo, mem, m);
    if (!param && !buffers && (m->space == SPACE_CONST || m->space == SPACE_PARAM))
        m->space = SPACE_GLOBAL; /* they lie among the global allocations; nobody hears of them (observed) */
    emit_access(lo, param ? choose_param(m) : choose(m, true, buffers), a, m);
}

/* Not the load, but that it is made here. */
void lower_sunk(Lower *lo, const Instr *in)
{
    MemInfo *m      = lo_mem_info(lo, in, ACCESS_LD);
    Slot     a      = lo_mem_address(lo, &in->opd[1], m);
    bool     shared = m->space == SPACE_SHARED;
    emit_access(lo, shared ? MEM_sunk_shared : MEM_sunk_global, a, m);
    m->seen.slot = NULL;
}

static void lower_st(Lower *lo, const Instr *in)
{
    MemInfo       *m = lo_mem_info(lo, in, ACCESS_ST);
    const Operand *s = &in->opd[1], *mem = &in->opd[0];
    Slot           a        = lo_mem_address(lo, mem, m);
    bool           is_float = type_kind(in->op->types[in->op->ntypes - 1]) == 'f';
    bool           wide     = false; /* registers wider than the element: their low bytes are stored */
    for (unsigned v = 0; v < m->nvec; v++)
        wide |= element(s, v)->kind == OPD_REG && type_bytes(element(s, v)->reg->type) != m->bytes;
    for (unsigned v = 0; v < m->nvec; v++) {
        const Operand *e = element(s, v);
        if (wide && m->nvec == 1) {
            m->reg_bytes = (uint8_t)type_bytes(e->reg->type);
            m->v[v]      = layout_register(lo->code, e);
        } else {
            m->v[v] = lo_src(lo, e, m->bytes, is_float);
        }
    }
    emit_access(lo, choose(m, false, in_call_buffers(lo, mem, m)), a, m);
}

/* ---- atomics ---- */

/* The handler of the common ones, or the general one. */
static Mem choose_atom(const MemInfo *m)
{
    bool wide  = m->bytes == 8,
         plain = fits_offset(m) && !m->cluster && !m->no_base && m->nvec == 1 && (wide || m->bytes == 4);
    if (plain && m->space == SPACE_SHARED && !m->addr64)
        return wide ? MEM_atom_shared_64 : MEM_atom_shared_32;
    if (plain && m->space == SPACE_GLOBAL && m->addr64)
        return wide ? MEM_atom_global_64 : MEM_atom_global_32;
    return MEM_atom;
}

static void lower_atom(Lower *lo, const Instr *in, bool has_result)
{
    MemInfo       *m   = lo_mem_info(lo, in, has_result ? ACCESS_ATOM : ACCESS_RED);
    const Operand *mem = &in->opd[has_result ? 1 : 0], *b = mem + 1;
    Type           t        = in->op->types[in->op->ntypes - 1];
    bool           is_float = t == TY_F32 || t == TY_F64;
    m->atom                 = (uint8_t)atom_op_of(in->op);
    m->atom_type            = (uint8_t)t;
    m->sync                 = false; /* the handler itself says so */
    Slot a                  = lo_mem_address(lo, mem, m);
    m->b                    = m->nvec == 1 ? lo_src(lo, b, m->bytes, is_float) : NO_SLOT;
    m->c                    = m->atom == ATOM_CAS ? lo_src(lo, b + 1, m->bytes, is_float) : NO_SLOT;
    for (unsigned v = 0; v < m->nvec; v++) {
        const Operand *d = has_result ? element(&in->opd[0], v) : NULL;
        m->v[v]          = d && d->kind == OPD_REG ? lo_dst(lo, d, m->bytes) : NO_SLOT;
        m->bv[v]         = m->nvec > 1 ? lo_src(lo, element(b, v), m->bytes, is_float) : NO_SLOT;
    }
    emit_access(lo, choose_atom(m), a, m);
    for (unsigned v = 0; v < m->nvec; v++)
        if (m->v[v] != NO_SLOT)
            lo_dst_done(lo, element(&in->opd[0], v), m->v[v], m->bytes, false);
}

/* Every address is global: one of another space is found to be no multicast address. */
static void lower_multimem(Lower *lo, const Instr *in, AccessOp op, Mem which)
{
    MemInfo       *m   = lo_mem_info(lo, in, op);
    const Operand *mem = &in->opd[op == ACCESS_LD ? 1 : 0], *data = &in->opd[op == ACCESS_LD ? 0 : 1];
    Type           t = in->op->types[in->op->ntypes - 1];
    m->space         = SPACE_GLOBAL;
    m->cluster       = false;
    m->observed      = observed(lo, SPACE_GLOBAL, op);
    m->atom          = (uint8_t)atom_op_of(in->op);
    m->atom_type     = (uint8_t)t;
    m->acc_f32       = opcode_has(in->op, WORD_acc_f32);
    Slot a           = lo_mem_address(lo, mem, m);
    for (unsigned v = 0; v < m->nvec; v++) {
        const Operand *e = element(data, v);
        m->v[v]          = op != ACCESS_LD      ? lo_src(lo, e, m->bytes, t == TY_F32 || t == TY_F64)
                           : e->kind == OPD_REG ? lo_dst(lo, e, m->bytes)
                                                : NO_SLOT;
    }
    emit_access(lo, which, a, m);
    for (unsigned v = 0; v < m->nvec && op == ACCESS_LD; v++)
        if (m->v[v] != NO_SLOT)
            lo_dst_done(lo, element(data, v), m->v[v], m->bytes, false);
}

/* ---- addresses as values ---- */

/* d = a + imm, a plain copy for 0. */
static void add_const(Lower *lo, Slot d, Slot a, uint64_t imm, unsigned bytes)
{
    LaneType t = bytes == 8 ? LT_u64 : LT_u32;
    Slot     b = imm ? lo_const(lo, imm, bytes) : 0;
    Uop     *u = lo_emit(lo, lo_exec(lo)->lane[imm ? OP_add : OP_copy][t]);
    u->d = d, u->a = a, u->b = b;
}

static void lower_cvta(Lower *lo, const Instr *in, bool to)
{
    unsigned bytes = type_bytes(in->op->types[0]);
    Space    s     = space_of(in->op);
    uint64_t base  = s == SPACE_SHARED ? SHARED_WINDOW : s == SPACE_LOCAL ? LOCAL_WINDOW : 0;
    Slot     a = lo_src(lo, &in->opd[1], bytes, false), d = lo_dst(lo, &in->opd[0], bytes);
    add_const(lo, d, a, to ? -base : base, bytes);
    lo_dst_done(lo, &in->opd[0], d, bytes, false);
}

/* mapa and getctarank: a variable's address is one of its space */
static void lower_rank(Lower *lo, const Instr *in, Ctl which)
{
    unsigned bytes = type_bytes(in->op->types[0]), result = which == CTL_mapa ? bytes : 4;
    bool     generic = in->op->field[FIELD_space] == WORD_NONE;
    Slot     a = lo_src(lo, &in->opd[1], bytes, false), b = which == CTL_mapa ? lo_src(lo, &in->opd[2], 4, false) : 0;
    Slot     d = lo_dst(lo, &in->opd[0], result);
    Uop     *u = lo_emit(lo, lo_ctl(lo, which));
    u->d = d, u->a = a, u->b = b;
    u->x = (uint16_t)bytes;
    u->y = generic && in->opd[1].kind != OPD_VAR;
    lo_dst_done(lo, &in->opd[0], d, result, false);
}

static void lower_isspacep(Lower *lo, const Instr *in)
{
    Slot a = lo_src(lo, &in->opd[1], 8, false), d = lo_dst(lo, &in->opd[0], 0);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_isspacep));
    u->d = d, u->a = a;
    u->x = (uint16_t)space_of(in->op);
    u->y = in->op->field[FIELD_space] == WORD_shared_cluster;
}

static void lower_stack(Lower *lo, const Instr *in, Ctl which)
{
    unsigned       bytes  = type_bytes(in->op->types[0]);
    bool           writes = which != CTL_stackrestore;
    const Operand *src    = which == CTL_alloca ? &in->opd[1] : which == CTL_stackrestore ? &in->opd[0] : NULL;
    Slot           a = src ? lo_src(lo, src, bytes, false) : 0, d = writes ? lo_dst(lo, &in->opd[0], bytes) : 0;
    Uop           *u = lo_emit(lo, lo_ctl(lo, which));
    u->d = d, u->a = a;
    u->x   = (uint16_t)bytes;
    u->imm = which == CTL_alloca && in->nopd > 2 ? in->opd[2].ival : 0;
    if (writes)
        lo_dst_done(lo, &in->opd[0], d, bytes, false);
}

bool lower_memory(Lower *lo, const Instr *in)
{
    switch (in->op->op) {
    case OP_ld:
    case OP_ldu: lower_ld(lo, in); return true;
    case OP_st: lower_st(lo, in); return true;
    case OP_atom:
    case OP_atom_cas:
    case OP_atom_half:
    case OP_atom_vec: lower_atom(lo, in, true); return true;
    case OP_red:
    case OP_red_half:
    case OP_red_vec: lower_atom(lo, in, false); return true;
    case OP_multimem_ld_reduce: lower_multimem(lo, in, ACCESS_LD, MEM_multimem_ld_reduce); return true;
    case OP_multimem_st: lower_multimem(lo, in, ACCESS_ST, MEM_multimem_st); return true;
    case OP_multimem_red: lower_multimem(lo, in, ACCESS_RED, MEM_multimem_red); return true;
    case OP_cvta: lower_cvta(lo, in, false); return true;
    case OP_cvta_to: lower_cvta(lo, in, true); return true;
    case OP_mapa: lower_rank(lo, in, CTL_mapa); return true;
    case OP_getctarank: lower_rank(lo, in, CTL_getctarank); return true;
    case OP_isspacep: lower_isspacep(lo, in); return true;
    case OP_alloca: lower_stack(lo, in, CTL_alloca); return true;
    case OP_stacksave: lower_stack(lo, in, CTL_stacksave); return true;
    case OP_stackrestore: lower_stack(lo, in, CTL_stackrestore); return true;
    case OP_prefetch:
    case OP_prefetch_evict:
    case OP_prefetch_tensormap:
    case OP_prefetchu:
    case OP_applypriority:
    case OP_discard: lo_emit(lo, lo_ctl(lo, CTL_nop)); return true;
    case OP_createpolicy_fractional:
    case OP_createpolicy_range:
    case OP_createpolicy_cvt: { /* a policy only advises the caches */
        Slot d = lo_dst(lo, &in->opd[0], 8), zero = lo_const(lo, 0, 8);
        Uop *u = lo_emit(lo, lo_ctl(lo, CTL_addr_add));
        u->d = d, u->a = zero;
        u->x = 8;
        lo_dst_done(lo, &in->opd[0], d, 8, false);
        return true;
    }
    default: return false;
    }
}
