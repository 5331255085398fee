/* SPDX-License-Identifier: Apache-2.0
 *
 * What every lower_*.c file writes with: uops, slots of operands, constants and temporaries, prefixes, branches to blocks.  A temporary
 * lives for one PTX instruction.  Registers keep the slot that layout.c gave them; constants and temporaries are added behind. */
#include "emu/lower/lower.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/bits.h"
#include "emu/lower/lower_state.h"
#include "ptx/op.h"
#include "ptx/sregs.h"

struct ConstEntry {
    struct {
        uint64_t bits;
        uint64_t bytes;
    } key;
    Slot           slot;
    UT_hash_handle hh;
};

const ExecTable *lo_exec(const Lower *lo)
{
    return lo->em->dev->exec;
}

UopFn lo_ctl(const Lower *lo, Ctl which)
{
    return lo->em->dev->ctl[which];
}

Uop *lo_emit(Lower *lo, UopFn fn)
{
    if (lo->nuops == lo->cap) {
        lo->cap  = lo->cap ? lo->cap * 2 : 256;
        lo->uops = xrealloc(lo->uops, lo->cap * sizeof *lo->uops);
    }
    Uop *u = &lo->uops[lo->nuops++];
    *u     = (Uop){.fn = fn, .instr = lo->instr};
    return u;
}

/* ---- slots ---- */

static Slot lo_new_slot(Lower *lo, unsigned bytes)
{
    if (bytes == 0) {
        if (lo->pred_left == 0) {
            lo->pred_next = lo->top;
            lo->pred_left = 16;
            lo->top += 64;
        }
        lo->pred_left--;
        lo->pred_next += 4;
        return lo->pred_next - 4;
    }
    Slot s = lo->top;
    lo->top += (bytes * LANES + 63) & ~63u;
    return s;
}

Slot lo_temp(Lower *lo, unsigned bytes)
{
    for (uint32_t i = 0; i < lo->ntemps; i++)
        if (!lo->temps[i].used && lo->temps[i].bytes == bytes) {
            lo->temps[i].used = true;
            return lo->temps[i].slot;
        }
    if (lo->ntemps == lo->temps_cap) {
        lo->temps_cap = lo->temps_cap ? lo->temps_cap * 2 : 16;
        lo->temps     = xrealloc(lo->temps, lo->temps_cap * sizeof *lo->temps);
    }
    lo->temps[lo->ntemps++] = (Temp){lo_new_slot(lo, bytes), bytes, true};
    return lo->temps[lo->ntemps - 1].slot;
}

Slot lo_const(Lower *lo, uint64_t bits, unsigned bytes)
{
    ConstEntry *e, want;
    memset(&want, 0, sizeof want);
    if (bytes > 0 && bytes < 8)
        bits &= (UINT64_C(1) << 8 * bytes) - 1;
    want.key.bits  = bits;
    want.key.bytes = bytes;
    HASH_FIND(hh, lo->consts, &want.key, sizeof want.key, e);
    if (!e) {
        e       = ARENA_NEW(lo->p->arena, ConstEntry);
        e->key  = want.key;
        e->slot = lo_new_slot(lo, bytes);
        HASH_ADD(hh, lo->consts, key, sizeof e->key, e);
    }
    return e->slot;
}

Slot lo_carry(Lower *lo)
{
    if (lo->carry == NO_SLOT)
        lo->carry = lo_new_slot(lo, 0);
    return lo->carry;
}

/* ---- operands ---- */

bool lo_is_entry_param(const Lower *lo, const Var *v)
{
    return lo->f->entry && v >= lo->f->params && v < lo->f->params + lo->f->nparams;
}

static Slot local_address(Lower *lo, uint64_t off, unsigned bytes)
{
    if (lo->f->entry)
        return lo_const(lo, off, bytes);
    Slot s = lo_temp(lo, bytes);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_local_addr));
    u->d   = s;
    u->imm = (int64_t)off;
    u->x   = (uint16_t)bytes;
    return s;
}

