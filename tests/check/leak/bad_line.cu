/* SPDX-License-Identifier: Apache-2.0 */
/* Two lines allocate what nobody frees; the finding stands at each (host lines). */
#include "../run.h"

static float *one(size_t n)
{
    float *p = nullptr;
    cudaMalloc(&p, n); // expect: leak
    return p;
}

int main()
{
    void *pinned, *freed = one(8);
    one(16);
    cudaMallocHost(&pinned, 64); // expect: leak
    cudaFree(freed);
    return finish();
}
