/* SPDX-License-Identifier: Apache-2.0 */
/* The host adds up managed memory that the kernel may still be writing (host lines). */
#include "../run.h"

__global__ void fill(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main()
{
    int *x, sum = 0;
    cudaMallocManaged(&x, 4096 * sizeof *x);
    fill<<<16, 256>>>(x);
    for (int i = 0; i < 4096; i++)
        sum += x[i]; // expect: race-host, other end 7
    printf("%d\n", sum);
    int r = finish();
    cudaFree(x);
    return r;
}
