/* SPDX-License-Identifier: Apache-2.0
 *
 * For the small CUDA programs of this folder: CHECK(condition) prints what failed and ends the program with 1; OK(call) does so when a call
 * of the runtime did not succeed, CU(call) when one of the driver did not (include cuda.h); passed() is the last line of each. */
#ifndef WW_PROGRAMS_CHECK_H
#define WW_PROGRAMS_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);    \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        cudaError_t error_ = (call);                                                                                 \
        if (error_ != cudaSuccess) {                                                                                 \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_));                          \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

#define FAILS(call, expected)                                                                                        \
    do {                                                                                                             \
        cudaError_t error_ = (call);                                                                                 \
        if (error_ != (expected)) {                                                                                  \
            printf("%s:%d: %s: %s instead of %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_),             \
                   cudaGetErrorName(expected));                                                                      \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

#define CU(call)                                                                                                     \
    do {                                                                                                             \
        CUresult error_ = (call);                                                                                    \
        if (error_ != CUDA_SUCCESS) {                                                                                \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)error_);                                       \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

static inline int passed(void)
{
    puts("passed");
    return 0;
}

#endif
