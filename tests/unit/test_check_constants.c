/* SPDX-License-Identifier: Apache-2.0
 *
 * How long constants are waited for: each line once, those at unknown places up to the end of what there is; and beside an H100. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "check/time/constants.h"
#include "model/time.h"

enum { LINE = 1, FAR = 1000 }; /* clocks: both can be told from their sum */

static const CubinFunc code = {.arguments = 528 + 4096, .constants = 1000};

static SassWord word(unsigned bank, unsigned offset, bool indexed)
{
    return (SassWord){
        .constant = true, .bank = (uint8_t)bank, .offset = (uint16_t)offset, .indexed = indexed, .constant_bytes = 8};
}

static int waits(const Constants *c)
{
    return (int)constants_wait(c, &code, LINE, FAR);
}

static void lines_count_once(void **state)
{
    (void)state;
    Constants c   = {0};
    SassWord  w[] = {word(3, 0, false),
                     word(3, 56, false),
                     word(3, 248, false),
                     word(3, 256, false),
                     word(2, 0, false),
                     word(2, 65528, false),
                     {0}};
    for (unsigned i = 0; i < sizeof w / sizeof *w; i++)
        constants_add(&c, &w[i], 2);
    assert_int_equal(waits(&c), 3 * LINE + 2 * FAR);
    SassWord never = word(3, 512, false);
    constants_add(&c, &never, 0);
    assert_int_equal(waits(&c), 3 * LINE + 2 * FAR);
}

/* The first 768 bytes are there; others are near. */
static void arguments_come_with_the_launch(void **state)
{
    (void)state;
    Constants c = {0};
    SassWord  w;
    for (unsigned at = 0; at < 528 + 4096; at += 8) {
        w = word(0, at, false);
        constants_add(&c, &w, 1);
        assert_int_equal(waits(&c), at < 768 ? 0 : ((int)at / 64 - 11) * LINE);
    }
}

static void unknown_places_end_with_the_bank(void **state)
{
    (void)state;
    Constants c = {0};
    SassWord  w = word(3, 8, true);
    constants_add(&c, &w, 40); /* 320 bytes */
    assert_int_equal(waits(&c), 5 * LINE + 2 * FAR);
    constants_add(&c, &w, 1e9);
    assert_int_equal(waits(&c), 16 * LINE + 4 * FAR);
    assert_int_equal((int)constants_wait(&c, &(CubinFunc){0}, LINE, FAR), 0);
}

/* A chain of loads through constants that nobody has read; a load of what is near takes 34.5 clocks. */
static void chains_take_as_long_as_on_a_card(void **state)
{
    (void)state;
    Timing   t;
    FILE    *f = fopen(WW_TEST_DATA "/time/constants_h100.tsv", "r");
    char     line[256];
    unsigned cold, bytes, step, rows = 0;
    double   first, second;
    assert_non_null(f);
    assert_true(timing_of(profile_find("h100"), &t, NULL));
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%u %u %u %lf %lf", &cold, &bytes, &step, &first, &second) != 5 || !cold)
            continue;
        Constants c = {0};
        for (unsigned at = 0; at < bytes; at += step) {
            SassWord w = word(3, at, false);
            constants_add(&c, &w, 1);
        }
        double clocks = 34.5 + constants_wait(&c, &code, t.constant_line, t.constant_far) * step / bytes;
        double off    = bytes < 8192 ? 0.15 : 0.02;
        assert_true(clocks > (1 - off) * first && clocks < (1 + off) * first);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_count_once), cmocka_unit_test(arguments_come_with_the_launch),
        cmocka_unit_test(unknown_places_end_with_the_bank), cmocka_unit_test(chains_take_as_long_as_on_a_card)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
