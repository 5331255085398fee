/* SPDX-License-Identifier: Apache-2.0 */
/* Data, fence, flag: the volatile write behind the fence is the flag, and who sees it sees the data. */
#include "../run.h"

__global__ void hand_over(volatile int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        flag[0] = 1;
    } else {
        while (flag[0] == 0)
            ;
        *out = data[0];
    }
}

int main()
{
    hand_over<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
    return finish();
}
