/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of a launch under profiles of every generation: the largest that is taken, and the next, which is refused with the card's error
 * and the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/limits.h"

typedef struct Row {
    const char *profile;
    unsigned    threads, shared, cluster; /* the most */
    uint32_t    grid_x, grid_z;
    unsigned    sms, cc;
    const char *name; /* of the card */
} Row;

/* The default, six cards, and architectures that stand for a card. */
static const Row rows[] = {
    {NULL, 1024, 232448, 16, 2147483647, 65535, 132, 90, "h200"},
    {"h200", 1024, 232448, 16, 2147483647, 65535, 132, 90, "h200"},
    {"g8800gtx", 512, 16384, 0, 65535, 1, 16, 10, "g8800gtx"},
    {"gtx280", 512, 16384, 0, 65535, 1, 30, 13, "gtx280"},
    {"m2090", 1024, 49152, 0, 65535, 65535, 16, 20, "m2090"},
    {"k40", 1024, 49152, 0, 2147483647, 65535, 15, 35, "k40"},
    {"p100", 1024, 49152, 0, 2147483647, 65535, 56, 60, "p100"},
    {"v100", 1024, 98304, 0, 2147483647, 65535, 80, 70, "v100"},
    {"t4", 1024, 65536, 0, 2147483647, 65535, 40, 75, "t4"},
    {"a100", 1024, 166912, 0, 2147483647, 65535, 108, 80, "a100"},
    {"a10", 1024, 101376, 0, 2147483647, 65535, 72, 86, "a10"},
    {"orin", 1024, 166912, 0, 2147483647, 65535, 16, 87, "orin"},
    {"l4", 1024, 101376, 0, 2147483647, 65535, 58, 89, "l4"},
    {"l40", 1024, 101376, 0, 2147483647, 65535, 142, 89, "l40"},
    {"rtx4060", 1024, 101376, 0, 2147483647, 65535, 24, 89, "rtx4060"},
    {"b200", 1024, 232448, 16, 2147483647, 65535, 148, 100, "b200"},
    {"rtx5090", 1024, 101376, 8, 2147483647, 65535, 170, 120, "rtx5090"},
    {"sm_10", 512, 16384, 0, 65535, 1, 16, 10, "g8800gtx"},
    {"sm_75", 1024, 65536, 0, 2147483647, 65535, 40, 75, "t4"},
    {"sm_120", 1024, 101376, 8, 2147483647, 65535, 170, 120, "rtx5090"},
};

#define FOR_EACH_ROW(r) for (const Row *r = rows; r < rows + sizeof rows / sizeof *rows; r++)

static Refusal grid(const Limits *l, uint32_t gx, uint32_t gz, uint32_t bx, uint32_t by, char *why)
{
    return limits_grid(l, (uint32_t[]){gx, 1, gz}, (uint32_t[]){bx, by, 1}, why);
}

static void the_largest_launch_is_taken(void **state)
{
    (void)state;
    char why[REFUSAL_TEXT];
    FOR_EACH_ROW(r)
    {
        Limits l = limits_of(r->profile ? profile_find(r->profile) : NULL);
        assert_int_equal(grid(&l, r->grid_x, r->grid_z, r->threads, 1, why), REFUSED_NOT);
        assert_int_equal(grid(&l, 1, 1, 32, r->threads / 32, why), REFUSED_NOT);
        assert_int_equal(limits_shared(&l, 100, r->shared - 100, why), REFUSED_NOT);
        if (r->cluster)
            assert_int_equal(limits_cluster(&l, (uint32_t[]){r->cluster, 1, 1}, why), REFUSED_NOT);
        assert_int_equal(l.card->sms, r->sms);
        assert_int_equal(l.cc, r->cc);
        assert_string_equal(l.card->name, r->name);
    }
}

