/* SPDX-License-Identifier: Apache-2.0 */
/* A wait for what never comes that gives up by the clock, and one that only the clock ends. */
// check: --grid 1 --block 64 --arg flag:u32[1]=zero --arg out:u32[64]=zero

__device__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ bool wait(unsigned *flag, unsigned long long most)
{
    unsigned long long start = now(), waited = 0;
    while (!atomicAdd(flag, 0) && waited < most) {
        waited = now() - start;
        if (waited > 4000)
            __nanosleep(waited / 4);
    }
    return waited < most;
}

__global__ void look(unsigned *flag, unsigned *out)
{
    long long start = clock64();
    while (clock64() - start < 100000)
        __nanosleep(100);
    out[threadIdx.x] = wait(flag, 1000000);
}
