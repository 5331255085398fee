/* SPDX-License-Identifier: Apache-2.0
 *
 * The lab's kernels against counters read on an H200: every row of seeds_h200.tsv and
 * seeds_source_counters_h200.tsv, for the PTX of every compiler this build has.
 *
 * All columns are compared as they are: the counters of shared loads are those after the assembler's merging (ptx/merge.h), as the
 * card counts machine instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "tests/unit/lab_harness.h"

enum { MAX_ROWS = 200, MAX_COLUMNS = 16 };

typedef struct Golden {
    size_t    ncolumns, nrows;
    char      column[MAX_COLUMNS][64];
    char      kernel[MAX_ROWS][64];
    long long value[MAX_ROWS][MAX_COLUMNS]; /* column 0 is the kernel; a column that is not a number: -1 */
} Golden;

static Golden *read_golden(const char *path)
{
    Golden *g = calloc(1, sizeof *g);
    FILE   *f = fopen(path, "r");
    char    line[1024];
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#')
            continue;
        bool   head = g->ncolumns == 0;
        size_t i    = 0;
        for (char *save, *s = strtok_r(line, "\t", &save); s; s = strtok_r(NULL, "\t", &save), i++) {
            assert_true(i < MAX_COLUMNS && g->nrows < MAX_ROWS);
            if (head)
                snprintf(g->column[i], sizeof g->column[i], "%.63s", s);
            else if (i == 0)
                snprintf(g->kernel[g->nrows], sizeof g->kernel[0], "%.63s", s);
            else {
                char     *end;
                long long v           = strtoll(s, &end, 10);
                g->value[g->nrows][i] = *end ? -1 : v;
            }
        }
        if (head)
            g->ncolumns = i;
        else
            g->nrows++;
    }
    fclose(f);
    return g;
}

static long long counter(const WwCounters *c, const char *name)
{
    for (size_t i = 0; i < ww_counter_count(); i++)
        if (strcmp(ww_counter_name(i), name) == 0)
            return (long long)ww_counter_value(c, i);
    return -1;
}

/* Our counter that a golden column is compared with; NULL: none (machine instructions, the launch). */
static const char *ours(const char *column)
{
    static const char *const skip[] = {"launch", "inst_executed", "thread_inst_executed", "memory_l1_wavefronts_shared",
                                       "memory_l1_wavefronts_shared_ideal"};
    for (size_t i = 0; i < sizeof skip / sizeof skip[0]; i++)
        if (strcmp(column, skip[i]) == 0)
            return NULL;
    return column;
}

/* Runs one experiment at the golden file's size. */
static Lab *run_experiment(const char *name, const char *compiler)
{
    static const struct {
        const char *name;
        int64_t     m, n, k;
    } size[]     = {{"aat", 256, 0, 32},
                    {"matmul", 192, 128, 96},
                    {"copy", 0, 0, 0},
                    {"banks", 0, 0, 0},
                    {"intmatmul", 100, 53, 77}};
    LabOptions o = harness_options();
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        if (strcmp(size[i].name, name) == 0) {
            o.m = size[i].m;
            o.n = size[i].n;
            o.k = size[i].k;
        }
    o.compiler = compiler;
    return harness_run(&o, name);
}

static size_t compare_row(const Golden *g, size_t r, const LabRow *row)
{
    size_t compared = 0;
    for (size_t i = 1; i < g->ncolumns; i++) {
        const char *name = ours(g->column[i]);
        if (!name)
            continue;
        long long got = counter(&row->counters, name);
        if (got != g->value[r][i])
            print_error("%s (%s): %s is %lld, the card counted %lld\n", row->kernel, row->compiler, name, got,
                        g->value[r][i]);
        compared += got == g->value[r][i];
    }
    return compared;
}

/* Every row of the file must meet a verified row of the lab, and agree in all `each` compared columns. */
static void compare_file(const char *path, size_t each, size_t rows)
{
    Golden *g   = read_golden(path);
    size_t  met = 0, agree = 0, compilers = 0;
    for (size_t n = 0; kernel_compiler(n); n++) {
        const char *c = kernel_compiler(n), *only = getenv("WW_TEST_COMPILER"); /* of a store that is not the build's */
        if (only && strcmp(c, only) != 0)
            continue;
        compilers++;
        for (size_t e = 0; e < lab_experiment_count(); e++) {
            Lab *lab = run_experiment(lab_experiment_name(lab_experiment(e)), c);
            for (size_t i = 0; i < lab_row_count(lab); i++) {
                const LabRow *row = lab_row(lab, i);
                if (!row->verified)
                    print_error("%s (%s): %s\n", row->kernel, c, row->problem);
                for (size_t r = 0; r < g->nrows; r++)
                    if (strcmp(g->kernel[r], row->kernel) == 0 && row->verified) {
                        met++;
                        agree += compare_row(g, r, row);
                    }
            }
            lab_close(lab);
        }
    }
    assert_true(compilers > 0);
    assert_int_equal(g->nrows, rows);
    assert_int_equal(met, rows * compilers);
    assert_int_equal(agree, met * each);
    free(g);
}

static void test_counters(void **state)
{
    (void)state;
    compare_file(WW_TEST_DATA "/golden/seeds_h200.tsv", 10, 78);
}

static void test_source_counters(void **state)
{
    (void)state;
    compare_file(WW_TEST_DATA "/golden/seeds_source_counters_h200.tsv", 5, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_source_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
