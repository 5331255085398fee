/* SPDX-License-Identifier: Apache-2.0 */
/* A square of doubles by columns; half a warp is served at a time, and 16 lanes fall on two banks. */
// check: --grid 16 --block 16,16 --arg in:f64[4096]=random --arg out:f64[4096]
// mend: pitch 16 -> 17 doubles
__global__ void k(const double *in, double *out)
{
#ifdef MENDED
    __shared__ double square[16][17];
#else
    __shared__ double square[16][16];
#endif
    int i = blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x;
    square[threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    out[i] = square[threadIdx.x][threadIdx.y]; // here
}
