/* SPDX-License-Identifier: Apache-2.0 */
/* The host waits before it looks at memory that it registered; meanwhile it uses what lies on the same pages.  Unregistering waits, too. */
#include <cstring>

#include "../run.h"

__global__ void fill(int *x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    enum { INTS = 1 << 18, FIRST = 100 }; /* it begins and ends within a page */
    int *x = (int *)malloc(INTS * sizeof *x), *d, sum = 0;
    memset(x, 0, INTS * sizeof *x);
    cudaHostRegister(x + FIRST, 8192 * sizeof *x, cudaHostRegisterDefault);
    cudaHostGetDevicePointer((void **)&d, x + FIRST, 0);
    fill<<<1, 256>>>(d);
    fill<<<1, 256>>>(d + 8192 - 256);
    for (int i = 0; i < FIRST; i++)
        sum += x[i] + x[FIRST + 8192 + i];
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; i++)
        sum += x[FIRST + i];
    fill<<<1, 256>>>(d + 2048);
    cudaHostUnregister(x + FIRST);
    cudaHostRegister(x, INTS * sizeof *x, cudaHostRegisterDefault);
    x[FIRST + 2048] = 5;
    cudaHostUnregister(x);
    free(x);
    return finish() + (sum != 256);
}
