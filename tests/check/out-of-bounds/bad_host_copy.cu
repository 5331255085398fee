/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the host that are too long: now, and in a stream (host lines). */
#include "../run.h"

int main()
{
    int *p = device_array<int>(32), h[40] = {0};
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice); // expect: out-of-bounds
    cudaMemcpyAsync(h, p + 10, 32 * sizeof *p, cudaMemcpyDeviceToHost, s); // expect: out-of-bounds
    cudaStreamDestroy(s);
    cudaFree(p);
    cudaGetLastError();
    return finish();
}
