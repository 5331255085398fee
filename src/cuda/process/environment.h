/* SPDX-License-Identifier: Apache-2.0
 *
 * What `warpwright run` tells the processes of a program, or a person who loads the libraries without it. */
#ifndef WW_CUDA_ENVIRONMENT_H
#define WW_CUDA_ENVIRONMENT_H

#include "cuda/process/state.h"

/* False: *why names the variable and what is wrong with it. */
bool environment_read(Options *o, Str *why);

#endif
