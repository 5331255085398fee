/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B, then S = A A^T (both halves) and an exact int64 product, on a GPU when there is one and on the emulator otherwise. */
#include <stdio.h>

#include "warpwright/blas.h"

enum { M = 3, N = 4, K = 5, LD = 8 };

int main(void)
{
    WwDevice *d = NULL;
    WwBlas   *b = NULL;
    WwPtr     a = 0, x = 0, c = 0, s = 0;
    float     ha[M * LD], hx[K * N], hc[M * N], hs[M * M];
    int32_t   big[2] = {2147483647, -3}; /* one row */
    int64_t   sum    = 0;
    for (int i = 0; i < M * LD; i++) /* A is the left part of a wider matrix: rows LD apart */
        ha[i] = (float)(i % 7);
    for (int i = 0; i < K * N; i++)
        hx[i] = (float)(i % 3);

    if (ww_device_open("cuda", NULL, &d, NULL) != WW_OK)
        ww_device_open("emulator", NULL, &d, NULL);
    WwGemm product = {.m = M, .n = N, .k = K, .alpha.f32 = 1, .lda = LD, .ldb = N, .ldc = N};
    WwSyrk square  = {.fill = WW_FULL, .n = M, .k = K, .alpha.f32 = 1, .lda = LD, .ldc = M};
    WwGemm wide    = {
           .type = WW_I32_I64, .trans_b = true, .m = 1, .n = 1, .k = 2, .alpha.i64 = 1, .lda = 2, .ldb = 2, .ldc = 1};
    bool failed = ww_blas_open(d, &b) || ww_alloc(d, sizeof ha, &a) || ww_alloc(d, sizeof hx, &x) ||
                  ww_alloc(d, sizeof hc, &c) || ww_alloc(d, sizeof hs, &s) || ww_copy_in(d, a, ha, sizeof ha) ||
                  ww_copy_in(d, x, hx, sizeof hx);
    product.a = square.a = wide.a = wide.b = a;
    product.b                              = x;
    product.c = wide.c = c;
    square.c           = s;
    failed             = failed || ww_gemm(b, &product) || ww_copy_out(d, hc, c, sizeof hc) || ww_syrk(b, &square) ||
             ww_copy_out(d, hs, s, sizeof hs) || ww_copy_in(d, a, big, sizeof big) || ww_gemm(b, &wide) ||
             ww_copy_out(d, &sum, c, sizeof sum);
    if (failed)
        printf("%s\n", ww_device_error(d));
    else
        printf("%s: C(2, 3) = %g, S(0, 1) = S(1, 0) = %g, %lld\n", ww_device_name(d), (double)hc[2 * N + 3],
               (double)hs[1], (long long)sum);
    float want = 0;
    for (int l = 0; l < K; l++)
        want += ha[2 * LD + l] * hx[l * N + 3];
    ww_blas_close(b);
    ww_device_close(d);
    return failed || hc[2 * N + 3] != want || hs[1] != hs[M] || sum != 4611686014132420618;
}
