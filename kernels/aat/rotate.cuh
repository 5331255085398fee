/* SPDX-License-Identifier: Apache-2.0
 *
 * Four values of a lane in another order, without an array that is indexed at run time: lanes that read four words of shared memory each
 * begin with different ones, and put them in order again. */
#ifndef WW_KERNELS_AAT_ROTATE_CUH
#define WW_KERNELS_AAT_ROTATE_CUH

/* v moved on by `by` places, 0 to 3; with STEP -1 back. */
template <int STEP, typename T> static __device__ __forceinline__ void rotate_four(T v[4], int by)
{
    T once[4];
#pragma unroll
    for (int e = 0; e < 4; e++)
        once[e] = by & 1 ? v[(e - STEP) & 3] : v[e];
#pragma unroll
    for (int e = 0; e < 4; e++)
        v[e] = by & 2 ? once[(e + 2) & 3] : once[e];
}

#endif
