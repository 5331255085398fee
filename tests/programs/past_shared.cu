/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that use what lies behind their shared memory and in its last unit, which a card gives them: they go on, and the report holds a
 * warning for each line.
 * warns: out-of-bounds
 * warns: out-of-bounds
 * warns: out-of-bounds
 * fails: 1 */
#include "check.h"

__global__ void ends(int *out, int n)
{
    extern __shared__ int s[];
    s[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 28)
        out[threadIdx.x] = s[threadIdx.x + n];
}

__global__ void uses(int *out)
{
    __shared__ int s[33];
    atomicAdd(&s[threadIdx.x + 2], 1); /* one element too many, in generic or shared addresses */
    __syncthreads();
    ((volatile int *)s)[threadIdx.x + 32] = 5;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    int *p, v[32];
    OK(cudaMalloc(&p, sizeof v));
    ends<<<1, 32, 36 * sizeof(int)>>>(p, 9);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 23; i++)
        CHECK(v[i] == i + 9);
    uses<<<2, 32>>>(p);
    OK(cudaDeviceSynchronize());
    ends<<<1, 32, 36 * sizeof(int)>>>(p, 37); /* past the unit */
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return passed();
}
