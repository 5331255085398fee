/* SPDX-License-Identifier: Apache-2.0 */
/* Two halves of one pinned buffer, smaller than a page: the host fills one while a kernel reads the other.  What the kernel reads, the host reads, too. */
#include "../run.h"

__global__ void add(const int *x, int *y)
{
    y[threadIdx.x] += x[threadIdx.x];
}

int main()
{
    cudaStream_t s;
    int         *x, *y = device_array<int>(64), sum = 0;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMallocHost(&x, 128 * sizeof *x);
    for (int i = 0; i < 128; i++)
        x[i] = i;
    cudaDeviceSynchronize();
    for (int round = 0; round < 4; round++) {
        int half = round % 2 * 64;
        add<<<1, 64, 0, s>>>(x + half, y);
        for (int i = 0; i < 64; i++) {
            sum += x[half + i];
            x[(64 - half) + i] = round;
        }
        cudaStreamSynchronize(s);
    }
    printf("%d\n", sum);
    int r = finish();
    cudaFreeHost(x);
    cudaFree(y);
    return r;
}
