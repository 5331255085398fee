// SPDX-License-Identifier: Apache-2.0
// Like good_ticket.cu, but the sum of what lanes have read, in 8 bytes, whose results are used: nobody adds that up for the program.
// check: --grid 8 --block 128 --arg in:u32[1024]=iota --arg counter:u64[1]=zero --arg out:u64[1024]=zero
// says: 32.0 lanes
typedef unsigned long long Big;
__global__ void k(const unsigned *in, Big *counter, Big *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Big      n = in[i] % 8;
#ifdef MENDED
    Big sum = n;
    for (int d = 1; d < 32; d *= 2) {
        Big o = __shfl_up_sync(~0u, sum, d);
        sum += threadIdx.x % 32 >= d ? o : 0;
    }
    Big at = 0;
    if (threadIdx.x % 32 == 31)
        at = atomicAdd(counter, sum);
    out[i] = __shfl_sync(~0u, at, 31) + sum - n;
#else
    out[i] = atomicAdd(counter, n); // here
#endif
}
