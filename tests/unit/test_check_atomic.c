/* SPDX-License-Identifier: Apache-2.0
 *
 * Passes of shared atomics as the assembler makes them, against those read on an H200: every row of shared_atomics_h200.tsv exactly, but for the
 * loads in loops over 8 bytes, which may be one pass off (model/swaps.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/count/atomic.h"
#include "ptx/merge.h"

static const struct {
    const char *name;
    unsigned    role;
} roles[] = {{"swaps", MERGE_SWAPS}, {"compares", MERGE_COMPARES}, {"counts", MERGE_COUNTS}, {"scans", MERGE_SCANS}};

static ModelCost predicted(const char *name, ModelAccess *a)
{
    const Profile *p = profile_find("sm_90");
    ModelCost      c;
    model_access(p, a, &c);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strcmp(roles[i].name, name) == 0)
            return atomic_cost(p, roles[i].role, a, &c);
    fail_msg("role %s", name);
    return c;
}

static void passes_are_the_cards(void **state)
{
    (void)state;
    FILE    *f = fopen(WW_TEST_DATA "/golden/shared_atomics_h200.tsv", "r");
    char     line[1024], name[16];
    unsigned rows = 0, off = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        uint64_t    addr[MODEL_LANES];
        ModelAccess a = {.space = MODEL_SHARED, .op = MODEL_ATOM, .addr = addr};
        unsigned    rounds, passes, ideal, load, load_ideal;
        int         used = 0;
        if (sscanf(line, "%15s %u %x %u %u %u %u %u %n", name, &a.bytes, &a.mask, &rounds, &passes, &ideal, &load,
                   &load_ideal, &used) != 8)
            continue;
        char *at = line + used;
        for (int i = 0; i < MODEL_LANES; i++)
            addr[i] = a.bytes * strtoull(at, &at, 10);
        ModelCost c = predicted(name, &a);
        assert_int_equal(c.ideal_wavefronts, ideal + load_ideal);
        assert_int_equal(c.rounds, strcmp(name, "swaps") == 0 ? rounds : 0);
        if (c.wavefronts != passes + load) {
            assert_true(a.bytes == 8 && load && c.wavefronts + 1 == passes + load);
            off++;
        }
        rows++;
    }
    (void)fclose(f);
    assert_int_equal(rows, 120);
    assert_int_equal(off, 5);
}

/* One lane's share is the same whatever the others' words, and a warp that is not whole does not scan. */
static void one_lane_stands_for_all(void **state)
{
    (void)state;
    const Profile *p                 = profile_find("sm_90");
    uint64_t       addr[MODEL_LANES] = {0};
    ModelAccess    a                 = {MODEL_SHARED, MODEL_ATOM, MODEL_L1_AUTO, 8, 0xff, addr};
    ModelCost      c;
    model_access(p, &a, &c);
    assert_int_equal(atomic_cost(p, MERGE_LEADER | MERGE_SWAPS, &a, &c).wavefronts, 3);
    assert_int_equal(atomic_cost(p, MERGE_LEADER, &a, &c).wavefronts, 1);
    assert_int_equal(atomic_cost(p, MERGE_SCANS, &a, &c).wavefronts, 8);
    assert_int_equal(atomic_cost(p, 0, &a, &c).wavefronts, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_are_the_cards),
                                       cmocka_unit_test(one_lane_stands_for_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
