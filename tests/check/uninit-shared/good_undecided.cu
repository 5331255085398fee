/* SPDX-License-Identifier: Apache-2.0 */
/* The last thread reads what nobody wrote, but the condition's other half keeps it from counting: both halves are computed, as compilers do. */
// check: --grid 1 --block 32 --arg x:f32[32]=iota --arg y:f32[32]

__global__ void larger(const float *x, float *y)
{
    __shared__ float t[33];
    int              i = (int)threadIdx.x;
    float            r, a, b;
    t[i] = x[i];
    __syncthreads();
    a = t[i];
    b = t[i + 1];
    asm("{ .reg .pred p, q; setp.lt.s32 p, %3, 31; setp.lt.f32 q, %1, %2; and.pred q, q, p; selp.f32 %0, %2, %1, q; }"
        : "=f"(r)
        : "f"(a), "f"(b), "r"(i));
    y[i] = r;
}
