/* SPDX-License-Identifier: Apache-2.0
 *
 * The access model against counters read on an H200: every row of patterns_h200.tsv and more_patterns_h200.tsv in
 * tests/data/golden, every counter, exactly.  And what model_movable says holds for them: moved by whole periods they cost
 * the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

typedef struct Row {
    char        name[64], space[16], op[16];
    ModelAccess access;
    uint64_t    addr[MODEL_LANES];
    long        want[4]; /* wavefronts, conflicts, requests, sectors; -1 = not a counter of the space */
} Row;

static ModelOp op_of(const char *s)
{
    static const char *const names[MODEL_OPS] = {"ld", "st", "atom", "red", "ldsm", "stsm"};
    for (int i = 0; i < MODEL_OPS; i++)
        if (strcmp(s, names[i]) == 0)
            return (ModelOp)i;
    fail_msg("operation %s", s);
    return MODEL_LD;
}

static void row_parse(const char *line, Row *r)
{
    char want[4][16];
    int  used = 0, n = sscanf(line, "%63s %15s %15s %u %x %15s %15s %15s %15s %n", r->name, r->space, r->op,
                              &r->access.bytes, &r->access.mask, want[0], want[1], want[2], want[3], &used);
    assert_int_equal(n, 9);
    for (int i = 0; i < 4; i++)
        r->want[i] = strcmp(want[i], "-") == 0 ? -1 : strtol(want[i], NULL, 10);
    char *at = (char *)(uintptr_t)line + used;
    for (int i = 0; i < MODEL_LANES; i++)
        r->addr[i] = strtoull(at, &at, 10);
    r->access.space = strcmp(r->space, "shared") == 0 ? MODEL_SHARED : MODEL_GLOBAL;
    r->access.op    = op_of(r->op);
    r->access.addr  = r->addr;
}

static int row_check(const Row *r)
{
    ModelCost c;
    model_access(profile_find("sm_90"), &r->access, &c);
    long got[4] = {-1, -1, -1, -1};
    if (r->access.space == MODEL_SHARED) {
        got[0] = c.wavefronts;
        got[1] = c.conflicts;
    } else {
        got[2] = c.requests;
        got[3] = c.sectors;
    }
    if (memcmp(got, r->want, sizeof got) == 0)
        return 0;
    print_error("%s %s %s %u: model %ld %ld %ld %ld, card %ld %ld %ld %ld\n", r->name, r->space, r->op, r->access.bytes,
                got[0], got[1], got[2], got[3], r->want[0], r->want[1], r->want[2], r->want[3]);
    return 1;
}

/* Calls check for each row of a file; returns the sum of what it says. */
static int each_row(const char *file, int rows, int (*check)(const Row *))
{
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    char line[1024];
    int  sum = 0;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || strncmp(line, "name\t", 5) == 0)
            continue;
        Row r;
        memset(&r, 0, sizeof r);
        row_parse(line, &r);
        sum += check(&r);
        rows--;
    }
    (void)fclose(f);
    assert_int_equal(rows, 0);
    return sum;
}

static const struct {
    const char *name;
    int         rows;
} files[] = {{WW_TEST_DATA "/golden/patterns_h200.tsv", 980}, {WW_TEST_DATA "/golden/more_patterns_h200.tsv", 1028}};

static void every_row_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(each_row(files[i].name, files[i].rows, row_check), 0);
}

/* 1 if the row may not be moved; fails if it may and yet costs something else elsewhere. */
static int row_move(const Row *r)
{
    const Profile *p = profile_find("sm_90");
    if (!model_movable(p, &r->access))
        return 1;
    ModelCost   here, there;
    uint64_t    addr[MODEL_LANES];
    ModelAccess moved = r->access;
    moved.addr        = addr;
    model_access(p, &r->access, &here);
    uint64_t period = model_period(p, moved.space, moved.op, moved.bytes);
    uint64_t step   = period > moved.bytes ? period : moved.bytes;
    for (uint64_t k = 1; k < 40; k++) {
        for (int i = 0; i < MODEL_LANES; i++)
            addr[i] = r->addr[i] + k * k * k * step;
        assert_true(model_movable(p, &moved));
        model_access(p, &moved, &there);
        assert_memory_equal(&here, &there, sizeof here);
    }
    return 0;
}

static void movable_rows_may_be_moved(void **state)
{
    (void)state;
    int fixed = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fixed += each_row(files[i].name, files[i].rows, row_move);
    assert_in_range(fixed, 1, 840); /* of the 853 global atomics, most of them random */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_exactly),
                                       cmocka_unit_test(movable_rows_may_be_moved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
