/* SPDX-License-Identifier: Apache-2.0
 *
 * Device printf: after what the host printed before the synchronisation, in block order, before what it prints after. */
#include "check.h"

__global__ void speak(const char *word)
{
    printf("block %d thread %d: %s %.2f %5d|%-5u|%lld %c%%\n", blockIdx.x, threadIdx.x, "text", 1.5, -42, 7u, 1ll << 40, 'x');
}

/* What the device's printf makes of widths and precisions out of arguments, and of what is no conversion. */
__global__ void sizes()
{
    printf("[%*d] [%-*d] [%.*f] [%.*d] [%5.1f] [%81**d]\n", 5, 42, 5, 42, 2, 3.14159, -1, 7, 2.25);
}

int main()
{
    sizes<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    printf("before\n");
    speak<<<2, 2>>>(nullptr);
    printf("between\n");
    OK(cudaDeviceSynchronize());
    printf("after\n");
    return passed();
}
