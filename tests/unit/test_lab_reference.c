/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lab's verdicts stand on: host references against the plainest loops, inputs that repeat, and a comparison
 * that lets no wrong result pass (a missing product, a NaN, an element nobody wrote, a write between rows).  And the
 * table of embedded kernels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernels.h"
#include "lab/gemm.h"
#include "lab/inputs.h"
#include "lab/reference.h"

static void test_product(void **state)
{
    static const size_t shape[][3] = {{1, 1, 1}, {5, 3, 7}, {67, 9, 33}, {4, 4, 4}, {130, 31, 2}};
    (void)state;
    for (size_t s = 0; s < sizeof shape / sizeof shape[0]; s++) {
        size_t  m = shape[s][0], n = shape[s][1], k = shape[s][2];
        float  *a = malloc(m * k * sizeof *a), *b = malloc(k * n * sizeof *b);
        double *c    = malloc(m * n * sizeof *c);
        size_t *rows = malloc(m * sizeof *rows);
        inputs_unit(a, m * k, s, 1);
        inputs_unit(b, k * n, s, 2);
        for (size_t i = 0; i < m; i++)
            rows[i] = m - 1 - i; /* any order of rows */
        reference_product(c, a, b, rows, m, n, k);
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) {
                double want = 0;
                for (size_t l = 0; l < k; l++)
                    want += (double)a[rows[i] * k + l] * (double)b[l * n + j];
                assert_true(fabs(c[i * n + j] - want) <= 1e-12);
            }
        free(a);
        free(b);
        free(c);
        free(rows);
    }
}

static void test_product_int(void **state)
{
    enum { M = 5, N = 7, K = 3 };
    uint32_t a[M * N], b[N * K], c[M * K];
    (void)state;
    inputs_bits(a, M * N, 1, 1);
    inputs_bits(b, N * K, 1, 2);
    reference_product_int(c, a, b, M, N, K);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < K; j++) {
            uint64_t want = 0;
            for (size_t l = 0; l < N; l++)
                want += (uint64_t)a[i * N + l] * b[l * K + j];
            assert_int_equal(c[i * K + j], (uint32_t)want);
        }
}

static void test_inputs(void **state)
{
    float  v[4096], again[4096];
    double sum = 0;
    (void)state;
    inputs_unit(v, 4096, 7, 1);
    inputs_unit(again, 4096, 7, 1);
    assert_memory_equal(v, again, sizeof v);
    inputs_unit(again, 4096, 8, 1);
    assert_memory_not_equal(v, again, sizeof v);
    inputs_unit(again, 4096, 7, 2);
    assert_memory_not_equal(v, again, sizeof v);
    for (size_t i = 0; i < 4096; i++) {
        assert_true(v[i] >= -1 && v[i] < 1);
        sum += (double)v[i];
    }
    assert_true(fabs(sum) < 200); /* about 37 is expected */
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

enum { M = 20, N = 9, K = 33, LDC = 12 };

/* Verifies a right result with one change; gives the problem, or NULL. */
static bool passes(Lab *lab, const Gemm *g, float *c)
{
    LabRow     row    = {.verified = true};
    GemmResult result = {g, c, LDC};
    gemm_verify(lab, NULL, &row, &result);
    assert_int_equal(row.checked, M * N);
    assert_true(row.verified == (row.problem == NULL));
    return row.verified;
}

static void right_result(const Gemm *g, float *c)
{
    memset(c, LAB_POISON, M * LDC * sizeof *c);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            c[i * LDC + j] = (float)g->want[i * N + j];
}

static void test_verdict(void **state)
{
    Lab    lab = {.arena = arena_new(), .opt = lab_defaults()};
    LabRow row = {.verified = true};
    float  c[M * LDC];
    (void)state;
    const Gemm *g = gemm_get(&lab, &row, M, N, K, false);
    assert_non_null(g);
    assert_ptr_equal(g, gemm_get(&lab, &row, M, N, K, false)); /* kept */
    right_result(g, c);
    assert_true(passes(&lab, g, c));
    for (size_t l = 0; l < K; l++) { /* a missing product, unless it is below the rounding of the rest */
        right_result(g, c);
        float p = g->a[7 * K + l] * g->b[l * N + 3];
        c[7 * LDC + 3] -= p;
        assert_true(fabsf(p) < 1e-3f || !passes(&lab, g, c));
    }
    right_result(g, c);
    c[19 * LDC + 8] = NAN;
    assert_false(passes(&lab, g, c));
    right_result(g, c);
    memset(&c[0], LAB_POISON, sizeof c[0]);
    assert_false(passes(&lab, g, c));
    right_result(g, c);
    c[5 * LDC + N] = 0;
    assert_false(passes(&lab, g, c));
    right_result(g, c);
    c[4 * LDC + 4] = INFINITY;
    assert_false(passes(&lab, g, c));
    gemm_free(lab.gemm);
    arena_free(lab.arena);
}

static void test_nan_sticks(void **state)
{
    LabRow row = {0};
    (void)state;
    lab_raise_error(&row, 1);
    lab_raise_error(&row, 0.5);
    assert_true(row.max_error == 1);
    lab_raise_error(&row, NAN);
    lab_raise_error(&row, 2);
    assert_true(isnan(row.max_error));
}

/* ---- the embedded kernels ---------------------------------------------------------------------------------------- */

static void test_kernels_built(void **state)
{
    (void)state;
    assert_non_null(kernel_compiler(0));
    for (size_t c = 0; kernel_compiler(c); c++)
        for (size_t i = 0; i < kernel_count(); i++) {
            const KernelEntry *e = kernel_entry(i);
            const KernelText  *t = kernel_text(e, kernel_compiler(c));
            char               entry[128], file[128];
            if (!t && c > 0)
                continue; /* for a newer GPU: the first compiler's alone */
            assert_non_null(t);
            if (!t->data)
                fail_msg("%s: %s", e->file, t->reason);
            snprintf(entry, sizeof entry, ".entry %s(", e->name);
            snprintf(file, sizeof file, ".file\t1 \"%s\"", e->file); /* relative, whatever tree it was built in */
            char *ptx = kernel_ptx(t);
            assert_int_equal(strlen(ptx), t->len);
            assert_non_null(strstr(ptx, entry));
            assert_non_null(strstr(ptx, file));
            assert_non_null(strstr(ptx, "\t.loc\t"));
            free(ptx);
        }
    assert_null(kernel_find("no_such_kernel"));
    assert_null(kernel_text(kernel_entry(0), "no_such_compiler"));
}

/* Every kernel belongs to an experiment that lists its folder, or to the matrix library. */
static void test_kernels_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < kernel_count(); i++) {
        const char *file = kernel_entry(i)->file;
        bool        listed =
            strstr(file, "/gemm/") || strstr(file, "/long/") || strstr(file, "/peak/"); /* the matrix library's */
        for (size_t e = 0; e < lab_experiment_count(); e++)
            for (size_t f = 0; lab_experiment_family(lab_experiment(e), f); f++) {
                const char *family = lab_experiment_family(lab_experiment(e), f);
                listed             = listed || strncmp(file, family, strlen(family)) == 0;
            }
        assert_true(listed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),        cmocka_unit_test(test_product_int), cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_verdict),        cmocka_unit_test(test_nan_sticks),  cmocka_unit_test(test_kernels_built),
        cmocka_unit_test(test_kernels_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
