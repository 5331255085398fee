/* SPDX-License-Identifier: Apache-2.0
 *
 * libcurand: generators of the host interface.  The numbers are NVIDIA's own library's: it has a generator of the host for each of the device
 * (curandCreateGeneratorHost), documented to give the same numbers, which needs no GPU.  It is found where the program would have found it, or in the
 * toolkit (real.c).
 * A generator of the device is one of those that writes the device's memory, in stream order.
 *
 * Not here: distributions as objects in device memory (curandCreatePoissonDistribution), and numbers as nodes of a graph. */
#ifndef WW_CURAND_H
#define WW_CURAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/libraries/library.h"

/* Status, of curandStatus_t */
typedef enum Rand {
    RAND_SUCCESS               = 0,
    RAND_NOT_INITIALIZED       = 101,
    RAND_ALLOCATION_FAILED     = 102,
    RAND_TYPE_ERROR            = 103,
    RAND_LAUNCH_FAILURE        = 201,
    RAND_PREEXISTING_FAILURE   = 202,
    RAND_INITIALIZATION_FAILED = 203,
    RAND_INTERNAL_ERROR        = 999
} Rand;

/* A function of NVIDIA's library; NULL: it was not found, and a message has said so.  To be cast to the function's type. */
typedef void (*Real)(void);
Real real_function(const char *name);

#endif
