/* SPDX-License-Identifier: Apache-2.0 */
/* Much dynamic shared memory, asked for first (host lines). */
#include "../run.h"

__global__ void one()
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = 1;
}

int main()
{
    cudaFuncSetAttribute((const void *)one, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    one<<<1, 32, 100000>>>();
    return finish();
}
