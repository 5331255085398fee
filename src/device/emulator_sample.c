/* SPDX-License-Identifier: Apache-2.0
 *
 * From the blocks that ran to the whole grid, counter by counter.
 *
 * With first blocks F and random ones R of a grid of N: the sum over F, and the mean of R for each of the other N - F.  (Without R the mean
 * of F stands for all.)  The batches of R are samples of their own, each spread over the grid, so their means tell how far a mean may be
 * off: its standard error is their standard deviation by the root of their number, times the root of the share of blocks that did not run.
 * The error says nothing of blocks that are rare and dear: of one in a thousand 64 blocks show none. */
#include <math.h>
#include <string.h>

#include "check/count/count.h"
#include "device/emulator_own.h"

/* counters.def makes nothing but numbers, so the i-th stands at i. */
enum { COUNTERS = sizeof(WwCounters) / sizeof(uint64_t) };

static uint64_t get(const WwCounters *c, size_t i)
{
    uint64_t v;
    memcpy(&v, (const char *)c + i * sizeof v, sizeof v);
    return v;
}

static void put(WwCounters *c, size_t i, double v)
{
    uint64_t n = v < 0x1p63 ? (uint64_t)llround(v) : UINT64_MAX;
    memcpy((char *)c + i * sizeof n, &n, sizeof n);
}

static void on_round(void *user, const EmuResult *so_far, uint64_t blocks)
{
    SampleRounds       *s = user;
    struct SampleSoFar *a = &s->after[s->n++];
    a->blocks             = blocks;
    if (s->count)
        a->counters = *count_total(s->count);
    a->counters.inst_executed = a->counters.thread_inst_executed = 0;
    for (uint32_t i = 0; i < so_far->ninstr; i++) {
        a->counters.inst_executed += so_far->executed[i];
        a->counters.thread_inst_executed += so_far->lanes[i];
    }
}

void emulator_sample_begin(const Emulator *e, const WwLaunch *w, Observer *count, EmuLaunch *request, SampleRounds *s)
{
    *s = (SampleRounds){.count = count};
    if (!(w->observe & WW_OBSERVE_COUNTERS))
        return;
    request->first      = e->blocks[0];
    request->random     = e->blocks[1];
    request->on_round   = on_round;
    request->round_user = s;
}

/* Of the i-th counter; first: rounds of first blocks, 0 or 1. */
static void estimate(const SampleRounds *s, unsigned first, size_t i, WwSample *to)
{
    double known = first ? (double)get(&s->after[0].counters, i) : 0, last = known, mean[SAMPLE_BATCHES], var = 0;
    double ran = (double)s->after[s->n - 1].blocks, chosen = ran - (double)to->first,
           rest  = (double)(to->of - to->first);
    double   all = (double)get(&s->after[s->n - 1].counters, i);
    unsigned n   = s->n - first;
    if (!n) {
        put(&to->estimate, i, all / ran * (double)to->of);
        return;
    }
    double each = (all - known) / chosen;
    put(&to->estimate, i, known + each * rest);
    double at = (double)to->first;
    for (unsigned b = 0; b < n; b++) {
        double now = (double)get(&s->after[first + b].counters, i), blocks = (double)s->after[first + b].blocks;
        mean[b] = (now - last) / (blocks - at);
        last    = now;
        at      = blocks;
    }
    for (unsigned b = 0; b < n; b++)
        var += (mean[b] - each) * (mean[b] - each);
    if (n > 1)
        put(&to->error, i, rest * sqrt(var / (n - 1) / n * (1 - chosen / rest)));
    to->spread = n > 1;
}

void emulator_sample_put(const SampleRounds *s, const EmuResult *e, Parcel *p)
{
    parcel_put_number(p, s->n);
    parcel_put(p, s->after, s->n * sizeof *s->after);
    parcel_put_number(p, e->sample.ended);
    parcel_put_number(p, e->sample.blocks);
    parcel_put_number(p, e->sample.first);
}

/* Every process has the same rounds, and its part of each. */
void emulator_sample_add(SampleRounds *s, EmuResult *e, Parcel *p)
{
    size_t n = parcel_count(p, sizeof *s->after);
    for (size_t i = 0; i < n; i++) {
        struct SampleSoFar a;
        parcel_take(p, &a, sizeof a);
        if (i >= s->n)
            continue;
        s->after[i].blocks += a.blocks;
        counters_add(&s->after[i].counters, &a.counters);
    }
    e->sample.ended = parcel_number(p) && e->sample.ended;
    uint64_t blocks = parcel_number(p), first = parcel_number(p);
    e->sample.blocks += e->sample.sampled ? blocks : 0;
    e->sample.first += e->sample.sampled ? first : 0;
}

void emulator_sample_end(const SampleRounds *s, const EmuResult *e, WwResult *r)
{
    static const char *const whole[] = {
        [SAMPLE_ALLOWED]     = NULL,
        [SAMPLE_COOPERATIVE] = "it is cooperative, so all of its blocks have to be there",
        [SAMPLE_WAITS]       = "some of its blocks wait for others",
    };
    const EmuSample *x  = &e->sample;
    WwSample        *to = &r->sample;
    *to                 = (WwSample){.blocks = x->blocks, .of = x->of, .first = x->first, .whole = whole[x->whole]};
    if (!x->sampled)
        to->blocks = to->of; /* one that failed is no sample */
    to->estimated = x->sampled && x->ended && s->n;
    for (size_t i = 0; i < COUNTERS && to->estimated; i++)
        estimate(s, x->first != 0, i, to);
}
