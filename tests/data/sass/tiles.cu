// SPDX-License-Identifier: Apache-2.0
// What tiles.cubin and linked.cubin are made from (with scale.cu):
//   nvcc -lineinfo -arch=sm_90 -cubin tiles.cu -o tiles.cubin
//   nvcc -lineinfo -arch=sm_90 -rdc=true -cubin tiles.cu -o t.cubin; the same of scale.cu; nvlink -arch=sm_90 t.cubin s.cubin -o linked.cubin
extern "C" __global__ void swap_halves(const float *in, float *out)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x ^ 128];
}

extern "C" __global__ void sum_rows(const float4 *in, float *out, int n)
{
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float4 v = in[i];
        s += v.x + v.y + v.z + v.w;
    }
    atomicAdd(out, s);
}
