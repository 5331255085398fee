/* SPDX-License-Identifier: Apache-2.0 */
/* The lower half shuffles among itself and asks for the upper half's values. */
#include "../run.h"

__global__ void half(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0x0000ffff, v, threadIdx.x + 16); // expect: shuffle-source
    out[threadIdx.x] = v;
}

int main()
{
    half<<<1, 32>>>(device_array<int>(32));
    return finish();
}
