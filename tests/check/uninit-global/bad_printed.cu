/* SPDX-License-Identifier: Apache-2.0 */
/* What nobody wrote is printed: as a number, as part of a sum, as a character of a string, from shared memory. */
#include "../run.h"
#include <cstdio>

__global__ void show(const int *n, const char *text)
{
    printf("%d %d\n", 1, n[1]); // expect: uninit-global
    printf("%f\n", 0.5 + n[2]); // expect: uninit-global
    printf("%s\n", text);       // expect: uninit-global
}

int main()
{
    int  *n;
    char *text;
    cudaMalloc(&n, 4 * sizeof(int));
    cudaMalloc(&text, 16);
    cudaMemset(text, 'a', 4);
    cudaMemset(text + 5, 0, 11);
    show<<<1, 2>>>(n, text);
    cudaDeviceSynchronize();
    cudaFree(n);
    cudaFree(text);
    return finish();
}
