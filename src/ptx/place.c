/* SPDX-License-Identifier: Apache-2.0
 *
 * Places come from .loc; text without line information (or a .loc of no file) gives the place in the PTX itself. */
#include "ptx/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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

static int by_line(const void *pa, const void *pb)
{
    const Placed *a = pa, *b = pb;
    int           c = a->place.file == b->place.file ? 0 : strcmp(a->place.file, b->place.file);
    if (c)
        return c;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

size_t placed_by_line(const Module *m, const EmuInstr *instr, uint32_t n, bool (*wanted)(void *user, uint32_t id),
                      void *user, Placed **out)
{
    Placed *list = xcalloc(n + 1u, sizeof *list);
    size_t  k    = 0;
    for (uint32_t i = 0; i < n; i++)
        if (instr[i].in && wanted(user, i))
            list[k++] = (Placed){instr_user_place(m, instr[i].in), i};
    if (k)
        qsort(list, k, sizeof *list, by_line);
    *out = list;
    return k;
}

bool placed_together(const Placed *a, const Placed *b)
{
    return a->place.line == b->place.line && !strcmp(a->place.file, b->place.file);
}
