/* SPDX-License-Identifier: Apache-2.0
 *
 * How often the pieces run that the assembler made of a loop: unrolled ones, what is left for single rounds, what it moved out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check/time/copies.h"

enum { WORDS = 1024, GROUPS = 4, LOADS = 4, ENTERED = 10 };

typedef struct Case {
    CopyWord  word[WORDS];
    size_t    words;
    CopyBlock block;
    bool      loop[GROUPS];
} Case;

/* The block has LOADS loads and as many other instructions, of which a machine has fewer: copies are not counted by those. */
static void piece(Case *c, uint32_t group, bool loop, unsigned copies)
{
    c->loop[group] = loop;
    for (unsigned k = 0; k < copies; k++)
        for (uint32_t i = 0; i < LOADS; i++)
            c->word[c->words++] = (CopyWord){.line = i, .group = group, .op = 1, .anchor = true};
    c->word[c->words++] = (CopyWord){.line = LOADS, .group = group, .op = 2};
}

/* Times that each piece runs, of a loop that goes round so often. */
static void expect(Case *c, double rounds, const double *times)
{
    Copy *list;
    c->block = (CopyBlock){ENTERED * rounds, ENTERED};
    size_t n = copies_find(&(CopyInput){c->word, c->words, &c->block, c->loop}, &list);
    for (uint32_t g = 0; g < n; g++) {
        const Copy *found = copies_of(list, n, 0, g);
        assert_non_null(found);
        assert_int_equal((int)(1000 * found->times + 0.5), (int)(1000 * ENTERED * times[g] + 0.5));
    }
    assert_null(copies_of(list, n, 0, (uint32_t)n));
    assert_null(copies_of(list, n, 1, 0));
    free(list);
}

static void long_pieces_go_first(void **state)
{
    (void)state;
    Case c = {0};
    piece(&c, 0, true, 16);
    piece(&c, 1, false, 8);
    piece(&c, 2, false, 4);
    piece(&c, 3, true, 1);
    expect(&c, 5, (double[]){0, 0, 1, 1});
    expect(&c, 45, (double[]){2, 1, 1, 1});
    expect(&c, 15.5, (double[]){0, 1, 1, 3.5});
    expect(&c, 1, (double[]){0, 0, 0, 1});
}

static void a_loop_alone_takes_all(void **state)
{
    (void)state;
    Case c = {0};
    piece(&c, 0, true, 4);
    expect(&c, 10, (double[]){2.5});
    c = (Case){0};
    piece(&c, 0, false, 3); /* no loop is left */
    expect(&c, 3, (double[]){1});
    expect(&c, 6, (double[]){2}); /* of loops around it more than are known */
}

/* However many: straight code that was a loop of two hundred rounds. */
static void all_rounds_may_be_written_out(void **state)
{
    (void)state;
    Case c = {0};
    piece(&c, 0, false, 200);
    expect(&c, 200, (double[]){1});
}

static void first_rounds_stand_before_a_loop(void **state)
{
    (void)state;
    Case c = {0};
    piece(&c, 0, false, 1);
    piece(&c, 1, true, 1);
    expect(&c, 7, (double[]){1, 6});
    expect(&c, 1, (double[]){1, 0});
}

static void loops_alike_share(void **state)
{
    (void)state;
    Case c = {0};
    piece(&c, 0, true, 1);
    piece(&c, 1, true, 1);
    expect(&c, 8, (double[]){4, 4});
}

/* What was moved out of the loop runs once each time. */
static void a_part_is_no_copy(void **state)
{
    (void)state;
    Case c = {0};
    piece(&c, 1, true, 2);
    c.word[c.words++] = (CopyWord){.line = 0, .group = 0, .op = 1, .anchor = true};
    expect(&c, 6, (double[]){1, 3});
}

/* Integers alone: all words count. */
static void without_loads_all_words_count(void **state)
{
    (void)state;
    Case c = {0};
    for (uint32_t i = 0; i < 12; i++)
        c.word[c.words++] = (CopyWord){.line = i % 3, .group = 0, .op = i % 3};
    c.loop[0] = true;
    expect(&c, 8, (double[]){2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_pieces_go_first),
                                       cmocka_unit_test(a_loop_alone_takes_all),
                                       cmocka_unit_test(all_rounds_may_be_written_out),
                                       cmocka_unit_test(first_rounds_stand_before_a_loop),
                                       cmocka_unit_test(loops_alike_share),
                                       cmocka_unit_test(a_part_is_no_copy),
                                       cmocka_unit_test(without_loads_all_words_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
