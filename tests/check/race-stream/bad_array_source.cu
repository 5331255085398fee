/* SPDX-License-Identifier: Apache-2.0 */
/* What is copied to an array is not ready. */
#include "../run.h"

__global__ void produce(int *a)
{
    a[threadIdx.x] = threadIdx.x; // expect: race-stream
}

int main()
{
    int                  *a = device_array<int>(64);
    cudaArray_t           array;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
    cudaStream_t          s, t;
    cudaDeviceSynchronize();
    cudaMallocArray(&array, &d, 64, 1);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    produce<<<1, 64, 0, s>>>(a);
    cudaMemcpy2DToArrayAsync(array, 0, 0, a, 256, 256, 1, cudaMemcpyDeviceToDevice, t);
    cudaDeviceSynchronize();
    cudaFreeArray(array);
    return finish();
}
