/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that has no more to do leaves, and a loop of the others has a barrier. */
#include "../run.h"

__global__ void rounds(int *a, int n)
{
    for (int r = 0; r < 4; r++) {
        if ((int)threadIdx.x >= n - r)
            return;
        a[threadIdx.x] += r;
        __syncthreads(); // expect: exited-threads
    }
}

int main()
{
    rounds<<<1, 32>>>(device_array<int>(32), 32);
    return finish();
}
