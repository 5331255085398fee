/* SPDX-License-Identifier: Apache-2.0 */
/* cudaMallocHost without cudaFreeHost. */
#include "../run.h"

int main()
{
    int *p;
    cudaMallocHost(&p, 128); // expect anywhere: leak
    return finish();
}
