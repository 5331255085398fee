/* SPDX-License-Identifier: Apache-2.0 */
/* The ends of rows go to the host with them (host lines). */
#include "../run.h"

__global__ void fill(char *p, size_t pitch)
{
    ((float *)(p + blockIdx.x * pitch))[threadIdx.x] = 1;
}

int main()
{
    char       *p;
    size_t      pitch;
    static char h[8 * 4096];
    cudaMallocPitch(&p, &pitch, 400, 8);
    fill<<<8, 100>>>(p, pitch);
    cudaMemcpy(h, p, 8 * pitch, cudaMemcpyDeviceToHost); // expect: uninit-padding
    cudaFree(p);
    return finish();
}
