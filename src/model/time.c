/* SPDX-License-Identifier: Apache-2.0
 *
 * Each part of the card gets the clocks that it would need alone: on the busiest multiprocessor, which has its share of blocks rounded up, or,
 * of L2 and DRAM, for the whole launch.  Parts that work at once overlap, but not perfectly where two are nearly as busy: the time is
 *
 *     launch + (sum over parts of clocks ^ SHARPNESS) ^ (1 / SHARPNESS)
 *
 * which is the largest part where one dominates; but no less than the start of all blocks takes.  A warp's own latency counts once for
 * each round of resident blocks: so few blocks are bound by latency, many by throughput, and waves and tails follow from rounding.
 * The exponent was fitted on half of the readings (docs/time-model.md); everything else is a figure of the card.
 * Left out: how parts delay each other in time, partitions of L2, clocks below the highest. */
#include "model/time.h"

#include <math.h>
#include <string.h>

#include "model/limits.h"

static const double sharpness = 2.0;

enum { SUBCORES = 4, SECTOR_BYTES = 32 }; /* pipes: of machine code, which only cards with four sub-cores have */

static const Timing rows[] = {
#define TIMING(card, ...) {#card, 0, __VA_ARGS__},
#include "model/timing.def"
#undef TIMING
};

const Timing *timing_row(const char *card)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].card, card))
            return &rows[i];
    return NULL;
}

bool timing_of(const Profile *p, Timing *out, const char **lacks)
{
    Limits        l    = limits_of(p);
    const Timing *t    = l.card->from_file ? l.card->timing : timing_row(l.card->name);
    const char   *none = NULL;
    if (t) {
        *out           = *t;
        out->clock_mhz = l.card->clock_mhz;
        none           = out->clock_mhz > 0 ? NULL : "clock_mhz";
#define CARD_FIGURE(...)
#define NEEDED(value)                                ((value) <= 0)
#define WHERE_USED(value)                            false
#define EXTRA(value)                                 false
#define TIME_FIGURE(member, need, least, most, text) none = need(out->member) ? #member : none;
#include "model/figures.def"
#undef CARD_FIGURE
#undef TIME_FIGURE
    }
    if (lacks)
        *lacks = none;
    return t && !none;
}

