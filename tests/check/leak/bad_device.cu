/* SPDX-License-Identifier: Apache-2.0 */
/* cudaMalloc without cudaFree. */
#include "../run.h"

int main()
{
    device_array<int>(32); // expect anywhere: leak
    return finish();
}
