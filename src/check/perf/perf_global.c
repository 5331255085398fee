/* SPDX-License-Identifier: Apache-2.0
 *
 * uncoalesced: lines whose global loads and stores move more 32-byte sectors than their bytes would fill, because the lanes' addresses
 * are apart; with the index that should run along the lanes, tried on the traced blocks (lanes.h).
 * unaligned-warp: the same where the lanes' bytes are side by side, in one row or in rows of a sector or more, and only begin behind a sector's
 * boundary: what neighbouring warps share of such a sector the caches have.
 *
 * The two share a line's excess: what contiguous patterns cost too much is the second's, the rest the first's.
 * Atomics are atomic-contention's. */
#include <inttypes.h>
#include <stdlib.h>

#include "check/perf/perf.h"
#include "model/model.h"

enum { SECTOR = 32 };

typedef struct Excess {
    uint64_t sectors, ideal;        /* of all */
    uint64_t shifted, shifted_fits; /* of contiguous patterns: sectors as they are, and when they began on a boundary */
    unsigned behind;                /* bytes behind the boundary, of the contiguous pattern that is commonest */
    uint64_t commonest;
    const Pattern *shown; /* that pattern, and its place */
    uint32_t       place;
    uint32_t       id; /* of the worst instruction */
    uint64_t       worst;
} Excess;

static uint64_t shift_costs(const Excess *e)
{
    return e->shifted - e->shifted_fits;
}

static bool contiguous(const Pattern *t)
{
    int64_t first = 0;
    bool    any   = false;
    for (uint32_t m = t->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        int64_t  d = t->delta[i] - (int64_t)i * t->bytes;
        if (any && d != first)
            return false;
        first = d;
        any   = true;
    }
    return true;
}

/* Sectors of lanes that lie in several rows, each at least a sector long, if each row began on a boundary; 0: they lie otherwise. */
static uint32_t rows_fit(const Pattern *t)
{
    int64_t  from = 0, end = 0;
    uint32_t sectors = 0;
    for (uint32_t m = t->mask; m; m &= m - 1) {
        int64_t d = t->delta[__builtin_ctz(m)];
        if (m != t->mask && d != end) {
            if (end - from < SECTOR)
                return 0;
            sectors += (uint32_t)((end - from + SECTOR - 1) / SECTOR);
        }
        from = m == t->mask || d != end ? d : from;
        end  = d + t->bytes;
    }
    return end - from < SECTOR ? 0 : sectors + (uint32_t)((end - from + SECTOR - 1) / SECTOR);
}

static uint32_t sectors_at(const Perf *p, const Pattern *t, uint32_t place)
{
    uint64_t  addr[LANES];
    ModelCost c;
    Pattern   at = *t;
    at.first     = place;
    pattern_addresses(&at, 0, addr);
    ModelL1     l1 = t->cache == CACHE_CG || t->cache == CACHE_CV ? MODEL_L1_OFF
                     : t->cache == CACHE_CA                       ? MODEL_L1_ON
                                                                  : MODEL_L1_AUTO;
    ModelAccess a  = {MODEL_GLOBAL, t->op == ACCESS_COPY ? MODEL_LD : (ModelOp)t->op, l1, t->bytes, t->mask, addr};
    model_access(p->profile, &a, &c);
    return c.touched;
}

/* fits: what it would move from a boundary on. */
static void add_shifts(const Perf *p, const Pattern *t, uint32_t fits, Excess *e)
{
    for (uint32_t i = 0; i < t->places; i++) {
        uint32_t place = t->first + i, now = t->hits[i] ? sectors_at(p, t, place) : 0;
        if (now <= fits)
            continue;
        e->shifted += t->hits[i] * now;
        e->shifted_fits += t->hits[i] * fits;
        if (t->hits[i] > e->commonest) {
            e->commonest = t->hits[i];
            e->shown     = t;
            e->place     = place;
            e->behind    = place * t->bytes % 32;
        }
    }
}

static Excess excess_of_instr(const Perf *p, uint32_t id)
{
    Excess            e = {.id = id};
    const WwCounters *c = count_instr(p->launch->count, id);
    size_t            first, n = perf_patterns(p, id, &first);
    if (c->global_atom_requests || !(c->global_ld_requests + c->global_st_requests))
        return e;
    e.sectors = c->memory_l2_theoretical_sectors_global;
    e.ideal   = c->memory_l2_theoretical_sectors_global_ideal;
    e.worst   = c->derived__memory_l2_theoretical_sectors_global_excessive;
    for (size_t i = first; i < first + n; i++) {
        const Pattern *t    = patterns_at(p->patterns, i);
        uint32_t       fits = t->space != ACCESS_GLOBAL ? 0 : contiguous(t) ? sectors_at(p, t, 0) : rows_fit(t);
        if (fits)
            add_shifts(p, t, fits, &e);
    }
    return e;
}

