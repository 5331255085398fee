/* SPDX-License-Identifier: Apache-2.0
 *
 * Doubling in dynamic shared memory, each thread at its transposed place, in global memory too.
 *
 * Change      x and y change roles: lanes side by side are blockDim.y words apart.
 * Bottleneck  banks: with 16 x 16 threads 8 lanes share each of 4 banks (8 passes; on 16 banks all 16 lanes of a
 *             half-warp share one).  Global accesses are strided as well, 16 sectors instead of 4, so its time mixes
 *             two effects: 3_transposed_shared.cu separates them.
 * Measured    H200, blocks of 16 x 16: 0.00515 ms for 256 blocks, 1.8629 ms for 1048576 (2.2 times the linear kernel).
 *
 * Needs 4 bytes of dynamic shared memory for each thread of the block. */
extern __shared__ float words[];

extern "C" __global__ void bank_transposed(const float *in, float *out)
{
    unsigned at   = threadIdx.y + threadIdx.x * blockDim.y;
    size_t   base = (size_t)blockIdx.x * (blockDim.x * blockDim.y);
    words[at]     = in[base + at];
    __syncthreads();
    words[at] = 2.0f * words[at];
    __syncthreads();
    out[base + at] = words[at];
}
