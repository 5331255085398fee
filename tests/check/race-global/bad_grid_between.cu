/* SPDX-License-Identifier: Apache-2.0 */
/* Of three phases of a cooperative kernel two have no grid.sync() between them.  The plain order shows it, too: no block is at the second
 * barrier before all have left the first. */
#include "../run.h"
#include <cooperative_groups.h>

__global__ void phases(int *a, int *b, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = (int)grid.thread_rank();
    a[i] = i;
    grid.sync();
    b[i] = a[n - 1 - i];
    a[i] = b[i] + 1; // expect: race-global, other end 13
    grid.sync();
    b[i] += a[(i + 1) % n];
}

int main()
{
    int   n = 256, *a = device_array<int>(256), *b = device_array<int>(256);
    void *args[] = {&a, &b, &n};
    for (int threads = 64; threads <= 128; threads *= 2)
        cudaLaunchCooperativeKernel((const void *)phases, n / threads, threads, args, 0, nullptr);
    return finish();
}