static Slot shared_address(Lower *lo, uint64_t off, unsigned bytes)
{
    if (!lo->p->clustered)
        return lo_const(lo, off, bytes);
    Slot s = lo_temp(lo, bytes);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_shared_addr));
    u->d   = s;
    u->imm = (int64_t)off;
    u->x   = (uint16_t)bytes;
    return s;
}

Slot lo_address(Lower *lo, const Var *v, int64_t off, unsigned bytes)
{
    uint32_t at, size;
    switch (v->space) {
    case SPACE_SHARED: return shared_address(lo, layout_shared(lo->p, v) + (uint64_t)off, bytes);
    case SPACE_LOCAL: return local_address(lo, layout_variable(lo->code, v) + (uint64_t)off, bytes);
    case SPACE_PARAM:
        if (!lo_is_entry_param(lo, v))
            return lo_const(lo, layout_variable(lo->code, v) + (uint64_t)off, bytes);
        emu_param(lo->f, (size_t)(v - lo->f->params), &at, &size);
        return lo_const(lo, lo->em->dev->param_base + at + (uint64_t)off, bytes);
    default: return lo_const(lo, lo->em->var_address[v->index] + (uint64_t)off, bytes);
    }
}

/* name: as the parser leaves it, "tid.x", "clock64", "envreg7".  A whole vector without its part reads as its .x. */
static Slot read_sreg(Lower *lo, const char *name, unsigned *have)
{
    const char     *dot    = strchr(name, '.');
    unsigned        number = 0;
    const SregInfo *info   = sreg_find(name, dot ? (size_t)(dot - name) : strlen(name), &number);
    *have                  = type_bytes(info->type);
    Slot s                 = lo_temp(lo, *have);
    lo->p->reads_reserved |= info->id >= SREG_reserved_smem_offset_begin && info->id <= SREG_reserved_smem_offset_;
    Uop *u = lo_emit(lo, lo_ctl(lo, *have == 8 ? CTL_sreg64 : CTL_sreg));
    u->d   = s;
    u->x   = (uint16_t)info->id;
    u->y   = (uint16_t)(dot ? strchr("xyzw", dot[1]) - "xyzw" : (long)number);
    u->e   = lo->idle != NULL;
    return s;
}

/* d = a narrowed, or extended, from one width to another: a lane operation but for 128 bits. */
static void emit_resize(Lower *lo, Slot d, Slot a, unsigned from, unsigned to, bool is_signed)
{
    Op       op = to == 1 ? OP_cvt_u8 : to == 2 ? OP_cvt_u16 : to == 4 ? OP_cvt_u32 : OP_cvt_u64;
    LaneType t  = from == 1   ? (is_signed ? LT_s8 : LT_u8)
                  : from == 2 ? (is_signed ? LT_s16 : LT_u16)
                  : from == 4 ? (is_signed ? LT_s32 : LT_u32)
                              : (is_signed ? LT_s64 : LT_u64);
    Uop     *u  = lo_emit(lo, from > 8 || to > 8 ? lo_ctl(lo, CTL_resize) : lo_exec(lo)->lane[op][t]);
    u->d        = d;
    u->a        = a;
    u->x        = (uint16_t)from;
    u->y        = (uint16_t)to;
    u->e        = is_signed;
}

static Slot resize(Lower *lo, Slot a, unsigned from, unsigned to, bool is_signed)
{
    if (from == to)
        return a;
    Slot s = lo_temp(lo, to);
    emit_resize(lo, s, a, from, to, is_signed);
    return s;
}

static uint64_t float_bits(const Operand *o, unsigned bytes)
{
    if (bytes == 8)
        return o->is_f32 ? f64_bits((double)f32_of((uint32_t)o->fbits)) : o->fbits;
    return o->is_f32 ? (uint32_t)o->fbits : f32_bits((float)f64_of(o->fbits));
}

static uint64_t int_bits(const Operand *o, unsigned bytes, bool is_float)
{
    return is_float && bytes == 8   ? f64_bits((double)o->ival)
           : is_float && bytes == 4 ? f32_bits((float)o->ival)
                                    : (uint64_t)o->ival;
}

