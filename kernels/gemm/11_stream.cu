/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, k shared out evenly (stream-K).
 *
 * Change      the steps of all tiles stand in one line that is cut into as many equal pieces as blocks run at once; a
 *             tile that two or more blocks share is summed by the last of them to arrive.
 * Bottleneck  as the wide kernel, and the partial tiles: at most two for each block, written and read once.
 *
 *             Nobody waits for anybody, so any number of blocks may run at once.  The partial sums are added in the order of k
 *             whoever comes last: the same result bit for bit in every run.
 * Measured    docs/kernels.md. */
#include "stream.h"

typedef Shape<float, 128, 128, 8, 64, 64, 8, 16>    Float;
typedef Shape<unsigned, 128, 128, 8, 64, 64, 8, 16> Int;
TILE_KERNELS(gemm_stream_f32, stream_gemm, Float, 2)
TILE_KERNELS(gemm_stream_i32, stream_gemm, Int, 2)
