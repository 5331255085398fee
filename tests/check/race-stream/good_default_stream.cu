/* SPDX-License-Identifier: Apache-2.0 */
/* The default stream comes behind the others and they behind it; cudaMemcpy waits for it. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++;
}

int main()
{
    int         *a = device_array<int>(64), h[64];
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    add<<<1, 64, 0, s>>>(a);
    add<<<1, 64>>>(a);
    add<<<1, 64, 0, t>>>(a);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    add<<<1, 64, 0, s>>>(a);
    cudaStreamSynchronize(s);
    add<<<1, 64, 0, t>>>(a);
    return finish();
}
