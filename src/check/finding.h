/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings of one launch while it is watched: kept by instruction ids, counted, and turned into places at the end.
 *
 *     Finding *f = findings_note(&state->found, RULE_OUT_OF_BOUNDS, a->instr, NO_INSTR, 0, a->block, thread, 1);
 *     if (f)                                  // the first of its kind, or from a lower block than the one kept
 *         f->message = findings_text(&state->found, "...");
 *     ...
 *     findings_merge(&checker->found, &state->found);   // at the join
 *
 * One record stands for everything with the same rule, instruction, other instruction and part.  It counts all and keeps the words of
 * the one from the lowest block, so that neither the number of workers nor their speed changes a report. */
#ifndef WW_CHECK_FINDING_H
#define WW_CHECK_FINDING_H

#include "base/parcel.h"
#include "check/rules.h"
#include "emu/observer.h"
#include "ptx/ptx.h"

#define NO_INSTR UINT32_MAX

typedef struct Finding {
    struct FindingKey {
        uint32_t rule, instr, other, part; /* RuleId; ids; part: whatever else tells two findings apart, or 0 */
    } key;
    uint64_t block, other_block;   /* linear */
    uint32_t thread, other_thread; /* linear, in the block */
    uint64_t address, count, seed;
    const char *message, *other_message;
    const WwFindingEnd *far;  /* a second end outside this launch, places already known; NULL: `other` counts */
    const WwMend       *mend; /* or NULL */
    const WwPicture    *picture; /* or NULL */
} Finding;

typedef struct FindingRecord FindingRecord;
typedef struct Findings { /* zero it first */
    Arena         *arena;
    FindingRecord *record; /* hash */
} Findings;

/* Counts n more.  The record to fill in (block and thread are set, the rest is zero) when it is the first or from a lower block; else
 * NULL. */
Finding    *findings_note(Findings *l, RuleId rule, uint32_t instr, uint32_t other, uint32_t part, uint64_t block,
                          uint32_t thread, uint64_t n);
const char *findings_text(Findings *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void       *findings_alloc(Findings *l, size_t bytes); /* for mends and far ends; zeroed */
void        findings_merge(Findings *to, Findings *from); /* frees from */
/* The same, without those that keep says no to. */
void        findings_merge_if(Findings *to, Findings *from, bool (*keep)(const Finding *f, void *user), void *user);
/* For the same program's process elsewhere, without those of a category; and what such a one has found in other blocks is merged. */
void        findings_put(const Findings *l, const char *but, Parcel *p);
void        findings_add(Findings *to, Parcel *p);
bool        findings_have(const Findings *l, RuleId rule, uint32_t instr, uint32_t other, uint32_t part);
void        findings_free(Findings *l);

/* By place; 0: they are one, with the same rule, kernel (but for a template's arguments), place and other place, each with where it was inlined,
 * and mend: a line may need several.  Those of the host without a place: with the same callers and words. */
int finding_compare(const WwFinding *x, const WwFinding *y);

/* What ids and linear indices mean. */
typedef struct FindingContext {
    const Module   *module;
    const EmuInstr *instr;
    uint32_t        ninstr;
    uint32_t        grid[3], block[3];
    const char     *kernel;
    const Func     *func;
} FindingContext;

/* The findings with their places, those of one place and rule joined, sorted by file, line, column, rule; in `a`. */
WwFinding *findings_list(const Findings *l, const FindingContext *c, Arena *a, size_t *n);

#endif
