/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's own bounds, a block's shape, and a cooperative grid that the card does not hold at once (host lines). */
#include "../run.h"

__global__ void __launch_bounds__(64) few(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void plain(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    int *p = device_array<int>(64);
    void *args[] = {&p};
    few<<<1, 128>>>(p);                                                             // expect: launch-configuration
    cudaLaunchKernel((const void *)plain, dim3(1), dim3(1, 1, 65), args, 0, 0);       // expect: launch-configuration
    cudaLaunchCooperativeKernel((const void *)plain, dim3(100000), dim3(1024), args, 0, 0); // expect: launch-configuration
    cudaFree(p);
    return 0;
}
