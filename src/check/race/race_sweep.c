/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that native code tells of at once.  What does not change from time to time is found out when a Sweep is met first: sites, and which
 * shape each access has.  Then whole parties are left out where nothing is to be told or kept.  All the rest is what each access would do by
 * itself, in their order; a Sweep with anything but weak loads and stores is taken apart (race.c). */
#include "check/race/race_sweep.h"

#include <stdlib.h>

#include "base/arena.h"
#include "check/race/race_quiet.h"

/* Pages that are looked at on each side of a party: the more, the longer it goes on from page to page. */
enum { AROUND = 8, MOST_AROUND = PAGE_CACHE };

/* ---- once ---- */

static bool is_row(const SweepAccess *x, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++)
        if (x->lane[i] != x->lane[0] + (i << WORD_BITS))
            return false;
    return true;
}

static bool are_twins(const SweepAccess *x)
{
    for (unsigned i = 0; i < LANES / 2; i++)
        if (x->lane[i] != x->lane[i + LANES / 2])
            return false;
    return is_row(x, LANES / 2);
}

/* Lanes side by side at one place, at least two for each, all places apart. */
static bool find_groups(SweptAccess *k, const SweepAccess *x)
{
    for (unsigned i = 0, size = 0; i < LANES; i++, size++) {
        if (i && x->lane[i] == x->lane[i - 1])
            continue;
        if (k->groups == SWEPT_GROUPS || (i && size < 2))
            return false;
        for (unsigned g = 0; g < k->groups; g++)
            if (x->lane[k->first[g]] == x->lane[i])
                return false;
        k->first[k->groups++] = (uint8_t)i;
        size                  = 0;
    }
    return x->lane[LANES - 1] == x->lane[LANES - 2];
}

static void find_shape(SweptAccess *k, const SweepAccess *x)
{
    if (x->seen->bytes == 1 << WORD_BITS && is_row(x, LANES))
        k->shape = SHAPE_ROW;
    else if (x->seen->bytes == 1 << WORD_BITS && are_twins(x))
        k->shape = SHAPE_TWINS;
    else if (find_groups(k, x))
        k->shape = SHAPE_GROUPS;
}

/* Does the party read each word for one group of lanes only? */
static bool is_apart(const Swept *s, const Sweep *of, uint32_t party)
{
    uint32_t cells[PAGE_BYTES >> WORD_BITS >> 5] = {0};
    bool     apart                               = of->party[party].bytes <= PAGE_BYTES;
    for (uint32_t i = 0; apart && i < of->naccesses; i++) {
        const SweptAccess *k = &s->access[i];
        if (of->access[i].party != party)
            continue;
        apart = k->shape == SHAPE_GROUPS && of->access[i].seen->bytes == 1 << WORD_BITS;
        for (unsigned g = 0; apart && g < k->groups; g++) {
            uint32_t cell = of->access[i].lane[k->first[g]] >> WORD_BITS, bit = UINT32_C(1) << cell % 32;
            apart = !(cells[cell / 32] & bit);
            cells[cell / 32] |= bit;
        }
    }
    return apart;
}

static int by_place(const void *a, const void *b)
{
    const SweptRun *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Sorted runs that touch each other become one; what is left of n.  *apart: no byte is in two. */
static uint32_t join_runs(SweptRun *run, uint32_t n, bool *apart)
{
    uint32_t k = 0;
    qsort(run, n, sizeof *run, by_place);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t end = run[k].at + run[k].bytes, stop = run[i].at + run[i].bytes;
        *apart &= run[i].at >= end;
        if (run[i].at > end)
            run[++k] = run[i];
        else if (stop > end)
            run[k].bytes = stop - run[k].at;
    }
    return n ? k + 1 : 0;
}

static void measure_runs(SweptParty *p, const SweptRun *run)
{
    p->in_rows = true;
    p->stirs = p->since = UINT64_MAX;
    for (uint32_t i = 0; i < p->nruns; i++) {
        p->longest = run[i].bytes > p->longest ? run[i].bytes : p->longest;
        p->in_rows &= !(run[i].at & (ROW_BYTES - 1)) && run[i].bytes == run[0].bytes;
    }
}

