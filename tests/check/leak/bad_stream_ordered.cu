/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of cudaMallocAsync is not given back; host lines. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    int         *p, *q;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocAsync(&p, 128, s); // expect: leak
    cudaMallocAsync(&q, 128, s);
    set<<<1, 32, 0, s>>>(p);
    set<<<1, 32, 0, s>>>(q);
    cudaFreeAsync(q, s);
    return finish();
}
