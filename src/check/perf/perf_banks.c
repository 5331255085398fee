/* SPDX-License-Identifier: Apache-2.0
 *
 * bank-conflicts: source lines whose shared loads and stores take more passes over the banks than their bytes need; and the smallest
 * change to the variable's layout that takes them away (mend.h), over every access that the launch made to it.
 *
 * No mend is looked for when an access lies in two variables at once, when an instruction's addresses never repeated (pattern.h), or
 * when the replay of the layout as it is does not give the counted conflicts.  Dynamic shared memory is taken as one array.
 * Lanes of an atomic that share an address are atomic-contention's; what the others' banks cost is told where a layout mends it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mangle.h"
#include "check/perf/mend.h"
#include "check/perf/perf.h"

typedef struct Shared { /* one variable and its mend, once it was looked for */
    const Var      *var;
    SharedUse       use;
    const Pattern **pattern;
    uint32_t       *role;
    bool            tried;
    unsigned        found; /* mend_banks */
    BankMend        pad, swizzle;
} Shared;

static uint64_t conflicts_of(const WwCounters *c)
{
    return c->shared_ld_bank_conflicts + c->shared_st_bank_conflicts + c->shared_copy_bank_conflicts;
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
    s->role      = xcalloc(n + 1, sizeof *s->role);
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

/* What one element is called, and its size: the smallest type of the accesses; a vector where all of them are at least that. */
static const char *element_name(const Perf *p, const Shared *s, uint32_t *bytes)
{
    static const char *const words[] = {"bytes", "2-byte words", "words", "8-byte words", "16-byte words"};
    char                     kind    = 0;
    *bytes                           = s->pad.unit;
    for (size_t i = 0; i < s->use.n; i++) {
        const Opcode *o = p->launch->instr[s->pattern[i]->instr].in->op;
        Type          t = o->ntypes ? o->types[o->ntypes - 1] : TY_NONE;
        if (!type_bytes(t) || type_bytes(t) > *bytes || (type_bytes(t) == *bytes && kind && type_kind(t) != 'f'))
            continue;
        *bytes = type_bytes(t);
        kind   = type_kind(t);
    }
    uint32_t vector = s->pad.unit / *bytes, log2 = (uint32_t)__builtin_ctz(s->pad.unit);
    bool     real = kind == 'f' && *bytes >= 4;
    *bytes        = s->pad.unit;
    if (real && vector > 1)
        return vector == 4 ? "float4" : log2 == 4 ? "double2" : "float2";
    return real ? log2 == 3 ? "doubles" : "floats" : kind == 'f' && log2 == 1 ? "halves" : words[log2];
}

/* "rows of 128 bytes, column ^= row & 31 in units of 4 bytes" */
static const char *swizzle_text(Perf *p, const Layout *l)
{
    const char *row = l->shift ? findings_text(p->found, "row >> %u", l->shift) : "row";
    return findings_text(p->found, "rows of %u bytes, column ^= %s & %u in units of %u bytes", l->pitch, row, l->mask,
                         l->unit);
}

/* "pitch 32 -> 33 floats"; where no access shows rows of that pitch, only where the padding goes. */
static const char *padding_text(Perf *p, const Shared *s)
{
    uint32_t    unit;
    const char *name  = element_name(p, s, &unit);
    uint32_t    pitch = s->pad.layout.pitch / unit, pad = s->pad.layout.pad / unit;
    if (s->pad.strided)
        return findings_text(p->found, "pitch %u -> %u %s", pitch, pitch + pad, name);
    const char *times = pad == 1 ? "" : findings_text(p->found, " * %u", pad);
    return findings_text(p->found, "pad %u behind every %u %s: index i becomes i + i / %u%s", pad, pitch, name, pitch,
                         times);
}

static void show(Perf *p, const Shared *s, const Layout *l, Finding *f)
{
    uint64_t       from[LANES], to[LANES];
    const Pattern *t;
    if (!mend_shown(p->profile, &s->use, l, from, to, &t))
        return;
    WwPicture before = picture_of(ACCESS_SHARED, (AccessOp)t->op, t->bytes, t->mask, from),
              after  = picture_of(ACCESS_SHARED, (AccessOp)t->op, t->bytes, t->mask, to);
    perf_shows(p, f, &before, &after);
}

static void offer(Perf *p, Shared *s, Finding *f)
{
    const BankMend *pad = &s->pad, *swizzle = &s->swizzle;
    bool            both = s->found == 3 && swizzle->after.conflicts <= pad->after.conflicts;
    const char     *dyn  = s->var->bytes ? "" : " (the dynamic shared memory taken as one array)";
    if (s->found & 2 && (!(s->found & 1) || swizzle->after.conflicts < pad->after.conflicts))
        perf_mend(p, f, "extra passes", swizzle->before.conflicts, swizzle->after.conflicts, 0, "with %s%s",
                  swizzle_text(p, &swizzle->layout), dyn);
    else if (s->found & 1)
        perf_mend(p, f, "extra passes", pad->before.conflicts, pad->after.conflicts, (int64_t)pad->cost, "%s%s",
                  padding_text(p, s), dyn);
    show(p, s, f->mend && f->mend->shared_bytes ? &pad->layout : &swizzle->layout, f);
    if (both)
        f->message = findings_text(p->found, "%s (without more memory: with %s, %" PRIu64 " left)", f->message,
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

static bool is_much(const Perf *p, uint64_t extra, uint64_t passes)
{
    return extra && perf_reaches(p, RULE_BANK_CONFLICTS, "extra", (double)extra) &&
           perf_reaches(p, RULE_BANK_CONFLICTS, "percent", 100.0 * (double)extra / (double)passes);
}

static void note(Perf *p, uint32_t id, uint64_t extra, uint64_t passes, Shared *v)
{
    size_t      n    = 0;
    const char *name = v ? mangled_variable(v->var->name, &n) : "";
    Finding    *f    = perf_note(p, RULE_BANK_CONFLICTS, id, extra);
    if (!f)
        return;
    f->message = findings_text(p->found,
                               "%" PRIu64 " extra passes over the banks of shared memory%s%.*s: %" PRIu64
                               " passes where %" PRIu64 " would do",
                               extra, v ? " " : "", (int)n, name, passes, passes - extra);
    if (v && v->found)
        offer(p, v, f);
}

static Shared *tried(Perf *p, Shared **list, size_t *n, uint32_t id)
{
    Shared *v = shared_of(p, list, n, id);
    if (v && !v->tried)
        try_mends(p, v);
    return v;
}

static void judge_spot(Perf *p, const Spot *s, Shared **list, size_t *n)
{
    uint64_t passes = s->sum.shared_ld_wavefronts + s->sum.shared_st_wavefronts + s->sum.shared_copy_wavefronts;
    uint64_t extra  = conflicts_of(&s->sum);
    if (is_much(p, extra, passes)) {
        uint32_t id = worst(p, s);
        note(p, id, extra, passes, tried(p, list, n, id));
    }
}

/* Atomics: passes that distinct addresses cost each other.  Only where a layout takes them away: bins that data choose meet anyhow. */
static void judge_atomics(Perf *p, const Spot *s, Shared **list, size_t *n)
{
    uint64_t passes = 0, extra = 0, worst = 0;
    uint32_t id = 0;
    for (size_t k = 0; k < s->n; k++) {
        size_t   first, count = perf_patterns(p, s->id[k], &first);
        uint64_t here = 0;
        for (size_t i = first; i < first + count; i++) {
            const Pattern *t = patterns_at(p->patterns, i);
            if (t->space == ACCESS_SHARED && (t->op == ACCESS_ATOM || t->op == ACCESS_RED))
                here += perf_atomic_conflicts(p, t, &passes);
        }
        extra += here;
        if (here > worst) {
            worst = here;
            id    = s->id[k];
        }
    }
    if (!is_much(p, extra, passes))
        return;
    Shared *v = tried(p, list, n, id);
    if (v && v->found)
        note(p, id, extra, passes, v);
}

void perf_banks(Perf *p)
{
    Shared *list = NULL;
    size_t  n    = 0;
    for (size_t i = 0; i < p->nspots && perf_on(p, RULE_BANK_CONFLICTS); i++) {
        if (conflicts_of(&p->spot[i].sum))
            judge_spot(p, &p->spot[i], &list, &n);
        else
            judge_atomics(p, &p->spot[i], &list, &n);
    }
    for (size_t i = 0; i < n; i++) {
        free(list[i].pattern);
        free(list[i].role);
    }
    free(list);
}