static void add_excess(Excess *to, const Excess *e)
{
    to->sectors += e->sectors;
    to->ideal += e->ideal;
    to->shifted += e->shifted;
    to->shifted_fits += e->shifted_fits;
    if (e->worst > to->worst) {
        to->worst = e->worst;
        to->id    = e->id;
    }
    if (e->commonest > to->commonest) {
        to->commonest = e->commonest;
        to->shown     = e->shown;
        to->place     = e->place;
        to->behind    = e->behind;
    }
}

/* Does the access itself lose the rule's share?  What else its line does is beside the point. */
static bool is_shifted(const Perf *p, const Excess *e)
{
    return shift_costs(e) &&
           perf_reaches(p, RULE_UNALIGNED_WARP, "percent", 100.0 * (double)shift_costs(e) / (double)e->sectors);
}

/* Of the line: all accesses, and those that begin behind a boundary. */
static Excess excess_of(const Perf *p, const Spot *s, Excess *shifted)
{
    Excess all = {.id = s->id[0]};
    *shifted   = all;
    for (size_t k = 0; k < s->n; k++) {
        Excess e = excess_of_instr(p, s->id[k]);
        add_excess(&all, &e);
        if (is_shifted(p, &e))
            add_excess(shifted, &e);
    }
    return all;
}

/* ---- which index ------------------------------------------------------------------------------------------------------ */

static const char *const order_text[LANE_ORDERS] = {
    [LANES_SWAP_XY] = "let threadIdx.y run along the lanes here (threadIdx.x and .y in each other's place)",
    [LANES_SWAP_XZ] = "let threadIdx.z run along the lanes here (threadIdx.x and .z in each other's place)",
    [LANES_SWAP_YZ] = "threadIdx.y and .z in each other's place here",
    [LANES_LOOP] =
        ("let the loop's index run along the lanes here: what a lane takes one after the other, neighbouring "
         "lanes take at once"),
    [LANES_SPLIT] = "a structure of arrays in place of an array of structures",
};

static bool wastes_nothing(const TraceSum *t)
{
    return t->lanes.sectors[LANES_AS_IS] <= t->lanes.ideal;
}

static bool in_spot(const Spot *s, uint32_t id)
{
    for (size_t k = 0; k < s->n; k++)
        if (s->id[k] == id)
            return true;
    return false;
}

/* Does another traced access of the launch want its order as it is?  A swap of the whole kernel may be good for all of them. */
static bool others_stay(const Perf *p, const Spot *s, int order)
{
    bool swap = order == LANES_SWAP_XY || order == LANES_SWAP_XZ || order == LANES_SWAP_YZ;
    for (uint32_t id = 0; id < p->launch->ninstr; id++) {
        const TraceSum *t = trace_instr(p->trace, id);
        if (!t || !t->accesses || (swap && in_spot(s, id)))
            continue;
        if (swap ? !t->lanes.valid[order] || t->lanes.sectors[order] > t->lanes.sectors[LANES_AS_IS]
                 : wastes_nothing(t))
            return true;
    }
    return false;
}

/* Sums over the line.  here: accesses that waste nothing stay as they are; else every access takes the order. */
static LaneCost line_cost(const Perf *p, const Spot *s, bool here, uint64_t *cut)
{
    LaneCost sum = {0};
    bool     any = false;
    *cut         = 0;
    for (size_t k = 0; k < s->n; k++) {
        const TraceSum *t = trace_instr(p->trace, s->id[k]);
        if (!t || !t->accesses)
            continue;
        bool same = here && wastes_nothing(t);
        *cut += t->cut;
        sum.stride = sum.stride ? sum.stride : t->lanes.stride;
        for (int o = 0; o < LANE_ORDERS; o++) {
            sum.valid[o] = (t->lanes.valid[o] || same) && (!any || sum.valid[o]);
            sum.sectors[o] += same ? t->lanes.sectors[LANES_AS_IS] : t->lanes.sectors[o];
        }
        any = true;
    }
    return sum;
}

/* The best order that halves the sectors at least; LANES_AS_IS: none. */
static int best_order(const LaneCost *c)
{
    int best = LANES_AS_IS;
    for (int o = LANES_AS_IS + 1; o < LANE_ORDERS; o++)
        if (c->valid[o] && c->sectors[o] < c->sectors[best])
            best = o;
    return c->sectors[best] * 2 > c->sectors[LANES_AS_IS] ? LANES_AS_IS : best;
}

static uint64_t saved(const LaneCost *c, int order)
{
    return c->sectors[LANES_AS_IS] - c->sectors[order];
}

