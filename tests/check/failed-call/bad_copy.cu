/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail where nobody looks; the next call is other work (host lines). */
#include "../run.h"

int main()
{
    int *p = device_array<int>(32), *none;
    cudaMemcpy(p, p, 64, (cudaMemcpyKind)17); // expect: failed-call
    cudaMalloc(&none, (size_t)1 << 50);       // expect: failed-call
    for (int i = 0; i < 3; i++)
        cudaEventDestroy((cudaEvent_t)0x10); // expect: failed-call
    cudaFree(p);
    return 0;
}
