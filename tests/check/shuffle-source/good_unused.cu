/* SPDX-License-Identifier: Apache-2.0 */
/* Values of lanes that take no part are taken and never used: in the upper lanes of a sum, where a predicate or a select leaves them out,
 * where the result is overwritten, and through a function. */
#include "../run.h"

__device__ __noinline__ int below(int v, int n)
{
    int w = __shfl_up_sync(0xffffffffu, v, n);
    return (int)threadIdx.x % 32 >= n ? w + v : v;
}

__global__ void sums(const int *in, int *out)
{
    int v = in[threadIdx.x];
    if (threadIdx.x < 20) {
        for (int n = 16; n; n /= 2) {
            int w = __shfl_down_sync(0x000fffffu, v, n);
            v += threadIdx.x + n < 20 ? w : 0;
        }
        if (threadIdx.x == 0)
            out[0] = v;
    }
    __syncwarp();
    int all = in[threadIdx.x];
    if (threadIdx.x >= 16)
        all += __shfl_xor_sync(0xffff0000u, all, 16); /* from the lower half, thrown away */
    if (threadIdx.x < 16)
        out[threadIdx.x] = all;
    all = threadIdx.x;
    all = below(all, 4);
    out[32 + threadIdx.x] = all;
}

/* 24 threads, of whose sums only those of the first segment count, which has eight lanes of its own. */
__global__ void first(const int *in, int *out)
{
    int v = in[threadIdx.x];
    for (int n = 4; n; n /= 2)
        v += __shfl_down_sync(0xffffffffu, v, n);
    if (threadIdx.x < 16)
        out[64 + threadIdx.x] = v;
}

int main()
{
    int *in = device_array<int>(64), *out = device_array<int>(96);
    sums<<<1, 32>>>(in, out);
    first<<<1, 24>>>(in, out);
    return finish();
}
