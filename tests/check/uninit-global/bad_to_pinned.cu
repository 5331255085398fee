/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that nobody wrote come to pinned memory by a copy in a stream (host lines). */
#include "../run.h"

int main()
{
    cudaStream_t s;
    float       *x, *h;
    cudaStreamCreate(&s);
    cudaMallocHost(&h, 256);
    cudaMallocAsync(&x, 256, s);
    cudaMemsetAsync(x, 0, 252, s);
    cudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost, s); // expect: uninit-global
    cudaFreeAsync(x, s);
    cudaStreamSynchronize(s);
    cudaFreeHost(h);
    return finish();
}
