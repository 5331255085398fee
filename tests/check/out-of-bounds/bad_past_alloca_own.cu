/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread asks for as much as it needs, and one of them needs more. */
#include "../run.h"

__global__ void sum(float *out, int n)
{
    int             mine = (threadIdx.x & 7) + 1;
    volatile float *a    = (volatile float *)alloca(mine * sizeof(float));
    for (int i = 0; i < mine; i++)
        a[i] = i;
    if (threadIdx.x == n)
        a[mine] = 1.0f; // expect: out-of-bounds, other end 8
    out[threadIdx.x] = a[mine - 1];
}

int main()
{
    float *out = device_array<float>(32);
    sum<<<1, 32>>>(out, 3);
    return finish();
}
