/* SPDX-License-Identifier: Apache-2.0 */
/* The program asks whether its launch was accepted (host lines). */
#include "../run.h"

__global__ void one(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    int *p = device_array<int>(1024);
    int threads = 2048;
    do {
        one<<<1, threads>>>(p);
        threads /= 2;
    } while (cudaGetLastError() != cudaSuccess);
    cudaFree(p);
    return finish();
}
