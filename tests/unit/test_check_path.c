/* SPDX-License-Identifier: Apache-2.0
 *
 * A warp's way through machine code: what it waits for, how often it goes round loops, and which branches its block waits for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/time/path.h"

enum { WORDS = 8, JUMP = 0x947, FAR = 700, NEAR = 20, STALL = 2 };

typedef struct Code {
    SassWord    word[WORDS];
    double      there[WORDS];
    PathStretch stretch[WORDS];
    PathInput   in;
} Code;

/* Every word is a stretch of its own that all of the 8 warps of 2 blocks run once, with a stall of STALL. */
static void plain(Code *c, size_t words)
{
    *c    = (Code){0};
    c->in = (PathInput){c->word, c->there, NULL, NULL, NULL, words, NEAR, c->stretch, words, 16, 2};
    for (size_t i = 0; i < words; i++) {
        c->word[i]    = (SassWord){.guard = 7, .stall = STALL, .writes = SASS_NO_BARRIER, .reads = SASS_NO_BARRIER};
        c->stretch[i] = (PathStretch){.first = i, .end = i + 1, .times = 16};
    }
}

/* Word `from` loads what comes after `clocks`, and word `to` waits for it. */
static void load(Code *c, size_t from, size_t to, double clocks)
{
    c->word[from].writes = 0;
    c->there[from]       = clocks;
    c->word[to].waits    = 1;
}

static void jump(Code *c, size_t from, size_t to)
{
    c->word[from].flow  = SASS_JUMP;
    c->word[from].op    = JUMP;
    c->word[from].guard = 0;
    c->word[from].jump  = (int64_t)to - (int64_t)from - 1;
}

static void times(Code *c, size_t from, size_t to, double n)
{
    for (size_t i = from; i <= to; i++)
        c->stretch[i].times = n;
}

static int clocks(const Code *c)
{
    return (int)(path_clocks(&c->in) + 0.5);
}

static void results_are_waited_for(void **state)
{
    (void)state;
    Code c;
    plain(&c, 4);
    assert_int_equal(clocks(&c), 4 * STALL);
    load(&c, 0, 3, FAR);
    assert_int_equal(clocks(&c), FAR + STALL);
    c.word[0].writes = SASS_NO_BARRIER; /* its sources were read */
    c.word[0].reads  = 0;
    assert_int_equal(clocks(&c), NEAR + STALL);
    c.word[2].name = "BAR";
    assert_true(clocks(&c) > NEAR + STALL);
}

/* L1 looks up a line a clock: of two accesses of 32 lines the second one's come behind the first one's, and what is issued later waits less. */
static void lines_take_turns(void **state)
{
    (void)state;
    Code   c;
    double lines[WORDS] = {32, 32};
    plain(&c, 4);
    load(&c, 0, 3, FAR);
    load(&c, 1, 3, FAR);
    assert_int_equal(clocks(&c), STALL + FAR + STALL);
    c.in.lines = lines;
    assert_int_equal(clocks(&c), FAR + 32 + STALL);
    c.word[0].stall = 12;
    assert_int_equal(clocks(&c), FAR + 32 + STALL);
    lines[0] = 1;
    assert_int_equal(clocks(&c), 12 + FAR + STALL);
}

/* Words 2 to 4 are the loop, which is run 10 times by each warp. */
static void looping(Code *c)
{
    plain(c, 6);
    jump(c, 4, 2);
    times(c, 2, 4, 160);
}

static void loops_wait_once_for_what_was_loaded_before(void **state)
{
    (void)state;
    Code c;
    looping(&c);
    assert_int_equal(clocks(&c), 3 * STALL + 30 * STALL);
    load(&c, 0, 3, FAR);
    assert_int_equal(clocks(&c), FAR + 30 * STALL); /* the words from the wait on; those before it are hidden */
    looping(&c);
    load(&c, 2, 3, FAR); /* in each round */
    assert_int_equal(clocks(&c), 10 * FAR + 23 * STALL);
    looping(&c);
    load(&c, 3, 2, FAR); /* in each but the first */
    assert_int_equal(clocks(&c), 9 * FAR + 15 * STALL);
    looping(&c);
    load(&c, 0, 5, 40); /* behind the loop: it came meanwhile */
    assert_int_equal(clocks(&c), 33 * STALL);
}

