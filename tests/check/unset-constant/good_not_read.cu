/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody set one of the two, and its branch is not taken. */
#include "../run.h"

__constant__ int mode, table[64];

__global__ void pick(int *x)
{
    if (mode == 2)
        x[threadIdx.x] = table[threadIdx.x];
}

int main()
{
    int *x = device_array<int>(32), one = 1;
    cudaMemcpyToSymbol(mode, &one, sizeof one);
    pick<<<1, 32>>>(x);
    int code = finish();
    cudaFree(x);
    return code;
}