static Slot source(Lower *lo, const Operand *o, unsigned bytes, bool is_float, bool is_signed)
{
    unsigned have = bytes;
    Slot     s;
    switch (o->kind) {
    case OPD_REG:
        s    = layout_register(lo->code, o);
        have = type_bytes(o->reg->type);
        break;
    case OPD_FLOAT: return lo_const(lo, float_bits(o, bytes), bytes);
    case OPD_VAR: return lo_address(lo, o->var, o->ival, bytes);
    case OPD_FUNC: return lo_const(lo, CODE_WINDOW + 16 * (uint64_t)o->func->index, bytes);
    case OPD_SREG: s = read_sreg(lo, o->name, &have); break;
    case OPD_SINK: return lo_const(lo, 0, bytes);
    default: return lo_const(lo, bytes == 0 && o->ival ? UINT32_MAX : int_bits(o, bytes, is_float), bytes);
    }
    if (bytes == 0) {
        if (!o->neg)
            return s;
        Slot t = lo_temp(lo, 0);
        Uop *u = lo_emit(lo, lo_ctl(lo, CTL_pred_not));
        u->d   = t;
        u->a   = s;
        return t;
    }
    return resize(lo, s, have, bytes, is_signed);
}

Slot lo_src(Lower *lo, const Operand *o, unsigned bytes, bool is_float)
{
    return source(lo, o, bytes, is_float, false);
}

Slot lo_dst(Lower *lo, const Operand *o, unsigned bytes)
{
    if (o->kind == OPD_REG && type_bytes(o->reg->type) == bytes)
        return layout_register(lo->code, o);
    return lo_temp(lo, bytes);
}

void lo_dst_done(Lower *lo, const Operand *o, Slot s, unsigned bytes, bool is_signed)
{
    if (o->kind != OPD_REG || type_bytes(o->reg->type) == bytes)
        return;
    emit_resize(lo, layout_register(lo->code, o), s, bytes, type_bytes(o->reg->type), is_signed);
}

/* ---- prefixes and branches ---- */

static uint16_t mxcsr_bits(Word rounding, bool ftz)
{
    uint16_t bits = ftz ? 0x8040 : 0; /* FTZ, DAZ */
    switch (rounding) {
    case WORD_rm: return bits | 0x2000;
    case WORD_rp: return bits | 0x4000;
    case WORD_rz: return bits | 0x6000;
    default: return bits;
    }
}

void lo_fpmode_begin(Lower *lo, Word rounding, bool ftz)
{
    uint16_t bits = mxcsr_bits(rounding, ftz);
    lo->fpmode    = UINT32_MAX;
    if (bits == 0)
        return;
    lo->fpmode                             = lo->nuops;
    lo_emit(lo, lo_ctl(lo, CTL_fpmode))->x = bits;
}

void lo_fpmode_end(Lower *lo)
{
    if (lo->fpmode != UINT32_MAX)
        lo->uops[lo->fpmode].n = lo->nuops - lo->fpmode - 1;
    lo->fpmode = UINT32_MAX;
}

static void add_fixup(Lower *lo, Fixup f)
{
    if (lo->nfixups == lo->fixups_cap) {
        lo->fixups_cap = lo->fixups_cap ? lo->fixups_cap * 2 : 64;
        lo->fixups     = xrealloc(lo->fixups, lo->fixups_cap * sizeof *lo->fixups);
    }
    lo->fixups[lo->nfixups++] = f;
}

void lo_branch_to_block(Lower *lo, uint32_t uop, uint32_t block)
{
    add_fixup(lo, (Fixup){uop, block, 0});
}

void lo_branch_here(Lower *lo, uint32_t uop)
{
    add_fixup(lo, (Fixup){uop, CFG_NONE, lo->nuops});
}

void lo_keep_consts(Lower *lo)
{
    Code *c    = lo->code;
    c->nconsts = HASH_COUNT(lo->consts);
    c->consts  = ARENA_ARRAY(lo->p->arena, ConstSlot, c->nconsts);
    ConstEntry *e, *next;
    uint32_t    n = 0;
    HASH_ITER(hh, lo->consts, e, next)
    {
        c->consts[n++] = (ConstSlot){e->slot, (uint32_t)e->key.bytes, e->key.bits};
    }
    HASH_CLEAR(hh, lo->consts);
}
