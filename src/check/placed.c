/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions sorted by the user's lines they belong to. */
#include "check/placed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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

enum { MOST_CALLS = 16 };

const WwPlace *placed_inlined(const Module *m, const Instr *in, Arena *a, size_t *n)
{
    Place calls[MOST_CALLS];
    *n         = in ? instr_inlined(m, in, calls, MOST_CALLS) : 0;
    WwPlace *p = *n ? ARENA_ARRAY(a, WwPlace, *n) : NULL;
    for (size_t i = 0; i < *n; i++)
        p[i] = (WwPlace){arena_strdup(a, calls[i].file), calls[i].line, calls[i].col};
    return p;
}
