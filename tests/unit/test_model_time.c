/* SPDX-License-Identifier: Apache-2.0
 *
 * The time model's pure parts: what a cache holds, and how parts make a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/cache.h"
#include "model/time.h"

static void cache_holds_sectors(void **state)
{
    (void)state;
    ModelCache *c = model_cache_new(32 << 10);
    assert_int_equal(model_cache_load(c, 100, 0x3), 0);
    assert_int_equal(model_cache_load(c, 100, 0x7), 0x3); /* the third sector was missing */
    assert_int_equal(model_cache_load(c, 100, 0xf), 0x7);
    model_cache_store(c, 200, 0xf); /* a store fetches nothing */
    assert_int_equal(model_cache_load(c, 200, 0x1), 0);
    model_cache_store(c, 200, 0x2);
    assert_int_equal(model_cache_load(c, 200, 0x3), 0x3);
    for (uint64_t line = 1000; line < 1256; line++) /* as many lines as there is room for */
        model_cache_load(c, line, 1);
    for (uint64_t line = 2000; line < 2512; line++)
        model_cache_load(c, line, 1);
    assert_int_equal(model_cache_load(c, 100, 0x1), 0); /* gone */
    model_cache_free(c);
}

static void no_cache_holds_nothing(void **state)
{
    (void)state;
    ModelCache *c = model_cache_new(100);
    assert_int_equal(model_cache_load(c, 1, 1), 0);
    assert_int_equal(model_cache_load(c, 1, 1), 0);
    model_cache_store(c, 1, 1);
    model_cache_free(c);
    model_cache_free(NULL);
}

static const TimeWork small = {
    .blocks = 132, .resident = 8, .sms = 132, .warp_clocks = 1000, .issued = 1e5, .pipe = 5e4};

static TimePrediction predict(TimeWork w)
{
    TimePrediction p;
    Timing         t;
    assert_true(timing_of(profile_find("h200"), &t, NULL));
    assert_true(time_predict(&t, &w, &p));
    return p;
}

static void the_largest_part_bounds(void **state)
{
    (void)state;
    TimeWork       w    = small;
    TimePrediction base = predict(w);
    assert_int_equal(base.limiter, TIME_LATENCY);
    w.dram_read      = 4554e6; /* a millisecond of it */
    TimePrediction p = predict(w);
    assert_int_equal(p.limiter, TIME_DRAM);
    assert_true(p.ns > 1e6 && p.ns < 1.01e6);
    assert_true(p.share > 0.99 && p.headroom > 100);
    w               = small;
    w.shared_passes = 1e8;
    p               = predict(w);
    assert_int_equal(p.limiter, TIME_SHARED);
    assert_string_equal(time_part_text(p.limiter), "shared memory passes");
}

/* Two parts as long as each other take sqrt(2) times as long; issuing instructions and doing them is one part, and starting blocks is beside all. */
static void parts_overlap_in_part(void **state)
{
    (void)state;
    TimeWork w      = small;
    w.warp_clocks   = 0;
    w.issued        = 0;
    double nothing  = predict(w).ns;
    w.shared_passes = 1e7;
    double one      = predict(w).ns - nothing;
    w.issued        = 3.9e7; /* four a clock */
    double two      = predict(w).ns - nothing;
    assert_true(two > 1.38 * one && two < 1.43 * one);
    w.pipe = 3.9e7; /* clocks of four sub-cores */
    assert_true(fabs(predict(w).ns - nothing - two) < 1e-6 * two);
    w.blocks = w.busy_blocks = 132 * 64;
    assert_int_equal(predict(w).limiter, TIME_SHARED);
    assert_true(fabs(predict(w).ns - nothing - two) < 1e-6 * two);
    w.blocks = w.busy_blocks = 132 * 4096;
    assert_int_equal(predict(w).limiter, TIME_BLOCKS);
    assert_true(predict(w).share == 1);
}

/* On a card without L2 what stands for it is the way to device memory, which counts once. */
static void without_l2_its_way_counts_once(void **state)
{
    (void)state;
    TimePrediction p;
    Timing         t;
    TimeWork       w = small;
    w.l2_sectors     = 1e6;
    w.dram_read      = 3.2e7;
    assert_true(timing_of(profile_find("g8600gt"), &t, NULL));
    assert_true(time_predict(&t, &w, &p));
    assert_true((p.part[TIME_L2] == 0) != (p.part[TIME_DRAM] == 0));
}

