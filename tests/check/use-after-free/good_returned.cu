/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses go down to functions that are called, one of them recursive, and none is used by who called; a function gives back what it was given. */
#include "../run.h"

struct Chain { const Chain *up; int value[4]; };

__device__ __noinline__ int walk(const Chain *up, int n)
{
    Chain own = {up, {n, n + 1, n + 2, n + 3}};
    if (n)
        return walk(&own, n - 1);
    int sum = 0;
    for (const Chain *c = &own; c; c = c->up)
        sum += c->value[sum & 3];
    return sum;
}

__device__ __noinline__ int *largest(int *a, int n)
{
    int own[8], at = 0;
    for (int i = 0; i < 8; i++)
        own[(i * n) & 7] = a[i];
    for (int i = 0; i < 8; i++)
        at = own[i] > own[at] ? i : at;
    return a + at;
}

__global__ void sums(int *out, int n)
{
    int a[8];
    for (int i = 0; i < 8; i++)
        a[(i * n) & 7] = i + threadIdx.x;
    *largest(a, n) += 1;
    out[threadIdx.x] = walk(nullptr, n + threadIdx.x % 3) + a[n & 7];
}

int main()
{
    sums<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
