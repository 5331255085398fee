/* SPDX-License-Identifier: Apache-2.0 */
/* One stream clears what a kernel of another one counts in. */
#include "../run.h"

__global__ void count(int *n)
{
    atomicAdd(n, 1); // expect: race-stream
}

int main()
{
    int         *n = device_array<int>(1);
    cudaStream_t s, t;
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMemsetAsync(n, 0, sizeof *n, t);
    count<<<1, 64, 0, s>>>(n);
    return finish();
}
