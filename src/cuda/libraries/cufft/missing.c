/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of cuFFT that are not here, so that a program that only might call them loads. */
#include "cuda/libraries/cufft/cufft.h"

#define MISSING(name)                                                                                                  \
    Fft name(void)                                                                                                     \
    {                                                                                                                  \
        ww_cuda_library_missing(#name);                                                                                \
        return FFT_NOT_SUPPORTED;                                                                                      \
    }
#include "cuda/libraries/cufft/missing.def"
