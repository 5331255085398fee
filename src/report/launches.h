/* SPDX-License-Identifier: Apache-2.0
 *
 * The launches of a document, as many as a person can read and a computer can keep.
 *
 * The first `alone` stand alone.  A later one joins the entry of its kind (kernel, grid, block, NVTX ranges, status, message); of more than `alone`
 * kinds, the sums of its kernel and status.  So there are never more than 2 * alone entries and three for each kernel, and nothing is lost
 * from the totals: an entry says how many launches it stands for, and counts are sums over them.  What only single launches could tell
 * (the order, one launch's own counts where they differ) is given up for those that joined, and `alike` says whether it was. */
#ifndef WW_REPORT_LAUNCHES_H
#define WW_REPORT_LAUNCHES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Launches Launches;

Launches *launches_new(size_t alone);
void      launches_free(Launches *l);
/* Takes the entry of a launch, or of several that were joined before, and may change it. */
void      launches_add(Launches *l, json_t *entry);
/* The entries, an array that belongs to l. */
json_t   *launches_list(const Launches *l);
/* Does any entry stand for several launches? */
bool      launches_joined(const Launches *l);

/* How many launches an entry of a document stands for: at least one. */
json_int_t launches_of(const json_t *entry);
/* Adds an entry's launches and counters to those of a row. */
void       launches_sum_counts(json_t *row, const json_t *entry);
/* Their sum, a new integer; what is too much for a document's integers stays at the most or the least of them. */
json_t    *launches_sum(const json_t *a, const json_t *b);

#endif
