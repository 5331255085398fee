/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors and matrices to the device and back: copies of rows, as the runtime's. */
#include "cuda/libraries/cublas/cublas.h"

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* cudaMemcpyKind */

static Blas copy(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t width, int64_t height,
                 int kind, bool waits, void *stream)
{
    if (width <= 0 || height < 0 || to_pitch < width || from_pitch < width || (height && (!to || !from)))
        return BLAS_INVALID_VALUE;
    if (!height)
        return BLAS_SUCCESS;
    const LibraryCopy c = {to, from, (size_t)to_pitch, (size_t)from_pitch, (size_t)width, (size_t)height, kind};
    return ww_cuda_library_copy(&c, waits, stream) ? BLAS_SUCCESS : BLAS_MAPPING_ERROR;
}

/* Elements `from_step` apart to elements `to_step` apart. */
static Blas vector(int64_t n, int64_t element, const void *from, int64_t from_step, void *to, int64_t to_step, int kind,
                   bool waits, void *stream)
{
    if (n < 0 || element <= 0 || from_step <= 0 || to_step <= 0)
        return BLAS_INVALID_VALUE;
    return copy(to, to_step * element, from, from_step * element, element, n, kind, waits, stream);
}

static Blas matrix(int64_t rows, int64_t columns, int64_t element, const void *from, int64_t from_ld, void *to,
                   int64_t to_ld, int kind, bool waits, void *stream)
{
    if (rows < 0 || columns < 0 || element <= 0 || from_ld < rows || to_ld < rows)
        return BLAS_INVALID_VALUE;
    return rows ? copy(to, to_ld * element, from, from_ld * element, rows * element, columns, kind, waits, stream)
                : BLAS_SUCCESS;
}

#define TRANSFERS(way, kind, X, Int)                                                                                   \
    Blas cublas##way##Vector##X(Int n, Int element, const void *from, Int from_step, void *to, Int to_step)            \
    {                                                                                                                  \
        return vector(n, element, from, from_step, to, to_step, kind, true, NULL);                                     \
    }                                                                                                                  \
    Blas cublas##way##VectorAsync##X(Int n, Int element, const void *from, Int from_step, void *to, Int to_step,       \
                                     void *stream)                                                                     \
    {                                                                                                                  \
        return vector(n, element, from, from_step, to, to_step, kind, false, stream);                                  \
    }                                                                                                                  \
    Blas cublas##way##Matrix##X(Int rows, Int columns, Int element, const void *from, Int from_ld, void *to,           \
                                Int to_ld)                                                                             \
    {                                                                                                                  \
        return matrix(rows, columns, element, from, from_ld, to, to_ld, kind, true, NULL);                             \
    }                                                                                                                  \
    Blas cublas##way##MatrixAsync##X(Int rows, Int columns, Int element, const void *from, Int from_ld, void *to,      \
                                     Int to_ld, void *stream)                                                          \
    {                                                                                                                  \
        return matrix(rows, columns, element, from, from_ld, to, to_ld, kind, false, stream);                          \
    }
WIDTHS(TRANSFERS, Set, TO_DEVICE)
WIDTHS(TRANSFERS, Get, TO_HOST)
