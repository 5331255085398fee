/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks of warps whose lanes part, by branches, switches, loops and calls: one block, its warps alike.  An H200's are tests/data/time/turns_h200.tsv. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define FMA(v) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(m), "f"(a))
template <int L> __device__ __forceinline__ float chain(float v, float m, float a)
{
#pragma unroll
    for (int i = 0; i < L; i++) FMA(v);
    return v;
}
template <int L> __device__ __noinline__ float called(float v, float m, float a) { return chain<L>(v, m, a); }
// leaves the loop by two ways: 'found' runs what follows once for each turn
template <int L> __device__ __forceinline__ float two_ways(float v, float m, float a, int t, int n)
{
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (i == t) return chain<L>(v, m, a);
        FMA(v);
    }
    return v;
}
template <int P, int L> __global__ void turns(int groups, int rounds, float m, float a, float *out, long long *clocks)
{
    int   lane = threadIdx.x & 31, g = lane % groups;
    float v    = threadIdx.x;
    __syncthreads();
    long long t0 = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (P == 0) v = chain<L>(v, m, a);
        if (P == 1) {
            if (g) v = chain<L>(v, m, a);
            else v = chain<L>(v, a, m);
        }
        if (P == 2) {
            switch (g) {
#define C(i) case i: v = chain<L>(v + i, m, a); break;
                C(0) C(1) C(2) C(3) C(4) C(5) C(6) C(7) C(8) C(9) C(10) C(11) C(12) C(13) C(14) C(15) C(16) C(17) C(18) C(19) C(20) C(21) C(22) C(23) C(24) C(25) C(26) C(27) C(28) C(29) C(30) C(31)
            }
        }
        if (P == 3)
#pragma unroll 1
            for (int i = 0; i <= g; i++) v = chain<L>(v, m, a);
        if (P == 4) v = two_ways<L>(v, m, a, g, 40);
        if (P == 5) {
            if (g) v = called<L>(v, m, a);
        }
    }
    long long t1 = clock64();
    out[threadIdx.x] = v;
    clocks[threadIdx.x] = t1 - t0;
}
static float *out; static long long *clocks;
template <int P, int L> static void read(int groups)
{
    static const int warps[] = {1, 4, 8, 16, 32};
    const int rounds = 64;
    for (int w : warps) {
        long long h[1024], most = 0;
        for (int k = 0; k < 3; k++) turns<P, L><<<1, 32 * w>>>(groups, rounds, 0.5f, 1.0f, out, clocks);
        if (cudaMemcpy(h, clocks, sizeof(long long) * 32 * w, cudaMemcpyDeviceToHost)) { printf("# failed\n"); exit(1); }
        for (int i = 0; i < 32 * w; i++) most = h[i] > most ? h[i] : most;
        printf("%d\t%d\t%d\t%d\t%.2f\n", P, L, groups, w, (double)most / rounds);
    }
}
template <int P, int L> static void all() { static const int k[] = {1, 2, 4, 8, 16, 32}; for (int g : k) read<P, L>(g); }
int main()
{
    cudaMalloc(&out, 4096); cudaMalloc(&clocks, 8192);
    printf("pattern\tlength\tgroups\twarps\tclocks\n");
    all<0, 16>(); all<0, 64>();
    all<1, 16>(); all<1, 64>();
    all<2, 4>(); all<2, 16>(); all<2, 64>();
    all<3, 4>(); all<3, 16>();
    all<4, 1>(); all<4, 4>(); all<4, 16>(); all<4, 64>();
    all<5, 16>();
}
