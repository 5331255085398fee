/* SPDX-License-Identifier: Apache-2.0 */
/* cudaFree twice. */
#include "../run.h"

int main()
{
    int *p = device_array<int>(32);
    cudaFree(p);
    cudaFree(p); // expect anywhere: bad-free
    cudaGetLastError();
    return finish();
}
