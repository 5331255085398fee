/* SPDX-License-Identifier: Apache-2.0 */
/* Results are announced through a volatile flag, without a fence before it: the flag is told, and the data are an error. */
#include "../run.h"

__global__ void hand_over(volatile int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        flag[0] = 1;
    } else {
        while (flag[0] == 0) // expect: race-volatile, other end 9
            ;
        *out = data[0]; // expect: race-global, other end 8
    }
}

int main()
{
    hand_over<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
    return finish();
}
