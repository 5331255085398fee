/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed memory: allocated and declared, touched by host and device in turn. */
#include "check.h"

__managed__ int shared_value = 5;
__managed__ float shared_table[16];

__global__ void turn(int *list, int n)
{
    int i = threadIdx.x;
    if (i < n)
        list[i] = list[i] * 2 + shared_value;
    if (i < 16)
        shared_table[i] += 1.0f;
}

int main()
{
    int *list;
    OK(cudaMallocManaged(&list, 64 * sizeof(int)));
    for (int i = 0; i < 64; i++)
        list[i] = i;
    shared_value = 9;
    turn<<<1, 64>>>(list, 64);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK(list[i] == i * 2 + 9);
    CHECK(shared_table[15] == 1.0f);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, list));
    CHECK(a.type == cudaMemoryTypeManaged && a.hostPointer == list);
    OK(cudaFree(list));
    FAILS(cudaFree(list), cudaErrorInvalidValue);
    return passed();
}
