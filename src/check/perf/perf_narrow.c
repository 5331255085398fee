/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow-access: neighbouring global loads or stores of one thread that could be one wide access, because every address that the
 * launch formed was aligned for it.
 *
 * Neighbours stand in one basic block with the same base register and adjacent offsets, the register not written between them, and
 * no barrier, call or fence between them.  Widths tried are 16 bytes, then 8; the widest that every lane's address holds is replayed.
 * Shared loads are joined by the assembler itself (merge.h).  Not looked at: whether two pointers may overlap; guarded accesses;
 * instructions whose patterns were too many to keep. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/perf/adjacent.h"
#include "check/perf/perf.h"
#include "model/model.h"
#include "ptx/place.h"

typedef struct Wide {                     /* a run of accesses as one of `width` bytes */
    uint64_t requests, sectors;           /* as they are */
    uint64_t wide_requests, wide_sectors; /* joined */
} Wide;

/* Adds what instruction `id` costs as `width` bytes a lane; false: an address is not aligned, or not known. */
static bool add_cost(const Perf *p, uint32_t id, unsigned width, uint64_t *requests, uint64_t *sectors)
{
    size_t first, n = perf_patterns(p, id, &first);
    for (size_t i = first; i < first + n; i++) {
        const Pattern *t = patterns_at(p->patterns, i);
        for (uint32_t k = 0; k < t->places; k++) {
            uint64_t  addr[LANES];
            ModelCost c;
            if (!t->hits[k])
                continue;
            pattern_addresses(t, k, addr);
            for (uint32_t m = t->mask; m; m &= m - 1)
                if (addr[__builtin_ctz(m)] % width)
                    return false;
            ModelAccess a = {MODEL_GLOBAL, (ModelOp)t->op, MODEL_L1_AUTO, width, t->mask, addr};
            model_access(p->profile, &a, &c);
            *requests += t->hits[k];
            *sectors += t->hits[k] * c.sectors;
        }
    }
    return n > 0;
}

/* id: of the first instruction of the run's function.  Whether `count` accesses from `run` on can be joined. */
static bool can_join(const Perf *p, const uint32_t *id_of, const Adjacent *run, unsigned count, Wide *out)
{
    *out = (Wide){0};
    for (unsigned k = 0; k < count; k++) {
        uint32_t          id = id_of[run[k].instr];
        const WwCounters *c  = id == UINT32_MAX ? NULL : count_instr(p->launch->count, id);
        if (!c || patterns_wild(p->patterns, id) || !add_cost(p, id, run[k].bytes, &out->requests, &out->sectors))
            return false;
    }
    return add_cost(p, id_of[run[0].instr], run[0].bytes * count, &out->wide_requests, &out->wide_sectors) &&
           out->wide_requests * count == out->requests;
}

/* Runs of one place that would be joined alike: one finding. */
typedef struct Joined {
    Place    place;
    uint32_t id; /* of the first */
    Adjacent first;
    unsigned count;
    Wide     sum;
} Joined;

typedef struct JoinedList {
    Joined *item;
    size_t  n;
} JoinedList;

static bool is_alike(const Joined *j, const Place *place, const Adjacent *run, unsigned count)
{
    return j->place.line == place->line && j->place.col == place->col && !strcmp(j->place.file, place->file) &&
           j->first.store == run->store && j->first.bytes == run->bytes && j->count == count;
}

static void add_joined(const Perf *p, JoinedList *l, uint32_t id, const Adjacent *run, unsigned count, const Wide *w)
{
    Place  place = instr_user_place(p->launch->module, p->launch->instr[id].in);
    size_t i     = 0;
    while (i < l->n && !is_alike(&l->item[i], &place, run, count))
        i++;
    if (i == l->n) {
        l->item         = xrealloc(l->item, (l->n + 1) * sizeof *l->item);
        l->item[l->n++] = (Joined){.place = place, .id = id, .first = *run, .count = count};
    }
    Joined *j = &l->item[i];
    j->sum.requests += w->requests;
    j->sum.sectors += w->sectors;
    j->sum.wide_requests += w->wide_requests;
    j->sum.wide_sectors += w->wide_sectors;
}

