/* SPDX-License-Identifier: Apache-2.0 */
/* For tests/cli/check.test: what kernels/clang_cuda.h knows of CUDA. */
__constant__ float weight[4] = {1, 2, 3, 4};
__global__ void all(const float4 *in, float *out, unsigned *bins, int n)
{
    __shared__ float s[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = __ldg(in + i);
    float  x = v.x * weight[0] + v.y * weight[1] + fmaxf(v.z, v.w);
    for (int k = warpSize / 2; k; k /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, k);
    float up = __shfl_up_sync(~0u, x, 1), down = __shfl_down_sync(~0u, x, 1, 16);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = x + up + down;
    __syncthreads();
    unsigned votes = __ballot_sync(~0u, x > 0);
    atomicAdd(&bins[i % 4], 1u);
    atomicMax(&bins[4], (unsigned)i);
    atomicCAS(&bins[5], 0u, 7u);
    atomicAdd(out + n, sqrtf(s[0]) + (float)__popc(votes));
    __syncwarp();
    float *p = (float *)malloc(4);
    *p = min(i, n);
    out[i] = *p;
    free(p);
}
