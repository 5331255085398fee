/* SPDX-License-Identifier: Apache-2.0
 *
 * The same products by an OpenCL implementation for CPUs. */
#ifndef WW_BENCH_OPENCL_H
#define WW_BENCH_OPENCL_H

#include "bench/product.h"

/* Runs p->kernel of products.cl with p's sizes; *processor: seconds of processor time of the fastest launch, all threads together, without
 * compiling.  0 where there is no PoCL (a line on stderr says what is missing); false: it failed or the result is wrong. */
bool opencl_measure(const Product *p, double *processor);

#endif
