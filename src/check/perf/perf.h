/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the performance checker: what its rules look at after a launch, and the rules, one file for each family.
 *
 * Counts come from the counting observer (every access), addresses from its patterns (pattern.h), the order of accesses from some
 * blocks (trace.h), executions from the emulator.  A rule judges source lines, not instructions: a Spot is everything that one line
 * did with one kind of memory. */
#ifndef WW_CHECK_PERF_H
#define WW_CHECK_PERF_H

#include "check/check.h"
#include "check/count/pattern.h"
#include "check/picture.h"
#include "check/perf/trace.h"

typedef struct Spot { /* instructions of one source line */
    const uint32_t *id;
    size_t          n;
    WwCounters      sum;
} Spot;

typedef struct Perf {
    const CheckLaunch *launch;
    const RuleSet     *rules;
    const Profile     *profile;
    Patterns          *patterns; /* the launch's */
    Observer          *trace; /* the checker's observer */
    Spot              *spot;  /* of instructions that made an access, by file and line */
    size_t             nspots;
    uint32_t           head;  /* the kernel's first instruction: where findings about the whole kernel stand */
    uint32_t           threads, warps; /* of a block */
    bool               known;          /* what the assembler makes of the kernel: */
    Resources          resources;
    Findings          *found;
} Perf;

/* One row a function: judges the launch and notes what is above the thresholds of its rules. */
#define PERF_RULES(X) X(banks) X(global) X(narrow) X(reuse) X(branches) X(lanes) X(local) X(atomics) X(geometry)
#define X(name) void perf_##name(Perf *p);
PERF_RULES(X)
#undef X

/* Is the rule on? */
static inline bool perf_on(const Perf *p, RuleId r)
{
    return p->rules->on[r];
}
/* Is the value at or above the rule's threshold of that key? */
static inline bool perf_reaches(const Perf *p, RuleId r, const char *key, double value)
{
    return value >= rules_threshold(p->rules, r, key);
}
/* Notes a finding at an instruction; count: how often it showed. */
Finding *perf_note(Perf *p, RuleId r, uint32_t instr, uint64_t count);
/* The mend of a finding. */
void perf_mend(Perf *p, Finding *f, const char *unit, uint64_t before, uint64_t after, int64_t shared, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/* An access that the finding's mend changes, before and after. */
void perf_shows(Perf *p, Finding *f, const WwPicture *from, const WwPicture *to);
/* The instruction's commonest pattern where it is made most, and its addresses; NULL: none was kept. */
const Pattern *perf_commonest(const Perf *p, uint32_t instr, uint64_t addr[LANES]);
/* Extra passes of a shared atomic between lanes of different addresses, and (added to *passes) those of one lane an address. */
uint64_t perf_atomic_conflicts(const Perf *p, const Pattern *t, uint64_t *passes);
/* Must it be made each time, in every lane (volatile, relaxed, acquire)?  Then no tile or neighbour's load stands for it. */
bool perf_anew(const Perf *p, uint32_t instr);
/* Patterns of an instruction: [*first, *first + returned). */
size_t perf_patterns(const Perf *p, uint32_t instr, size_t *first);
/* " in 16 of 4096 blocks", or "" when all were looked at. */
const char *perf_looked(Perf *p);
/* " (replayed on 16 of 4096 blocks, the first accesses of each)", or "" when everything was; cut: accesses that were not looked at. */
const char *perf_replayed(Perf *p, uint64_t cut);

#endif
