/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel uses memory of the host that was registered, and is not any more. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1; // expect: use-after-free
}

int main()
{
    int *h = (int *)aligned_alloc(4096, 4096), *p;
    cudaHostRegister(h, 4096, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&p, h, 0);
    cudaHostUnregister(h);
    set<<<1, 32>>>(p);
    int code = finish();
    free(h);
    return code;
}
