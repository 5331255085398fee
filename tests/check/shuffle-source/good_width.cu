/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of eight lanes: at a segment's end a lane gets its own value back. */
#include "../run.h"

__global__ void segments(int *out)
{
    int v = threadIdx.x;
    for (int n = 4; n; n /= 2)
        v += __shfl_down_sync(0xffffffff, v, n, 8);
    out[threadIdx.x] = v;
}

int main()
{
    segments<<<1, 32>>>(device_array<int>(32));
    return finish();
}