/* Words 4 and 5 are a routine that word 1 calls; it is walked there alone, and a load in it is waited for behind the call. */
static void routines_are_walked_where_they_are_called(void **state)
{
    (void)state;
    Code c;
    plain(&c, 6);
    c.stretch[4].called = c.stretch[5].called = true;
    assert_int_equal(clocks(&c), 4 * STALL);
    c.stretch[1].routine = 4;
    c.stretch[1].returns = 6;
    assert_int_equal(clocks(&c), 6 * STALL);
    load(&c, 5, 3, FAR);
    assert_int_equal(clocks(&c), FAR + 4 * STALL);
}

/* What parting lanes cost comes to a word's own stall, each time that control comes by. */
static void partings_take_longer(void **state)
{
    (void)state;
    Code   c;
    double parts[WORDS] = {0, 0, 0, 0, 20};
    looping(&c);
    c.in.parts = parts;
    assert_int_equal(clocks(&c), 33 * STALL + 10 * 20);
    double fetch[WORDS] = {
        0, 0, 0, 5, 1}; /* code that comes from afar: of one word of the loop, and one that stalls longer anyhow */
    c.in.fetch = fetch;
    assert_int_equal(clocks(&c), 33 * STALL + 10 * (20 + 5 - STALL));
}

static void loops_are_found(void **state)
{
    (void)state;
    Code   c;
    size_t end[WORDS];
    looping(&c);
    path_loops(&c.in, end);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(end[i], i == 2 ? 5 : 0);
}

/* Two loads set one barrier, and the first takes longer; a loop goes round as often as its end, where its beginning is for one warp alone. */
static void barriers_wait_for_all_and_loops_for_their_end(void **state)
{
    (void)state;
    Code c;
    plain(&c, 4);
    load(&c, 0, 3, FAR);
    load(&c, 1, 3, NEAR);
    assert_int_equal(clocks(&c), FAR + STALL);
    looping(&c);
    int all = clocks(&c);
    jump(&c, 2, 4);
    times(&c, 2, 2, 20);
    assert_int_equal(clocks(&c), all - 10 * STALL + 3); /* 2.5: one time in eight */
}

/* A loop of 10 rounds in one of 10 whose rounds wait for all; before the inner one stands an instruction that comes from where it ran once. */
static void what_was_moved_before_a_loop_says_not_how_often_it_is_entered(void **state)
{
    (void)state;
    Code c;
    plain(&c, 8);
    jump(&c, 4, 3);
    jump(&c, 6, 1);
    times(&c, 1, 6, 160);
    times(&c, 3, 4, 1600);
    c.stretch[2].times   = 16;
    c.word[5].name       = "BAR";
    int moved            = clocks(&c);
    c.stretch[3].entered = 160;
    assert_true(clocks(&c) > 10 * 10 * 2 * STALL && clocks(&c) < 1000);
    assert_true(moved > 3 * clocks(&c));
    c.stretch[3].entered = 1; /* no less than what leads there */
    assert_int_equal(clocks(&c), moved);
}

/* A loop that is entered as often as it runs goes round once: what it waits for counts each time. */
static void loops_of_one_round_are_entered_each_time(void **state)
{
    (void)state;
    Code c;
    plain(&c, 6);
    times(&c, 1, 4, 160);
    jump(&c, 4, 1);
    jump(&c, 3, 2); /* inside of it, and left at once */
    load(&c, 1, 2, FAR);
    assert_int_equal(clocks(&c), 10 * FAR + 2 * STALL + 30 * STALL);
}

