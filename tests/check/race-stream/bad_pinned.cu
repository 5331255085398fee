/* SPDX-License-Identifier: Apache-2.0 */
/* One stream copies into the pinned buffer that another one copies from.
 * // expect anywhere: race-stream */
#include "../run.h"

int main()
{
    int         *a = device_array<int>(64), *b = device_array<int>(64), *h;
    cudaStream_t s, t;
    cudaMallocHost(&h, 64 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMemcpyAsync(h, a, 64 * sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaMemcpyAsync(b, h, 64 * sizeof(int), cudaMemcpyHostToDevice, t);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return finish();
}
