/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read: by the host, row by row. */
#include "../run.h"

__global__ void make(int *x)
{
    x[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}

int main()
{
    static int back[4][64];
    int       *x;
    cudaMalloc(&x, sizeof back);
    make<<<4, 64>>>(x);
    for (int i = 0; i < 4; i++)
        cudaMemcpy(back[i], x + 64 * i, 256, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return finish();
}
