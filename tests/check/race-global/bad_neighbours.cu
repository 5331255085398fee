/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a stencil in place: a block reads what its neighbour block writes. */
#include "../run.h"

__global__ void step(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float right = i + 1 < n ? a[i + 1] : 0;
    __syncthreads();
    a[i] = right + 1; // expect: race-global, other end 8
}

int main()
{
    step<<<4, 64>>>(device_array<float>(256), 256);
    return finish();
}
