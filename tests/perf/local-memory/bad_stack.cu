/* SPDX-License-Identifier: Apache-2.0 */
/* A stack of a thread, with a pointer into it. */
// check: --grid 4 --block 128 --arg in:i32[8192]=random --arg out:i32[512] --arg n:i32=16
__global__ void k(const int *in, int *out, int n)
{
    int stack[16], top = 0, t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++)
        if (in[j * 512 + t] & 1)
            stack[top++] = j; // here
        else if (top)
            top--;
    out[t] = top ? stack[top - 1] : -1;
}
