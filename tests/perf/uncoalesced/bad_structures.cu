/* SPDX-License-Identifier: Apache-2.0 */
/* One member of structures of 16 bytes: a quarter of what moves is used. */
// check: --grid 16 --block 256 --arg in:f32[16384]=random --arg out:f32[4096]
// says: 16.0 each
// mend: a structure of arrays in place of an array of structures: what lies 16 bytes apart
struct Point { float x, y, z, mass; };
struct Points { float x[4096], y[4096], z[4096], mass[4096]; };

#ifdef MENDED
__global__ void k(const Points *in, float *out)
#else
__global__ void k(const Point *in, float *out)
#endif
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
    float mass = in->mass[i];
#else
    float mass = in[i].mass; // here
#endif
    out[i] = mass;
}
