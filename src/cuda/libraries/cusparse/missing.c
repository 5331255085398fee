/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of cuSPARSE that are not here, so that a program that only might call them loads. */
#include "cuda/libraries/cusparse/cusparse.h"

#define MISSING(name)                                                                                                  \
    Sp name(void)                                                                                                      \
    {                                                                                                                  \
        ww_cuda_library_missing(#name);                                                                                \
        return SP_NOT_SUPPORTED;                                                                                       \
    }
#include "cuda/libraries/cusparse/missing.def"
