/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of several sizes have gaps between them, and a string ends before its array does: nothing of that is printed. */
#include "../run.h"
#include <cstdio>

__global__ void show(int *n, char *text)
{
    if (threadIdx.x == 0) {
        text[0] = 'o';
        text[1] = 'k';
        text[2] = 0;
        n[1]    = 7;
    }
    __syncwarp();
    printf("%d %lld %c %f %s\n", n[1], 5LL, text[1], 0.25f * n[1], text);
    printf("%s %*d\n", "constant", 3, n[1]);
}

int main()
{
    int  *n;
    char *text;
    cudaMalloc(&n, 4 * sizeof(int));
    cudaMalloc(&text, 16);
    show<<<1, 2>>>(n, text);
    cudaDeviceSynchronize();
    cudaFree(n);
    cudaFree(text);
    return finish();
}
