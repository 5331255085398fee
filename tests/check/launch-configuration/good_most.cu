/* SPDX-License-Identifier: Apache-2.0 */
/* Exactly what is allowed (host lines). */
#include "../run.h"

__global__ void __launch_bounds__(64) few(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void any(int *p)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = 1;
    p[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    int *p = device_array<int>(1024);
    few<<<1, 64>>>(p);
    any<<<1, 1024, 49152>>>(p);
    any<<<dim3(1, 65535), dim3(1, 1, 1), 4>>>(p);
    cudaFree(p);
    return finish();
}
