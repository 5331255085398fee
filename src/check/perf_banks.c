/* SPDX-License-Identifier: Apache-2.0
 *
 * bank-conflicts: source lines whose shared loads and stores take more passes over the banks than their bytes need; and the smallest
 * change to the variable's layout that takes them away (mend.h), over every access that the launch made to it.
 *
 * No mend is looked for when an access lies in two variables at once, when an instruction's addresses never repeated (pattern.h), or
 * when the replay of the layout as it is does not give the counted conflicts.  Dynamic shared memory is taken as one array.
 * Atomics are atomic-contention's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/mend.h"
#include "check/perf.h"

typedef struct Shared { /* one variable and its mend, once it was looked for */
    const Var      *var;
    SharedUse       use;
    const Pattern **pattern;
    uint8_t        *role;
    bool            tried;
    unsigned        found; /* mend_banks */
    BankMend        pad, swizzle;
} Shared;

static uint64_t conflicts_of(const WwCounters *c)
{
    return c->shared_ld_bank_conflicts + c->shared_st_bank_conflicts;
}

/* The variable at an offset of the window; false: there is none. */
static bool find_variable(const LaunchInfo *info, uint64_t at, Shared *out)
{
    const Var *best = NULL;
    uint64_t   base = 0;
    for (uint32_t i = 0; i < info->nshared; i++)
        if (info->shared_offset[i] <= at && (!best || info->shared_offset[i] > base)) {
            best = info->shared_var[i];
            base = info->shared_offset[i];
        }
    if (!best)
        return false;
    uint64_t bytes = best->bytes ? best->bytes : info->shared_bytes - base;
    *out           = (Shared){.var = best, .use = {.offset = base, .bytes = bytes}};
    return at < base + bytes;
}

/* Lowest and highest byte of a shared pattern at all its places. */
static void extent(const Pattern *t, uint64_t *low, uint64_t *high)
{
    int64_t least = 0, most = 0;
    for (uint32_t m = t->mask; m; m &= m - 1) {
        int64_t d = t->delta[__builtin_ctz(m)];
        least     = d < least ? d : least;
        most      = d > most ? d : most;
    }
    *low  = (uint64_t)t->first * t->bytes + (uint64_t)least;
    *high = (uint64_t)(t->first + t->places - 1) * t->bytes + (uint64_t)most + t->bytes - 1;
}

/* Every access to the variable; false: some cannot be told. */
static bool collect(Perf *p, Shared *s)
{
    size_t n = patterns_count(p->patterns), k = 0;
    s->pattern   = xcalloc(n + 1, sizeof *s->pattern);
    s->role      = xcalloc(n + 1, 1);
    uint64_t end = s->use.offset + s->use.bytes;
    for (uint32_t i = 0; i < p->launch->ninstr; i++) {
        const WwCounters *c = patterns_wild(p->patterns, i) ? count_instr(p->launch->count, i) : NULL;
        if (c && c->memory_l1_wavefronts_shared)
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        const Pattern *t = patterns_at(p->patterns, i);
        uint64_t       low, high;
        if (t->space != ACCESS_SHARED)
            continue;
        extent(t, &low, &high);
        if (high < s->use.offset || low >= end)
            continue;
        if (low < s->use.offset || high >= end)
            return false;
        s->role[k]      = count_role(p->launch->count, t->instr);
        s->pattern[k++] = t;
    }
    s->use.pattern = s->pattern;
    s->use.role    = s->role;
    s->use.n       = k;
    return true;
}

/* What the counters say of the same accesses. */
static uint64_t counted(const Perf *p, const Shared *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->use.n; i++)
        if (!i || s->pattern[i]->instr != s->pattern[i - 1]->instr) {
            const WwCounters *c = count_instr(p->launch->count, s->pattern[i]->instr);
            sum += c ? conflicts_of(c) + c->shared_atom_bank_conflicts : 0;
        }
    return sum;
}

static void try_mends(Perf *p, Shared *s)
{
    BankCost now;
    s->tried = true;
    if (!collect(p, s) || !mend_replay(p->profile, &s->use, &(Layout){0}, &now) || now.conflicts != counted(p, s))
        return;
    s->found = mend_banks(p->profile, &s->use, &s->pad, &s->swizzle);
}

/* What one element is called, and its size: the smallest type of the accesses. */
static const char *element_name(const Perf *p, const Shared *s, uint32_t *bytes)
{
    char kind = 0;
    *bytes    = s->pad.unit;
    for (size_t i = 0; i < s->use.n; i++) {
        const Opcode *o = p->launch->instr[s->pattern[i]->instr].in->op;
        Type          t = o->ntypes ? o->types[o->ntypes - 1] : TY_NONE;
        if (!type_bytes(t) || type_bytes(t) > *bytes || (type_bytes(t) == *bytes && kind && type_kind(t) != 'f'))
            continue;
        *bytes = type_bytes(t);
        kind   = type_kind(t);
    }
    if (kind == 'f')
        return *bytes == 8 ? "doubles" : *bytes == 4 ? "floats" : "halves";
    return *bytes == 16  ? "16-byte words"
           : *bytes == 8 ? "8-byte words"
           : *bytes == 4 ? "words"
           : *bytes == 2 ? "2-byte words"
                         : "bytes";
}

