/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are written 16 bytes a lane and columns read 4: only paddings of 16 bytes keep the stores aligned. */
// check: --grid 16 --block 32 --arg in:f32[16384]=random --arg out:f32[16384]
// mend: pitch 8 -> 9 float4
#ifdef MENDED
enum { PITCH = 36 };
#else
enum { PITCH = 32 };
#endif

__global__ void k(const float *in, float *out)
{
    __shared__ __align__(16) float tile[32 * PITCH];
    const float4 *from = (const float4 *)(in + blockIdx.x * 1024);
    for (int i = threadIdx.x; i < 256; i += 32)
        *(float4 *)&tile[i / 8 * PITCH + i % 8 * 4] = from[i];
    __syncthreads();
    for (int i = 0; i < 32; i++)
        out[blockIdx.x * 1024 + i * 32 + threadIdx.x] = tile[threadIdx.x * PITCH + i]; // here
}
