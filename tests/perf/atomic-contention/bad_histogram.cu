/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram of bytes: no warp's addresses come twice. */
// check: --grid 8 --block 128 --arg in:u8[8192]=random --arg out:u32[4]=zero
// says: 8.0 lanes
// mend: in the warp first
__global__ void k(const unsigned char *in, unsigned *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 8192; i += gridDim.x * blockDim.x) {
        unsigned b = in[i] & 3;
#ifdef MENDED
        unsigned same = __match_any_sync(~0u, b);
        if (__ffs(same) - 1 == threadIdx.x % 32)
            atomicAdd(&out[b], __popc(same));
#else
        atomicAdd(&out[b], 1); // here
#endif
    }
}
