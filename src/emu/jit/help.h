/* SPDX-License-Identifier: Apache-2.0
 *
 * What native code asks the emulator to do, because it is rare and would be long: to look at the frame's values before native code takes
 * them, and to write out the lanes of those that it keeps as lane 0's.
 *
 * A warp that native code has left for the same segment to go on with (Warp.lean) has its linear values in the frame as lane 0 only; nobody
 * but native code runs it from there. */
#ifndef WW_EMU_JIT_HELP_H
#define WW_EMU_JIT_HELP_H

#include "emu/core/run.h"

typedef struct NativeSlot { /* a linear value (spread.h) in the frame; emit.c writes the same into its text */
    uint64_t value;         /* known: lane 0's */
    uint32_t slot;
    uint16_t pattern;
    uint8_t  bytes; /* of a lane; 0: a predicate, which is all ones or zero */
    uint8_t  known;
} NativeSlot;

struct NativeHelp {
    /* Do the slots hold what is planned? */
    bool (*check)(const Warp *w, const NativeSlot *s, uint32_t n, const int64_t (*pattern)[LANES]);
    /* Writes all their lanes, from lane 0 or what is known. */
    void (*fill)(const Warp *w, const NativeSlot *s, uint32_t n, const int64_t (*pattern)[LANES]);
    /* Lanes of the frame that wait at a uop while others run. */
    void (*put)(Warp *w, uint32_t uop, uint32_t mask);
    /* Tells the observers of accesses; at: the host's address of each party's lowest byte.  false: one of them must see them by themselves,
     * and none was told. */
    bool (*sweep)(Warp *w, uint32_t number, const uint8_t *const *at);
    /* Tells the observers of the uop's access by the lanes of the mask, as its handler would; one of off and addr is NULL. */
    void (*tell)(Warp *w, const Uop *u, uint32_t mask, const uint32_t *off, const uint64_t *addr);
    /* A basic block's head, whose quantum is spent, or somebody looks whether the warp polls; NULL: it goes on. */
    const Uop *(*spent)(Warp *w, const Uop *u, uint32_t instr, uint32_t n);
    /* All were put: where those that run meet them. */
    void (*merge)(Warp *w);
    /* Do all lanes stand at these heads, and may those run that stand at the first?  d: the lanes at each; then they are no groups any more. */
    bool (*parted)(const Warp *w, const uint32_t *head, uint32_t n, uint32_t *d);
    void (*gather)(Warp *w);
};

extern const NativeHelp native_help;

#endif
