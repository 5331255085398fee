/* SPDX-License-Identifier: Apache-2.0
 *
 * Products over several devices: what is refused and in which words, for matrices in host memory and on the devices; and the line by which ranks tell
 * whether they compute the same product. */
#include <string.h>

#include "grid_fixture.h"

static void refused(void **state)
{
    const char *why  = NULL;
    WwGrid     *none = NULL;
    float       x[4] = {1, 2, 3, 4}, result[4];
    (void)state;
    assert_int_equal(ww_grid_open(NULL, 1, &none, &why), WW_ERR_INVALID);
    assert_null(none);
    open_grid(1, 0);
    assert_null(ww_grid_memory(grid, SIZE_MAX));
    assert_non_null(strstr(ww_grid_error(grid), "ww_grid_memory"));
    char *host = ww_grid_memory(grid, 1000);
    assert_non_null(host);
    assert_int_equal((uintptr_t)host % 256, 0);
    memset(host, 1, 1000);
    ww_grid_memory_free(grid, host);
    WwDevice *twice[] = {device[0], device[0]};
    assert_int_equal(ww_grid_open(twice, 2, &none, &why), WW_ERR_INVALID);
    assert_string_equal(why, "ww_grid_open: a device is NULL, or there twice");
    WwGridGemm good = {.type      = WW_F32,
                       .m         = 2,
                       .n         = 2,
                       .k         = 2,
                       .alpha.f32 = 1,
                       .a         = x,
                       .b         = x,
                       .c         = result,
                       .lda       = 2,
                       .ldb       = 2,
                       .ldc       = 2},
               p    = good;
    p.lda           = 1;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_string_equal(ww_grid_error(grid),
                        "ww_grid_gemm: lda = 1 is less than the 2 elements of a row or column of a");
    p   = good;
    p.b = NULL;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_string_equal(ww_grid_error(grid), "ww_grid_gemm: b is a null pointer");
    p      = good;
    p.tile = 100;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    p   = good;
    p.m = SIZE_MAX;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    p   = good;
    p.m = p.n = (size_t)1 << 30; /* of which memory could be, and 2^48 tiles */
    p.ldc = p.ldb = p.n;
    p.k = p.lda = 2;
    p.tile      = 64;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_grid_error(grid), "more than 2^24 of either: choose larger ones"));
    p      = good;
    p.type = (WwType)77;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_int_equal(ww_grid_gemm(grid, NULL), WW_ERR_INVALID);
    assert_int_equal(ww_grid_gemm(NULL, &good), WW_ERR_INVALID);
    WwGridSyrk s = {
        .type = WW_F32, .n = 2, .k = 2, .alpha.f32 = 1, .a = x, .c = x, .lda = 2, .ldc = 2, .fill = (WwFill)9};
    assert_int_equal(ww_grid_syrk(grid, &s), WW_ERR_INVALID);
    close_grid();
}

/* As blas.h has it: a result that begins where an operand does is refused, unless the operand is not read. */
static void result_over_operand(void **state)
{
    (void)state;
    float v[3 * 64] = {0};
    open_grid(1, 0);
    WwGridGemm p = {.type = WW_F32, .m = 8, .n = 8, .k = 8, .alpha.f32 = 1, .lda = 8, .ldb = 8, .ldc = 8};
    p.a = p.c = v;
    p.b       = v + 64;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_grid_error(grid), "c begins where a does"));
    p.a = v + 64;
    p.b = v;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_grid_error(grid), "c begins where b does"));
    p.alpha.f32 = 0;
    assert_works(ww_grid_gemm(grid, &p));
    WwGridSyrk s = {.type = WW_F32, .n = 8, .k = 8, .alpha.f32 = 1, .a = v, .c = v, .lda = 8, .ldc = 8};
    assert_int_equal(ww_grid_syrk(grid, &s), WW_ERR_INVALID);
    assert_non_null(strstr(ww_grid_error(grid), "c begins where a does"));
    close_grid();
}

