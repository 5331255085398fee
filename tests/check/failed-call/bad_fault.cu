/* SPDX-License-Identifier: Apache-2.0 */
/* A wait gives back what a kernel failed with, and is not looked at; the calls after it give back the same and are not told again (host lines). */
#include "../run.h"

__global__ void stop()
{
    __trap();
}

int main()
{
    stop<<<1, 1>>>();
    cudaDeviceSynchronize(); // expect: failed-call
    int *p;
    cudaMalloc(&p, 4);
    return 0;
}
