/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of cudaMallocPitch of which the last columns are left out, as the loop ends too early (host lines). */
#include "../run.h"

__global__ void rows(float *x, size_t pitch, int width)
{
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    for (int i = threadIdx.x; i < width - 4; i += blockDim.x)
        row[i] = i;
}

int main()
{
    const int width = 100, height = 8;
    float     back[height][width - 4], *x;
    size_t    pitch;
    cudaMallocPitch(&x, &pitch, width * sizeof(float), height); // expect: unused-memory
    rows<<<height, 32>>>(x, pitch, width);
    cudaMemcpy2D(back, sizeof back[0], x, pitch, sizeof back[0], height, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return finish();
}
