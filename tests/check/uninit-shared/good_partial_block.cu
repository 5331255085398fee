/* SPDX-License-Identifier: Apache-2.0 */
/* The same over those that were written. */
// check: --grid 1 --block 32 --arg x:f32[24]=iota --arg y:f32[1]

__global__ void sum(const float *x, float *y)
{
    __shared__ float t[32];
    if (threadIdx.x < 24)
        t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    float s = 0;
    for (int i = 0; i < 24 && threadIdx.x == 0; i++)
        s += t[i];
    if (threadIdx.x == 0)
        *y = s;
}
