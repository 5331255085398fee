/* SPDX-License-Identifier: Apache-2.0
 *
 * The other file of rdc.cu. */
extern __device__ int counter;
static __device__ int hidden = 70;
__device__ int        table[4] = {1, 2, 3, 4};
__constant__ float    scale    = 2.5f;

static __device__ __noinline__ int same(int x)
{
    return x * hidden;
}

template <class T> __device__ __noinline__ T triple(T x)
{
    return x * 3;
}

__device__ int twice(int x)
{
    return 2 * x;
}

__device__ int (*chosen)(int) = triple<int>;

static __global__ void kernel(int *o)
{
    extern __shared__ int dynamic[];
    dynamic[0] = same(counter);
    o[5]       = dynamic[0];
    o[6]       = triple(5);
    o[7]       = hidden;
}

void there(int *o)
{
    kernel<<<1, 1, 64>>>(o);
}
