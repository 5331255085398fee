/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic shared memory above 48 KiB that was not asked for, found at the end of the program (host lines). */
#include "../run.h"

__global__ void one()
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = 1;
}

int main()
{
    one<<<1, 32, 100000>>>(); // expect: launch-configuration
    cudaDeviceSynchronize();
    return 0;
}
