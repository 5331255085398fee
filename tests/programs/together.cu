/* SPDX-License-Identifier: Apache-2.0
 *
 * Two programs that forget a __syncthreads() and come out right on a card, because its warps go on together from a barrier: one thread reads
 * what another warp overwrites a while later; and all read an array of sums whose next ones are stored without waiting for that.  Both are
 * races, which --check=race reports; without it they must come out as they do there.  With a seed they may not. */
#include "check.h"

enum { THREADS = 256, WARPS = THREADS / 32, N = 20 * THREADS, ROUNDS = 6 };

__device__ static float warp_sum(float x)
{
    for (int i = 16; i > 0; i /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}

/* Every thread gets the block's sum. */
__device__ static float block_sum(float x, float *sums)
{
    int   warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    float s = warp_sum(x);
    if (lane == 0)
        sums[warp] = s;
    __syncthreads();
    s = lane < WARPS ? sums[lane] : 0.0f;
    return warp_sum(s); /* nobody waits until all have read */
}

__global__ void rounds(float *out)
{
    __shared__ float sums[WARPS];
    for (int r = 0; r < ROUNDS; r++) {
        float all = block_sum((float)(threadIdx.x * (unsigned)(r + 1)), sums);
        for (int i = (int)threadIdx.x; i < N; i += THREADS)
            out[r * N + i] = all;
    }
}

__global__ void chosen(float *x, float *out, const int *which)
{
    __shared__ float sums[WARPS];
    float            mine = 0;
    for (int i = (int)threadIdx.x; i < N; i += THREADS)
        mine += x[blockIdx.x * N + (unsigned)i];
    float all = block_sum(mine, sums);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x[blockIdx.x * N + (unsigned)which[blockIdx.x]];
    for (int i = (int)threadIdx.x; i < N; i += THREADS)
        x[blockIdx.x * N + (unsigned)i] = -all;
}

int main()
{
    static float v[ROUNDS * N], x[WARPS * N], got[WARPS];
    int          which[WARPS];
    float       *d, *o;
    int         *w;
    OK(cudaMalloc(&d, sizeof v > sizeof x ? sizeof v : sizeof x));
    OK(cudaMalloc(&o, sizeof got));
    OK(cudaMalloc(&w, sizeof which));
    rounds<<<1, THREADS>>>(d);
    OK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < N; i++)
            CHECK(v[r * N + i] == (float)(THREADS * (THREADS - 1) / 2 * (r + 1)));
    for (int i = 0; i < WARPS * N; i++)
        x[i] = (float)(i % 97);
    for (int b = 0; b < WARPS; b++) /* each block's is another warp's */
        which[b] = N - THREADS + b * 32 + 5;
    OK(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(w, which, sizeof which, cudaMemcpyHostToDevice));
    chosen<<<WARPS, THREADS>>>(d, o, w);
    OK(cudaMemcpy(got, o, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < WARPS; b++)
        CHECK(got[b] == x[b * N + which[b]]);
    return passed();
}
