/* SPDX-License-Identifier: Apache-2.0
 *
 * Places come from .loc; text without line information (or a .loc of no file) gives the place in the PTX itself. */
#include "ptx/place.h"

#include <string.h>

Place instr_place(const Module *m, const Instr *in)
{
    if (in->srcloc) {
        const SrcLoc *s = &m->srclocs[in->srcloc - 1];
        if (s->file && s->file <= m->nfiles && m->files[s->file - 1])
            return (Place){m->files[s->file - 1], s->line, s->col, false};
    }
    return (Place){m->name, in->line, in->col, true};
}

/* Is it a header that users do not write? */
static bool is_system(const char *file)
{
    static const char *const parts[] = {"/targets/",     "/cuda/include/", "/usr/include/",    "/usr/lib/",
                                        "/include/crt/", "/include/cuda/", "/include/thrust/", "/include/cub/"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(file, parts[i]))
            return true;
    return false;
}

Place instr_user_place(const Module *m, const Instr *in)
{
    Place    p  = instr_place(m, in);
    uint32_t at = in->srcloc;
    while (!p.from_ptx && is_system(p.file) && at && m->srclocs[at - 1].inlined_at) {
        at              = m->srclocs[at - 1].inlined_at;
        const SrcLoc *s = &m->srclocs[at - 1];
        if (!s->file || s->file > m->nfiles || !m->files[s->file - 1])
            break;
        p = (Place){m->files[s->file - 1], s->line, s->col, false};
    }
    return p;
}
