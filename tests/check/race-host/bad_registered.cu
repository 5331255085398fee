/* SPDX-License-Identifier: Apache-2.0 */
/* The host sums up memory of its own that it registered, while the kernel may still write there (host lines). */
#include <cstring>

#include "../run.h"

__global__ void fill(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main()
{
    int *x = (int *)malloc(1 << 20), *d, sum = 0;
    memset(x, 0, 1 << 20);
    cudaHostRegister(x, 1 << 20, cudaHostRegisterDefault);
    cudaHostGetDevicePointer((void **)&d, x, 0);
    fill<<<16, 256>>>(d);
    for (int i = 0; i < 4096; i++)
        sum += x[i]; // expect: race-host, other end 9
    printf("%d\n", sum);
    cudaDeviceSynchronize();
    cudaHostUnregister(x);
    free(x);
    return finish();
}
