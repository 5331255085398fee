/* SPDX-License-Identifier: Apache-2.0
 *
 * Places come from .loc; text without line information (or a .loc of no file) gives the place in the PTX itself. */
#include "check/place.h"

Place instr_place(const Module *m, const Instr *in)
{
    if (in->srcloc) {
        const SrcLoc *s = &m->srclocs[in->srcloc - 1];
        if (s->file && s->file <= m->nfiles && m->files[s->file - 1])
            return (Place){m->files[s->file - 1], s->line, s->col, false};
    }
    return (Place){m->name, in->line, in->col, true};
}
