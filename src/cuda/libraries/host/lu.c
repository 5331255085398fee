/* SPDX-License-Identifier: Apache-2.0
 *
 * LU factors without pivots, for which LAPACK has no routine. */
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
