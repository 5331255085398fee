/* SPDX-License-Identifier: Apache-2.0 */
/* All of a table is copied to the device, and the kernel reads its first half (host lines). */
#include "../run.h"

__global__ void use(const float *table, float *out)
{
    out[threadIdx.x] = table[threadIdx.x];
}

int main()
{
    static float host[128], back[64];
    float       *table, *out;
    cudaMalloc(&table, sizeof host); // expect: unread-memory
    cudaMalloc(&out, sizeof back);
    cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice);
    use<<<1, 64>>>(table, out);
    cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
    cudaFree(table);
    cudaFree(out);
    return finish();
}
