/* SPDX-License-Identifier: Apache-2.0 */
/* A list is walked: the pointer that the kernel got moves on to other allocations. */
#include "../run.h"

struct Item {
    Item *next;
    int   key;
};

__global__ void third(Item *list, int n, int *out)
{
    Item *at = list;
    for (int i = 0; i < n; i++)
        at = at->next;
    *out = at->key;
}

int main()
{
    Item *item[4];
    for (int i = 0; i < 4; i++)
        cudaMallocManaged(&item[i], sizeof(Item));
    for (int i = 0; i < 4; i++)
        *item[i] = {item[(i + 1) % 4], i};
    third<<<1, 1>>>(item[0], 2, device_array<int>(1));
    return finish();
}
