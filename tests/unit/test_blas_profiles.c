/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix library under the profiles of other cards: it chooses among the kernels that the card can launch, or says what it cannot. */
#include "blas_fixture.h"

#include <stdio.h>

#include "blas/blas.h"

typedef struct Size {
    size_t m, n, k;
} Size;

static int open_profile(const char *profile)
{
    const char *why = NULL;
    if (ww_device_open("emulator", &(WwDeviceOptions){.threads = 2, .profile = profile}, &device, &why) != WW_OK)
        return print_error("%s\n", why), -1;
    return ww_blas_open(device, &blas) == WW_OK ? 0 : -1;
}

/* Small whole numbers, so that every order of summation gives the same. */
static void put_small(Mat *m, uint64_t *seed)
{
    for (size_t i = 0; i < m->words; i++)
        m->v[i] = as_bits((float)(int)next_below(seed, 9) - 4);
    mat_put(m);
}

/* Compares every step-th row of it. */
static WwStatus product(bool symmetric, Size z, size_t step, bool *right)
{
    uint64_t seed = 1;
    size_t   n    = symmetric ? z.m : z.n;
    Mat      a = mat_new(z.m, z.k, 0, false, 0), b = mat_new(z.k, z.n, 0, false, 0), c = mat_new(z.m, n, 0, false, 0);
    put_small(&a, &seed);
    put_small(&b, &seed);
    WwGemm g = {
        .m = z.m, .n = z.n, .k = z.k, .alpha.f32 = 1, .a = a.p, .b = b.p, .c = c.p, .lda = z.k, .ldb = z.n, .ldc = z.n};
    WwSyrk   y = {.n = z.m, .k = z.k, .alpha.f32 = 1, .a = a.p, .c = c.p, .lda = z.k, .ldc = z.m};
    WwStatus s = symmetric ? ww_syrk(blas, &y) : ww_gemm(blas, &g);
    *right     = true;
    if (s == WW_OK)
        mat_get(&c);
    for (size_t i = 0; i < z.m && s == WW_OK; i += step)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t k = 0; k < z.k; k++)
                sum += as_float(a.v[i * z.k + k]) * as_float(symmetric ? a.v[j * z.k + k] : b.v[k * z.n + j]);
            *right = *right && as_float(c.v[i * n + j]) == sum;
        }
    mat_free(&a);
    mat_free(&b);
    mat_free(&c);
    return s;
}

static void expect_product(const char *profile, Size z, size_t step)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        bool right;
        assert_int_equal(open_profile(profile), 0);
        WwStatus s = product(symmetric, z, step, &right);
        if (s != WW_OK || !right)
            fail_msg("%s: %s", profile, s == WW_OK ? "a wrong product" : ww_device_error(device));
        close_blas(NULL);
    }
}

static void multiplies_on_every_card(void **state)
{
    static const char *const profiles[] = {"m2090", "k40", "p100", "v100", "t4",   "a100",   "a10",
                                           "orin",  "l4",  "l40",  "h200", "b200", "rtx5090"};
    (void)state;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        expect_product(profiles[i], (Size){150, 130, 300}, 1);
}

/* Enough work for the rung that has most shared memory: a block of the second card can have half of it. */
static void large_products_fit_the_card(void **state)
{
    static const char *const profiles[] = {"b200", "rtx5090", "t4"};
    (void)state;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        expect_product(profiles[i], (Size){1100, 1000, 520}, 97);
}

static void says_what_a_card_cannot_launch(void **state)
{
    (void)state;
    assert_int_equal(open_profile("g8800gtx"), 0);
    assert_int_equal(blas->sms, 16);
    assert_int_equal(blas->capability, 10);
    bool     right;
    WwStatus s = product(false, (Size){150, 130, 300}, 1, &right);
    if (s == WW_OK)
        assert_true(right);
    else
        assert_non_null(strstr(ww_device_error(device), "this card takes"));
    close_blas(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplies_on_every_card),
        cmocka_unit_test(large_products_fit_the_card),
        cmocka_unit_test(says_what_a_card_cannot_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
