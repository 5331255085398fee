/* SPDX-License-Identifier: Apache-2.0
 *
 * A __constant__ variable without an initialiser holds zeros until the host copies something there.  A kernel that reads one which nobody
 * wrote may mean these zeros, so it is a warning; mostly the copy was forgotten, or went to another variable of the same name (each source
 * file that includes its definition has its own).
 * A kernel that `warpwright check` runs has no host that could write: nothing is told there. */
#include "check/init/unset.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "check/constants.h"

enum { LARGEST = 64 << 10 /* bytes of constants that a module may have */, MOST_TOLD = 64 };

void unset_wrote(Set *s, uint64_t from, uint64_t bytes)
{
    size_t lo = 0, hi = s->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (s->at[mid].from < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!bytes || bytes > LARGEST)
        return;
    if (lo < s->n && s->at[lo].from == from) {
        s->at[lo].to = from + bytes > s->at[lo].to ? from + bytes : s->at[lo].to;
        return;
    }
    if (s->n == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 16;
        s->at  = xrealloc(s->at, s->cap * sizeof *s->at);
    }
    memmove(s->at + lo + 1, s->at + lo, (s->n - lo) * sizeof *s->at);
    s->at[lo] = (struct SetRange){from, from + bytes};
    s->n++;
}

/* Any byte of it? */
static bool is_set(const Set *s, uint64_t from, uint64_t to)
{
    bool set = false;
    for (size_t i = 0; i < s->n && s->at[i].from < to && !set; i++)
        set = s->at[i].to > from;
    return set;
}

typedef struct Judge {
    const Set *set;
    Findings  *found;
    const Var *told[MOST_TOLD]; /* of this launch */
    size_t     ntold;
} Judge;

static void on_read(void *user, uint32_t instr, const ConstantReading *x)
{
    Judge      *j = user;
    size_t      len;
    const char *name = mangled_variable(x->var->name, &len);
    bool        told = j->ntold == MOST_TOLD || x->var->init || is_set(j->set, x->from, x->to);
    for (size_t i = 0; i < j->ntold && !told; i++)
        told = j->told[i] == x->var;
    if (told)
        return;
    j->told[j->ntold++] = x->var;
    Finding *f          = findings_note(j->found, RULE_UNSET_CONSTANT, instr, NO_INSTR, 0, 0, 0, 1);
    if (!f)
        return;
    f->address = x->from;
    f->message = findings_text(j->found,
                               "reads the constant '%.*s', which has no initialiser and which nobody wrote: it is zero",
                               (int)len, name);
}

void unset_judge(const Set *s, const CheckLaunch *l, Findings *found)
{
    Judge j = {.set = s, .found = found};
    if (l->work)
        constants_read(l, on_read, &j);
}
