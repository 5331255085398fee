/* SPDX-License-Identifier: Apache-2.0
 *
 * Separate compilation: functions and variables of another file, private ones of the same name, a template in both files.
 * nvcc: -rdc=true
 * parts: rdc_other.cu */
#include "check.h"

__device__ int             counter = 5;
static __device__ int      hidden  = 7;
extern __device__ int      table[4];
extern __constant__ float  scale;
extern __device__ int      twice(int);
typedef int (*Function)(int);
extern __device__ Function chosen;

static __device__ __noinline__ int same(int x)
{
    return x + hidden;
}

template <class T> __device__ __noinline__ T triple(T x)
{
    return x * 3;
}

__global__ void here(int *o)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = same(counter);
    __syncthreads();
    o[0] = dynamic[0];
    o[1] = twice(table[2]);
    o[2] = triple(4);
    o[3] = (int)(scale * 10);
    o[4] = chosen(9);
}

void there(int *o);

int main()
{
    int *o, h[8], v = 100;
    OK(cudaMalloc(&o, sizeof h));
    here<<<1, 32, 128>>>(o);
    there(o);
    OK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 12 && h[1] == 6 && h[2] == 12 && h[3] == 25 && h[4] == 27);
    CHECK(h[5] == 350 && h[6] == 15 && h[7] == 70);
    OK(cudaMemcpyToSymbol(counter, &v, sizeof v));
    there(o);
    OK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[5] == 7000);
    return passed();
}
