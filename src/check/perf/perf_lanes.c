/* SPDX-License-Identifier: Apache-2.0
 *
 * low-lane-use: a line that costs much of the kernel runs with few lanes, and those that idle lie between those that work.
 *
 * Judged from the masks of the line's memory accesses.  Lanes at the end of a warp (if (t < n)) are nobody's fault, and one warp alone cannot be
 * made fewer: so what counts is how many warps of the block would do the same work if its working lanes stood side by side.  Where the
 * masks are a stride's (t % (2 * k) == 0) other numbers of the threads do that, and the message says so; other masks come from data.
 * Not judged: lines without an access to memory. */
#include <inttypes.h>

#include "check/perf/perf.h"

typedef struct Use {
    uint64_t now, packed, lanes, strided, scattered; /* warp instructions; strided, scattered: with such masks */
    uint32_t id;
    uint64_t worst;
} Use;

static bool is_run(uint32_t mask)
{
    uint32_t m = mask >> __builtin_ctz(mask);
    return (m & (m + 1)) == 0;
}

/* Every s-th lane from the first on? */
static bool is_stride(uint32_t mask)
{
    uint32_t first = mask & -mask, rest = mask ^ first;
    if (!rest)
        return true;
    unsigned s = (unsigned)(__builtin_ctz(rest) - __builtin_ctz(first));
    uint32_t m = 0;
    for (unsigned i = (unsigned)__builtin_ctz(first); i < LANES; i += s)
        m |= 1u << i;
    return m == mask;
}

static void add(const Perf *p, uint32_t id, Use *u)
{
    size_t   first, n = perf_patterns(p, id, &first);
    uint64_t here = 0;
    for (size_t i = first; i < first + n; i++) {
        const Pattern *t     = patterns_at(p->patterns, i);
        unsigned       lanes = (unsigned)__builtin_popcount(t->mask);
        uint64_t       would = (p->warps * lanes + LANES - 1) / LANES;
        u->now += t->total;
        u->lanes += t->total * lanes;
        if (is_run(t->mask) || p->launch->instr[id].waits) {
            u->packed += t->total;
            continue;
        }
        u->packed += (t->total * would + p->warps - 1) / p->warps;
        u->scattered += t->total;
        u->strided += is_stride(t->mask) ? t->total : 0;
        here += t->total;
    }
    if (here > u->worst) {
        u->worst = here;
        u->id    = id;
    }
}

static void judge(Perf *p, const Spot *s, uint64_t all)
{
    Use u = {.id = s->id[0]};
    for (size_t k = 0; k < s->n; k++)
        add(p, s->id[k], &u);
    double share = u.now ? 100.0 * (double)u.lanes / (double)(u.now * LANES) : 100;
    if (!u.scattered || share > rules_threshold(p->rules, RULE_LOW_LANE_USE, "percent") || u.packed >= u.now ||
        !perf_reaches(p, RULE_LOW_LANE_USE, "instructions", (double)(u.now - u.packed)) ||
        !perf_reaches(p, RULE_LOW_LANE_USE, "hot", 100.0 * (double)u.now / (double)all))
        return;
    Finding *f = perf_note(p, RULE_LOW_LANE_USE, u.id, u.now - u.packed);
    if (!f)
        return;
    f->message =
        findings_text(p->found,
                      "on average %.1f of 32 lanes work in %" PRIu64
                      " warp instructions, with idle lanes between them; side by side they would fill %" PRIu64 "%s",
                      (double)u.lanes / (double)u.now, u.now, u.packed,
                      10 * u.strided >= 9 * u.scattered
                          ? ": let the first threads of the block work, thread t where thread t * stride does now "
                            "(index = t * stride; if (index < n))"
                          : "");
}

void perf_lanes(Perf *p)
{
    uint64_t all = 0;
    if (!perf_on(p, RULE_LOW_LANE_USE) || p->warps < 2)
        return;
    for (uint32_t id = 0; id < p->launch->ninstr; id++)
        all += p->launch->executed[id];
    for (size_t i = 0; i < p->nspots && all; i++)
        judge(p, &p->spot[i], all);
}