/* "column ^= row & 31", in units of so many bytes. */
static const char *swizzle_text(Perf *p, const Layout *l)
{
    const char *row = l->shift ? findings_text(p->found, "row >> %u", l->shift) : "row";
    return findings_text(p->found, "column ^= %s & %u in units of %u bytes", row, l->mask, l->unit);
}

/* A variable of a function: _ZZ4spinPfE4tile -> tile. */
static const char *plain_name(const char *symbol)
{
    const char *best = symbol;
    for (const char *e = strncmp(symbol, "_ZZ", 3) ? NULL : strchr(symbol, 'E'); e; e = strchr(e + 1, 'E')) {
        char         *name;
        unsigned long n = strtoul(e + 1, &name, 10);
        if (name > e + 1 && strlen(name) >= n && n)
            best = name;
    }
    return best;
}

static void offer(Perf *p, Shared *s, Finding *f)
{
    const BankMend *pad = &s->pad, *swizzle = &s->swizzle;
    uint32_t        unit;
    const char     *name = element_name(p, s, &unit);
    bool            both = s->found == 3 && swizzle->after.conflicts <= pad->after.conflicts;
    const char     *dyn  = s->var->bytes ? "" : " (the dynamic shared memory taken as one array)";
    if (s->found & 2 && (!(s->found & 1) || swizzle->after.conflicts < pad->after.conflicts)) {
        perf_mend(p, f, "extra passes", swizzle->before.conflicts, swizzle->after.conflicts, 0,
                  "with rows of %u bytes, %s%s", swizzle->layout.pitch, swizzle_text(p, &swizzle->layout), dyn);
    } else if (s->found & 1) {
        perf_mend(p, f, "extra passes", pad->before.conflicts, pad->after.conflicts, (int64_t)pad->cost,
                  "pitch %u -> %u %s%s", pad->layout.pitch / unit, (pad->layout.pitch + pad->layout.pad) / unit, name,
                  dyn);
    }
    if (both)
        f->message = findings_text(p->found, "%s (without more memory: %s, %" PRIu64 " left)", f->message,
                                   swizzle_text(p, &swizzle->layout), swizzle->after.conflicts);
}

/* The line's instruction with most conflicts. */
static uint32_t worst(const Perf *p, const Spot *s)
{
    uint32_t id   = s->id[0];
    uint64_t most = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t c = conflicts_of(count_instr(p->launch->count, s->id[i]));
        if (c > most) {
            most = c;
            id   = s->id[i];
        }
    }
    return id;
}

static Shared *shared_of(Perf *p, Shared **list, size_t *n, uint32_t id)
{
    size_t first;
    Shared found;
    if (!perf_patterns(p, id, &first))
        return NULL;
    while (patterns_at(p->patterns, first)->space != ACCESS_SHARED)
        if (!patterns_at(p->patterns, ++first) || patterns_at(p->patterns, first)->instr != id)
            return NULL;
    const Pattern *t = patterns_at(p->patterns, first);
    if (!find_variable(trace_info(p->trace), (uint64_t)t->first * t->bytes, &found))
        return NULL;
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i].use.offset == found.use.offset)
            return &(*list)[i];
    *list       = xrealloc(*list, (*n + 1) * sizeof **list);
    (*list)[*n] = found;
    return &(*list)[(*n)++];
}

static void judge_spot(Perf *p, const Spot *s, Shared **list, size_t *n)
{
    uint64_t passes = s->sum.shared_ld_wavefronts + s->sum.shared_st_wavefronts, extra = conflicts_of(&s->sum);
    if (!extra || !perf_reaches(p, RULE_BANK_CONFLICTS, "extra", (double)extra) ||
        !perf_reaches(p, RULE_BANK_CONFLICTS, "percent", 100.0 * (double)extra / (double)passes))
        return;
    uint32_t id = worst(p, s);
    Shared  *v  = shared_of(p, list, n, id);
    Finding *f  = perf_note(p, RULE_BANK_CONFLICTS, id, extra);
    if (!f)
        return;
    f->message = findings_text(p->found,
                               "%" PRIu64 " extra passes over the banks of shared memory%s%s: %" PRIu64
                               " passes where %" PRIu64 " would do",
                               extra, v ? " " : "", v ? plain_name(v->var->name) : "", passes, passes - extra);
    if (v && !v->tried)
        try_mends(p, v);
    if (v && v->found)
        offer(p, v, f);
}

void perf_banks(Perf *p)
{
    Shared *list = NULL;
    size_t  n    = 0;
    for (size_t i = 0; i < p->nspots && perf_on(p, RULE_BANK_CONFLICTS); i++)
        judge_spot(p, &p->spot[i], &list, &n);
    for (size_t i = 0; i < n; i++) {
        free(list[i].pattern);
        free(list[i].role);
    }
    free(list);
}