/* tests/data/time/host_h100.tsv, events and all, which take 6 us: kernels that read an array, write one, or read two and write one. */
static void memory_of_the_host_is_as_slow_as_it_was_read(void **state)
{
    (void)state;
    FILE    *f = fopen(WW_TEST_DATA "/time/host_h100.tsv", "r");
    char     line[256];
    unsigned n = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned       kind;
        double         floats, us;
        Timing         t;
        TimePrediction p;
        TimeWork       w = small;
        if (sscanf(line, "%u %lf %lf", &kind, &floats, &us) != 3 || floats < 1e6)
            continue;
        w.link_read  = kind == 1 ? 0 : 4 * floats * (kind ? 2 : 1);
        w.link_write = kind ? 4 * floats : 0;
        assert_true(timing_of(profile_find("h100"), &t, NULL));
        assert_true(time_predict(&t, &w, &p));
        assert_int_equal(p.limiter, TIME_LINK);
        assert_true(fabs(p.ns / 1e3 + 6 - us) < 0.06 * us);
        n++;
    }
    fclose(f);
    assert_int_equal(n, 6);
    TimeWork       w = small;
    TimePrediction p;
    Timing         t;
    assert_true(timing_of(profile_find("g8600gt"), &t, NULL)); /* nobody has read it there */
    assert_true(time_predict(&t, &w, &p));
    w.link_read = 4;
    assert_false(time_predict(&t, &w, &p));
}

/* A unit of textures in each sub-core serves a lane a clock. */
static void textures_bound_what_fetches_much(void **state)
{
    (void)state;
    TimeWork w = small;
    w.texture  = 32 * 1.32e6; /* as many fetches */
    w.issued   = 1.32e6;
    assert_int_equal(predict(w).limiter, TIME_TEXTURE);
    assert_true(fabs(predict(w).part[TIME_TEXTURE] - 8 * 1e4) < 1);
}

static void waves_take_their_time(void **state)
{
    (void)state;
    TimeWork w = small;
    double   one, two;
    w.issued = w.pipe = 0;
    w.warp_clocks     = 1e5;
    w.blocks          = 8 * 132;
    one               = predict(w).part[TIME_LATENCY];
    w.blocks          = 16 * 132;
    two               = predict(w).part[TIME_LATENCY];
    assert_true(two > 1.99 * one && two < 2.01 * one);
}

/* Of 1320 blocks one works: its multiprocessor asks for all of it, and nobody else's blocks make it longer; or one of its warps does. */
static void few_blocks_may_have_all_the_work(void **state)
{
    (void)state;
    TimeWork w      = small;
    w.blocks        = 1320 * 8;
    w.shared_passes = w.l1_sectors = 1320;
    TimePrediction all             = predict(w);
    w.busy_blocks                  = 1;
    TimePrediction one             = predict(w);
    assert_true(one.part[TIME_SHARED] > 131 * all.part[TIME_SHARED]);
    assert_true(one.part[TIME_L1] > 131 * all.part[TIME_L1]);
    assert_true(one.part[TIME_ISSUE] == all.part[TIME_ISSUE]);
    assert_true(one.part[TIME_LATENCY] == 1000 && all.part[TIME_LATENCY] == 10000);
    w.busy_blocks = 0;
    assert_true(predict(w).part[TIME_LATENCY] == 10000);
    w.longest_warp = 20000;
    assert_true(predict(w).part[TIME_LATENCY] == 20000);
}

/* A block stays on its multiprocessor, and a warp on its sub-core. */
static void one_block_may_run_most_instructions(void **state)
{
    (void)state;
    TimeWork w = small;
    w.blocks   = 1320;
    w.warps    = 1320 * 8;
    w.issued   = 1320 * 1000;
    w.pipe     = 1320 * 1000;
    double all = predict(w).part[TIME_ISSUE], pipe = predict(w).part[TIME_PIPE];
    w.heaviest = 0.5;
    assert_true(predict(w).part[TIME_ISSUE] > 65 * all && predict(w).part[TIME_ISSUE] < 67 * all);
    assert_true(predict(w).part[TIME_PIPE] > 65 * pipe && predict(w).part[TIME_PIPE] < 67 * pipe);
    w.warps = 1320;
    assert_true(predict(w).part[TIME_ISSUE] > 260 * all);
    w.heaviest = 1e-6;
    assert_true(predict(w).part[TIME_ISSUE] == all);
}

