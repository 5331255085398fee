/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes belong to an epoch, the time of the last barrier of the whole block (RaceBlock.base): what is of another one is forgotten without
 * being told.  A page whose newest stamp is of this epoch has cells that the bits say nothing of, and takes no notes; nor does a page take
 * reads that has no plane for second readers, because touch_page (race_cells.c) asks whether there is one. */
#include "check/race/race_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ptx/traits.h"

enum { MARK_BITS = 6, MARKS = PAGE_BYTES >> WORD_BITS >> MARK_BITS, NOTES = 256 };

typedef struct Marks { /* a bit for each word of a page */
    uint64_t read[MARKS], written[MARKS];
} Marks;

typedef struct Note {
    const Sweep *of;
    const Swept *swept;
    uint32_t     warp;
    uint64_t     at[SWEEP_PARTIES];
} Note;

struct RaceLog {
    Time     epoch;
    uint32_t n;
    Marks   *marks; /* by page */
    Note     note[NOTES];
};

bool race_log_fits(const RaceRun *r)
{
    bool fits = !r->clusters && !r->flags && !r->open;
    for (uint32_t i = 0; fits && i < r->info->instrs; i++)
        fits = !r->info->instr[i].in ||
               !op_is(r->info->instr[i].in, TRAIT_ASYNC | TRAIT_BULK | TRAIT_MBARRIER | TRAIT_COMPLETES);
    return fits;
}

void race_log_free(RaceLog *log)
{
    if (log)
        free(log->marks);
    free(log);
}

static RaceLog *log_of(RaceBlock *b)
{
    RaceLog *log = b->log;
    if (!log) {
        log = b->log = xmalloc(sizeof *log);
        log->marks   = xmalloc((b->npages + 1u) * sizeof *log->marks);
        log->epoch   = ~b->base;
    }
    if (log->epoch != b->base) {
        log->epoch = b->base;
        log->n     = 0;
        memset(log->marks, 0, b->npages * sizeof *log->marks);
    }
    return log;
}

/* ---- a run of words ---- */

typedef struct Words { /* [first, end) of the window */
    uint32_t first, end;
} Words;

static inline Words words_of(const SweepCall *c, uint32_t party, const SweptRun *run)
{
    uint32_t at = (uint32_t)c->at[party] + run->at;
    return (Words){at >> WORD_BITS, (at + run->bytes) >> WORD_BITS};
}

/* The bits of the words in the 64 that `first` lies in; moves first behind them. */
static inline uint64_t bits_here(Words *w)
{
    uint32_t from = w->first & ((1 << MARK_BITS) - 1), room = (1u << MARK_BITS) - from, n = w->end - w->first;
    n = n < room ? n : room;
    w->first += n;
    return (UINT64_MAX >> (64 - n)) << from;
}

static inline size_t mark_of(const Words *w)
{
    return w->first >> MARK_BITS;
}

static bool is_open(const RaceLog *log, const RaceBlock *b, Words w, bool writes)
{
    uint64_t hit = 0;
    for (uint32_t i = w.first >> (PAGE_BITS - WORD_BITS); i <= (w.end - 1) >> (PAGE_BITS - WORD_BITS); i++)
        if (i >= b->npages || b->shared[i].newest >> TIME_SHIFT >= b->base ||
            (!writes && !b->shared[i].plane[PLANE_READ2]))
            return false;
    while (w.first < w.end) {
        const Marks *m = &log->marks[mark_of(&w) / MARKS];
        size_t       k = mark_of(&w) % MARKS;
        hit |= (m->written[k] | (writes ? m->read[k] : 0)) & bits_here(&w);
    }
    return !hit;
}

static void mark(RaceLog *log, Words w, bool writes)
{
    while (w.first < w.end) {
        Marks   *m = &log->marks[mark_of(&w) / MARKS];
        size_t   k = mark_of(&w) % MARKS;
        uint64_t x = bits_here(&w);
        if (writes)
            m->written[k] |= x;
        else
            m->read[k] |= x;
    }
}

/* ---- sweeps ---- */

static bool are_open(const RaceLog *log, const RaceBlock *b, const SweepCall *c, const Swept *s)
{
    for (uint32_t m = s->shared; m; m &= m - 1) {
        uint32_t          k = (uint32_t)__builtin_ctz(m);
        const SweptParty *p = &s->party[k];
        if (c->at[k] & ((1 << WORD_BITS) - 1))
            return false;
        for (uint32_t i = 0; i < p->nruns; i++)
            if (!is_open(log, b, words_of(c, k, &s->run[p->first + i]), s->writes))
                return false;
    }
    return true;
}

bool race_log_takes(Cells *cells, RaceBlock *b, const SweepCall *c, const Swept *s)
{
    RaceLog *log = log_of(b);
    if (!s->words || log->n == NOTES || !are_open(log, b, c, s)) {
        race_log_flush(cells, b);
        return false;
    }
    for (uint32_t m = s->shared; m; m &= m - 1) {
        uint32_t          k = (uint32_t)__builtin_ctz(m);
        const SweptParty *p = &s->party[k];
        for (uint32_t i = 0; i < p->nruns; i++)
            mark(log, words_of(c, k, &s->run[p->first + i]), s->writes);
    }
    Note *n  = &log->note[log->n++];
    n->of    = c->of;
    n->swept = s;
    n->warp  = c->warp;
    memcpy(n->at, c->at, c->of->nparties * sizeof *n->at);
    return true;
}

void race_log_flush(Cells *cells, RaceBlock *b)
{
    RaceLog *log = b->log;
    uint32_t n   = log && log->epoch == b->base ? log->n : 0;
    for (uint32_t i = 0; i < n; i++) {
        const Note *x = &log->note[i];
        SweepCall   c = {.of = x->of, .warp = x->warp, .block = b->index, .at = x->at};
        swept_touch(cells, b, &c, x->swept, ~x->swept->shared);
    }
    if (log)
        log->n = 0;
}
