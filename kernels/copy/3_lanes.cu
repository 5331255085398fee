/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies in which the lanes of a warp swap places, or some of them sit out.
 *
 * Change      permutedCopy: lane l takes element l ^ flip of its warp's 32.  partialCopy: only lanes of `mask` take
 *             part.
 * Bottleneck  expected to be those of offsetCopy: the order of lanes inside a sector costs nothing since cc 1.2 (cc
 *             1.0 and 1.1 fall apart into one transaction a thread); an idle lane saves a sector only when all 8 of
 *             a sector idle.
 * Measured    not on the H200 (that run has no such copies).
 *
 * Lanes are counted along x; blocks are one-dimensional.  n is the length of both arrays: nothing past it is read or
 * written. */
extern "C" __global__ void permutedCopy(float *out, const float *in, unsigned flip, size_t n)
{
    unsigned lane = threadIdx.x ^ (flip & 31u);
    size_t   i    = (size_t)blockIdx.x * blockDim.x + lane;
    if (i < n)
        out[i] = in[i];
}

extern "C" __global__ void partialCopy(float *out, const float *in, unsigned mask, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if ((mask >> (threadIdx.x & 31u) & 1u) != 0 && i < n)
        out[i] = in[i];
}