static void warm_launches_keep_the_hosts_pace(void **state)
{
    (void)state;
    TimeWork w = small;
    Timing   timing, *t = &timing;
    assert_true(timing_of(profile_find(NULL), t, NULL));
    w.warm = true;
    assert_true(predict(w).ns == t->host_ns);
    w.dram_read = 1e9;
    double warm = predict(w).ns;
    w.warm      = false;
    assert_true(predict(w).ns - warm > t->cold_ns - 1 && predict(w).ns - warm < t->cold_ns + 1);
    w.blocks = 0;
    assert_true(predict(w).ns == 0);
}

static void cards_without_figures_are_not_known(void **state)
{
    (void)state;
    Timing      t;
    const char *lacks = "";
    assert_false(timing_of(profile_find("sm_120"), &t, &lacks));
    assert_null(lacks);
    assert_true(timing_of(profile_find("sm_90"), &t, NULL));
    assert_true(t.clock_mhz == 1980); /* the card's */
}

/* What adds nothing when it is unknown, and what is needed by launches that update words. */
static void figures_are_needed_where_they_are_used(void **state)
{
    (void)state;
    Timing         t;
    TimePrediction p;
    TimeWork       w = small;
    assert_true(timing_of(profile_find("m2090"), &t, NULL));
    assert_true(t.update_clocks == 0);
    assert_true(time_predict(&t, &w, &p));
    w.hottest = 1;
    assert_false(time_predict(&t, &w, &p));
    w.hottest       = 0;
    w.hottest_float = 1;
    assert_false(time_predict(&t, &w, &p));
    t.float_clocks = 3;
    assert_true(time_predict(&t, &w, &p));
}

/* Integers wait for their slice's turns, or for their word where the slices are not known; floating point also for its word. */
static void the_hottest_slice_bounds_atomics(void **state)
{
    (void)state;
    Timing         t;
    TimePrediction p;
    TimeWork       w = small;
    assert_true(timing_of(profile_find("h200"), &t, NULL));
    w.hottest     = 1e6;
    w.slice_turns = 4e6;
    assert_true(time_predict(&t, &w, &p));
    assert_int_equal(p.limiter, TIME_ATOMICS);
    assert_true(p.part[TIME_ATOMICS] == 4e6 * t.turn_clocks);
    w.slice_turns = 1e6; /* whole sectors: a turn each, which is less than a word alone takes */
    assert_true(time_predict(&t, &w, &p));
    assert_true(p.part[TIME_ATOMICS] == 1e6 * t.turn_clocks);
    w.hottest_float = 1e6;
    assert_true(time_predict(&t, &w, &p));
    assert_true(p.part[TIME_ATOMICS] == 1e6 * t.float_clocks);
    assert_true(time_gain(&t, &w, &(TimeMend){.turns = 0.5}) > 1.9);
    w.hottest_float = 0;
    t.turn_clocks   = 0;
    assert_true(time_predict(&t, &w, &p));
    assert_true(p.part[TIME_ATOMICS] == 1e6 * t.update_clocks);
}

/* Loads come down while stores go up; where the way up is not known, both are sectors of one way.  A sector's line costs as much as the sector. */
static void stores_go_a_way_of_their_own(void **state)
{
    (void)state;
    Timing         t;
    TimePrediction p;
    TimeWork       w = small;
    assert_true(timing_of(profile_find("h200"), &t, NULL));
    w.blocks = w.busy_blocks = 1; /* one multiprocessor */
    w.l2_sectors             = 3e4;
    w.stored = w.stored_lines = 1e4;
    assert_true(time_predict(&t, &w, &p));
    assert_true(p.part[TIME_L2] == 2e4 * 32 / t.store_bytes);
    w.stored_lines = 1;
    assert_true(time_predict(&t, &w, &p));
    assert_true(p.part[TIME_L2] == (1e4 + 1) * 32 / t.store_bytes); /* as many clocks as 2e4 sectors down, and one */
    w.stored = w.stored_lines = 0;
    assert_true(time_predict(&t, &w, &p));
    assert_true(p.part[TIME_L2] == 3e4 * 32 / t.port_bytes);
    w.stored = w.stored_lines = 1e4;
    t.store_bytes             = 0;
    assert_true(time_predict(&t, &w, &p));
    assert_true(p.part[TIME_L2] == 3e4 * 32 / t.port_bytes);
    assert_true(timing_of(profile_find("h200"), &t, NULL));
    w.stored = w.stored_lines = w.l2_sectors = 1e8; /* so much that all else is little: a mend that saves half of it */
    w.l1_sectors                             = 1e8;
    assert_true(time_gain(&t, &w, &(TimeMend){.sectors = 5e7}) > 1.9);
}