/* What each party touches. */
static void find_runs(Swept *s, const Sweep *of)
{
    bool apart = true;
    s->run     = xmalloc((of->naccesses * LANES + 1u) * sizeof *s->run);
    s->words   = true;
    for (uint32_t k = 0, first = 0; k < of->nparties; k++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < of->naccesses; i++) {
            const SweepAccess *x = &of->access[i];
            for (unsigned lane = 0; x->party == k && lane < LANES; lane++) {
                s->run[first + n++] = (SweptRun){.at = x->lane[lane], .bytes = x->seen->bytes};
                s->words &= !((x->lane[lane] | x->seen->bytes) & ((1 << WORD_BITS) - 1));
            }
            s->writes |= x->party == k && x->seen->op == ACCESS_ST;
        }
        s->party[k] = (SweptParty){.first = first, .nruns = join_runs(s->run + first, n, &apart)};
        measure_runs(&s->party[k], s->run + first);
        s->shared |= (uint32_t)(of->party[k].space == ACCESS_SHARED) << k;
        first += s->party[k].nruns;
    }
    s->words &= apart || !s->writes;
    s->quiets = s->words && !s->writes ? ~s->shared & ((UINT32_C(1) << of->nparties) - 1) : 0;
}

/* Does the usual way (touch_page in race_cells.c) come to each place with the lowest lane that reads it?  It begins with lanes side by side that
 * read one place, and with a half of the warp that reads a row. */
static bool comes_in_order(const SweepAccess *x)
{
    const uint32_t *at   = x->lane;
    bool            good = true, rows[2] = {true, true};
    for (unsigned i = 0; i < LANES; i++) {
        unsigned lowest = 0;
        while (at[lowest] != at[i])
            lowest++;
        bool group = i + 1 < LANES && at[i] == at[i + 1];
        good &= !group || at[lowest] == at[lowest + 1];
        rows[i / 16] &= at[i] == at[i / 16 * 16] + i % 16 * x->seen->bytes;
    }
    for (unsigned i = 0; rows[1] && !rows[0] && i < 16; i++)
        for (unsigned k = 16; k < LANES; k++)
            good &= at[i] != at[k];
    return good;
}

/* Are the lanes of a read of global memory neither in a row nor of words that are looked at by lanes? */
static bool is_scattered(const Swept *s, const SweepAccess *x)
{
    bool row = true;
    for (unsigned i = 1; i < LANES; i++)
        row &= x->lane[i] == x->lane[i - 1] + x->seen->bytes;
    return s->words && !s->writes && !row && !(s->shared >> x->party & 1) && x->seen->bytes <= 16 && comes_in_order(x);
}

static void find_words(Swept *s, const Sweep *of)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < of->naccesses; i++) {
        SweptAccess *k = &s->access[i];
        if (!is_scattered(s, &of->access[i]))
            continue;
        s->word   = xrealloc(s->word, (n + LANES * (16u >> WORD_BITS)) * sizeof *s->word);
        k->word   = n;
        k->nwords = words_find(s->word + n, &of->access[i]);
        n += k->nwords;
    }
}

void swept_free(Swept *s)
{
    if (s)
        free(s->run), free(s->word);
    free(s);
}

