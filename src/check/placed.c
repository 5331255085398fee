/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions sorted by the user's lines they belong to. */
#include "check/placed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Neighbours of one line: what is sorted, as they are far fewer than instructions. */
typedef struct Run {
    Placed first;
    size_t at, n; /* in the list that is not sorted yet */
} Run;

static int by_line(const void *pa, const void *pb)
{
    const Placed *a = &((const Run *)pa)->first, *b = &((const Run *)pb)->first;
    int           c = a->place.file == b->place.file ? 0 : strcmp(a->place.file, b->place.file);
    if (c)
        return c;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Of the k instructions in `list`, whose ids ascend. */
static Placed *sorted(const Placed *list, size_t k)
{
    Run    *run = xcalloc(k + 1, sizeof *run);
    Placed *out = xcalloc(k + 1, sizeof *out);
    size_t  n = 0, to = 0;
    for (size_t i = 0; i < k; i++) {
        if (!i || !placed_together(&list[i], &list[i - 1]))
            run[n++] = (Run){list[i], i, 0};
        run[n - 1].n++;
    }
    if (n)
        qsort(run, n, sizeof *run, by_line);
    for (size_t i = 0; i < n; to += run[i++].n)
        memcpy(out + to, list + run[i].at, run[i].n * sizeof *out);
    free(run);
    return out;
}

size_t placed_by_line(const Module *m, const EmuInstr *instr, uint32_t n, bool (*wanted)(void *user, uint32_t id),
                      void *user, Placed **out)
{
    Placed *list = xcalloc(n + 1u, sizeof *list);
    size_t  k    = 0;
    for (uint32_t i = 0; i < n; i++)
        if (instr[i].in && wanted(user, i))
            list[k++] = (Placed){instr_user_place(m, instr[i].in), i};
    *out = sorted(list, k);
    free(list);
    return k;
}

bool placed_together(const Placed *a, const Placed *b)
{
    return a->place.line == b->place.line && (a->place.file == b->place.file || !strcmp(a->place.file, b->place.file));
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

const char *placed_snippet(const Module *m, const Place *p, Arena *a)
{
    const char *at = p->from_ptx && p->line ? m->text : NULL, *end = at ? at + m->text_len : NULL;
    for (uint32_t n = 1; at && n < p->line; n++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return NULL;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return arena_strndup(a, at, (size_t)((stop ? stop : end) - at));
}
