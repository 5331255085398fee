/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernels of this folder need of CUDA, for a clang without any CUDA toolkit
 * (clang -x cuda --cuda-device-only -nocudainc -nocudalib -include clang_cuda.h).
 *
 * The built-in variables are macros over clang's NVPTX builtins, so the lines of the PTX are those of the kernel and
 * never those of a header.  Only what a kernel uses is here; nvcc never sees this file. */
#ifndef WW_KERNELS_CLANG_CUDA_H
#define WW_KERNELS_CLANG_CUDA_H

#define __device__      __attribute__((device))
#define __global__      __attribute__((global))
#define __shared__      __attribute__((shared))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n)    __attribute__((aligned(n)))
/* What the macro of the CUDA headers says, for one or two numbers. */
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

typedef __SIZE_TYPE__ size_t;

struct uint3 {
    unsigned x, y, z;
};

struct __align__(16) float4 {
    float x, y, z, w;
};

struct __align__(16) uint4 {
    unsigned x, y, z, w;
};

/* The unused two of each three reads have no effect and are removed. */
#define WW_SREG(name) ((unsigned)__nvvm_read_ptx_sreg_##name())
#define WW_SREG3(name) (uint3{WW_SREG(name##_x), WW_SREG(name##_y), WW_SREG(name##_z)})
#define threadIdx WW_SREG3(tid)
#define blockIdx  WW_SREG3(ctaid)
#define blockDim  WW_SREG3(ntid)
#define gridDim   WW_SREG3(nctaid)

#endif
