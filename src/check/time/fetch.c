/* SPDX-License-Identifier: Apache-2.0
 *
 * A sector that the multiprocessor asks for the first time comes from device memory, with its neighbour where L2 fetches both; later it is in L2.
 * (Others that ask for the same sectors do so at the same time, as far as anyone knows: they wait as well.)  In the round in which it was
 * asked for it is still under way: who finds it in L1, or asks L2 again, waits as long. */
#include "check/time/fetch.h"

#include <stdlib.h>

#include "base/arena.h"

enum { SECTORS = 4, ALL = (1 << SECTORS) - 1, EVEN = 5 };

struct FetchedLine {
    uint64_t number;         /* the line's, plus 1; 0 = empty */
    uint32_t round[SECTORS]; /* in which it was asked for last; 0: not yet, or stored */
    uint32_t first[SECTORS]; /* in which L2 was asked for it first; 0: not yet */
    uint8_t  known, far;     /* by sector: it is in L2 or on its way; it came from device memory that time */
};

static FetchedLine *place(const Fetched *f, uint64_t number)
{
    size_t at = (number * 0x9e3779b97f4a7c15ull) >> 32 & (f->cap - 1);
    while (f->line[at].number && f->line[at].number != number)
        at = (at + 1) & (f->cap - 1);
    return &f->line[at];
}

static FetchedLine *line_of(Fetched *f, uint64_t line)
{
    if (2 * f->n >= f->cap) {
        FetchedLine *old = f->line;
        size_t       n   = f->cap;
        f->cap           = n ? 2 * n : 256;
        f->line          = xcalloc(f->cap, sizeof *f->line);
        for (size_t i = 0; i < n; i++)
            if (old[i].number)
                *place(f, old[i].number) = old[i];
        free(old);
    }
    FetchedLine *l = place(f, line + 1);
    f->n += !l->number;
    l->number = line + 1;
    return l;
}

/* Where it is said when a line that this one may be was asked for last. */
static uint32_t *asked_of(Fetched *f, uint64_t line)
{
    return &f->asked[line % FETCH_ASKED];
}

FetchFrom fetched_load(Fetched *f, uint64_t line, unsigned sectors, unsigned near, uint32_t round)
{
    if (!(sectors & ~near & ALL) && *asked_of(f, line) != round)
        return FETCH_NEAR; /* nothing of it is under way: most loads of what L1 has end here */
    FetchedLine *l      = line_of(f, line);
    unsigned     beyond = sectors & ~near & ALL, first = beyond & ~l->known, brought = first;
    FetchFrom    from = FETCH_NEAR;
    if (f->pairs)
        brought |= ((first & EVEN) << 1 | (first >> 1 & EVEN)) & ~l->known;
    for (unsigned s = 0; s < SECTORS; s++) {
        unsigned bit = 1u << s;
        if (beyond & bit && !l->first[s])
            l->first[s] = round;
        if (brought & bit) {
            l->round[s] = round;
            l->far |= (uint8_t)bit;
        } else if (beyond & bit && l->round[s] != round) {
            l->round[s] = round;
            l->far &= (uint8_t)~bit;
        }
        if (sectors & bit && l->round[s] == round && from < FETCH_DRAM)
            from = l->far & bit ? FETCH_DRAM : FETCH_L2;
    }
    if (beyond)
        *asked_of(f, line) = round;
    l->known |= (uint8_t)brought;
    return from;
}

void fetched_store(Fetched *f, uint64_t line, unsigned sectors)
{
    line_of(f, line)->known |= (uint8_t)(sectors & ALL);
}

double fetched_together(const Fetched *f, size_t n)
{
    uint64_t asked = 0, all = 0;
    for (size_t i = 0; n > 1 && i < f->cap; i++)
        for (unsigned s = 0; f->line[i].number && s < SECTORS; s++) {
            bool same = f->line[i].first[s] != 0;
            asked += same;
            for (size_t k = 1; k < n && same; k++) {
                const FetchedLine *l = f[k].cap ? place(&f[k], f->line[i].number) : NULL;
                same                 = l && l->first[s] == f->line[i].first[s];
            }
            all += same;
        }
    return asked ? (double)all / (double)asked : 0;
}

void fetched_free(Fetched *f)
{
    free(f->line);
    *f = (Fetched){0};
}
