/* SPDX-License-Identifier: Apache-2.0 */
/* Two fills of neighbouring halves with an event between them: a kernel of another stream that waits for the event reads the first half. */
#include "../run.h"

__global__ void look(const int *p, int *out)
{
    out[threadIdx.x] = p[threadIdx.x];
}

int main()
{
    int         *p = device_array<int>(64), *out = device_array<int>(32);
    cudaStream_t s, t;
    cudaEvent_t  half;
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&half);
    cudaMemsetAsync(p, 1, 32 * sizeof *p, s);
    cudaEventRecord(half, s);
    cudaMemsetAsync(p + 32, 1, 32 * sizeof *p, s);
    cudaStreamWaitEvent(t, half, 0);
    look<<<1, 32, 0, t>>>(p, out);
    return finish();
}
