/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory (heap) passed to a kernel. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1; // expect: host-pointer
}

int main()
{
    int *p = (int *)malloc(128);
    set<<<1, 32>>>(p);
    return finish();
}
