/* SPDX-License-Identifier: Apache-2.0
 *
 * Which lines of constants code reads: each once, those at unknown places up to the end of what there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "check/time/constants.h"

static const CubinFunc code = {.arguments = 528 + 4096, .constants = 1000};

static SassWord word(unsigned bank, unsigned offset, bool indexed)
{
    return (SassWord){
        .constant = true, .bank = (uint8_t)bank, .offset = (uint16_t)offset, .indexed = indexed, .constant_bytes = 8};
}

static void lines_count_once(void **state)
{
    (void)state;
    Constants c   = {0};
    SassWord  w[] = {word(3, 0, false), word(3, 248, false),   word(3, 256, false),
                     word(2, 0, false), word(2, 65528, false), {0}};
    for (unsigned i = 0; i < sizeof w / sizeof *w; i++)
        constants_add(&c, &w[i], 2);
    assert_int_equal((int)constants_others(&c, &code), 4);
    assert_int_equal((int)constants_arguments(&c, &code), 0);
    SassWord never = word(3, 512, false);
    constants_add(&c, &never, 0);
    assert_int_equal((int)constants_others(&c, &code), 4);
}

/* The first 768 bytes come with the launch. */
static void few_arguments_cost_nothing(void **state)
{
    (void)state;
    Constants c = {0};
    SassWord  w;
    for (unsigned at = 0; at < 528 + 4096; at += 8) {
        w = word(0, at, false);
        constants_add(&c, &w, 1);
        assert_int_equal((int)constants_arguments(&c, &code), at < 768 ? 0 : (int)at / 256 - 2);
    }
    assert_int_equal((int)constants_others(&c, &code), 0);
}

static void unknown_places_end_with_the_bank(void **state)
{
    (void)state;
    Constants c = {0};
    SassWord  w = word(3, 8, true);
    constants_add(&c, &w, 40); /* 320 bytes */
    assert_int_equal((int)constants_others(&c, &code), 2);
    constants_add(&c, &w, 1e9);
    assert_int_equal((int)constants_others(&c, &code), 4);
    assert_int_equal((int)constants_others(&c, &(CubinFunc){0}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_count_once), cmocka_unit_test(few_arguments_cost_nothing),
                                       cmocka_unit_test(unknown_places_end_with_the_bank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
