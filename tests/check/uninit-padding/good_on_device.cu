/* SPDX-License-Identifier: Apache-2.0 */
/* Structures are copied on the device, padding and all, and only the members are taken. */
#include "../run.h"

struct Entry { char kind; double value; };

__global__ void set(Entry *e)
{
    e[threadIdx.x].kind  = 1;
    e[threadIdx.x].value = threadIdx.x;
}

__global__ void take(const Entry *e, double *v)
{
    v[threadIdx.x] = e[threadIdx.x].value * e[threadIdx.x].kind;
}

int main()
{
    Entry  *e, *f;
    double *v, h[64];
    cudaMalloc(&e, 64 * sizeof *e);
    cudaMalloc(&f, 64 * sizeof *f);
    cudaMalloc(&v, sizeof h);
    set<<<1, 64>>>(e);
    cudaMemcpy(f, e, 64 * sizeof *e, cudaMemcpyDeviceToDevice);
    take<<<1, 64>>>(f, v);
    cudaMemcpy(h, v, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(e);
    cudaFree(f);
    cudaFree(v);
    return finish();
}
