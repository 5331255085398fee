/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop that goes round T times each time that control comes to it may have become several pieces: a loop whose body has 16 copies, a piece of 8
 * copies, one of 4, and a loop of a single one for what is left.  Pieces of more copies go first and take whole rounds; a loop takes as many as
 * there are, a piece outside of loops one at most.  The last one takes what is left.  Loops of as many copies share their rounds: a loop around
 * them was unrolled.
 *
 * Copies are counted by what is seldom merged: how many machine instructions of one kind a load, store or float operation of the block became,
 * the middle one of them.  A piece with less than half of the block's instructions is no copy: they were moved out of the loop, and run once
 * each time that it is entered.
 *
 * T is the average: of loops of which some warps go round often and some not at all, the pieces are mistaken for each other. */
#include "check/time/copies.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

static int in_order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *x, const void *y)
{
    const CopyWord *a = x, *b = y;
    int             d = in_order(a->block, b->block);
    d                 = d ? d : in_order(a->group, b->group);
    return d ? d : in_order(a->line, b->line);
}

static int by_copies(const void *x, const void *y)
{
    const Copy *a = x, *b = y;
    int         d = in_order(b->copies, a->copies);
    return d ? d : in_order(a->group, b->group);
}

static int by_group(const void *x, const void *y)
{
    const Copy *a = x, *b = y;
    int         d = in_order(a->block, b->block);
    return d ? d : in_order(a->group, b->group);
}

static bool counts(const CopyWord *w, bool anchors)
{
    return w->anchor || !anchors;
}

/* The words of one line from here on, with the same block and group: behind them.  *made: how many are of the first one's kind; 0: none counts. */
static const CopyWord *line_of(const CopyWord *w, const CopyWord *end, bool anchors, uint32_t *made)
{
    const CopyWord *first = w, *kind = NULL;
    *made = 0;
    for (; w < end && w->group == first->group && w->line == first->line; w++) {
        if (!counts(w, anchors))
            continue;
        kind = kind ? kind : w;
        *made += w->op == kind->op;
    }
    return w;
}

/* The middle one of how many words of a kind the group's lines became; *lines: how many lines have words that count. */
static uint32_t count(const CopyWord *w, const CopyWord *end, bool anchors, uint32_t *lines)
{
    uint32_t *many = xcalloc((size_t)(end - w) + 1, sizeof *many), seen = 0, made, middle = 0;
    *lines = 0;
    while (w < end) {
        w = line_of(w, end, anchors, &made);
        many[made] += made > 0;
        *lines += made > 0;
    }
    while (2 * seen < *lines)
        seen += many[++middle];
    free(many);
    return middle;
}

static bool has_anchors(const CopyWord *w, const CopyWord *end)
{
    while (w < end && !w->anchor)
        w++;
    return w < end;
}

static const CopyWord *group_end(const CopyWord *w, const CopyWord *end)
{
    const CopyWord *first = w;
    while (w < end && w->group == first->group)
        w++;
    return w;
}

/* The groups of one block, with their copies; returns how many. */
static size_t find_groups(const CopyWord *w, const CopyWord *end, Copy *out)
{
    bool     anchors = has_anchors(w, end);
    uint32_t most    = 0, lines;
    size_t   n       = 0;
    for (const CopyWord *g = w, *next; g < end; g = next) {
        next = group_end(g, end);
        count(g, next, anchors, &lines);
        most = lines > most ? lines : most;
    }
    for (const CopyWord *g = w, *next; g < end; g = next) {
        next            = group_end(g, end);
        uint32_t copies = count(g, next, anchors, &lines);
        out[n++]        = (Copy){g->block, g->group, 2 * lines >= most ? copies : 0, 0};
    }
    return n;
}

/* Loops of as many copies as this one, from it on; all others with 0 copies behind. */
static size_t alike(const Copy *c, size_t n, const bool *loop)
{
    size_t many = 0;
    for (size_t i = 0; i < n && c[i].copies == c->copies; i++)
        many += loop[c[i].group];
    return many;
}

static bool any_loop(const Copy *c, size_t n, const bool *loop)
{
    size_t i = 0;
    while (i < n && !(c[i].copies && loop[c[i].group]))
        i++;
    return i < n;
}

/* Is there a loop of fewer copies behind? */
static bool any_smaller(const Copy *c, size_t n, const bool *loop)
{
    size_t i = 0;
    while (i < n && c[i].copies == c->copies)
        i++;
    return any_loop(c + i, n - i, loop);
}

/* Gives each piece its share of the rounds; most copies first. */
static void share_out(Copy *c, size_t n, const CopyBlock *b, const bool *loop)
{
    double left = b->executed / b->entered, rounds = 0;
    size_t members = 0; /* loops that share `rounds` */
    for (size_t i = 0; i < n; i++) {
        double copies = c[i].copies;
        if (!c[i].copies) {
            c[i].times = b->entered;
            continue;
        }
        if (!loop[c[i].group]) {
            double part = any_loop(c + i + 1, n - i - 1, loop) ? 0 : left / copies;
            double r    = left >= copies ? 1 : part;
            c[i].times  = b->entered * r;
            left -= r * copies;
            continue;
        }
        if (!members) {
            members = alike(c + i, n - i, loop);
            rounds  = left / copies;
            if (any_smaller(c + i, n - i, loop))
                rounds = floor(rounds);
            left -= rounds * copies;
            rounds /= (double)members;
        }
        c[i].times = b->entered * rounds;
        members--;
    }
}

/* Where the pieces cannot hold all rounds, each copy runs as often as any other. */
static void even(Copy *c, size_t n, const CopyBlock *b)
{
    double run = 0, copies = 0;
    for (size_t i = 0; i < n; i++) {
        run += c[i].times * c[i].copies;
        copies += c[i].copies;
    }
    for (size_t i = 0; i < n && copies > 0 && fabs(run - b->executed) > 1e-6 * b->executed; i++)
        if (c[i].copies)
            c[i].times = b->executed / copies;
}

size_t copies_find(const CopyInput *in, Copy **out)
{
    size_t n = 0;
    *out     = xcalloc(in->words + 1, sizeof **out);
    qsort(in->word, in->words, sizeof *in->word, by_place);
    for (const CopyWord *w = in->word, *all = w + in->words, *end; w < all; w = end) {
        for (end = w; end < all && end->block == w->block;)
            end++;
        Copy  *c    = *out + n;
        size_t many = find_groups(w, end, c);
        qsort(c, many, sizeof *c, by_copies);
        share_out(c, many, &in->block[w->block], in->loop);
        even(c, many, &in->block[w->block]);
        qsort(c, many, sizeof *c, by_group);
        n += many;
    }
    return n;
}

const Copy *copies_of(const Copy *list, size_t n, uint32_t block, uint32_t group)
{
    Copy key = {.block = block, .group = group};
    return bsearch(&key, list, n, sizeof *list, by_group);
}
