/* SPDX-License-Identifier: Apache-2.0
 *
 * uniform-load: global loads in which many lanes of a warp want the same few addresses; one lane's load and a shuffle, constant memory
 * or a shared tile would serve them all.  Counted from every kept pattern.
 * repeated-load: a line loads the same values again and again for one block; a shared tile would load each once.  Counted on the
 * traced blocks.
 *
 * Loads that must be made each time (perf_anew) are left out.
 * Not modelled: that a cache may hold what is loaded again; reuse between lines, and between blocks. */
#include <inttypes.h>

#include "check/perf/perf.h"

/* Distinct addresses of a pattern's lanes, at most 32 x 32 compares. */
static unsigned distinct_addresses(const Pattern *t)
{
    unsigned n = 0;
    for (uint32_t m = t->mask; m; m &= m - 1) {
        unsigned i      = (unsigned)__builtin_ctz(m);
        bool     is_new = true;
        for (uint32_t b = t->mask & ((1u << i) - 1); b && is_new; b &= b - 1)
            is_new = t->delta[__builtin_ctz(b)] != t->delta[i];
        n += is_new;
    }
    return n;
}

typedef struct Uniform {
    uint64_t requests, uniform, lanes, values; /* lanes and values: of the uniform ones */
    uint32_t id;
    uint64_t worst;
} Uniform;

static void add_uniform(const Perf *p, uint32_t id, double least, Uniform *u)
{
    size_t   first, n = perf_patterns(p, id, &first);
    uint64_t here = 0;
    for (size_t i = first; i < first + n; i++) {
        const Pattern *t = patterns_at(p->patterns, i);
        if (t->space != ACCESS_GLOBAL || t->op != ACCESS_LD || perf_anew(p, id))
            continue;
        unsigned lanes = (unsigned)__builtin_popcount(t->mask), values = distinct_addresses(t);
        u->requests += t->total;
        if (lanes < least * values)
            continue;
        u->uniform += t->total;
        u->lanes += t->total * lanes;
        u->values += t->total * values;
        here += t->total;
    }
    if (here > u->worst) {
        u->worst = here;
        u->id    = id;
    }
}

static void judge_uniform(Perf *p, const Spot *s)
{
    Uniform u     = {.id = s->id[0]};
    double  least = rules_threshold(p->rules, RULE_UNIFORM_LOAD, "lanes");
    for (size_t k = 0; k < s->n; k++)
        add_uniform(p, s->id[k], least, &u);
    if (!u.uniform || !perf_reaches(p, RULE_UNIFORM_LOAD, "requests", (double)u.uniform) ||
        !perf_reaches(p, RULE_UNIFORM_LOAD, "percent", 100.0 * (double)u.uniform / (double)u.requests))
        return;
    Finding *f = perf_note(p, RULE_UNIFORM_LOAD, u.id, u.uniform);
    if (f)
        f->message = findings_text(p->found,
                                   "%" PRIu64 " of %" PRIu64 " requests ask for the same value in many lanes: %" PRIu64
                                   " lanes' loads of %" PRIu64
                                   " values; a shuffle, constant memory or a shared tile would serve them",
                                   u.uniform, u.requests, u.lanes, u.values);
}

static void judge_repeated(Perf *p, const Spot *s)
{
    uint64_t values = 0, distinct = 0, cut = 0, worst = 0, bytes = 0;
    uint32_t id = s->id[0];
    for (size_t k = 0; k < s->n; k++) {
        const TraceSum   *t = trace_instr(p->trace, s->id[k]);
        const WwCounters *c = count_instr(p->launch->count, s->id[k]);
        if (!t || !c->global_ld_requests || perf_anew(p, s->id[k]))
            continue;
        values += t->values * t->bytes;
        distinct += t->distinct * t->bytes;
        bytes += t->values;
        cut += t->cut;
        if (t->values - t->distinct >= worst) {
            worst = t->values - t->distinct;
            id    = s->id[k];
        }
    }
    if (!distinct || !perf_reaches(p, RULE_REPEATED_LOAD, "times", (double)values / (double)distinct) ||
        !perf_reaches(p, RULE_REPEATED_LOAD, "bytes", (double)(values - distinct)))
        return;
    Finding *f = perf_note(p, RULE_REPEATED_LOAD, id, bytes);
    if (f)
        f->message = findings_text(p->found,
                                   "blocks load the same values %.1f times%s%s: %" PRIu64 " bytes, %" PRIu64
                                   " distinct; a shared tile would load each once",
                                   (double)values / (double)distinct, perf_looked(p),
                                   cut ? ", in the first accesses of each" : "", values, distinct);
}

void perf_reuse(Perf *p)
{
    for (size_t i = 0; i < p->nspots; i++) {
        if (perf_on(p, RULE_UNIFORM_LOAD))
            judge_uniform(p, &p->spot[i]);
        if (perf_on(p, RULE_REPEATED_LOAD))
            judge_repeated(p, &p->spot[i]);
    }
}
