/* SPDX-License-Identifier: Apache-2.0 */
/* A second buffer that the program never comes to, and never frees (host lines). */
#include "../run.h"

__global__ void twice(int *x)
{
    x[threadIdx.x] *= 2;
}

int main()
{
    int  back[64], *x = device_array<int>(64);
    int *spare;
    cudaMalloc(&spare, 64 * sizeof(int)); // expect: unused-memory
    twice<<<1, 64>>>(x);
    cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return finish();
}
