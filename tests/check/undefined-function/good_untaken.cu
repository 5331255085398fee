/* SPDX-License-Identifier: Apache-2.0 */
/* Called where nobody comes. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

extern __device__ void rare(int *x);

__global__ void side(int *x)
{
    if (x[threadIdx.x] == 64)
        rare(x);
}