const char *time_part_text(TimePart p)
{
    static const char *const text[TIME_PARTS] = {
        "latency", "instruction issue", "arithmetic",    "textures",           "shared memory passes", "L1",
        "L2",      "atomics",           "device memory", "memory of the host", "starting blocks"};
    return text[p];
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Rounds of resident blocks on the busiest multiprocessor: whole ones while they are few, then the last one overlaps. */
static double rounds(const TimeWork *w, double most)
{
    return larger(1, most / (w->resident > 0 ? w->resident : 1));
}

static double busy(const TimeWork *w)
{
    return w->busy_blocks > 0 ? larger(1, fmin(w->busy_blocks, w->blocks)) : w->blocks;
}

static double latency(const TimeWork *w)
{
    double all = w->warp_clocks * rounds(w, ceil(busy(w) / w->sms));
    return larger(all, w->longest_warp) + w->once;
}

/* Updates that wait for each other.  What integers in one word wait for is the turns of their slice, where these are known. */
static double turns(const Timing *t, const TimeWork *w)
{
    double slice = w->slice_turns * t->turn_clocks;
    return larger(slice > 0 ? slice : w->hottest * t->update_clocks, w->hottest_float * t->float_clocks);
}

/* Loads come down to a multiprocessor, stores go up from it, each line with its address and mask: two ways, where both are known.  Slices of L2
 * serve one after the other. */
static double l2_clocks(const Timing *t, const TimeWork *w, double access)
{
    bool   ways = t->store_bytes > 0 && t->taken_bytes > 0;
    double up   = ways ? (w->stored + w->stored_lines) * SECTOR_BYTES : 0;
    double down = (w->l2_sectors - (ways ? w->stored : 0)) * SECTOR_BYTES;
    double port = larger(down / t->port_bytes, ways ? up / t->store_bytes : 0);
    return larger(down / t->l2_bytes + (ways ? up / t->taken_bytes : 0), access * port);
}

/* Seconds.  What is read comes one way, what is written goes the other. */
static double link_seconds(const Timing *t, const TimeWork *w)
{
    double read = w->link_read > 0 ? w->link_read / (t->link_read_gbs * 1e9) : 0;
    return larger(read, w->link_write > 0 ? w->link_write / (t->link_write_gbs * 1e9) : 0);
}

static void fill(const Timing *t, const TimeWork *w, double *part)
{
    double most = ceil(w->blocks / w->sms), share = most / w->blocks; /* of the busiest multiprocessor */
    double access      = larger(share, 1 / busy(w));                  /* its share of what accesses ask for */
    double hz          = t->clock_mhz * 1e6;
    part[TIME_LATENCY] = latency(w);
    double subcores    = w->blocks > 0 ? fmin(SUBCORES, larger(1, w->warps / w->blocks)) : SUBCORES;
    double worked =
        larger(share, w->heaviest * SUBCORES / subcores); /* of instructions: a warp stays on its sub-core */
    part[TIME_ISSUE]   = worked * w->issued / t->issue;
    part[TIME_PIPE]    = worked * w->pipe / SUBCORES;
    part[TIME_TEXTURE] = share * w->texture / SUBCORES;
    part[TIME_SHARED]  = access * w->shared_passes * t->pass_clocks;
    part[TIME_L1]      = access * larger(w->l1_tags, w->l1_sectors / t->l1_sectors);
    part[TIME_L2]      = l2_clocks(t, w, access);
    part[TIME_ATOMICS] = larger(w->atomic_sectors * SECTOR_BYTES / t->l2_bytes * 2, turns(t, w));
    part[TIME_DRAM]    = (w->dram_read / (t->read_gbs * 1e9) + w->dram_write / (t->write_gbs * 1e9)) * hz;
    part[TIME_LINK]    = link_seconds(t, w) * hz;
    part[TIME_BLOCKS]  = most * t->block_clocks;
    if (t->l2 >= t->dram) /* there is no L2: both are the way to device memory, and the narrower place counts */
        part[part[TIME_L2] < part[TIME_DRAM] ? TIME_L2 : TIME_DRAM] = 0;
}

static double square(const double *part, TimePart i, TimePart without)
{
    return i == without ? 0 : pow(part[i], sharpness);
}

/* Issuing instructions and doing them are one and the same work: the longer one counts.  Who starts blocks does nothing else, and is in nobody's
 * way. */
static double together(const double *part, TimePart without)
{
    double sum = fmax(square(part, TIME_ISSUE, without), square(part, TIME_PIPE, without));
    for (int i = 0; i < TIME_PARTS; i++)
        sum += i == TIME_ISSUE || i == TIME_PIPE || i == TIME_BLOCKS ? 0 : square(part, (TimePart)i, without);
    double work = pow(sum, 1 / sharpness);
    return without == TIME_BLOCKS ? work : fmax(work, part[TIME_BLOCKS]);
}

bool time_predict(const Timing *t, const TimeWork *w, TimePrediction *out)
{
    *out = (TimePrediction){.limiter = TIME_LATENCY};
    if ((w->hottest > 0 && t->update_clocks <= 0) || (w->hottest_float > 0 && t->float_clocks <= 0))
        return false;
    if ((w->link_read > 0 && t->link_read_gbs <= 0) || (w->link_write > 0 && t->link_write_gbs <= 0))
        return false;
    if (w->blocks <= 0)
        return true;
    fill(t, w, out->part);
    for (int i = 0; i < TIME_PARTS; i++)
        if (out->part[i] > out->part[out->limiter])
            out->limiter = (TimePart)i;
    double clocks = together(out->part, TIME_PARTS);
    double fixed  = (t->launch_ns + (w->warm ? 0 : t->cold_ns)) * t->clock_mhz / 1e3;
    out->ns       = (fixed + clocks) / t->clock_mhz * 1e3;
    if (w->warm)
        out->ns = larger(out->ns, t->host_ns);
    out->share    = clocks > 0 ? out->part[out->limiter] / clocks : 0;
    out->headroom = (fixed + clocks) / (fixed + together(out->part, out->limiter));
    return true;
}

static double less(double of, double by)
{
    return larger(0, of - by);
}

/* Sectors leave L1 and L2 alike; those of device memory are distinct ones, and stay.  A warp waits for the passes of its accesses one after the
 * other, so what is saved of them shortens it as well. */
double time_gain(const Timing *t, const TimeWork *w, const TimeMend *m)
{
    TimeWork       x = *w;
    TimePrediction before, after;
    double         sectors = w->l1_sectors > 0 ? fmin(1, m->sectors / w->l1_sectors) : 0;
    x.shared_passes        = less(w->shared_passes, m->passes);
    x.warp_clocks =
        w->warps > 0 ? less(w->warp_clocks, (w->shared_passes - x.shared_passes) / w->warps) : w->warp_clocks;
    x.issued = less(w->issued, m->issued);
    x.l1_sectors *= 1 - sectors;
    x.l1_tags *= 1 - sectors;
    x.l2_sectors *= 1 - sectors;
    x.stored *= 1 - sectors;
    x.stored_lines *= 1 - sectors;
    x.hottest *= 1 - m->turns;
    x.hottest_float *= 1 - m->turns;
    x.slice_turns *= 1 - m->turns;
    x.atomic_sectors *= 1 - m->turns;
    if (!time_predict(t, w, &before) || !time_predict(t, &x, &after) || after.ns <= 0)
        return 1;
    return larger(1, before.ns / after.ns);
}

double time_joined(const Timing *t, double asked, double shared, double sms)
{
    if (t->joined_sms <= 1 || sms < 2)
        return asked;
    return asked * (1 - shared * (1 - larger(1, round(sms / t->joined_sms)) / sms));
}
