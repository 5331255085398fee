/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that reads memory it never wrote finds zeros before its first CUDA call, as without us: starting under `run` leaves no used and
 * freed blocks in its heap. */
#include "check.h"

__global__ void nothing() {}

int main()
{
    for (size_t bytes = 64; bytes <= 65536; bytes *= 2) {
        const volatile unsigned char *p = (const volatile unsigned char *)malloc(bytes);
        for (size_t i = 0; i < bytes; i++)
            CHECK(p[i] == 0);
    }
    nothing<<<1, 32>>>();
    OK(cudaDeviceSynchronize());
    return passed();
}
