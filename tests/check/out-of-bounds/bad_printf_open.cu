/* SPDX-License-Identifier: Apache-2.0 */
/* A string of printf does not end in its allocation. */
#include "../run.h"

__global__ void say(const char *open)
{
    printf("%d %s\n", 1, open);                     // expect: out-of-bounds
}

int main()
{
    char *p;
    cudaMalloc(&p, 64);
    cudaMemset(p, 'x', 64);
    say<<<1, 1>>>(p);
    finish();
    cudaFree(p);
    return finish();
}
