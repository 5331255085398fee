/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers of 128 bits, which the compiler makes of chains of carries: sums, products, quotients and remainders are the host's. */
#include "check.h"

typedef unsigned long long u64;
typedef unsigned __int128  u128;

enum { N = 2048, RESULTS = 7 };

__host__ __device__ void results(u64 a, u64 b, u64 m, u64 *out)
{
    u128     product = (u128)a * b, x = (u128)a << 64 | b, divisor = (u128)b << 20 | m;
    __int128 y = (__int128)(x - product);
    out[0]     = (u64)((x + product) >> 64);
    out[1]     = (u64)(x / m);
    out[2]     = (u64)(x / m >> 64);
    out[3]     = (u64)(product % m);
    out[4]     = (u64)(x % divisor);
    out[5]     = (u64)(x % divisor >> 64);
    out[6]     = (u64)(y / (__int128)(m >> 1 | 1)) ^ (u64)(y % (__int128)(m >> 1 | 1));
}

__global__ void k(const u64 *in, u64 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    results(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + RESULTS * i);
}

int main()
{
    u64 *in, *out, x = 88172645463325252ull;
    OK(cudaMallocManaged(&in, 3 * N * sizeof *in));
    OK(cudaMallocManaged(&out, RESULTS * N * sizeof *out));
    for (int i = 0; i < 3 * N; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        in[i] = x >> i % 61 | 1;
    }
    k<<<N / 128, 128>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        u64 expected[RESULTS];
        results(in[3 * i], in[3 * i + 1], in[3 * i + 2], expected);
        CHECK(memcmp(expected, out + RESULTS * i, sizeof expected) == 0);
    }
    return passed();
}
