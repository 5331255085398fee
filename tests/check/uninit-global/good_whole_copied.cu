/* SPDX-License-Identifier: Apache-2.0 */
/* Only what was written goes to the host, whole vectors and words among it; copies between allocations take along what nobody looks at. */
#include "../run.h"

__global__ void set(float *p, unsigned char *q)
{
    int i = (int)threadIdx.x;
    for (int k = 0; k < 4; k++) {
        p[4 * i + k] = k;
        q[4 * i + k] = (unsigned char)k;
    }
}

__global__ void move(const float4 *a, float4 *b, unsigned *w)
{
    b[threadIdx.x] = a[threadIdx.x];
    w[threadIdx.x] = ~w[threadIdx.x] << 3;
}

int main()
{
    float4  *a, *b, *c, h[32];
    unsigned *w, v[32];
    cudaMalloc(&a, 2 * sizeof h);
    cudaMalloc(&b, 2 * sizeof h);
    cudaMalloc(&c, 2 * sizeof h);
    cudaMalloc(&w, sizeof v);
    set<<<1, 32>>>((float *)a, (unsigned char *)w);
    move<<<1, 32>>>(a, b, w);
    cudaMemcpy(c, b, 2 * sizeof h, cudaMemcpyDeviceToDevice);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(v, w, sizeof v, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(w);
    return finish();
}
