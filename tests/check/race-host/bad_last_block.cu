/* SPDX-License-Identifier: Apache-2.0 */
/* Fences for the device and a counter of its own tell the host nothing: the sum of the last block is read before the kernel has ended (host lines). */
#include "../run.h"

__device__ unsigned done;

__global__ void sum(const int *x, int *part, int *total)
{
    __shared__ bool last;
    int             v = x[blockIdx.x * blockDim.x + threadIdx.x];
    v                 = __reduce_add_sync(0xffffffff, v);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(&done, 1) == gridDim.x - 1;
        if (last) {
            __threadfence();
            int all = 0;
            for (unsigned i = 0; i < gridDim.x; i++)
                all += ((volatile int *)part)[i];
            *total = all;
        }
    }
}

int main()
{
    int *x = device_array<int>(256), *part = device_array<int>(8), *total;
    cudaMallocManaged(&total, sizeof *total);
    cudaMemset(x, 1, 256 * sizeof *x);
    sum<<<8, 32>>>(x, part, total);
    printf("%d\n", *(volatile int *)total); // expect: race-host, other end 21
    int r = finish();
    cudaFree(x);
    cudaFree(part);
    cudaFree(total);
    return r;
}
