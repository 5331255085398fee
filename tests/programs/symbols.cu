/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables: __device__, __constant__, arrays, partial copies, addresses and sizes. */
#include "check.h"

__device__ int   counter = 3;
__device__ float table[8];
__constant__ int factor[4] = {1, 2, 3, 4};

__global__ void use(int *out)
{
    int i  = threadIdx.x;
    out[i] = (int)table[i] * factor[i % 4];
    if (i == 0)
        counter += 10;
}

int main()
{
    int   *out, got[8], c = 0;
    float  in[8];
    void  *where;
    size_t bytes = 0;
    OK(cudaMalloc(&out, sizeof got));
    for (int i = 0; i < 8; i++)
        in[i] = (float)(i + 1);
    OK(cudaMemcpyToSymbol(table, in, sizeof in));
    int seven = 7;
    OK(cudaMemcpyToSymbol(factor, &seven, sizeof seven, 2 * sizeof(int)));
    use<<<1, 8>>>(out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    const int f[4] = {1, 2, 7, 4};
    for (int i = 0; i < 8; i++)
        CHECK(got[i] == (i + 1) * f[i % 4]);
    OK(cudaMemcpyFromSymbol(&c, counter, sizeof c));
    CHECK(c == 13);
    OK(cudaGetSymbolSize(&bytes, table));
    CHECK(bytes == sizeof in);
    OK(cudaGetSymbolAddress(&where, table));
    OK(cudaMemcpy(in, where, sizeof in, cudaMemcpyDeviceToHost));
    CHECK(in[7] == 8.0f);
    FAILS(cudaMemcpyToSymbol(table, in, sizeof in, 4), cudaErrorInvalidValue);
    FAILS(cudaGetSymbolAddress(&where, &c), cudaErrorInvalidSymbol);
    return passed();
}
