/* SPDX-License-Identifier: Apache-2.0 */
/* The lower half shuffles among itself. */
#include "../run.h"

__global__ void half(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(0x0000ffff, v, 8);
    out[threadIdx.x] = v;
}

int main()
{
    half<<<1, 32>>>(device_array<int>(32));
    return finish();
}
