/* SPDX-License-Identifier: Apache-2.0
 *
 * The sums that a product must come near, in double: operands are turned into doubles once, not at each of the m * n * k terms, where decoding them
 * was most of a test's time. */
#ifndef WW_TESTS_UNIT_REFERENCE_H
#define WW_TESTS_UNIT_REFERENCE_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct Sums { /* of m x n, row by row; sizes: of the terms' absolute values */
    double *sum, *sizes;
} Sums;

/* a: m x k, b: k x n, row by row, from malloc; both are freed.  Terms are added in the order of k. */
static inline Sums sums_of(size_t m, size_t n, size_t k, double *a, double *b)
{
    Sums s = {calloc(m * n + 1, sizeof(double)), calloc(m * n + 1, sizeof(double))};
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) {
            double *restrict sum = s.sum + i * n, *restrict sizes = s.sizes + i * n;
            const double *restrict y = b + l * n;
            double x                 = a[i * k + l];
            for (size_t j = 0; j < n; j++) {
                sum[j] += x * y[j];
                sizes[j] += fabs(x * y[j]);
            }
        }
    free(a);
    free(b);
    return s;
}

static inline void sums_free(Sums *s)
{
    free(s->sum);
    free(s->sizes);
}

#endif
