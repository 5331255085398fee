/* SPDX-License-Identifier: Apache-2.0 */
/* A hint that others have found it already: it only decides whether to go on. */
#include "../run.h"

__global__ void search(const int *a, volatile int *stop, int *at)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (stop[0])
        return;
    if (a[i] == 7 && atomicCAS(at, -1, i) == -1)
        stop[0] = 1; // expect: race-volatile, other end 8
}

int main()
{
    int a[256] = {0}, none = -1, *d = device_array<int>(256), *at = device_array<int>(1);
    a[100] = 7;
    cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(at, &none, sizeof none, cudaMemcpyHostToDevice);
    search<<<4, 64>>>(d, device_array<int>(1), at);
    return finish();
}
