/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy that starts `offset` elements into both arrays; block and base may be anything.
 *
 * Change      none: the starting point.  offsetCopy_cg is the same copy with loads that bypass L1 (ld.global.cg).
 * Bottleneck  DRAM.  A warp whose first byte is not on a sector touches 5 sectors instead of 4 (2 lines of 128 bytes
 *             instead of 1 where L1 moves whole lines); its neighbour needs the fifth too and finds it in a cache.
 * Measured    H200: 2747.4 GB/s at offset 0, 2634 to 2658 GB/s at 1 to 31, 2704.0 GB/s at 32.
 *
 * n is the length of both arrays: nothing past it is read or written. */
extern "C" __global__ void offsetCopy(float *out, const float *in, int offset, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + offset;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void offsetCopy_cg(float *out, const float *in, int offset, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + offset;
    if (i < n) {
        float v;
        asm("{ .reg .u64 g; cvta.to.global.u64 g, %1; ld.global.cg.f32 %0, [g]; }" : "=f"(v) : "l"(in + i));
        out[i] = v;
    }
}
