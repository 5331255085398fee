/* SPDX-License-Identifier: Apache-2.0 */
/* A text of the host's is given to printf in a kernel. */
#include "../run.h"

__global__ void say(const char *name, int n)
{
    printf("%s: %d\n", name, n); // expect: host-pointer
}

int main()
{
    static char name[16] = "steps";
    say<<<1, 1>>>(name, 4);
    return finish();
}
