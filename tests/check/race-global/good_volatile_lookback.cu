/* SPDX-License-Identifier: Apache-2.0 */
/* Look-back: each block's sum stands behind a fence and its flag. */
#include "../run.h"

__global__ void scan(const int *a, volatile int *sum, volatile int *flag, int *next, int *out)
{
    int i = atomicAdd(next, 1), before = 0;
    if (i > 0) {
        while (!flag[i - 1])
            ;
        __threadfence();
        before = sum[i - 1];
    }
    sum[i] = before + a[i];
    __threadfence();
    flag[i] = 1;
    out[i]  = before;
}

int main()
{
    scan<<<8, 1>>>(device_array<int>(8), device_array<int>(8), device_array<int>(8), device_array<int>(1),
                   device_array<int>(8));
    return finish();
}
