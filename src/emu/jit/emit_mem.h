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
bool emit_serves(const Emit *e, const Item *it, const Place *x);
/* `{ u1 *q = ` the lowest address on the host, NULL where the handler must look. */
void               emit_ask(Emit *e, const Item *it, const Place *x);
int64_t            emit_offset(const Emit *e, const Item *it); /* of the address from its value */
static inline bool item_is_access(const Item *it)
{
    return it->kind == ITEM_LOAD || it->kind == ITEM_STORE;
}

/* emit_tell.c.  serves: native code may do the access.  counts: an observer hears of it by its number; sweeps: others by a Sweep. */
typedef struct Heard {
    bool serves, counts, sweeps;
} Heard;
Heard emit_heard(const Emit *e, const MemInfo *info);
/* One more access of this pattern: the observer hears of it when the worker ends.  The same of a party's items from k to `end`. */
void emit_count(Emit *e, const Item *it, const Place *x);
void emit_count_party(Emit *e, const Segment *s, uint32_t k, uint32_t end, uint32_t number);
/* Tells the others: q becomes NULL where one of them must see the access by itself.  false: nobody wants to hear. */
bool emit_sweep(Emit *e, const Item *it, const Place *x);
/* The same of all accesses among the items from k to `end`, whose n parties' questions are q<question> and behind; the interpreter goes on
 * with item k where one must see them by themselves. */
bool emit_sweep_parties(Emit *e, const Segment *s, uint32_t k, uint32_t end, uint32_t n, uint32_t question);
/* The same q, of an access that was asked for and counted before (emit_stretch); false: it was not. */
bool emit_asked(Emit *e, const Item *it);

#endif
