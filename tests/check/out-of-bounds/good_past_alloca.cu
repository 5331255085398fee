/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of alloca() in loops, in functions that return, in lanes that part: each stays in its own, and what is behind it is used again. */
#include "../run.h"

__device__ __noinline__ int deep(volatile int *up, int n)
{
    volatile int *a = (volatile int *)alloca(n * sizeof(int));
    for (int i = 0; i < n; i++)
        a[i] = up[i % 3] + i;
    return n > 3 ? deep(a, n - 1) + a[n - 1] : a[0];
}

__device__ __noinline__ int flat(const volatile int *a, int n)
{
    volatile int own[24];
    for (int i = 0; i < 24; i++)
        own[i] = i + n;
    return own[n % 24] + a[n - 1];
}

__global__ void sum(int *out, int n)
{
    int           total = 0;
    volatile int *first = (volatile int *)alloca(3 * sizeof(int));
    for (int i = 0; i < 3; i++)
        first[i] = threadIdx.x + i;
    for (int k = 1; k < n; k++) {
        volatile int *a = (volatile int *)alloca(k * sizeof(int));
        for (int i = 0; i < k; i++)
            a[i] = i;
        total += a[k - 1] + flat(a, k);
    }
    if (threadIdx.x & 1)
        total += deep(first, 3 + threadIdx.x % 5);
    else
        total += flat(first, 3);
    total += deep(first, 5) + flat(first, 2);
    out[threadIdx.x] = total;
}

int main()
{
    int *out = device_array<int>(32);
    sum<<<1, 32>>>(out, 20);
    return finish();
}
