/* SPDX-License-Identifier: Apache-2.0
 *
 * Places come from .loc; text without line information (or a .loc of no file) gives the place in the PTX itself. */
#include "check/place.h"

#include <ctype.h>
#include <stdlib.h>
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

const char *var_name(const char *symbol, size_t *len)
{
    *len = strlen(symbol);
    if (strncmp(symbol, "_Z", 2) != 0)
        return symbol;
    for (const char *at = symbol + *len - 1; at > symbol + 2; at--) {
        char *name;
        if (!isdigit((unsigned char)*at) || isdigit((unsigned char)at[-1]) || at[-1] == '_')
            continue;
        unsigned long n = strtoul(at, &name, 10), left = strlen(name);
        if (n && n <= left && (n == left || name[n] == '_' || name[n] == 'E')) {
            *len = n;
            return name;
        }
    }
    return symbol;
}
