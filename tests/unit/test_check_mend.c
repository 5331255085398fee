/* SPDX-License-Identifier: Apache-2.0
 *
 * Mends of bank conflicts: patterns written by hand, told to the counting observer, kept, replayed.  What a layout is promised
 * to cost is compared with what the counting observer counts for the same accesses under that layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "check/perf/mend.h"

enum { SITES = 8, BASE = 1024, TILE = 4096 };

typedef struct Kept {
    Observer      *count;
    Patterns      *patterns;
    void          *state;
    const Pattern *list[64];
    SharedUse      use;
} Kept;

static const Profile *h200(void)
{
    return profile_find("sm_90");
}

static void begin(Kept *k, bool keep)
{
    LaunchInfo info = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .instrs = SITES, .workers = 1};
    *k              = (Kept){.count = count_new(h200()), .patterns = patterns_new()};
    if (keep)
        count_tell(k->count, patterns_sink(k->patterns));
    k->state = k->count->fork(k->count, &info, 0);
}

static void end(Kept *k)
{
    k->count->join(k->count, k->state);
    size_t n = patterns_count(k->patterns);
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++)
        k->list[i] = patterns_at(k->patterns, i);
    k->use = (SharedUse){.offset = BASE, .bytes = TILE, .pattern = k->list, .n = n};
}

static void done(Kept *k)
{
    count_free(k->count);
    patterns_free(k->patterns);
}

/* Lane i of instruction `instr` at row * pitch + column * bytes of the tile, under a layout. */
static void tell(Kept *k, const Layout *l, uint32_t instr, AccessOp op, uint8_t bytes, uint32_t at, uint32_t stride)
{
    uint32_t off[LANES] __attribute__((aligned(64)));
    for (uint32_t i = 0; i < LANES; i++)
        off[i] = BASE + (uint32_t)layout_map(l, at + i * stride);
    Access a = {
        .instr = instr, .space = ACCESS_SHARED, .op = (uint8_t)op, .bytes = bytes, .mask = UINT32_MAX, .off = off};
    k->count->access(k->state, &a);
}

/* A transposing tile of 32 x 32 floats: rows are written, columns read, three times. */
static void transpose(Kept *k, const Layout *l, bool keep)
{
    begin(k, keep);
    for (uint32_t n = 0; n < 3; n++)
        for (uint32_t r = 0; r < 32; r++) {
            tell(k, l, 0, ACCESS_ST, 4, r * 128, 4);
            tell(k, l, 1, ACCESS_LD, 4, r * 4, 128);
        }
    end(k);
}

static uint64_t counted(Kept *k)
{
    const WwCounters *c = count_total(k->count);
    return c->shared_ld_bank_conflicts + c->shared_st_bank_conflicts;
}

static void column_reads_want_one_more_float(void **state)
{
    (void)state;
    Kept     k, again;
    BankMend pad, swizzle;
    transpose(&k, &(Layout){0}, true);
    assert_int_equal(counted(&k), 3 * 32 * 31);
    assert_int_equal(mend_banks(h200(), &k.use, &pad, &swizzle), 3);
    assert_int_equal(pad.before.conflicts, 3 * 32 * 31);
    assert_int_equal(pad.after.conflicts, 0);
    assert_int_equal(pad.layout.pitch, 128);
    assert_int_equal(pad.layout.pad, 4);
    assert_int_equal(pad.cost, 128);
    assert_int_equal(pad.unit, 4);
    assert_int_equal(swizzle.after.conflicts, 0);
    assert_int_equal(swizzle.cost, 0);
    transpose(&again, &pad.layout, false);
    assert_int_equal(counted(&again), pad.after.conflicts);
    done(&again);
    transpose(&again, &swizzle.layout, false);
    assert_int_equal(counted(&again), 0);
    done(&again);
    done(&k);
}

static void promise_holds(const Kept *k, const Layout *l)
{
    BankCost c;
    Kept     other;
    assert_true(mend_replay(h200(), &k->use, l, &c));
    transpose(&other, l, false);
    assert_int_equal(c.conflicts, counted(&other));
    assert_int_equal(c.passes, count_total(other.count)->memory_l1_wavefronts_shared);
    done(&other);
}

/* Every layout's promise, also of those that leave conflicts, is what the counting observer counts; a swizzle of shift 2 repeats only
 * behind the variable's end. */
