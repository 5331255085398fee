/* SPDX-License-Identifier: Apache-2.0 */
/* A function writes one past the end of what alloca() gave its caller; what lies there belongs to nobody. */
#include "../run.h"

__device__ __noinline__ void fill(int *a, int n)
{
    for (int i = 0; i <= n; i++)
        ((volatile int *)a)[i] = i; // expect: out-of-bounds, other end 13
}

__global__ void sum(int *out, int n)
{
    int *a = (int *)alloca(n * sizeof(int));
    fill(a, n);
    int *b = (int *)alloca(n * sizeof(int));
    fill(b, n - 1);
    out[threadIdx.x] = a[threadIdx.x % n] + b[threadIdx.x % n];
}

int main()
{
    int *out = device_array<int>(32);
    sum<<<1, 32>>>(out, 8);
    return finish();
}
