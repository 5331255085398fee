/* SPDX-License-Identifier: Apache-2.0
 *
 * partial-warp: blocks whose last warp is not full; its idle lanes cost as much as busy ones.
 * low-occupancy: a multiprocessor holds few warps of this launch at once, and what keeps it from holding more.  Registers are known where
 * the assembler could be asked; else they limit nothing, and the occupancy given is an upper bound and says so. */
#include "check/perf/perf.h"
#include "model/occupancy.h"

static void judge_warps(Perf *p)
{
    unsigned idle    = p->warps * LANES - p->threads;
    double   percent = 100.0 * idle / (p->warps * LANES);
    uint64_t blocks  = (uint64_t)p->launch->grid[0] * p->launch->grid[1] * p->launch->grid[2];
    if (!idle || !perf_reaches(p, RULE_PARTIAL_WARP, "percent", percent) ||
        !perf_reaches(p, RULE_PARTIAL_WARP, "lanes", (double)(blocks * idle)))
        return;
    Finding *f = perf_note(p, RULE_PARTIAL_WARP, p->head, blocks);
    if (f)
        f->message =
            findings_text(p->found, "blocks of %u threads: %u of the %u lanes of their %u warp%s never work (%.1f %%)",
                          p->threads, idle, p->warps * LANES, p->warps, p->warps == 1 ? "" : "s", percent);
}

static void judge_occupancy(Perf *p)
{
    const LaunchInfo *info    = trace_info(p->trace);
    unsigned          shared  = info->shared_bytes > SHARED_KEPT ? info->shared_bytes - SHARED_KEPT : 0;
    Limits            l       = limits_of(p->profile);
    Occupancy         o       = occupancy_of(&l, p->threads, p->known ? p->resources.registers : 0, shared);
    double            percent = o.most_warps ? 100.0 * o.warps / o.most_warps : 100;
    if (percent >= rules_threshold(p->rules, RULE_LOW_OCCUPANCY, "percent"))
        return;
    Finding *f = perf_note(p, RULE_LOW_OCCUPANCY, p->head, 1);
    if (f)
        f->message = findings_text(
            p->found,
            "occupancy %s%.0f %%: %u of %u warps on a multiprocessor, limited by %s (%u threads, "
            "%u bytes of shared memory a block, %s registers a thread)",
            p->known ? "" : "at most ", percent, o.warps, o.most_warps, o.limiter ? o.limiter : "nothing", p->threads,
            shared, p->known ? findings_text(p->found, "%u", p->resources.registers) : "unknown");
}

void perf_geometry(Perf *p)
{
    if (perf_on(p, RULE_PARTIAL_WARP))
        judge_warps(p);
    if (perf_on(p, RULE_LOW_OCCUPANCY))
        judge_occupancy(p);
}
