/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices by rows of real floats or doubles, which iterative methods multiply with and solve by hundreds of times: no conversion, no walk. */
#include "cuda/libraries/cusparse/cusparse.h"

static double value_at(const Sparse *m, int64_t k)
{
    return m->type == R_32F ? (double)((const float *)m->values)[k] : ((const double *)m->values)[k];
}

static int64_t column_at(const Sparse *m, int64_t k)
{
    return index_at(m->index_type, m->indices, k) - m->base;
}

static int64_t row_at(const Sparse *m, int64_t row)
{
    return index_at(m->offset_type, m->offsets, row) - m->base;
}

bool rows_plain(const Sparse *m)
{
    if (m->format != BY_ROWS || (m->type != R_32F && m->type != R_64F) || !m->values || !m->offsets || !m->indices ||
        row_at(m, 0) != 0 || row_at(m, m->rows) != m->nonzeros)
        return false;
    for (int64_t i = 0; i < m->rows; i++)
        if (row_at(m, i) > row_at(m, i + 1))
            return false;
    for (int64_t k = 0; k < m->nonzeros; k++)
        if (column_at(m, k) < 0 || column_at(m, k) >= m->columns)
            return false;
    return true;
}

void rows_product(const Sparse *m, const double *x, double *y)
{
    for (int64_t i = 0, k = 0; i < m->rows; i++) {
        double sum = 0;
        for (int64_t end = row_at(m, i + 1); k < end; k++)
            sum += value_at(m, k) * x[column_at(m, k)];
        y[i] = sum;
    }
}

static double pivot_of(const Sparse *m, int64_t row, const double *diagonal)
{
    double pivot = 0;
    for (int64_t k = row_at(m, row), end = row_at(m, row + 1); k < end && !diagonal; k++)
        pivot = column_at(m, k) == row ? value_at(m, k) : pivot;
    return diagonal ? diagonal[row] : pivot;
}

/* A row's unknown is what the others of it leave; of the transpose, it is known when its turn comes, and is taken off the others. */
void rows_solve(const Sparse *m, bool transposed, const double *diagonal, double *y)
{
    bool lower = m->fill == FILL_LOWER;
    for (int64_t step = 0; step < m->rows; step++) {
        int64_t i   = lower != transposed ? step : m->rows - 1 - step;
        double  sum = y[i];
        if (transposed && !m->diag)
            y[i] /= pivot_of(m, i, diagonal);
        for (int64_t k = row_at(m, i), end = row_at(m, i + 1); k < end; k++) {
            int64_t c = column_at(m, k);
            if (c == i || lower != (c < i))
                continue;
            if (transposed)
                y[c] -= value_at(m, k) * y[i];
            else
                sum -= value_at(m, k) * y[c];
        }
        if (!transposed)
            y[i] = m->diag ? sum : sum / pivot_of(m, i, diagonal);
    }
}
