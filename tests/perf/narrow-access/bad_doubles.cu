/* SPDX-License-Identifier: Apache-2.0 */
/* Two doubles are sixteen bytes. */
// check: --grid 8 --block 128 --arg in:f64[2048]=random --arg out:f64[1024]
// mend: one load of 16 bytes, aligned to 16
__global__ void k(const double *in, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
    double2 v = ((const double2 *)in)[i];
    out[i] = v.x * v.y;
#else
    out[i] = in[2 * i] * in[2 * i + 1]; // here
#endif
}
