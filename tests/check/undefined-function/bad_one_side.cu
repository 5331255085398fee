/* SPDX-License-Identifier: Apache-2.0 */
/* On the side of a branch that one thread takes. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

extern __device__ void rare(int *x);

__global__ void side(int *x)
{
    if (x[threadIdx.x] == 40)
        rare(x); // expect: undefined-function
}