Swept *swept_new(RaceRun *r, const Sweep *of, unsigned (*site)(RaceRun *r, uint32_t instr),
                 Strength (*strength)(RaceRun *r, const Access *a))
{
    Swept *s  = xcalloc(1, sizeof *s + of->naccesses * sizeof *s->access);
    s->simple = !r->flags && !r->open && !r->nbeside;
    s->reads  = UINT32_MAX;
    for (uint32_t i = 0; i < of->naccesses; i++) {
        const SweepAccess *x    = &of->access[i];
        const Access      *seen = x->seen;
        bool               word = seen->op == ACCESS_LD && seen->bytes >= 1 << WORD_BITS && seen->bytes <= 16 &&
                    of->party[x->party].space == ACCESS_SHARED;
        s->access[i].site = (uint16_t)site(r, seen->instr);
        s->simple &=
            (seen->op == ACCESS_LD || seen->op == ACCESS_ST) && !seen->nc && strength(r, seen) == STRENGTH_WEAK;
        if (word)
            find_shape(&s->access[i], x);
        else
            s->reads &= ~(UINT32_C(1) << x->party);
    }
    for (uint32_t i = 0; i < of->nparties; i++)
        s->apart |= (uint32_t)((s->reads >> i & 1) && is_apart(s, of, i)) << i;
    find_runs(s, of);
    find_words(s, of);
    return s;
}

/* ---- each time ---- */

/* Parties of which nothing is to be told or kept: all their rows are quiet. */
static uint32_t quiet_parties(const Touch *t, const SweepCall *c, uint32_t reads)
{
    uint32_t quiet = 0;
    for (uint32_t i = 0; i < c->of->nparties; i++) {
        uint64_t at = c->at[i], end = at + c->of->party[i].bytes - 1;
        if ((reads >> i & 1) && at >> PAGE_BITS == end >> PAGE_BITS &&
            cells_quiet(t, &t->pages[at >> PAGE_BITS], (uint32_t)at & (PAGE_BYTES - 1), c->of->party[i].bytes))
            quiet |= UINT32_C(1) << i;
    }
    return quiet;
}

static bool is_quiet(Cells *cells, uint64_t at, uint64_t end)
{
    Stamp since = cells->run->floor << TIME_SHIFT;
    bool  quiet = true;
    for (uint64_t next; quiet && at < end; at = next) {
        Page *p = cells_page(cells, at);
        next    = (at | (PAGE_BYTES - 1)) + 1;
        next    = next < end ? next : end;
        if (cells->locks)
            page_lock(p);
        quiet = quiet_has(p, since, rows_between(at & (PAGE_BYTES - 1), (next - 1) & (PAGE_BYTES - 1)));
        if (cells->locks)
            page_unlock(p);
    }
    return quiet;
}

static inline bool run_is_quiet(Cells *cells, SweptRun *run, uint64_t at)
{
    uint32_t low = (uint32_t)at & (PAGE_BYTES - 1), high = low + run->bytes - 1;
    if (cells->locks || high >= PAGE_BYTES)
        return is_quiet(cells, at, at + run->bytes);
    if (run->number != at >> PAGE_BITS || !run->page) {
        run->number = at >> PAGE_BITS;
        run->page   = cells_page(cells, at);
    }
    return quiet_has(run->page, cells->run->floor << TIME_SHIFT, rows_between(low, high));
}

/* Rows that a run reaches into beyond its first, of a party in rows. */
static inline uint32_t rows_beyond(const SweptParty *p, uint64_t at)
{
    return (((uint32_t)at & (ROW_BYTES - 1)) + p->longest - 1) >> ROW_BITS;
}

/* It mostly goes on in the rows where it was before. */
static bool party_is_quiet(Cells *cells, SweptParty *p, SweptRun *run, uint64_t at)
{
    uint64_t row = at >> ROW_BITS, stirs = __atomic_load_n(cells->run->info->stirs, __ATOMIC_ACQUIRE);
    uint32_t rows = rows_beyond(p, at);
    bool     good = true;
    if (p->row == row && p->stirs == stirs && rows <= p->rows)
        return true;
    for (uint32_t i = 0; good && i < p->nruns; i++)
        good = run_is_quiet(cells, &run[i], at + run[i].at);
    if (good && p->in_rows) {
        p->row   = row;
        p->rows  = rows;
        p->stirs = stirs;
    }
    return good;
}

uint32_t swept_quiet(Cells *cells, const SweepCall *c, Swept *s)
{
    uint32_t quiet = 0;
    for (uint32_t m = s->quiets & ~c->rests; m; m &= m - 1) {
        uint32_t    k = (uint32_t)__builtin_ctz(m);
        SweptParty *p = &s->party[k];
        quiet |= (uint32_t)party_is_quiet(cells, p, &s->run[p->first], c->at[k]) << k;
    }
    return s->quiet = quiet;
}

