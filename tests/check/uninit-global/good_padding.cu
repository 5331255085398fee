/* SPDX-License-Identifier: Apache-2.0 */
/* Padding is copied with a structure and never looked at. */
// check: --grid 1 --block 8 --arg a:u8[64] --arg b:u8[64] --arg o:i32[8]

struct Pair { char c; int i; };
__global__ void copy(Pair *a, Pair *b, int *o)
{
    a[threadIdx.x].c = (char)threadIdx.x;
    a[threadIdx.x].i = (int)threadIdx.x;
    __syncthreads();
    *(volatile long long *)&b[threadIdx.x] = *(volatile long long *)&a[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = ((volatile Pair *)b)[threadIdx.x].c + ((volatile Pair *)b)[threadIdx.x].i;
}
