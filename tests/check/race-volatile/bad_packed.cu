/* SPDX-License-Identifier: Apache-2.0 */
/* Look-back over sums that stand in one word with the flag that says so: what is read decides whether to read again. */
#include "../run.h"

__global__ void scan(const unsigned *a, volatile unsigned long long *sum, unsigned *next, unsigned *out)
{
    unsigned i = atomicAdd(next, 1), before = 0;
    if (i > 0) {
        unsigned long long seen;
        do
            seen = sum[i - 1];
        while (!(seen >> 32));
        before = (unsigned)seen;
    }
    sum[i] = 1ull << 32 | (before + a[i]); // expect: race-volatile, other end 11
    out[i] = before;
}

int main()
{
    scan<<<8, 1>>>(device_array<unsigned>(8), device_array<unsigned long long>(8), device_array<unsigned>(1),
                   device_array<unsigned>(8));
    return finish();
}