static void replay_counts_what_the_observer_counts(void **state)
{
    (void)state;
    Kept k;
    transpose(&k, &(Layout){0}, true);
    for (uint32_t pad = 0; pad <= 128; pad += 4)
        promise_holds(&k, &(Layout){.pitch = 128, .pad = pad});
    for (uint32_t shift = 0; shift < 3; shift++)
        promise_holds(&k, &(Layout){.pitch = 128, .unit = 4, .shift = shift, .mask = 31});
    done(&k);
}

/* Rows are written 16 bytes a lane, so only paddings of 16 bytes keep them aligned. */
static void wide_accesses_keep_their_alignment(void **state)
{
    (void)state;
    Kept     k;
    BankMend pad, swizzle;
    begin(&k, true);
    for (uint32_t r = 0; r < 8; r++)
        tell(&k, &(Layout){0}, 0, ACCESS_ST, 16, r * 512, 16);
    for (uint32_t c = 0; c < 32; c++)
        tell(&k, &(Layout){0}, 1, ACCESS_LD, 4, c * 4, 128);
    end(&k);
    assert_int_equal(mend_banks(h200(), &k.use, &pad, &swizzle) & 1, 1);
    assert_int_equal(pad.layout.pad % 16, 0);
    assert_true(pad.after.conflicts < pad.before.conflicts);
    BankCost c;
    assert_false(mend_replay(h200(), &k.use, &(Layout){.pitch = 128, .pad = 4}, &c));
    done(&k);
}

static void nothing_is_offered_without_conflicts(void **state)
{
    (void)state;
    Kept     k;
    BankMend pad, swizzle;
    begin(&k, true);
    for (uint32_t r = 0; r < 32; r++) {
        tell(&k, &(Layout){0}, 0, ACCESS_ST, 4, r * 128, 4);
        tell(&k, &(Layout){0}, 1, ACCESS_LD, 4, r * 128, 0);
    }
    end(&k);
    assert_int_equal(mend_banks(h200(), &k.use, &pad, &swizzle), 0);
    done(&k);
}

/* All lanes add to one word: no layout of the rows helps. */
static void nothing_is_offered_that_does_not_help(void **state)
{
    (void)state;
    Kept     k;
    BankMend pad, swizzle;
    begin(&k, true);
    for (uint32_t r = 0; r < 32; r++)
        tell(&k, &(Layout){0}, 0, ACCESS_ATOM, 4, r * 4, 0);
    end(&k);
    assert_int_equal(mend_banks(h200(), &k.use, &pad, &swizzle), 0);
    done(&k);
}

static void an_instruction_of_many_patterns_is_wild(void **state)
{
    (void)state;
    Kept k;
    begin(&k, true);
    for (uint32_t r = 0; r <= PATTERN_MOST; r++)
        tell(&k, &(Layout){0}, 0, ACCESS_LD, 4, 0, 4 * r);
    tell(&k, &(Layout){0}, 1, ACCESS_LD, 4, 0, 4);
    k.count->join(k.count, k.state);
    assert_int_equal(patterns_count(k.patterns), 1);
    assert_true(patterns_wild(k.patterns, 0));
    assert_false(patterns_wild(k.patterns, 1));
    done(&k);
}

/* The memo forgets a pattern when others push it out; what was told in pieces is one pattern again. */
static void forgotten_patterns_are_whole(void **state)
{
    (void)state;
    Kept k;
    begin(&k, true);
    for (uint32_t n = 0; n < 4; n++)
        for (uint32_t r = 1; r <= 20; r++)
            tell(&k, &(Layout){0}, 0, ACCESS_LD, 4, 4 * n, 4 * r);
    end(&k);
    assert_int_equal(k.use.n, 20);
    for (size_t i = 0; i < k.use.n; i++) {
        assert_int_equal(k.list[i]->total, 4);
        assert_int_equal(k.list[i]->first, BASE / 4);
        assert_int_equal(k.list[i]->places, 4);
    }
    done(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_reads_want_one_more_float),
        cmocka_unit_test(replay_counts_what_the_observer_counts),
        cmocka_unit_test(wide_accesses_keep_their_alignment),
        cmocka_unit_test(nothing_is_offered_without_conflicts),
        cmocka_unit_test(nothing_is_offered_that_does_not_help),
        cmocka_unit_test(an_instruction_of_many_patterns_is_wild),
        cmocka_unit_test(forgotten_patterns_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
