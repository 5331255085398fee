/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90 */
/* A block of a cluster leaves the address of another one's shared memory, which means the same to both. */
#include <cooperative_groups.h>

#include "../run.h"

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) both(int **slot, int *out)
{
    __shared__ int s[32];
    cg::cluster_group c = cg::this_cluster();
    s[threadIdx.x] = blockIdx.x;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *slot = c.map_shared_rank(s, 1);
    c.sync();
    int *p = *(int *volatile *)slot;
    out[blockIdx.x * 32 + threadIdx.x] = p[threadIdx.x];
    c.sync();
}

int main()
{
    both<<<2, 32>>>(device_array<int *>(1), device_array<int>(64));
    return finish();
}
