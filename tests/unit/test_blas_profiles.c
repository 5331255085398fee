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

/* A product of ones, or of large whole numbers modulo 2^32, by what is chosen. */
static void expect_chosen(const char *profile, WwType type, Size z, const char *rung)
{
    const char *chosen = NULL;
    size_t      each   = type == WW_I32 ? 4 : 2;
    uint8_t    *v = malloc((z.m + z.n) * z.k * each), *c = malloc(z.m * z.n * each);
    WwPtr       a, r;
    uint64_t    seed = 5;
    assert_int_equal(open_profile(profile), 0);
    assert_works(ww_alloc(device, (z.m + z.n) * z.k * each, &a));
    assert_works(ww_alloc(device, z.m * z.n * each, &r));
    for (size_t i = 0; i < (z.m + z.n) * z.k; i++) {
        uint32_t word = next_bits(&seed);
        uint16_t half = 0x3c00; /* fp16 one */
        memcpy(v + i * each, type == WW_I32 ? (void *)&word : (void *)&half, each);
    }
    assert_works(ww_copy_in(device, a, v, (z.m + z.n) * z.k * each));
    WwGemm p = {.type    = type,
                .trans_b = true,
                .m       = z.m,
                .n       = z.n,
                .k       = z.k,
                .a       = a,
                .b       = a + z.m * z.k * each,
                .c       = r,
                .lda     = z.k,
                .ldb     = z.k,
                .ldc     = z.n};
    p.alpha  = type == WW_I32 ? (WwScalar){.i32 = 1} : (WwScalar){.f32 = 1};
    assert_works(ww_gemm_rung(blas, &p, &chosen));
    if (strcmp(chosen, rung) != 0)
        fail_msg("%s: %s is chosen, not %s", profile, chosen, rung);
    if (works_if_built(ww_gemm(blas, &p))) {
        assert_works(ww_copy_out(device, c, r, z.m * z.n * each));
        for (size_t i = 0; i < z.m; i++)
            for (size_t j = 0; j < z.n; j++) {
                uint32_t sum = 0, x, y;
                for (size_t k = 0; k < z.k && type == WW_I32; k++) {
                    memcpy(&x, v + (i * z.k + k) * 4, 4);
                    memcpy(&y, v + ((z.m + j) * z.k + k) * 4, 4);
                    sum += x * y;
                }
                if (type == WW_I32)
                    assert_memory_equal(c + (i * z.n + j) * 4, &sum, 4);
                else
                    assert_int_equal(c[(i * z.n + j) * 2 + 1] << 8 | c[(i * z.n + j) * 2], 0x5400); /* 64 */
            }
    }
    free(v);
    free(c);
    close_blas(NULL);
}

/* 16-bit operands go to the tensor cores of every card since sm_80, int32 ones to those that multiply fp16 where that pays. */
static void tensor_cores_of_other_cards(void **state)
{
    static const char *const warps[] = {"a100", "a10", "orin", "l4", "b200", "rtx5090"};
    (void)state;
    for (size_t i = 0; i < sizeof warps / sizeof *warps; i++)
        expect_chosen(warps[i], WW_F16, (Size){150, 130, 64}, "half_warp_little");
    expect_chosen("orin", WW_F16, (Size){600, 520, 64}, "half_warp");
    expect_chosen("t4", WW_F16, (Size){150, 130, 64}, "half_plain");
    expect_chosen("b200", WW_I32, (Size){520, 1030, 300}, "limbs");
    expect_chosen("a100", WW_I32, (Size){520, 515, 300}, "stream");
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
        cmocka_unit_test(tensor_cores_of_other_cards),
        cmocka_unit_test(says_what_a_card_cannot_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
