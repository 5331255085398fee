/* SPDX-License-Identifier: Apache-2.0 */
/* Read first, written behind a barrier; and the neighbour of what is read is written before. */
#include "../run.h"

__global__ void shift(int *x, int *y)
{
    int i = (int)threadIdx.x;
    x[2 * i + 1] = i;
    __syncthreads();
    int v = __ldg(&x[2 * ((i + 1) % 64)]);
    __syncthreads();
    x[2 * i] = v;
    y[i]     = x[2 * i + 1];
}

int main()
{
    shift<<<1, 64>>>(device_array<int>(128), device_array<int>(64));
    return finish();
}