/* Half the issue rate, and passes of two clocks: the parts follow. */
static void older_cards_issue_and_pass_slower(void **state)
{
    (void)state;
    Timing         h200, m2090;
    TimePrediction a, b;
    TimeWork       w = small;
    w.shared_passes  = 1e6;
    assert_true(timing_of(profile_find("h200"), &h200, NULL) && timing_of(profile_find("m2090"), &m2090, NULL));
    assert_true(time_predict(&h200, &w, &a) && time_predict(&m2090, &w, &b));
    assert_true(b.part[TIME_ISSUE] == 4 * a.part[TIME_ISSUE]);
    assert_true(b.part[TIME_SHARED] == 2 * a.part[TIME_SHARED]);
}

/* What the first warps wait for, later ones find. */
static void once_is_not_for_each_round(void **state)
{
    (void)state;
    TimeWork w = small, x;
    w.blocks   = 132 * 80;
    x          = w;
    x.once     = 5000;
    assert_true(predict(x).part[TIME_LATENCY] == predict(w).part[TIME_LATENCY] + 5000);
}

static void a_mend_brings_what_it_takes_off(void **state)
{
    (void)state;
    Timing   t;
    TimeWork w = small;
    assert_true(timing_of(profile_find("h200"), &t, NULL));
    w.shared_passes    = 1e8;
    w.warps            = 1e5;
    w.warp_clocks      = 2000;
    TimeWork done      = w;
    done.shared_passes = 1e6;
    done.warp_clocks -= 990;
    TimePrediction a, b;
    assert_true(time_predict(&t, &w, &a) && time_predict(&t, &done, &b));
    double gain = time_gain(&t, &w, &(TimeMend){.passes = 9.9e7});
    assert_true(gain > 0.999 * a.ns / b.ns && gain < 1.001 * a.ns / b.ns && gain > 10);
    assert_true(time_gain(&t, &w, &(TimeMend){.sectors = 1e6}) == 1); /* nothing moves there */
    assert_true(time_gain(&t, &w, &(TimeMend){0}) == 1);
    w.hottest = 1e6;
    assert_true(time_gain(&t, &w, &(TimeMend){.turns = 0.5}) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cache_holds_sectors),
                                       cmocka_unit_test(no_cache_holds_nothing),
                                       cmocka_unit_test(the_largest_part_bounds),
                                       cmocka_unit_test(parts_overlap_in_part),
                                       cmocka_unit_test(without_l2_its_way_counts_once),
                                       cmocka_unit_test(memory_of_the_host_is_as_slow_as_it_was_read),
                                       cmocka_unit_test(textures_bound_what_fetches_much),
                                       cmocka_unit_test(waves_take_their_time),
                                       cmocka_unit_test(once_is_not_for_each_round),
                                       cmocka_unit_test(few_blocks_may_have_all_the_work),
                                       cmocka_unit_test(one_block_may_run_most_instructions),
                                       cmocka_unit_test(warm_launches_keep_the_hosts_pace),
                                       cmocka_unit_test(cards_without_figures_are_not_known),
                                       cmocka_unit_test(figures_are_needed_where_they_are_used),
                                       cmocka_unit_test(the_hottest_slice_bounds_atomics),
                                       cmocka_unit_test(stores_go_a_way_of_their_own),
                                       cmocka_unit_test(older_cards_issue_and_pass_slower),
                                       cmocka_unit_test(a_mend_brings_what_it_takes_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
