/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows under another rounding or flushing of subnormals than the plain one (.rz, .ftz ...): native code sets MXCSR in front of the first and
 * back behind the last of those that follow each other, with what does not ask for it between them.
 *
 * clang knows nothing of MXCSR, so it would move arithmetic across the change, and take x * 1 for x.  So in front of a change and behind it
 * every value that is wanted passes through an empty assembler text (w_tie), which clang does not move: what was computed before is there by
 * then, and what is computed later comes from there.  So do constants that an operation might vanish by, or that its result would be computed
 * of (emit_hidden).
 *
 * Wherever control leaves a segment, or a handler is called, the mode is the plain one. */
#include "emu/jit/emit.h"

static void tie(Emit *e, uint32_t v)
{
    Spread f = emit_spread(e, v);
    if (e->p->value[v].constant || e->away[v] || f.known)
        return;
    if (!e->p->value[v].bytes)
        OUT("TIE(p%u); ", v);
    else if (f.kind == SPREAD_LINEAR)
        OUT("TIE(s%u); ", v);
    else
        OUT("w_tie%u(&r%u); ", e->p->value[v].bytes, v);
}

static void tie_all(Emit *e)
{
    for (uint32_t v = 0; v < e->p->nvalues; v++)
        if (bit_get(e->before, v) || bit_get(e->after, v))
            tie(e, v);
}

void emit_mode(Emit *e, uint16_t mode)
{
    if (e->mode == mode)
        return;
    tie_all(e);
    OUT("w_mode(%u); ", mode);
    tie_all(e);
    OUT("\n");
    e->mode = mode;
}

uint16_t emit_mode_of(const Emit *e, const Item *it)
{
    switch ((ItemKind)it->kind) {
    case ITEM_ROW: return it->mode || !it->shape.steady ? it->mode : e->mode;
    case ITEM_PLUS:
    case ITEM_NOT:
    case ITEM_PARAM: return e->mode;
    default: return 0;
    }
}

/* Zero and one of either sign. */
static bool may_vanish(uint64_t x, unsigned bytes)
{
    uint64_t one = bytes == 8 ? UINT64_C(0x3ff0000000000000) : UINT64_C(0x3f800000);
    x &= bytes == 8 ? UINT64_MAX >> 1 : UINT32_MAX >> 1;
    return x == 0 || x == one;
}

bool emit_hidden(Emit *e, const Item *it, uint32_t k)
{
    const Value *x   = &e->p->value[it->read[k]];
    Spread       f   = emit_spread(e, it->read[k]);
    bool         all = true;
    for (uint32_t i = 0; i < it->nread; i++)
        all &= emit_spread(e, it->read[i]).known;
    if (!it->mode || !f.known || f.pattern || x->bytes < 4 || !(all || may_vanish(f.value, x->bytes)))
        return false;
    OUT("u%u h%u = (u%u)%lluull; TIE(h%u); ", x->bytes, k, x->bytes, (unsigned long long)f.value, k);
    return true;
}
