/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of 32 words, each read through a volatile pointer into a shared tile; nothing is fenced behind them. */
#include "../run.h"

__global__ void talk(volatile float *box, int *ready, float *out)
{
    __shared__ float tile[32];
    int i = (int)threadIdx.x;
    if (blockIdx.x == 0) {
        box[i] = 2 * i;
        __syncthreads();
        if (i == 0)
            atomicExch(ready, 1);
    } else {
        if (i == 0)
            while (atomicAdd(ready, 0) == 0) {}
        __syncthreads();
        tile[i] = box[i]; // expect: race-global
        __syncthreads();
        out[i] = tile[31 - i];
    }
}

int main()
{
    float *box = device_array<float>(32), *out = device_array<float>(32);
    int   *ready = device_array<int>(1);
    talk<<<2, 32>>>(box, ready, out);
    return finish();
}
