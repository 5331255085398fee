/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernels of this folder, and common ones of `warpwright check FILE.cu`, need of CUDA, for a clang without any CUDA toolkit
 * (clang -x cuda --cuda-device-only -nocudainc -nocudalib -include clang_cuda.h).
 *
 * What can be is a macro over clang's NVPTX builtins, so the lines of the PTX are those of the kernel and never those of a header.
 * Not here: mathematics that needs a library (expf, sinf, pow), half precision, textures, cooperative groups; nvcc never sees this file. */
#ifndef WW_KERNELS_CLANG_CUDA_H
#define WW_KERNELS_CLANG_CUDA_H

#define __device__      __attribute__((device))
#define __global__      __attribute__((global))
#define __shared__      __attribute__((shared))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n)    __attribute__((aligned(n)))
/* A kernel's parameter whose address is taken would be copied to local memory, where tensor copies cannot read it. */
#define __grid_constant__
#define GRID_CONSTANT(kernel, type, name)                                                                                                  \
    (*({                                                                                                                                   \
        const type *at;                                                                                                                    \
        asm("{ .reg .b64 p; mov.b64 p, " #kernel "_param_0; cvta.param.u64 %0, p; }" : "=l"(at));                                         \
        at;                                                                                                                                \
    }))
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

#define warpSize  32

#define __host__        __attribute__((host))
#define __constant__    __attribute__((constant))
#define __noinline__    __attribute__((noinline))
#define __restrict__    __restrict

#define WW_VECTOR(type, element, align)                                   \
    struct __align__(align) type##2 { element x, y; };                   \
    __device__ inline type##2 make_##type##2(element x, element y) { return {x, y}; }
WW_VECTOR(float, float, 8)
WW_VECTOR(double, double, 16)
WW_VECTOR(int, int, 8)
WW_VECTOR(uint, unsigned, 8)
#undef WW_VECTOR
struct __align__(16) int4 {
    int x, y, z, w;
};
struct float3 {
    float x, y, z;
};
struct int3 {
    int x, y, z;
};
__device__ inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
__device__ inline int4   make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
__device__ inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }

extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void  free(void *p);

/* Barriers and fences as assembler text: over its own intrinsics for them clang 14 moves reads of shared variables (its analysis of globals
 * takes an intrinsic for a function that writes none). */
#define WW_ORDER(text, ...) ({ asm volatile(text ::__VA_ARGS__ : "memory"); })
#define __syncthreads()       WW_ORDER("bar.sync 0;")
#define __threadfence()       WW_ORDER("membar.gl;")
#define __threadfence_block() WW_ORDER("membar.cta;")

/* Lanes together. */
#define __syncwarp(...) WW_ORDER("bar.warp.sync %0;", "r"(WW_MEMBERS(__VA_ARGS__)))
#define WW_MEMBERS(...) (0xffffffffu __VA_OPT__(& (unsigned)(__VA_ARGS__)))
#define __activemask()  ww_activemask()
#define __ballot_sync(m, p) ((unsigned)__nvvm_vote_ballot_sync((m), (p) != 0))
#define __any_sync(m, p)    __nvvm_vote_any_sync((m), (p) != 0)
#define __all_sync(m, p)    __nvvm_vote_all_sync((m), (p) != 0)
__device__ __forceinline__ unsigned ww_activemask()
{
    unsigned m;
    asm volatile("activemask.b32 %0;" : "=r"(m));
    return m;
}
#define WW_SHUFFLE(name, kind, clamp)                                                                                              \
    __device__ __forceinline__ int name(unsigned m, int v, int l, int w = 32) { return __nvvm_shfl_sync_##kind##_i32(m, v, l, (32 - w) << 8 | clamp); }   \
    __device__ __forceinline__ unsigned name(unsigned m, unsigned v, int l, int w = 32) { return (unsigned)name(m, (int)v, l, w); }            \
    __device__ __forceinline__ float name(unsigned m, float v, int l, int w = 32) { return __nvvm_shfl_sync_##kind##_f32(m, v, l, (32 - w) << 8 | clamp); }
WW_SHUFFLE(__shfl_sync, idx, 31)
WW_SHUFFLE(__shfl_up_sync, up, 0)
WW_SHUFFLE(__shfl_down_sync, down, 31)
WW_SHUFFLE(__shfl_xor_sync, bfly, 31)
#undef WW_SHUFFLE

/* Atomics: relaxed, of the device. */
#define WW_ATOMIC(name, type, builtin) \
    __device__ __forceinline__ type name(type *p, type v) { return (type)builtin(p, v); }
#define WW_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define WW_AND(p, v) __atomic_fetch_and(p, v, __ATOMIC_RELAXED)
#define WW_OR(p, v)  __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define WW_XOR(p, v) __atomic_fetch_xor(p, v, __ATOMIC_RELAXED)
#define WW_MIN(p, v) __atomic_fetch_min(p, v, __ATOMIC_RELAXED)
#define WW_MAX(p, v) __atomic_fetch_max(p, v, __ATOMIC_RELAXED)
#define WW_EXCH(p, v) __atomic_exchange_n(p, v, __ATOMIC_RELAXED)
WW_ATOMIC(atomicAdd, int, WW_ADD)
WW_ATOMIC(atomicAdd, unsigned, WW_ADD)
WW_ATOMIC(atomicAdd, unsigned long long, WW_ADD)
WW_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f)
WW_ATOMIC(atomicAnd, int, WW_AND)
WW_ATOMIC(atomicAnd, unsigned, WW_AND)
WW_ATOMIC(atomicOr, int, WW_OR)
WW_ATOMIC(atomicOr, unsigned, WW_OR)
WW_ATOMIC(atomicXor, int, WW_XOR)
WW_ATOMIC(atomicXor, unsigned, WW_XOR)
WW_ATOMIC(atomicMin, int, WW_MIN)
WW_ATOMIC(atomicMin, unsigned, WW_MIN)
WW_ATOMIC(atomicMax, int, WW_MAX)
WW_ATOMIC(atomicMax, unsigned, WW_MAX)
WW_ATOMIC(atomicExch, int, WW_EXCH)
WW_ATOMIC(atomicExch, unsigned, WW_EXCH)
#define WW_CAS(type)                                                                            \
    __device__ __forceinline__ type atomicCAS(type *p, type old, type v)                        \
    {                                                                                           \
        __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);     \
        return old;                                                                             \
    }
WW_CAS(int)
WW_CAS(unsigned)
WW_CAS(unsigned long long)
#undef WW_ATOMIC
#undef WW_CAS

/* Arithmetic that is one instruction. */
template <typename T> __device__ __forceinline__ T __ldg(const T *p) { return *p; }
template <typename T> __device__ __forceinline__ T min(T a, T b) { return b < a ? b : a; }
template <typename T> __device__ __forceinline__ T max(T a, T b) { return a < b ? b : a; }
#define sqrtf(x)       __nvvm_sqrt_rn_f(x)
#define fabsf(x)       __builtin_fabsf(x)
#define fminf(a, b)    __builtin_fminf(a, b)
#define fmaxf(a, b)    __builtin_fmaxf(a, b)
#define fmaf(a, b, c)  __builtin_fmaf(a, b, c)
#define rsqrtf(x)      __nvvm_rsqrt_approx_f(x)
#define __popc(x)      __builtin_popcount(x)
#define __clz(x)       ((x) ? __builtin_clz(x) : 32)
#define __ffs(x)       __builtin_ffs(x)

#endif
