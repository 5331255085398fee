/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses whose address is linear: where their lanes reach, and the question whether they may. */
#ifndef WW_EMU_JIT_EMIT_MEM_H
#define WW_EMU_JIT_EMIT_MEM_H

#include "emu/jit/emit.h"

typedef struct Place { /* of an access */
    const MemInfo *info;
    int64_t        at[LANES]; /* of each lane, from the lowest address */
    int64_t        least, reach;
    unsigned       run;   /* lanes side by side: 32, 16, 8; 1: no such runs */
    bool           one;   /* all lanes at one address */
    bool           apart; /* no two lanes meet */
} Place;

/* Of an access whose address is linear. */
Place emit_place(const Emit *e, const Item *it);
/* Does native code do the access, where nothing is wrong with it? */
bool  emit_serves(const Emit *e, const Item *it, const Place *x);
/* `{ u1 *q = ` the lowest address on the host, NULL where the handler must look. */
void  emit_ask(Emit *e, const Item *it, const Place *x);
/* One more access of this pattern: the observer hears of it when the worker ends. */
void  emit_count(Emit *e, const Item *it, const Place *x);
/* The same q, of an access that was asked for and counted before (emit_stretch); false: it was not. */
bool  emit_asked(Emit *e, const Item *it);

#endif