static void the_next_is_refused(void **state)
{
    (void)state;
    char why[REFUSAL_TEXT], want[REFUSAL_TEXT];
    FOR_EACH_ROW(r)
    {
        Limits l = limits_of(r->profile ? profile_find(r->profile) : NULL);
        assert_int_equal(grid(&l, 1, 1, r->threads + 1, 1, why), REFUSED_CONFIGURATION);
        snprintf(want, sizeof want, "%u threads a block, this card takes %u", r->threads + 1, r->threads);
        assert_string_equal(why, want);
        assert_int_equal(grid(&l, 1, 1, 64, 17, why), REFUSED_CONFIGURATION);
        assert_int_equal(grid(&l, r->grid_x + 1, 1, 1, 1, why), REFUSED_CONFIGURATION);
        assert_int_equal(grid(&l, 1, r->grid_z + 1, 1, 1, why), REFUSED_CONFIGURATION);
        snprintf(want, sizeof want, "grid.z is %u; it must be 1 to %u", r->grid_z + 1, r->grid_z);
        assert_string_equal(why, want);
        assert_int_equal(limits_shared(&l, 100, r->shared - 99, why), REFUSED_VALUE);
        snprintf(want, sizeof want, "this card takes %u", r->shared);
        assert_non_null(strstr(why, want));
        assert_int_equal(limits_cluster(&l, (uint32_t[]){r->cluster + 1, 1, 1}, why), REFUSED_CLUSTER);
        assert_non_null(strstr(why, r->cluster ? "this card takes" : "this card has no clusters"));
    }
}

static void sides_and_zeros_are_refused(void **state)
{
    (void)state;
    Limits l = limits_of(NULL);
    char   why[REFUSAL_TEXT];
    assert_int_equal(limits_grid(&l, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 65}, why), REFUSED_CONFIGURATION);
    assert_string_equal(why, "block.z is 65; it must be 1 to 64");
    assert_int_equal(grid(&l, 0, 1, 1, 1, why), REFUSED_CONFIGURATION);
    assert_int_equal(grid(&l, 1, 1, 0, 1, why), REFUSED_CONFIGURATION);
    assert_int_equal(limits_grid(&l, (uint32_t[]){1, 1, 1}, (uint32_t[]){1u << 31, 1u << 31, 4}, why),
                     REFUSED_CONFIGURATION); /* the product is not a number of 64 bits */
    assert_string_equal(refusal_error(REFUSED_CONFIGURATION), "cudaErrorInvalidConfiguration");
    assert_string_equal(refusal_error(REFUSED_VALUE), "cudaErrorInvalidValue");
    assert_string_equal(refusal_error(REFUSED_CLUSTER), "cudaErrorInvalidClusterSize");
    assert_null(refusal_error(REFUSED_NOT));
}

/* Every row can be used: an architecture's card is one of it, and what is divided by is not 0. */
static void every_profile_has_limits(void **state)
{
    (void)state;
    const Profile *p;
    for (size_t i = 0; (p = profile_at(i)); i++) {
        Limits l = limits_of(p);
        assert_non_null(l.card);
        assert_int_equal(l.card->arch->cc, p->arch->cc);
        assert_int_equal(l.cc, p->arch->cc);
        assert_true(l.card->sms && l.card->memory_mib && l.card->bus_bits);
        assert_true(l.warp_unit && l.register_unit && l.shared_unit);
        assert_true(l.block_shared <= l.block_shared_most && l.block_shared_most + l.block_shared_kept <= l.sm_shared);
        assert_true(l.block_threads <= l.sm_threads && l.cluster_portable <= l.cluster);
        assert_true(l.cluster <= 16); /* what the emulator has room for */
        assert_true(limits_memory(&l) <= (uint64_t)l.card->memory_mib << 20);
    }
}

/* Twice the clock for each bit of the bus is the bandwidth that the data sheets round. */
static void a_cards_memory_figures_agree(void **state)
{
    (void)state;
    const Profile *p;
    for (size_t i = 0; (p = profile_at(i)); i++) {
        double gbs = 2.0 * p->memory_mhz * p->bus_bits / 8 / 1000;
        if (!(gbs <= 1.05 * p->memory_gbs && gbs >= 0.95 * p->memory_gbs))
            fail_msg("%s: %.0f GB/s by its bus, %u in its row", p->name, gbs, p->memory_gbs);
    }
}

/* What cuOccupancyMaxActiveClusters says of an H200 (blas/predict.c has the whole table). */
static void clusters_on_a_card(void **state)
{
    (void)state;
    Limits h200 = limits_of(NULL), b200 = limits_of(profile_find("b200"));
    assert_int_equal(limits_clusters(&h200, 1, 1), 132);
    assert_int_equal(limits_clusters(&h200, 2, 1), 66);
    assert_int_equal(limits_clusters(&h200, 8, 1), 15);
    assert_int_equal(limits_clusters(&h200, 16, 1), 7);
    assert_int_equal(limits_clusters(&b200, 2, 1), 74);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_launch_is_taken), cmocka_unit_test(the_next_is_refused),
        cmocka_unit_test(sides_and_zeros_are_refused), cmocka_unit_test(every_profile_has_limits),
        cmocka_unit_test(clusters_on_a_card),          cmocka_unit_test(a_cards_memory_figures_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
