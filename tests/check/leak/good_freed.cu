/* SPDX-License-Identifier: Apache-2.0 */
/* Freed in time. */
#include "../run.h"

int main()
{
    int *p = device_array<int>(32), *h;
    cudaMallocHost(&h, 128);
    cudaFree(p);
    cudaFreeHost(h);
    return finish();
}
