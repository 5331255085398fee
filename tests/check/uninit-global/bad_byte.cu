/* SPDX-License-Identifier: Apache-2.0 */
/* One byte of each word was never written: the words are moved to where the host reads them. */
#include "../run.h"

__global__ void set(unsigned char *p)
{
    unsigned char *word = p + 4 * threadIdx.x;
    word[0] = word[1] = word[2] = 7;
}

__global__ void move(const unsigned *from, unsigned *to)
{
    to[threadIdx.x ^ 1] = from[threadIdx.x]; // expect: uninit-global
}

int main()
{
    unsigned *a, *b, h[32];
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    set<<<1, 32>>>((unsigned char *)a);
    move<<<1, 32>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return finish();
}
