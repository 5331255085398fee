/* SPDX-License-Identifier: Apache-2.0
 *
 * What the matrix kernels need of an element type: float, or unsigned for integers modulo 2^32 (signed ones have the
 * same bits).  Four<T>::type is the 16-byte vector; from() gives the element with the bits of alpha or beta, zero()
 * says whether those bits mean 0.  A product is added with one rounding (float) or none (integers), in the order of l
 * in every kernel, so kernels that do not split k agree bit for bit.  Also the address of, and a store to, shared memory. */
#ifndef WW_KERNELS_GEMM_ELEMENT_H
#define WW_KERNELS_GEMM_ELEMENT_H

#include "args.h"

template <typename T> struct Four;
template <> struct Four<float> {
    typedef float4 type;
    static __device__ __forceinline__ float from(unsigned bits)
    {
        union {
            unsigned u;
            float    f;
        } word;
        word.u = bits;
        return word.f;
    }
    static __device__ __forceinline__ bool zero(unsigned bits) { return bits << 1 == 0; } /* -0 too */
};
template <> struct Four<unsigned> {
    typedef uint4 type;
    static __device__ __forceinline__ unsigned from(unsigned bits) { return bits; }
    static __device__ __forceinline__ bool     zero(unsigned bits) { return bits == 0; }
};

static __device__ __forceinline__ float mul_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

static __device__ __forceinline__ unsigned mul_add(unsigned a, unsigned b, unsigned c)
{
    return a * b + c;
}

/* c += a * b, in the place among its neighbours where it stands in the source: the compiler moves no volatile assembly past another. */
static __device__ __forceinline__ void mul_add_here(float a, float b, float *c)
{
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(*c) : "f"(a), "f"(b));
}

static __device__ __forceinline__ void mul_add_here(unsigned a, unsigned b, unsigned *c)
{
    asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(*c) : "r"(a), "r"(b));
}

static __device__ __forceinline__ unsigned shared_address(const void *p)
{
    unsigned a;
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(a) : "l"(p));
    return a;
}

/* 16 bytes to shared memory as one access; left to choose, nvcc makes some such stores four of one word each, with bank conflicts. */
static __device__ __forceinline__ void shared_store(unsigned address, float4 v)
{
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}

static __device__ __forceinline__ void shared_store(unsigned address, uint4 v)
{
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

/* And from there. */
static __device__ __forceinline__ void shared_load(unsigned address, float4 *v)
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v->x), "=f"(v->y), "=f"(v->z), "=f"(v->w) : "r"(address) : "memory");
}

static __device__ __forceinline__ void shared_load(unsigned address, uint4 *v)
{
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w) : "r"(address) : "memory");
}

template <typename T> static __device__ __forceinline__ void add_four(typename Four<T>::type *sum, uint4 v)
{
    typedef Four<T> F;
    sum->x += F::from(v.x);
    sum->y += F::from(v.y);
    sum->z += F::from(v.z);
    sum->w += F::from(v.w);
}

/* *c = alpha * sum + beta * *c; keep: beta is not zero, else *c is not read.  Also for four neighbours, aligned to 16 bytes. */
template <typename T> static __device__ __forceinline__ void put(T *c, T sum, T alpha, T beta, bool keep)
{
    sum = alpha * sum;
    *c  = keep ? mul_add(beta, *c, sum) : sum;
}

template <typename T>
static __device__ __forceinline__ void put(T *c, typename Four<T>::type q, T alpha, T beta, bool keep)
{
    typedef typename Four<T>::type V;
    V                              sum = {alpha * q.x, alpha * q.y, alpha * q.z, alpha * q.w};
    if (keep) {
        V old = *(const V *)c;
        sum.x = mul_add(beta, old.x, sum.x);
        sum.y = mul_add(beta, old.y, sum.y);
        sum.z = mul_add(beta, old.z, sum.z);
        sum.w = mul_add(beta, old.w, sum.w);
    }
    *(V *)c = sum;
}

template <typename T> static __device__ __forceinline__ void put(const GemmArgs &g, T *c, T sum)
{
    put(c, sum, Four<T>::from(g.alpha), Four<T>::from(g.beta), !Four<T>::zero(g.beta));
}

/* One kernel for float and one for integers. */
#define BOTH_TYPES(name, body, threads)                                                                                \
    extern "C" __global__ void __launch_bounds__(threads) name##_f32(const GemmArgs g)                                 \
    {                                                                                                                  \
        body<float>(g);                                                                                                \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(threads) name##_i32(const GemmArgs g)                                 \
    {                                                                                                                  \
        body<unsigned>(g);                                                                                             \
    }

/* A launch of such a kernel (sm_90) may begin before the one in front of it on its stream has ended.  From here on everything that one
 * wrote is there, for this thread and those that come behind it. */
static __device__ __forceinline__ void grid_wait(void)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* The same; and the next launch may begin as soon as it finds room. */
static __device__ __forceinline__ void grid_turn(void)
{
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
}

#endif
