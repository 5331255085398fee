/* SPDX-License-Identifier: Apache-2.0 */
/* Every thread takes its own address out of the table again, though it has looked at the others. */
#include "../run.h"

__global__ void look(int *out, int k)
{
    __shared__ const int *table[64];
    int own[8], sum = 0;
    for (int i = 0; i < 8; i++)
        own[(i + k) % 8] = i + (int)threadIdx.x;
    table[threadIdx.x] = own;
    __syncthreads();
    for (int i = 0; i < 64; i++) {
        const int *p = table[i];
        if (i == (int)threadIdx.x)
            sum += p[k];
    }
    out[threadIdx.x] = sum;
}

int main()
{
    look<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
