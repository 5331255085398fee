/* SPDX-License-Identifier: Apache-2.0 */
/* cudaMemset returns before it is done, and the default stream does not hold up a stream that is cudaStreamNonBlocking. */
#include "../run.h"

__global__ void count(int *n)
{
    atomicAdd(n, 1); // expect: race-stream
}

int main()
{
    int         *n;
    cudaStream_t s;
    cudaMalloc(&n, sizeof(int));
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMemset(n, 0, sizeof(int));
    count<<<1, 64, 0, s>>>(n);
    return finish();
}
