/* SPDX-License-Identifier: Apache-2.0
 *
 * One machine instruction (cc 7.0 and later, 16 bytes): which it is, and what it tells the scheduler. */
#ifndef WW_SASS_WORD_H
#define WW_SASS_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef enum SassPipe {
#define OPCODE(...)
#define PIPE(id, title, clocks) SASS_##id,
#include "sass/opcodes.def"
#undef PIPE
#undef OPCODE
    SASS_PIPES
} SassPipe;

typedef enum SassReach { SASS_NEAR, SASS_SHARED, SASS_GLOBAL, SASS_UPDATE } SassReach;
/* APART: a jump of warps whose lanes are apart; all others go on. */
typedef enum SassFlow { SASS_NEXT, SASS_JUMP, SASS_APART, SASS_CALL, SASS_RETURN, SASS_EXIT, SASS_END } SassFlow;

enum { SASS_ALWAYS = 7, SASS_NO_BARRIER = 7, SASS_BARRIERS = 6, SASS_SOURCES = 3, SASS_NO_REGISTER = 255 };

typedef struct SassWord {
    unsigned    op;    /* bits 0 to 11 */
    const char *name;  /* NULL: not in the table */
    SassPipe    pipe;  /* CONTROL where it is not */
    SassReach   reach;
    SassFlow    flow;
    int64_t     jump;  /* JUMP, APART, CALL: instructions from the next one on; 0: of a call it is not known */
    unsigned    bytes; /* of a lane's access; 0: it makes none, or it is not known */
    bool        constant, indexed; /* it reads constants; at a place that a register adds to: `offset` is the rest */
    uint8_t     bank, constant_bytes; /* which constants: 0: the kernel's arguments, 3: the program's, others: the compiler's; of LDC: how many */
    uint16_t    offset;
    uint8_t     guard; /* predicate that it runs under, 0 to 6; 7: always */
    bool        unless; /* it runs where the predicate is false */
    bool        both;   /* JUMP: of two predicates; it goes where another one holds, too */
    uint8_t     stall; /* clocks until the warp's next instruction */
    bool        yields;
    uint8_t     source[SASS_SOURCES]; /* of FFMA and DFMA that name three registers: which; SASS_NO_REGISTER: others, and of zero */
    uint8_t     keeps; /* bit by source: it is kept for the next instruction's source at that place */
    uint8_t     writes, reads; /* barrier that is free when the result is there, and when the sources were read; SASS_NO_BARRIER: none */
    uint8_t     waits; /* bit by barrier: which must be free first */
} SassWord;

void        sass_decode(const uint8_t *word, SassWord *out);
/* An instruction of that name that always runs, stalls for a clock and waits for nothing; false: the table has none. */
bool        sass_named(const char *name, size_t len, SassWord *out);
const char *sass_pipe_title(SassPipe p);
/* Clocks that one warp instruction keeps its sub-core's pipe busy; 0: other stages count. */
unsigned    sass_pipe_clocks(SassPipe p);
/* Clocks that it is busy longer with this one, as registers are read one after the other.  before: the instruction in front of it; NULL: not known. */
double      sass_read_clocks(const SassWord *w, const SassWord *before);
/* Behind *out: "@!P0 LDG.64", or "? 2a5" of one that is not in the table. */
void        sass_name(const SassWord *w, Str *out);

#endif
