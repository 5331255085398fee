/* SPDX-License-Identifier: Apache-2.0 */
/* What another finding is about already is told once: the copy is out of bounds (out-of-bounds is not of this category). */
#include "../run.h"

int main()
{
    char *p = device_array<char>(100), to[200];
    cudaMemset(p, 0, 100);
    cudaMemcpy(to, p, 200, cudaMemcpyDeviceToHost);
    cudaFree(p);
    cudaFree(p);
    return 0;
}
