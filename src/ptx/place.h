/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an instruction stands in the user's source. */
#ifndef WW_PTX_PLACE_H
#define WW_PTX_PLACE_H

#include "ptx/ptx.h"

typedef struct Place {
    const char *file;
    uint32_t    line, col;
    bool        from_ptx; /* no .loc: a place in the PTX text itself */
    bool        is_system; /* the file is */
} Place;

/* Is it a header of the toolkit or the system, which users do not write? */
bool place_is_system(const char *file);
/* The source position of an instruction: its .loc (of an inlined call: the callee's line), else its place in the PTX. */
Place instr_place(const Module *m, const Instr *in);
/* The same, but for a function inlined from a header of the toolkit or the system: the line that called it. */
Place instr_user_place(const Module *m, const Instr *in);
/* The calls that inlined the function which that place is in, innermost first, without those in such headers: into out, at most
 * `most`; how many. */
size_t instr_inlined(const Module *m, const Instr *in, Place *out, size_t most);

#endif
