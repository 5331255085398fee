/* SPDX-License-Identifier: Apache-2.0 */
/* A selection by the opposite of a predicate gives the last thread its own value, not what nobody wrote. */
// check: --grid 1 --block 32 --arg x:f32[32]=iota --arg y:f32[32]

__global__ void next(const float *x, float *y)
{
    __shared__ float t[33];
    int              i = (int)threadIdx.x;
    float            r, a, b;
    t[i] = x[i];
    __syncthreads();
    a = t[i];
    b = t[i + 1];
    asm("{ .reg .pred p; setp.ge.s32 p, %3, 31; selp.f32 %0, %2, %1, !p; }" : "=f"(r) : "f"(a), "f"(b), "r"(i));
    y[i] = r;
}
