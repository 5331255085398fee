/* SPDX-License-Identifier: Apache-2.0 */
/* An array of which the wrong half was written. */
// check: --grid 1 --block 8 --arg k:i32=4 --arg y:i32[8]

__global__ void pick(int k, int *y)
{
    int a[8];
    for (int i = 0; i < k; i++)
        a[i] = i;
    y[threadIdx.x] = a[threadIdx.x] + 1; // expect: uninit-local
}
