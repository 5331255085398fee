/* SPDX-License-Identifier: Apache-2.0
 *
 * The same products by an OpenCL implementation for CPUs.  A reading has no compiling in it, and of the emulator's own figures none. */
#ifndef WW_BENCH_OPENCL_H
#define WW_BENCH_OPENCL_H

#include "bench/product.h"

extern const Maker product_pocl;

#endif
