/* SPDX-License-Identifier: Apache-2.0 */
/* The fourth component of each vector was never written and is copied along. */
#include "../run.h"

__global__ void set(float *p)
{
    int i        = (int)threadIdx.x;
    p[4 * i]     = 1;
    p[4 * i + 1] = 2;
    p[4 * i + 2] = 3;
}

__global__ void copy(const float4 *from, float4 *to)
{
    to[threadIdx.x] = from[threadIdx.x]; // expect: uninit-global
}

int main()
{
    float4 *a, *b, h[32];
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    set<<<1, 32>>>((float *)a);
    copy<<<1, 32>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return finish();
}
