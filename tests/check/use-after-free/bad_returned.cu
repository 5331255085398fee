/* SPDX-License-Identifier: Apache-2.0 */
/* A function returns the address of its own array. */
#include "../run.h"

__device__ __noinline__ int *multiples(int n)
{
    int a[16];
    for (int i = 0; i < 16; i++)
        a[i] = i * n;
    int *volatile p = a;
    return p;
}

__global__ void pick(int *out, int n)
{
    int *p           = multiples(n);
    out[threadIdx.x] = p[n & 15]; // expect: use-after-free
}

int main()
{
    pick<<<1, 32>>>(device_array<int>(32), 3);
    return finish();
}
