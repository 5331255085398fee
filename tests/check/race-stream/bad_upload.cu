/* SPDX-License-Identifier: Apache-2.0 */
/* The upload of the next round overwrites what the kernel of this one still reads. */
#include "../run.h"

__global__ void sum(const int *in, int *out)
{
    atomicAdd(out, in[threadIdx.x]); // expect: race-stream
}

int main()
{
    int         *in = device_array<int>(64), *out = device_array<int>(1), *h;
    cudaStream_t up, work;
    cudaEvent_t  there;
    cudaMallocHost(&h, 64 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreate(&up);
    cudaStreamCreate(&work);
    cudaEventCreate(&there);
    for (int round = 0; round < 2; round++) {
        cudaMemcpyAsync(in, h, 64 * sizeof(int), cudaMemcpyHostToDevice, up);
        cudaEventRecord(there, up);
        cudaStreamWaitEvent(work, there, 0);
        sum<<<1, 64, 0, work>>>(in, out);
    }
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return finish();
}
