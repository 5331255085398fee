/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of any number of bytes from any byte to any byte, launched while the kernel in front of it ends.
 *
 * Needs       sm_90
 * Change      copy_realign and copy_rows wait by themselves for what is in front of them, so their launch takes the host and the card less.
 * Bottleneck  the launch for some 100 KB, above that DRAM.
 * Measured    docs/kernels.md. */
#include "../gemm/element.h"
#include "realign.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
    copy_realign_early(unsigned char *dst, const unsigned char *src, size_t bytes, size_t before, size_t body)
{
    grid_turn();
    realign(dst, src, bytes, before, body);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    copy_rows_early(unsigned char *dst, size_t dst_pitch, const unsigned char *src, size_t src_pitch, size_t bytes, size_t rows, unsigned across)
{
    grid_turn();
    realign_rows(dst, dst_pitch, src, src_pitch, bytes, rows, across);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    copy_lines_early(uint4 *to, size_t to_pitch, const uint4 *from, size_t from_pitch, unsigned vectors, unsigned rows, unsigned across)
{
    grid_turn();
    copy_aligned(to, to_pitch, from, from_pitch, vectors, rows, across);
}
