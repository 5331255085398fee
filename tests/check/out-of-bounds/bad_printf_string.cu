/* SPDX-License-Identifier: Apache-2.0 */
/* A string of printf lies nowhere. */
#include "../run.h"

__global__ void say()
{
    printf("%s\n", (const char *)0x123456789abcull); // expect: out-of-bounds
}

int main()
{
    say<<<1, 1>>>();
    return finish();
}