static void spread_refused(void **state)
{
    WwPtr       at[2] = {0}, small;
    WwGridArray on    = {at, 4, 8, 2, 1, 8};
    float       x[64] = {0}, y[64];
    (void)state;
    open_grid(2, 0);
    WwGridGemm p = {.type      = WW_F32,
                    .m         = 8,
                    .n         = 8,
                    .k         = 8,
                    .alpha.f32 = 1,
                    .a         = x,
                    .b         = x,
                    .c         = y,
                    .lda       = 8,
                    .ldb       = 8,
                    .ldc       = 8,
                    .on_a      = &on};
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_string_equal(
        ww_grid_error(grid),
        "ww_grid_gemm: a.at[0] = 0x0 is no address of elements of 4 bytes; device 0 holds 4 x 8 of them");
    assert_int_equal(ww_alloc(device[0], 128, &at[0]), WW_OK);
    assert_int_equal(ww_alloc(device[1], 128, &at[1]), WW_OK);
    assert_int_equal(ww_alloc(device[1], 124, &small), WW_OK);
    assert_int_equal(ww_fill(device[0], at[0], 0, 128), WW_OK);
    assert_int_equal(ww_fill(device[1], at[1], 0, 128), WW_OK);
    assert_works(ww_grid_gemm(grid, &p));
    p.ranks = 2;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    p.ranks   = 0;
    on.across = 2;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_string_equal(ww_grid_error(grid), "ww_grid_gemm: a is spread over 2 x 2 devices, the grid has 2");
    on.across     = 1;
    on.block_rows = 0;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    on.block_rows = 4;
    on.ld         = 7;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_grid_error(grid), "lda = 7 is less than the 8"));
    on.ld = 8;
    at[1] = small;
    if (!getenv("WW_TEST_DEVICE")) {
        assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
        assert_non_null(strstr(ww_grid_error(grid), "device 1 does not hold its 128 bytes of a"));
    }
    at[1]  = at[0];
    p.on_c = &on;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    p.on_c = NULL;
    on.at  = NULL;
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_INVALID);
    assert_int_equal(
        ww_grid_scatter(grid, &(WwGridCopy){.array = &on, .element = 4, .rows = 8, .columns = 8, .host = x, .ld = 8}),
        WW_ERR_INVALID);
    assert_int_equal(ww_grid_gather(grid, NULL), WW_ERR_INVALID);
    close_grid();
}

/* Ranks of one product have one line, whichever they are and wherever their matrices lie; another product has another. */
static void texts(void **state)
{
    (void)state;
    open_grid(2, 0);
    char         first[512], other[512], little[8];
    static float x[1];
    WwGridGemm   p = {.m = 500, .n = 400, .k = 300, .alpha.f32 = 1, .ranks = 3}, q[8];
    WwGridSyrk   s = {.n = 500, .k = 300, .alpha.f32 = 1, .ranks = 3};
    size_t       n = ww_grid_gemm_text(grid, &p, first, sizeof first);
    assert_int_equal(n, strlen(first));
    assert_int_equal(ww_grid_gemm_text(grid, &p, NULL, 0), n);
    assert_int_equal(ww_grid_gemm_text(grid, &p, little, sizeof little), n);
    assert_memory_equal(little, first, sizeof little - 1);
    assert_non_null(strstr(first, "500 x 400 x 300"));
    assert_non_null(strstr(first, ww_version()));
    for (size_t i = 0; i < 8; i++)
        q[i] = p;
    q[0].rank = 2, q[0].a = x, q[1].type = WW_I32, q[2].layout = WW_COLUMN_MAJOR, q[3].k++, q[4].trans_b = true,
    q[5].beta.f32 = 1;
    q[6].tile = 64, q[7].ranks = 2;
    for (size_t i = 0; i < 8; i++) {
        ww_grid_gemm_text(grid, &q[i], other, sizeof other);
        assert_int_equal(strcmp(first, other) != 0, i != 0);
    }
    ww_grid_syrk_text(grid, &s, other, sizeof other);
    assert_int_not_equal(strcmp(first, other), 0);
    assert_int_equal(ww_grid_syrk_text(NULL, &s, other, sizeof other), 0);
    close_grid();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(spread_refused),
                                       cmocka_unit_test(result_over_operand), cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
