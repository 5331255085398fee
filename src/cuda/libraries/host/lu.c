/* SPDX-License-Identifier: Apache-2.0
 *
 * LU and LDL factors without pivots, for which LAPACK has no routines. */
#include "cuda/libraries/host/host.h"

int host_lu(int type, void *a, int64_t m, int64_t n, int64_t lda)
{
    int info = 0;
    for (int64_t k = 0; k < m && k < n; k++) {
        Number d = number_at(type, a, k * lda + k);
        double s = d.re * d.re + d.im * d.im;
        if (s == 0 && !info)
            info = (int)k + 1;
        for (int64_t i = k + 1; i < m && s != 0; i++) {
            Number f = number_product(number_at(type, a, k * lda + i), (Number){d.re / s, -d.im / s});
            number_put(type, a, k * lda + i, f);
            for (int64_t j = k + 1; j < n; j++) {
                Number x = number_at(type, a, j * lda + i), y = number_product(f, number_at(type, a, j * lda + k));
                number_put(type, a, j * lda + i, (Number){x.re - y.re, x.im - y.im});
            }
        }
    }
    return info;
}

/* Element (i, j) of the triangle that is kept, numbered from the end where that is the upper one: then both have one loop. */
static int64_t kept(bool upper, int64_t n, int64_t lda, int64_t i, int64_t j)
{
    return upper ? (n - 1 - j) * lda + (n - 1 - i) : j * lda + i;
}

int host_ldl(int type, void *a, bool upper, int64_t n, int64_t lda)
{
    for (int64_t k = 0; k < n; k++) {
        Number d = number_at(type, a, kept(upper, n, lda, k, k));
        if (d.re == 0 && d.im == 0)
            return (int)(upper ? n - k : k + 1);
        for (int64_t j = k + 1; j < n; j++) {
            Number f = number_quotient(number_at(type, a, kept(upper, n, lda, j, k)), d);
            for (int64_t i = j; i < n; i++) {
                int64_t at = kept(upper, n, lda, i, j);
                Number x = number_at(type, a, at), y = number_product(f, number_at(type, a, kept(upper, n, lda, i, k)));
                number_put(type, a, at, (Number){x.re - y.re, x.im - y.im});
            }
        }
        for (int64_t i = k + 1; i < n; i++) {
            int64_t at = kept(upper, n, lda, i, k);
            number_put(type, a, at, number_quotient(number_at(type, a, at), d));
        }
    }
    return 0;
}
