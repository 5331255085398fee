/* SPDX-License-Identifier: Apache-2.0 */
/* Upper lanes have exited; the full mask still names them, which is allowed. */
#include "../run.h"

__global__ void lower(int *out)
{
    if (threadIdx.x >= 16)
        return;
    out[threadIdx.x] = __any_sync(0xffffffff, out[threadIdx.x]);
}

int main()
{
    lower<<<1, 32>>>(device_array<int>(32));
    return finish();
}
