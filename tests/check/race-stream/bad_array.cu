/* SPDX-License-Identifier: Apache-2.0 */
/* An array is filled in one stream and copied on in another.
 * // expect anywhere: race-stream */
#include "../run.h"

int main()
{
    int                  *a = device_array<int>(64 * 8), *b = device_array<int>(64 * 8);
    cudaArray_t           array;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
    cudaStream_t          s, t;
    cudaDeviceSynchronize();
    cudaMallocArray(&array, &d, 64, 8);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMemcpy2DToArrayAsync(array, 0, 0, a, 256, 256, 8, cudaMemcpyDeviceToDevice, s);
    cudaMemcpy2DFromArrayAsync(b, 256, array, 0, 4, 256, 4, cudaMemcpyDeviceToDevice, t);
    cudaDeviceSynchronize();
    cudaFreeArray(array);
    return finish();
}
