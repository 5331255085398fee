/* SPDX-License-Identifier: Apache-2.0 */
/* One member of structures of 16 bytes: a quarter of what moves is used. */
// check: --grid 16 --block 256 --arg in:f32[16384]=random --arg out:f32[4096]
// says: 16.0 each
struct Point { float x, y, z, mass; };

__global__ void k(const Point *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mass = in[i].mass; // here
    out[i] = mass;
}
