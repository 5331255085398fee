/* SPDX-License-Identifier: Apache-2.0 */
/* The error is asked for, but only behind other work: it would be taken for that of the kernel (host lines). */
#include "../run.h"

__global__ void one(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    int *p = device_array<int>(32);
    cudaSetDevice(7); // expect: failed-call
    one<<<1, 32>>>(p);
    cudaGetLastError();
    cudaFree(p);
    return finish();
}
