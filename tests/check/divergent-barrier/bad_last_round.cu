/* SPDX-License-Identifier: Apache-2.0 */
/* The length is not a multiple of the block: in the last round some lanes leave the loop, and its barrier, early. */
#include "../run.h"

__global__ void rounds(const int *a, int *out, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += 64) {
        s[threadIdx.x] += a[i];
        __syncthreads(); // expect: divergent-barrier
    }
    out[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    rounds<<<1, 64>>>(device_array<int>(150), device_array<int>(64), 150);
    return finish();
}