static void note(Perf *p, const Joined *j)
{
    uint32_t        id    = j->id;
    const Adjacent *run   = &j->first;
    unsigned        count = j->count;
    const Wide     *w     = &j->sum;
    if (!perf_reaches(p, RULE_NARROW_ACCESS, "requests", (double)w->requests))
        return;
    Finding *f = perf_note(p, RULE_NARROW_ACCESS, id, w->requests - w->wide_requests);
    if (!f)
        return;
    unsigned    width = run[0].bytes * count;
    const char *what  = run[0].store ? "stores" : "loads";
    bool        fewer = w->wide_sectors < w->sectors;
    f->message        = findings_text(p->found,
                                      "%u %s of %u bytes side by side, every address a multiple of %u: one of %u bytes holds "
                                             "(%" PRIu64 " -> %" PRIu64 " requests)",
                                      count, what, run[0].bytes, width, width, w->requests, w->wide_requests);
    perf_mend(p, f, fewer ? "sectors" : "requests", fewer ? w->sectors : w->requests,
              fewer ? w->wide_sectors : w->wide_requests, 0, "one %s of %u bytes, aligned to %u",
              run[0].store ? "store" : "load", width, width);
    uint64_t       addr[LANES];
    const Pattern *t = perf_commonest(p, id, addr);
    if (!t || t->space != ACCESS_GLOBAL)
        return;
    WwPicture from = picture_of(ACCESS_GLOBAL, (AccessOp)t->op, t->bytes, t->mask, addr);
    for (uint32_t m = t->mask; m; m &= m - 1)
        addr[__builtin_ctz(m)] &= -(uint64_t)width;
    WwPicture to = picture_of(ACCESS_GLOBAL, (AccessOp)t->op, width, t->mask, addr);
    perf_shows(p, f, &from, &to);
}

/* Cuts a run of n neighbours into the widest accesses that hold. */
static void judge_run(const Perf *p, JoinedList *l, const uint32_t *id_of, const Adjacent *run, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned count = 16 / run[i].bytes;
        Wide     w;
        for (; count > 1; count /= 2)
            if (i + count <= n && can_join(p, id_of, &run[i], count, &w))
                break;
        if (count > 1)
            add_joined(p, l, id_of[run[i].instr], &run[i], count, &w);
        i += count > 1 ? count : 1;
    }
}

/* first: the id of its first instruction; the others' follow. */
static void judge_function(Perf *p, const Func *f, uint32_t first, uint32_t *id_of)
{
    AdjacentRuns *r = adjacent_runs(f);
    JoinedList    l = {0};
    for (size_t i = 0; i < f->ninstrs; i++)
        id_of[i] = UINT32_MAX;
    for (uint32_t id = first; id < p->launch->ninstr && p->launch->instr[id].func == f; id++)
        if (p->launch->instr[id].in)
            id_of[p->launch->instr[id].in - f->instrs] = id;
    for (size_t i = 0; i < r->nruns; i++)
        judge_run(p, &l, id_of, &r->access[r->run[i].first], r->run[i].n);
    for (size_t i = 0; i < l.n; i++)
        note(p, &l.item[i]);
    free(l.item);
    adjacent_free(r);
}

void perf_narrow(Perf *p)
{
    const Func *last = NULL;
    for (uint32_t id = 0; perf_on(p, RULE_NARROW_ACCESS) && id < p->launch->ninstr; id++) {
        const Func *f = p->launch->instr[id].func;
        if (!f || f == last)
            continue;
        last          = f;
        uint32_t *ids = xcalloc(f->ninstrs + 1, sizeof *ids);
        judge_function(p, f, id, ids);
        free(ids);
    }
}
