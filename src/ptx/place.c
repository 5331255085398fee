/* SPDX-License-Identifier: Apache-2.0
 *
 * Places come from .loc; text without line information (or a .loc of no file) gives the place in the PTX itself. */
#include "ptx/place.h"

#include <string.h>

/* Line 0 is what compilers give to code that stands for several lines, as two stores made one: the place is then that of the call
 * which was inlined, or else of the code before.  0: no line is known. */
static uint32_t with_line(const Module *m, uint32_t loc)
{
    while (loc && !m->srclocs[loc - 1].line)
        loc = m->srclocs[loc - 1].inlined_at ? m->srclocs[loc - 1].inlined_at : m->srclocs[loc - 1].before;
    return loc;
}

/* The place a .loc names; false: it names no file. */
static bool loc_place(const Module *m, uint32_t loc, Place *p)
{
    const SrcLoc *s    = &m->srclocs[loc - 1];
    bool          good = s->file && s->file <= m->nfiles && m->files[s->file - 1];
    if (good)
        *p = (Place){m->files[s->file - 1], s->line, s->col, false, m->file_is_system[s->file - 1]};
    return good;
}

Place instr_place(const Module *m, const Instr *in)
{
    uint32_t loc = with_line(m, in->srcloc);
    Place    p;
    if (loc && loc_place(m, loc, &p))
        return p;
    return (Place){.file = m->name, .line = in->line, .col = in->col, .from_ptx = true};
}

bool place_is_system(const char *file)
{
    static const char *const parts[] = {"/targets/",
                                        "/usr/local/cuda",
                                        "/cuda/include/",
                                        "/usr/include/",
                                        "/usr/lib/",
                                        "/include/crt/",
                                        "/include/cuda/",
                                        "/include/cccl/",
                                        "/include/thrust/",
                                        "/include/cub/",
                                        "/include/cooperative_groups/"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(file, parts[i]))
            return true;
    return false;
}

/* The .loc of the user's own line; 0: the instruction has none. */
static uint32_t user_loc(const Module *m, const Instr *in, Place *p)
{
    uint32_t at = with_line(m, in->srcloc);
    *p          = instr_place(m, in);
    if (p->from_ptx)
        return 0;
    while (p->is_system && m->srclocs[at - 1].inlined_at && loc_place(m, m->srclocs[at - 1].inlined_at, p))
        at = m->srclocs[at - 1].inlined_at;
    return at;
}

Place instr_user_place(const Module *m, const Instr *in)
{
    Place p;
    (void)user_loc(m, in, &p);
    return p;
}

size_t instr_inlined(const Module *m, const Instr *in, Place *out, size_t most)
{
    Place    p;
    size_t   n  = 0;
    uint32_t at = user_loc(m, in, &p);
    while (at && (at = m->srclocs[at - 1].inlined_at) && loc_place(m, at, &p))
        if (!p.is_system && n++ < most)
            out[n - 1] = p;
    return n < most ? n : most;
}

const char *ptx_source_line(const Module *m, uint32_t line)
{
    const char *p = m->text, *end = m->text + m->text_len;
    for (; line > 1 && p; line--) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p)
            p++;
    }
    return p && line == 1 ? p : NULL;
}
