/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses whose lanes may lie anywhere, and atomics.  All lanes' addresses are asked together: in bounds of the allocation that the
 * instruction hit last, or of the window, and aligned.  Then observers are told of them, and the lanes are served one after another.  Where the
 * answer is no, the handler does the access, with its messages.
 *
 * Lanes that do not run have the first running one's address meanwhile, so loads need no mask; stores and atomics do.
 * Left to the handler: what an observer wants to see the values of, and launches that follow values that nobody wrote. */
#include "emu/access/atom.h"
#include "emu/jit/emit_mem.h"

static const MemInfo *info_of(const Emit *e, const Item *it)
{
    return e->p->code->uops[it->uop].ptr;
}

static bool is_near(const MemInfo *info)
{
    return info->space != SPACE_GLOBAL;
}

static const char *space_name(const MemInfo *info)
{
    return info->space == SPACE_SHARED ? "shared" : info->space == SPACE_LOCAL ? "local" : "global";
}

static bool is_served(const Emit *e, const MemInfo *info)
{
    Heard h = emit_heard(e, info);
    return !e->p->tracked && h.serves && !h.sweeps;
}

static void running(const Emit *e)
{
    OUT("%s", e->crossing ? "m" : "~0u");
}

/* `{ at[]: what observers are told of each lane; if (they must be the handler's) {` */
static void begin(Emit *e, const Item *it, const char *also)
{
    const MemInfo *info = info_of(e, it);
    uint32_t       v    = it->read[0];
    OUT("{ u%u at[32] __attribute__((aligned(64)));\n", is_near(info) ? 4 : 8);
    emit_vector(e, v, "a");
    OUT("if (COLD(!w_far_%s(w, %u, (const u%u *)&a, (u8)%lldll, ", space_name(info), e->p->code->uops[it->uop].instr,
        e->p->value[v].bytes, (long long)emit_offset(e, it));
    running(e);
    OUT(", %u, at)%s)) {\n", (unsigned)info->bytes * info->nvec, also);
}

static void tell(Emit *e, const Item *it)
{
    const MemInfo *info = info_of(e, it);
    if (!emit_heard(e, info).counts)
        return;
    OUT("w_tell_%s(w, w_uop(U, %u), ", is_near(info) ? "near" : "far", it->uop);
    running(e);
    OUT(", at);\n");
}

/* ---- loads and stores ---- */

/* Where `at` counts from, as arguments. */
static void window(Emit *e, const MemInfo *info)
{
    if (info->space == SPACE_LOCAL)
        OUT("w_window_local(w), w_pitch_local(w), ");
    else if (info->space == SPACE_SHARED)
        OUT("w_window_shared(w), 0, ");
}

static void load(Emit *e, const Item *it)
{
    const MemInfo *info = info_of(e, it);
    unsigned       b    = info->bytes;
    for (unsigned k = 0; k < info->nvec; k++) {
        uint32_t v = it->write[k];
        unsigned r = e->p->value[v].bytes;
        char     name[16];
        OUT("{ V%u x; w_load_%s%u((u%u *)&x, ", b, is_near(info) ? "near" : "far", b, b);
        window(e, info);
        OUT("at, %u);\n", k * b);
        emit_begin_result(e, v, name);
        if (info->is_signed && r != b)
            OUT("%s = (V%u)__builtin_convertvector((W%u)x, W%u);", name, r, b, r);
        else
            OUT("%s = __builtin_convertvector(x, V%u);", name, r);
        emit_end_result(e, v, spread_vector());
    }
}

static void store(Emit *e, const Item *it)
{
    const MemInfo *info = info_of(e, it);
    unsigned       b    = info->bytes;
    for (unsigned k = 0; k < info->nvec; k++) {
        OUT("{ ");
        emit_vector(e, it->read[1 + k], "d");
        OUT("V%u x = __builtin_convertvector(d, V%u); w_store_%s%u(", b, b, is_near(info) ? "near" : "far", b);
        window(e, info);
        OUT("at, %u, (const u%u *)&x, ", k * b, b);
        running(e);
        OUT("); }\n");
    }
}

void emit_anywhere(Emit *e, const Item *it, Spread want)
{
    if (!is_served(e, info_of(e, it)) || spread_is_same(want)) {
        emit_call(e, it, want);
        return;
    }
    begin(e, it, "");
    emit_call(e, it, want);
    OUT("} else {\n");
    tell(e, it);
    (it->kind == ITEM_LOAD ? load : store)(e, it);
    OUT("} }\n");
}

/* ---- atomics ---- */

/* Of those that atom_lane.h has. */
static bool is_quick(const MemInfo *info)
{
    Type t = (Type)info->atom_type;
    return type_bytes(t) == info->bytes && t != TY_F16X2 && t != TY_BF16X2 &&
           (type_kind(t) != 'f' || (t == TY_F32 && info->atom == ATOM_ADD));
}

static void update(Emit *e, const Item *it)
{
    const MemInfo *info = info_of(e, it);
    unsigned       b    = info->bytes;
    AtomOp         op   = info->atom_type == TY_F32 && info->space == SPACE_GLOBAL ? ATOM_ADD_FTZ : (AtomOp)info->atom;
    OUT("{ ");
    emit_vector(e, it->read[1], "b");
    emit_vector(e, it->read[it->nread > 2 ? 2 : 1], "c");
    OUT("V%u x; w_atom_%s%u((u%u *)&x, %sat, (const u%u *)&b, (const u%u *)&c, %u, %u, ", b,
        is_near(info) ? "near" : "far", b, b, is_near(info) ? "w_window_shared(w), " : "", b, b, (unsigned)op,
        (unsigned)info->atom_type);
    running(e);
    OUT(");\n");
    if (!it->nwrite) {
        OUT("}\n");
        return;
    }
    char name[16];
    emit_begin_result(e, it->write[0], name);
    OUT("%s = x;", name);
    emit_end_result(e, it->write[0], spread_vector());
}

void emit_atom(Emit *e, const Item *it)
{
    const MemInfo *info = info_of(e, it);
    if (!is_served(e, info) || !is_quick(info)) {
        emit_call(e, it, spread_vector());
        return;
    }
    begin(e, it, info->op == ACCESS_ATOM ? " || !w_atom_begins(w, 1)" : " || !w_atom_begins(w, 0)");
    emit_call(e, it, spread_vector());
    OUT("} else {\n");
    tell(e, it);
    update(e, it);
    OUT("} }\n");
}
