/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products on the host, the references of the lab.  All matrices are dense and row by row. */
#ifndef WW_LAB_REFERENCE_H
#define WW_LAB_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* c (rows x n, double) = the given rows of a (m x k) times b (k x n), in double.  rows: indices into a, ascending. */
void reference_product(double *c, const float *a, const float *b, const size_t *rows, size_t nrows, size_t n, size_t k);
/* c (m x k) = a (m x n) * b (n x k) modulo 2^32. */
void reference_product_int(uint32_t *c, const uint32_t *a, const uint32_t *b, size_t m, size_t n, size_t k);
/* Euclidean lengths of the rows of a (m x k), and of the columns of b (k x n). */
void reference_row_lengths(double *out, const float *a, size_t m, size_t k);
void reference_column_lengths(double *out, const float *b, size_t k, size_t n);

#endif
