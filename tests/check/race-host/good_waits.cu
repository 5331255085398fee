/* SPDX-License-Identifier: Apache-2.0 */
/* Each access of the host comes behind a wait: for the device, a stream, an event, or the copy that is done when it returns. */
#include "../run.h"

__global__ void fill(int *x, int v)
{
    x[threadIdx.x] = v;
}

int main()
{
    cudaStream_t s;
    cudaEvent_t  e;
    int         *x, *y = device_array<int>(64), sum = 0, h[64];
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMallocManaged(&x, 64 * sizeof *x);
    fill<<<1, 64>>>(x, 1);
    cudaDeviceSynchronize();
    sum += x[3]++;
    fill<<<1, 64, 0, s>>>(x, 2);
    cudaStreamSynchronize(s);
    sum += x[3]++;
    fill<<<1, 64, 0, s>>>(x, 3);
    cudaEventRecord(e, s);
    cudaEventSynchronize(e);
    sum += x[3]++;
    fill<<<1, 64>>>(x, 4);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    sum += x[3]++;
    int r = finish();
    cudaFree(x);
    cudaFree(y);
    return r + (sum != 10);
}