/* Is the page among those that the worker used last, and quiet as a whole? */
static bool page_is_quiet(Cells *cells, uint64_t number)
{
    unsigned k     = (unsigned)number % PAGE_CACHE;
    Page    *p     = cells->number[k] == number ? cells->page[k] : NULL;
    bool     quiet = false;
    if (!p)
        return false;
    if (cells->locks)
        page_lock(p);
    quiet = quiet_has(p, cells->run->floor << TIME_SHIFT, UINT64_MAX);
    if (cells->locks)
        page_unlock(p);
    return quiet;
}

/* Are the pages [from, end) quiet?  Then those around are looked at, and all that are known are kept. */
static bool find_pages(Cells *cells, SweptParty *p, uint64_t from, uint64_t end, uint64_t stirs)
{
    bool on = p->since == stirs && from <= p->end + p->around && end + p->around >= p->from;
    for (uint64_t i = from; i < end; i++)
        if (!page_is_quiet(cells, i))
            return false;
    p->around = !on ? AROUND : p->around < MOST_AROUND ? p->around * 2 : p->around;
    for (uint32_t i = 0; i < p->around && page_is_quiet(cells, end); i++)
        end++;
    for (uint32_t i = 0; i < p->around && page_is_quiet(cells, from - 1); i++)
        from--;
    on       = on && from <= p->end && end >= p->from;
    p->from  = on && p->from < from ? p->from : from;
    p->end   = on && p->end > end ? p->end : end;
    p->since = stirs;
    return true;
}

uint32_t swept_rests(Cells *cells, const SweepCall *c, Swept *s, uint32_t parties, SweepRange *range)
{
    uint64_t stirs = __atomic_load_n(cells->run->info->stirs, __ATOMIC_ACQUIRE);
    for (uint32_t m = parties & s->quiet; m; m &= m - 1) {
        uint32_t    k = (uint32_t)__builtin_ctz(m), bytes = c->of->party[k].bytes;
        SweptParty *p  = &s->party[k];
        uint64_t    at = c->at[k], row = at & ~(uint64_t)(ROW_BYTES - 1);
        if (find_pages(cells, p, at >> PAGE_BITS, ((at + bytes - 1) >> PAGE_BITS) + 1, stirs))
            range_narrow(&range[k], p->from << PAGE_BITS, (p->end << PAGE_BITS) - bytes);
        else if (p->in_rows)
            range_narrow(&range[k], row, row + (rows_beyond(p, at) + UINT64_C(1)) * ROW_BYTES - p->longest);
        else
            range_narrow(&range[k], at, at);
    }
    return parties & s->quiet;
}

void swept_touch(Cells *cells, RaceBlock *b, const SweepCall *c, const Swept *s, uint32_t skip)
{
    const RaceRun *r = cells->run;
    Touch t[2] = {{.cells = cells, .b = b, .me = stamp_make(b->now, c->warp * LANES, 0, BY_THREAD, STRENGTH_WEAK)}};
    t[0].dead = t[0].base = r->floor << TIME_SHIFT;
    t[1]                  = t[0];
    t[1].owner            = b;
    t[1].pages            = b->shared;
    t[1].base             = (b->foreign ? b->oldest : b->base) << TIME_SHIFT;
    t[1].dead             = b->async ? b->oldest << TIME_SHIFT : t[1].base;
    skip |= quiet_parties(&t[1], c, s->reads & ~skip);
    for (uint32_t m = s->shared & ~skip; m; m &= m - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(m);
        for (uint64_t at = c->at[k] >> PAGE_BITS; at <= (c->at[k] + c->of->party[k].bytes - 1) >> PAGE_BITS; at++)
            page_is_newer(&t[1].pages[at], t[1].me);
    }
    if (~skip & ((UINT32_C(1) << c->of->nparties) - 1))
        r->sweep(t, c, s, skip);
}
