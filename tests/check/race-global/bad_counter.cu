/* SPDX-License-Identifier: Apache-2.0 */
/* options: --threads 1.  A counter that every block increments, without an atomic; two workers may store one value, which is a note besides. */
#include "../run.h"

__global__ void count(int *n)
{
    if (threadIdx.x == 0)
        *n = *n + 1; // expect: race-global, other end 8
}

int main()
{
    count<<<8, 32>>>(device_array<int>(1));
    return finish();
}
