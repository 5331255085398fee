/* SPDX-License-Identifier: Apache-2.0 */
/* More threads than a block takes, no block at all, a grid that is too high (host lines). */
#include "../run.h"

template <typename T> __global__ void one(T *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    int *p = device_array<int>(32);
    one<<<1, 2048>>>(p);           // expect: launch-configuration
    one<<<0, 32>>>(p);             // expect: launch-configuration
    one<<<dim3(1, 70000), 32>>>(p); // expect: launch-configuration
    cudaFree(p);
    return 0;
}
