/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the device takes a launch, and why not. */
#ifndef WW_CUDA_ACCEPT_H
#define WW_CUDA_ACCEPT_H

#include "cuda/work/kernel_launch.h"
#include "model/limits.h"

enum { ACCEPT_TEXT = REFUSAL_TEXT + 96 };

/* cudaSuccess, or the device's error, and why. */
CuErr  accept_launch(Kernel *k, const Func *f, const LaunchAsk *a, char why[ACCEPT_TEXT]);
/* The launch is refused for that reason: the finding of the current call says so.  false: no call of the program is watched now. */
bool   accept_refused(Kernel *k, const LaunchAsk *a, const char *why);
/* Bytes of shared memory that the kernel itself declares. */
size_t accept_static_shared(const Func *f);

#endif
