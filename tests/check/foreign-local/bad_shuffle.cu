/* SPDX-License-Identifier: Apache-2.0 */
/* Lane 0 gives its array's address to the others by a shuffle. */
#include "../run.h"

__global__ void look(int *out, int k)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[(i + k) % 8] = i + (int)threadIdx.x;
    int *p = (int *)__shfl_sync(0xffffffffu, (unsigned long long)own, 0);
    out[threadIdx.x] = p[k] + own[k % 3]; // expect: foreign-local, other end 10
}

int main()
{
    look<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
