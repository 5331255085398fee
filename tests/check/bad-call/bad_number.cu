/* SPDX-License-Identifier: Apache-2.0 */
/* A number that is not a function. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota --arg f:u64=4660

__global__ void number(int *x, unsigned long long f)
{
    reinterpret_cast<void (*)(int *)>(f)(x); // expect: bad-call
}
