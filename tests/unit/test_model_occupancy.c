/* SPDX-License-Identifier: Apache-2.0
 *
 * Occupancy: figures of the CUDA occupancy calculator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
        {"sm_90", 256, 0, 0, 8, 64, NULL},         /* registers unknown: they limit nothing */
        {"sm_90", 96, 40, 0, 16, 48, "registers"}, /* 51 warps' registers, which four parts give out: 48 */
        {"sm_90", 1024, 65, 0, 0, 0, "registers"}, /* 72, of which a block of 64 K registers has 56 for each */
        {"sm_90", 128, 256, 0, 0, 0, "registers"}, /* more than a thread can have */
        {"h200", 128, 32, 57345, 3, 12,
         "shared memory"}, /* more than 57 KiB with what the system keeps; 228 hold four of 57 */
        {"h200", 128, 32, 57344, 4, 16, "shared memory"},
        {"a100", 256, 32, 40960, 4, 32, "shared memory"},
        {"t4", 512, 32, 32768, 2, 32, NULL},
        {"t4", 512, 64, 0, 2, 32, NULL},
        {"t4", 512, 65, 0, 1, 16, "registers"},
        {"t4", 32, 16, 0, 16, 16, "blocks"},
        {"v100", 64, 32, 3000, 32, 64, NULL},
        {"rtx3090", 32, 16, 0, 16, 16, "blocks"},
        {"rtx4090", 32, 16, 0, 24, 24, "blocks"},
        {"rtx4090", 1024, 32, 0, 1, 32, "threads"},
        {"orin", 128, 32, 81920, 2, 8, "shared memory"},
        {"b200", 1024, 32, 0, 2, 64, NULL},
        {"rtx5090", 768, 32, 0, 2, 48, NULL},
        {"rtx5090", 128, 32, 101376, 1, 4, "shared memory"},
        {"p100", 96, 40, 0, 16, 48, "registers"}, /* two parts: 50 of the 51 warps, 16 blocks */
        {"p100", 32, 168, 0, 12, 12, "registers"},
        {"k40", 192, 32, 0, 10, 60, "threads"},
        {"k40", 256, 32, 12288, 4, 32, "shared memory"},
        /* examples of the calculators of the toolkits 2.3 and 3.0 */
        {"g8800gtx", 256, 10, 4096, 3, 24, NULL},
        {"g8800gtx", 256, 11, 4096, 2, 16, "registers"},
        {"g8800gtx", 64, 8, 2100, 6, 12, "shared memory"}, /* 2560 bytes */
        {"gtx280", 256, 16, 2048, 4, 32, NULL},
        {"gtx280", 96, 16, 0, 8, 24, "blocks"},
        {"gtx280", 96, 24, 0, 5, 15, "registers"}, /* three warps count as four: 3072 of 16384 */
        {"m2090", 192, 20, 0, 8, 48, NULL},
        {"m2090", 192, 21, 0, 7, 42, "registers"}, /* 672, given as 704: 46 warps */
        {"m2090", 256, 64, 0, 0, 0, "registers"},  /* a thread has 63 */
        {"g8800gtx", 513, 8, 0, 0, 0, "threads"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *r = &rows[i];
        Limits     l = limits_of(profile_find(r->profile));
        Occupancy  o = occupancy_of(&l, r->threads, r->registers, r->shared);
        if (o.blocks != r->blocks)
            print_error("%s, %u threads, %u registers, %u bytes\n", r->profile, r->threads, r->registers, r->shared);
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
    Limits    l = limits_of(NULL);
    Occupancy o = occupancy_of(&l, 256, 32, 300000);
    assert_int_equal(o.blocks, 0);
    assert_string_equal(o.limiter, "shared memory");
}

static void a_cooperative_launch_is_resident_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *profile;
        unsigned    threads, shared, most;
    } rows[] = {{"h200", 1024, 0, 264}, {"t4", 1024, 0, 40}, {"rtx5090", 1024, 0, 170}, {"orin", 256, 163840, 16}};
    char why[REFUSAL_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Limits l = limits_of(profile_find(rows[i].profile));
        assert_int_equal(occupancy_together(&l, rows[i].most, rows[i].threads, rows[i].shared, why), REFUSED_NOT);
        assert_int_equal(occupancy_together(&l, rows[i].most + 1, rows[i].threads, rows[i].shared, why),
                         REFUSED_TOO_LARGE);
        assert_non_null(strstr(why, "at once"));
    }
    assert_string_equal(refusal_error(REFUSED_TOO_LARGE), "cudaErrorCooperativeLaunchTooLarge");
}

static void shared_memory_for_so_many_blocks(void **state)
{
    (void)state;
    Limits h200 = limits_of(NULL), t4 = limits_of(profile_find("t4"));
    assert_int_equal(occupancy_shared_each(&h200, 1), 233472);
    assert_int_equal(occupancy_shared_each(&h200, 5), 46592); /* in units of 128 */
    assert_int_equal(occupancy_shared_each(&t4, 3), 21760);   /* of 256 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_fit_as_the_calculator_says),
        cmocka_unit_test(a_block_that_does_not_fit_is_named),
        cmocka_unit_test(a_cooperative_launch_is_resident_at_once),
        cmocka_unit_test(shared_memory_for_so_many_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
