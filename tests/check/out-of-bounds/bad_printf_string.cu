/* SPDX-License-Identifier: Apache-2.0 */
/* A string of printf lies nowhere; the launch goes on, and what comes later is found too. */
#include "../run.h"

__global__ void say(int *p)
{
    printf("%s\n", (const char *)0x123456789abcull); // expect: out-of-bounds
    p[threadIdx.x + 4] = 1;                          // expect: out-of-bounds
}

int main()
{
    int *p = device_array<int>(4);
    say<<<1, 1>>>(p);
    return finish();
}
