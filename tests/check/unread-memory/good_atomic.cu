/* SPDX-License-Identifier: Apache-2.0 */
/* An atomic reads what it changes. */
#include "../run.h"

__global__ void ticket(unsigned *next, int *out)
{
    out[threadIdx.x] = atomicInc(next, 1000);
}

int main()
{
    int       back[32], *out;
    unsigned *next = device_array<unsigned>(1);
    cudaMalloc(&out, 128);
    ticket<<<1, 32>>>(next, out);
    cudaMemcpy(back, out, 128, cudaMemcpyDeviceToHost);
    cudaFree(next);
    cudaFree(out);
    return finish();
}
