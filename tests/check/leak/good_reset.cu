/* SPDX-License-Identifier: Apache-2.0 */
/* cudaDeviceReset frees everything. */
#include "../run.h"

int main()
{
    device_array<int>(32);
    return cudaDeviceReset() != cudaSuccess;
}
