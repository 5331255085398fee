/* SPDX-License-Identifier: Apache-2.0 */
/* A freed pointer inside a structure. */
#include "../run.h"

struct Args { int n; const int *x; };
__global__ void get(Args a, int *y)
{
    y[threadIdx.x] = a.x[threadIdx.x]; // expect: use-after-free
}

int main()
{
    int *p = device_array<int>(32), *y = device_array<int>(32);
    cudaFree(p);
    get<<<1, 32>>>(Args{32, p}, y);
    return finish();
}
