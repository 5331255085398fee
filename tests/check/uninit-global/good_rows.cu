/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of 100 floats in a pitch of 512 bytes: the host takes the floats alone. */
#include "../run.h"

__global__ void fill(char *p, size_t pitch)
{
    ((float *)(p + blockIdx.x * pitch))[threadIdx.x] = 1;
}

int main()
{
    char  *p;
    size_t pitch;
    float  h[8][100];
    cudaMallocPitch(&p, &pitch, 400, 8);
    fill<<<8, 100>>>(p, pitch);
    cudaMemcpy2D(h, 400, p, pitch, 400, 8, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return finish();
}
