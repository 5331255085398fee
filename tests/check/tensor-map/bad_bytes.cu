/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  128 bytes that are not a map. */
#include "../run.h"
#include "../tile.h"

__global__ void k(const char *at, char *c)
{
    extern __shared__ char room[];
    char                  *s = align(room);
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
        BAR_EXPECT(&bar, TILE);
        BOX_LOAD(s, at, 0, 0, &bar); // expect: tensor-map
    }
    __syncthreads();
    BAR_WAIT(&bar, 0);
    c[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    char *at = device_array<char>(128);
    k<<<1, 128, ROOM>>>(at, device_array<char>(128));
    return finish();
}
