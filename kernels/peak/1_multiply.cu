/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast the card multiplies and adds when nothing else is to be done: the ceiling that `warpwright bench` compares with.
 *
 * Change      nothing but multiplications with sums: 16 chains a thread, operands in registers, 256 of them between two branches.
 * Bottleneck  the multipliers, by intent.
 * Measured    docs/performance.md.
 *
 * A thread's result is the sum of its chains, each `rounds` * 16 steps of x = x * a + b from its number in the grid; peak_i64: of
 * x += a * the low 32 bits of the next chain, sign extended. */
enum { THREADS = 256, CHAINS = 16, UNROLL = 16 };

static __device__ __forceinline__ float step(float x, float, float a, float b)
{
    return __builtin_fmaf(x, a, b);
}

static __device__ __forceinline__ unsigned step(unsigned x, unsigned, unsigned a, unsigned b)
{
    return x * a + b;
}

static __device__ __forceinline__ long long step(long long x, long long next, int a, int)
{
    return x + (long long)(int)next * a;
}

template <typename T, typename A> static __device__ __forceinline__ void chains(T *out, A a, A b, int rounds)
{
    unsigned id = blockIdx.x * THREADS + threadIdx.x;
    T        x[CHAINS], sum = T(0);
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        x[i] = T(id + i);
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                x[i] = step(x[i], x[(i + 1) % CHAINS], a, b);
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    out[id] = sum;
}

extern "C" __global__ void __launch_bounds__(THREADS) peak_f32(float *out, float a, float b, int rounds)
{
    chains(out, a, b, rounds);
}

extern "C" __global__ void __launch_bounds__(THREADS) peak_i32(unsigned *out, unsigned a, unsigned b, int rounds)
{
    chains(out, a, b, rounds);
}

extern "C" __global__ void __launch_bounds__(THREADS) peak_i64(long long *out, int a, int b, int rounds)
{
    chains(out, a, b, rounds);
}
