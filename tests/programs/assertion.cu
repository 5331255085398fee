/* SPDX-License-Identifier: Apache-2.0
 *
 * A device-side assertion that fails is error 710, sticky.
 * fails: 1 */
#include "check.h"
#include <cassert>

__global__ void claim(int n)
{
    assert(threadIdx.x < n);
}

int main()
{
    claim<<<1, 32>>>(32);
    OK(cudaDeviceSynchronize());
    claim<<<1, 32>>>(7);
    FAILS(cudaDeviceSynchronize(), cudaErrorAssert);
    FAILS(cudaFree(0), cudaErrorAssert);
    return passed();
}
