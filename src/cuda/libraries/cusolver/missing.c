/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of cuSOLVER that are not here, so that a program that only might call them loads. */
#include "cuda/libraries/cusolver/cusolver.h"

#define MISSING(name)                                                                                                  \
    Sol name(void)                                                                                                     \
    {                                                                                                                  \
        ww_cuda_library_missing(#name);                                                                                \
        return SOL_NOT_SUPPORTED;                                                                                      \
    }
#include "cuda/libraries/cusolver/missing.def"
