/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer is cleared, and freed before anybody looks at it (host lines). */
#include "../run.h"

int main()
{
    void *p;
    cudaMalloc(&p, 4096); // expect: unread-memory
    cudaMemset(p, 0, 4096);
    cudaFree(p);
    return finish();
}
