/* SPDX-License-Identifier: Apache-2.0
 *
 * A value that one thread hands to the others by a shared variable: none may read it before the barrier. */
extern "C" __global__ void broadcast(int *out, int n)
{
    __shared__ int said;
    if (threadIdx.x == 0)
        said = n;
    __syncthreads();
    if (said)
        out[threadIdx.x] = said;
}
