/* SPDX-License-Identifier: Apache-2.0 */
/* A window that is turned by an index of the loop, of eight: the assembler keeps it in registers. */
// check: --grid 4 --block 128 --arg in:f32[8192]=random --arg out:f32[512] --arg n:i32=16
__global__ void k(const float *in, float *out, int n)
{
    float last[8] = {}, sum = 0;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        int at = (j * 3) & 7;
        last[at] = in[j * 512 + t] + last[(at + 5) & 7];
    }
    out[t] = sum + last[n & 7];
}
