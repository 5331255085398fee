/* SPDX-License-Identifier: Apache-2.0
 *
 * The argument of the kernels with 64-bit results, shared by host and device: the problem of gemm/args.h with int32 operands and C of
 * 64-bit integers (ldc and c_batch count those), or with doubles, and 64-bit factors in place of g.alpha and g.beta. */
#ifndef WW_KERNELS_LONG_ARGS_H
#define WW_KERNELS_LONG_ARGS_H

#include "../gemm/args.h"

/* Of double.cuh: elements of k in a slice, slices in its ring. */
enum { DOUBLE_SLICE = 16, DOUBLE_STAGES = 3 };

typedef struct LongArgs {
    GemmArgs           g;
    unsigned long long alpha, beta;
} LongArgs;

#endif
