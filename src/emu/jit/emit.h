/* SPDX-License-Identifier: Apache-2.0
 *
 * The C that a plan becomes, and what its writers share.  Functions  const Uop *native<n>(Warp *w, const Uop *u)  run from u on and returns
 * where the interpreter goes on, as a handler does; NULL: u is no entry, or its values do not have the spreads that were planned.
 *
 *   r<n>  a vector value: 32 lanes        s<n>  a linear value: lane 0        p<n>  a predicate: a mask of lanes */
#ifndef WW_EMU_JIT_EMIT_H
#define WW_EMU_JIT_EMIT_H

#include "base/str.h"
#include "emu/jit/plan.h"

typedef struct Emit {
    Plan       *p;
    Str        *out;
    uint32_t    index;
    Spread     *now;    /* of each value, where the text stands */
    bool       *clean;  /* the frame has the value */
    const uint64_t *before, *after; /* values that are wanted before and behind the item */
} Emit;

/* What every text begins with; behind it, a plan's function native<index>. */
void emit_prelude(Str *out);
void emit_function(Plan *p, uint32_t index, Str *out);

/* Of a value: its spread here; lane 0 as an expression; a copy of all lanes under `name`. */
Spread emit_spread(const Emit *e, uint32_t value);
void   emit_scalar(const Emit *e, uint32_t value);
void   emit_vector(const Emit *e, uint32_t value, const char *name);
/* The frame gets the value; the value is read from the frame. */
void   emit_flush(Emit *e, uint32_t value);
void   emit_reload(Emit *e, uint32_t value, Spread want);
/* Calls the item's handler with its values in the frame; what it writes has the spread `want` afterwards. */
void   emit_call(Emit *e, const Item *it, Spread want);

/* emit_mem.c: an access whose address is linear. */
void   emit_load(Emit *e, const Item *it);
void   emit_store(Emit *e, const Item *it);

#endif
