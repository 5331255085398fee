/* SPDX-License-Identifier: Apache-2.0
 *
 * A trap is an unspecified launch failure.
 * fails: 1 */
#include "check.h"

__global__ void stop()
{
    __trap();
}

int main()
{
    stop<<<1, 1>>>();
    FAILS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    return passed();
}
