/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams have the halves of an array; the whole is read behind both. */
#include "../run.h"

int main()
{
    int                  *a = device_array<int>(64 * 8), *b = device_array<int>(64 * 8);
    cudaArray_t           array;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
    cudaStream_t          s, t;
    cudaEvent_t           filled;
    cudaDeviceSynchronize();
    cudaMallocArray(&array, &d, 64, 8);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&filled);
    cudaMemcpy2DToArrayAsync(array, 0, 0, a, 256, 256, 4, cudaMemcpyDeviceToDevice, s);
    cudaMemcpy2DToArrayAsync(array, 0, 4, a, 256, 256, 4, cudaMemcpyDeviceToDevice, t);
    cudaEventRecord(filled, s);
    cudaStreamWaitEvent(t, filled, 0);
    cudaMemcpy2DFromArrayAsync(b, 256, array, 0, 0, 256, 8, cudaMemcpyDeviceToDevice, t);
    cudaDeviceSynchronize();
    cudaFreeArray(array);
    return finish();
}
