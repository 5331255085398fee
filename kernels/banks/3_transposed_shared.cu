/* SPDX-License-Identifier: Apache-2.0
 *
 * Doubling in dynamic shared memory, each thread at its transposed place in shared memory only.
 *
 * Change      against 2_transposed.cu: global memory is read and written along x, so only the banks differ from
 *             1_linear.cu.
 * Bottleneck  banks: 8 passes an access with 16 x 16 threads.
 * Measured    not on the H200 (that run predates this kernel).
 *
 * Needs 4 bytes of dynamic shared memory for each thread of the block. */
extern __shared__ float words[];

extern "C" __global__ void bank_transposed_shared(const float *in, float *out)
{
    unsigned along = threadIdx.x + threadIdx.y * blockDim.x;
    unsigned at    = threadIdx.y + threadIdx.x * blockDim.y;
    size_t   base  = (size_t)blockIdx.x * (blockDim.x * blockDim.y);
    words[at]      = in[base + along];
    __syncthreads();
    words[at] = 2.0f * words[at];
    __syncthreads();
    out[base + along] = words[at];
}
