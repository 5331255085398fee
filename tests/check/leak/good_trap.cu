/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel fails, and the program cannot free what it wants to: that is no leak. */
#include "../run.h"

__global__ void set(int *x)
{
    if (x[threadIdx.x] == 0)
        __trap();
}

int main()
{
    int *p = device_array<int>(32);
    set<<<1, 32>>>(p);
    int code = finish();
    cudaFree(p);
    return code - 1;
}
