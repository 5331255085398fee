/* SPDX-License-Identifier: Apache-2.0
 *
 * Occupancy: figures of the CUDA occupancy calculator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/occupancy.h"

typedef struct Row {
    const char *profile;
    unsigned    threads, registers, shared;
    unsigned    blocks, warps;
    const char *limiter;
} Row;

static void launches_fit_as_the_calculator_says(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"sm_90", 256, 32, 0, 8, 64, NULL},
        {"sm_90", 1024, 32, 0, 2, 64, NULL},
        {"sm_90", 1024, 64, 0, 1, 32, "registers"},
        {"sm_90", 256, 128, 0, 2, 16, "registers"},
        {"sm_90", 256, 33, 0, 6, 48, "registers"}, /* 40, given by eights */
        {"sm_90", 64, 16, 48000, 4, 8, "shared memory"},
        {"sm_90", 64, 16, 49152, 4, 8, "shared memory"},
        {"sm_90", 32, 16, 0, 32, 32, "blocks"},
        {"sm_90", 768, 16, 0, 2, 48, "threads"},
        {"sm_90", 33, 16, 0, 32, 64, NULL}, /* two warps */
        {"sm_75", 256, 32, 0, 4, 32, NULL},
        {"sm_86", 128, 32, 0, 12, 48, NULL},
        {"sm_90", 256, 0, 0, 8, 64, NULL}, /* registers unknown: they limit nothing */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *r = &rows[i];
        Occupancy  o = occupancy_of(profile_find(r->profile)->arch, r->threads, r->registers, r->shared);
        assert_int_equal(o.blocks, r->blocks);
        assert_int_equal(o.warps, r->warps);
        if (r->limiter)
            assert_string_equal(o.limiter, r->limiter);
        else
            assert_null(o.limiter);
    }
}

static void a_block_that_does_not_fit_is_named(void **state)
{
    (void)state;
    Occupancy o = occupancy_of(profile_find("sm_90")->arch, 256, 32, 300000);
    assert_int_equal(o.blocks, 0);
    assert_string_equal(o.limiter, "shared memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_fit_as_the_calculator_says),
        cmocka_unit_test(a_block_that_does_not_fit_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
