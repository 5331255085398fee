/* SPDX-License-Identifier: Apache-2.0 */
/* A wait that sleeps longer and longer by the clock, as those of libcu++ do, for a count that never comes to zero: one thread too few arrives. */
// check: --grid 1 --block 64 --arg left:u32[1]=zero --arg out:u32[64]=zero

__device__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__device__ void wait_for_zero(unsigned *left)
{
    unsigned long long start = now();
    for (int count = 0; *(volatile unsigned *)left;) { // expect: endless-wait
        if (count < 16) {
            count++;
            continue;
        }
        unsigned long long waited = now() - start;
        if (waited > 4000000)
            __nanosleep(1000000);
        else if (waited > 40000)
            __nanosleep(waited / 4);
    }
}

__global__ void meet(unsigned *left, unsigned *out)
{
    if (threadIdx.x == 0)
        *left = blockDim.x + 1;
    __syncthreads();
    atomicSub(left, 1);
    wait_for_zero(left);
    out[threadIdx.x] = 1;
}