/* Code that was put behind the end, and jumps back into the middle. */
static void ways_back_from_aside_are_no_loops(void **state)
{
    (void)state;
    Code c;
    plain(&c, 6);
    load(&c, 0, 2, FAR);
    jump(&c, 1, 4);
    c.word[3].flow = SASS_EXIT;
    times(&c, 4, 5, 0.16);
    jump(&c, 5, 2);
    c.word[5].guard = 7;
    assert_true(path_ends(&c.word[3]) && path_ends(&c.word[5]) && !path_ends(&c.word[1]));
    assert_int_equal(clocks(&c), FAR + 2 * STALL);
}

/* One warp of each block goes there, and the others wait; in a loop without a barrier it is one time in eight. */
static void blocks_wait_for_the_warp_that_branches(void **state)
{
    (void)state;
    Code c;
    plain(&c, 4);
    jump(&c, 0, 2);
    times(&c, 1, 1, 2);
    load(&c, 1, 1, 0);
    c.word[1].stall = 10;
    assert_int_equal(clocks(&c), 3 * STALL + 10);
    times(&c, 1, 1, 1); /* of every other block: half of the time */
    assert_int_equal(clocks(&c), 3 * STALL + 5);
    for (int barrier = 0; barrier < 2; barrier++) {
        looping(&c);
        jump(&c, 2, 4);
        times(&c, 3, 3, 20);
        c.word[3].stall = 10;
        c.word[4].name  = barrier ? "BAR" : NULL;
        int with        = clocks(&c);
        c.word[3].stall = 2;
        int without     = clocks(&c);
        assert_int_equal(with - without, barrier ? 80 : 10);
    }
    plain(&c, 4); /* of 1000 blocks one works, with all of its warps */
    c.in.warps  = 8000;
    c.in.blocks = 1;
    times(&c, 0, 0, 8000);
    times(&c, 1, 3, 8);
    assert_int_equal(clocks(&c), 4 * STALL);
}

/* Loops in loops, more than are walked twice, and a jump that leads nowhere. */
static void odd_code_takes_some_time(void **state)
{
    (void)state;
    static SassWord    word[200];
    static double      there[200];
    static PathStretch stretch[200];
    for (size_t i = 0; i < 200; i++) {
        word[i]    = (SassWord){.op = JUMP, .writes = SASS_NO_BARRIER, .reads = SASS_NO_BARRIER, .stall = 1};
        stretch[i] = (PathStretch){.first = i, .end = i + 1, .times = 16};
        if (i >= 100) { /* 100 to 99, 101 to 98, ... */
            word[i].flow = SASS_JUMP;
            word[i].jump = 2 * (100 - (int64_t)i) - 2;
        }
    }
    word[99].flow = SASS_JUMP;
    word[99].jump = INT64_MAX / 2;
    PathInput in  = {word, there, NULL, NULL, NULL, 200, NEAR, stretch, 200, 16, 2};
    assert_int_equal(path_clocks(&in), 200);
    for (size_t i = 0; i < 200; i++)
        stretch[i].times = 0;
    assert_int_equal(path_clocks(&in), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_waited_for),
        cmocka_unit_test(lines_take_turns),
        cmocka_unit_test(loops_wait_once_for_what_was_loaded_before),
        cmocka_unit_test(routines_are_walked_where_they_are_called),
        cmocka_unit_test(partings_take_longer),
        cmocka_unit_test(loops_are_found),
        cmocka_unit_test(barriers_wait_for_all_and_loops_for_their_end),
        cmocka_unit_test(loops_of_one_round_are_entered_each_time),
        cmocka_unit_test(what_was_moved_before_a_loop_says_not_how_often_it_is_entered),
        cmocka_unit_test(ways_back_from_aside_are_no_loops),
        cmocka_unit_test(blocks_wait_for_the_warp_that_branches),
        cmocka_unit_test(odd_code_takes_some_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
