/* SPDX-License-Identifier: Apache-2.0 */
/* A result comes to pinned memory by a copy in a stream, and the host looks before the copy has ended (host lines). */
#include "../run.h"

int main()
{
    cudaStream_t s;
    int         *h, *x = device_array<int>(256);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMallocHost(&h, 256 * sizeof *h);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(h, x, 256 * sizeof *h, cudaMemcpyDeviceToHost, s);
    int first = h[100]; // expect: race-host
    cudaStreamSynchronize(s);
    cudaFreeHost(h);
    cudaFree(x);
    return finish() + first;
}
