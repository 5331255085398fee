/* SPDX-License-Identifier: Apache-2.0
 *
 * Places come from .loc; text without line information (or a .loc of no file) gives the place in the PTX itself. */
#include "check/place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *file_of(const Module *m, const SrcLoc *s)
{
    return s->file && s->file <= m->nfiles ? m->files[s->file - 1] : NULL;
}

Place instr_place(const Module *m, const Instr *in)
{
    if (in->srcloc) {
        const SrcLoc *s = &m->srclocs[in->srcloc - 1];
        if (file_of(m, s))
            return (Place){file_of(m, s), s->line, s->col, false};
    }
    return (Place){m->name, in->line, in->col, true};
}

/* Headers that come with a compiler or a toolkit: "/usr/...", ".../targets/x86_64-linux/include/...". */
static bool is_toolkit(const char *file)
{
    return !strncmp(file, "/usr/", 5) || (strstr(file, "/targets/") && strstr(file, "/include/"));
}

Place instr_place_of_user(const Module *m, const Instr *in)
{
    Place         p = instr_place(m, in);
    const SrcLoc *s = in->srcloc ? &m->srclocs[in->srcloc - 1] : NULL;
    for (; s && file_of(m, s); s = s->inlined_at ? &m->srclocs[s->inlined_at - 1] : NULL)
        if (!is_toolkit(file_of(m, s)))
            return (Place){file_of(m, s), s->line, s->col, false};
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
