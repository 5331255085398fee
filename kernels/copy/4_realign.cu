/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of any number of bytes from any byte to any byte.
 *
 * Change      every access is 16 aligned bytes, whatever the distance between source and destination: a thread reads the
 *             two aligned vectors that hold its 16 bytes (the second is its neighbour's first, and in L1) and shifts
 *             them into place in registers.  One vector a thread: more of them made no more traffic.  copy_rows does it row by
 *             row; copy_lines has four rows a thread where all of them are aligned.
 * Bottleneck  DRAM.
 * Measured    docs/kernels.md. */
#include "realign.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
    copy_realign(unsigned char *dst, const unsigned char *src, size_t bytes, size_t before, size_t body)
{
    realign(dst, src, bytes, before, body);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    copy_rows(unsigned char *dst, size_t dst_pitch, const unsigned char *src, size_t src_pitch, size_t bytes, size_t rows, unsigned across)
{
    realign_rows(dst, dst_pitch, src, src_pitch, bytes, rows, across);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    copy_lines(uint4 *to, size_t to_pitch, const uint4 *from, size_t from_pitch, unsigned vectors, unsigned rows, unsigned across)
{
    copy_aligned(to, to_pitch, from, from_pitch, vectors, rows, across);
}
