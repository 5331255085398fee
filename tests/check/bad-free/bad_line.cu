/* SPDX-License-Identifier: Apache-2.0 */
/* An element's address is given to cudaFree in a function that frees (host lines). */
#include "../run.h"

static void give_back(int *p)
{
    cudaFree(p); // expect: bad-free
}

int main()
{
    int *p = device_array<int>(32);
    give_back(p + 1);
    give_back(p);
    cudaGetLastError();
    return finish();
}
