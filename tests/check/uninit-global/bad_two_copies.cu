/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that nobody wrote go to the host through two other allocations (host lines). */
#include "../run.h"

int main()
{
    int *a, *b, *c, h[64];
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, 2 * sizeof h);
    c = device_array<int>(64);
    cudaMemset(a, 1, sizeof h / 2);
    cudaMemcpy(b + 64, a, sizeof h, cudaMemcpyDeviceToDevice);
    cudaMemcpyAsync(c, b + 64, sizeof h, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpyAsync(h, c, sizeof h, cudaMemcpyDeviceToHost, 0); // expect: uninit-global
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return finish();
}
