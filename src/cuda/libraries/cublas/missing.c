/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of cuBLAS that are not here, so that a program that only might call them loads. */
#include "cuda/libraries/cublas/cublas.h"

#define MISSING(name)                                                                                                  \
    Blas name(void)                                                                                                    \
    {                                                                                                                  \
        ww_cuda_library_missing(#name);                                                                                \
        return BLAS_NOT_SUPPORTED;                                                                                     \
    }
#include "cuda/libraries/cublas/missing.def"