/* The line's first access that the order changes for the better. */
static void show_order(Perf *p, const Spot *s, int order, Finding *f)
{
    for (size_t k = 0; k < s->n; k++) {
        const TraceSum *t = trace_instr(p->trace, s->id[k]);
        const LaneShow *w = t ? t->show : NULL;
        if (!w || !w->mask[order] || !w->mask[LANES_AS_IS] || t->lanes.sectors[order] >= t->lanes.sectors[LANES_AS_IS])
            continue;
        WwPicture from =
                      picture_of(ACCESS_GLOBAL, t->op, (unsigned)t->bytes, w->mask[LANES_AS_IS], w->addr[LANES_AS_IS]),
                  to = picture_of(ACCESS_GLOBAL, t->op, (unsigned)t->bytes, w->mask[order], w->addr[order]);
        perf_shows(p, f, &from, &to);
        return;
    }
}

/* A whole line in another order is the simplest change: it is offered where it saves nearly what the line could. */
static void offer_order(Perf *p, const Spot *s, Finding *f)
{
    uint64_t    cut;
    LaneCost    all = line_cost(p, s, false, &cut), sum = line_cost(p, s, true, &cut);
    int         best = best_order(&sum), whole = best_order(&all);
    bool        simple = 10 * saved(&all, whole) >= 9 * saved(&sum, best) && whole != LANES_AS_IS;
    const char *more   = "";
    if (simple) {
        sum  = all;
        best = whole;
    }
    if (best == LANES_AS_IS)
        return;
    if (best == LANES_SPLIT)
        more = findings_text(p->found, ": what lies %" PRIu64 " bytes apart here lies side by side", sum.stride);
    else if (!simple || others_stay(p, s, best))
        more = "; hand over through shared memory what others want in this order";
    perf_mend(p, f, "sectors", sum.sectors[LANES_AS_IS], sum.sectors[best], 0, "%s%s%s", order_text[best], more,
              perf_replayed(p, cut));
    show_order(p, s, best, f);
}

/* ---- the rules -------------------------------------------------------------------------------------------------------- */

static void judge_apart(Perf *p, const Spot *s, const Excess *e)
{
    uint64_t sectors = e->sectors - e->shifted, fits = e->sectors - shift_costs(e);
    uint64_t more = fits > e->ideal ? fits - e->ideal : 0;
    if (!perf_on(p, RULE_UNCOALESCED) || !more || !sectors ||
        !perf_reaches(p, RULE_UNCOALESCED, "excess", (double)more) ||
        !perf_reaches(p, RULE_UNCOALESCED, "percent", 100.0 * (double)more / (double)e->sectors))
        return;
    Finding *f = perf_note(p, RULE_UNCOALESCED, e->id, more);
    if (!f)
        return;
    uint64_t requests = s->sum.global_ld_requests + s->sum.global_st_requests;
    f->message        = findings_text(p->found,
                                      "the lanes' addresses are apart: %" PRIu64 " sectors of 32 bytes for %" PRIu64
                                      " request%s (%.1f each), %" PRIu64 " would hold the bytes: %" PRIu64 " bytes too many",
                                      e->sectors, requests, requests == 1 ? "" : "s", (double)e->sectors / (double)requests,
                                      e->ideal, more * 32);
    offer_order(p, s, f);
}

static void judge_shifted(Perf *p, const Excess *e)
{
    uint64_t more = shift_costs(e);
    if (!perf_on(p, RULE_UNALIGNED_WARP) || !more || !perf_reaches(p, RULE_UNALIGNED_WARP, "excess", (double)more))
        return;
    Finding *f = perf_note(p, RULE_UNALIGNED_WARP, e->id, more);
    if (!f)
        return;
    f->message =
        findings_text(p->found,
                      "a warp's bytes lie side by side%s but begin %u bytes behind a 32-byte boundary: %" PRIu64
                      " sectors more than they fill",
                      contiguous(e->shown) ? "" : ", in rows,", e->behind, more);
    perf_mend(p, f, "sectors", e->shifted, e->shifted_fits, 0,
              "begin on a multiple of 32 bytes (pitch, base or offset)");
    uint64_t addr[LANES];
    Pattern  t = *e->shown;
    t.first    = e->place;
    pattern_addresses(&t, 0, addr);
    WwPicture from = picture_of(ACCESS_GLOBAL, (AccessOp)t.op, t.bytes, t.mask, addr), to = from;
    int64_t   behind = 0, end = -1;
    for (uint32_t m = t.mask; m; m &= m - 1) {
        int64_t at = from.offset[__builtin_ctz(m)];
        behind     = end < 0 || (at != end && !contiguous(&t)) ? at % SECTOR : behind; /* of this row */
        end        = at + t.bytes;
        to.offset[__builtin_ctz(m)] -= behind;
    }
    perf_shows(p, f, &from, &to);
}

void perf_global(Perf *p)
{
    for (size_t i = 0; i < p->nspots; i++) {
        Excess shifted, e = excess_of(p, &p->spot[i], &shifted);
        judge_apart(p, &p->spot[i], &e);
        judge_shifted(p, &shifted);
    }
}
