/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody looks at memory: the clock alone ends the loop, after a while. */
// check: --grid 1 --block 32 --arg out:u32[32]=zero

__global__ void wait(unsigned *out)
{
    long long start = clock64();
    while (clock64() - start < 1000000)
        ;
    out[threadIdx.x] = 1;
}
