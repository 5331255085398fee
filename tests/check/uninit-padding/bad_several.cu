/* SPDX-License-Identifier: Apache-2.0 */
/* Three gaps in one structure (host lines). */
#include "../run.h"

struct Record { char name[5]; int number; double value; short kind; };

__global__ void set(Record *r)
{
    Record &x = r[threadIdx.x];
    for (int i = 0; i < 5; i++)
        x.name[i] = (char)('a' + i);
    x.number = (int)threadIdx.x;
    x.value  = 1;
    x.kind   = 2;
}

int main()
{
    Record *r, h[50];
    cudaMalloc(&r, sizeof h);
    set<<<1, 50>>>(r);
    cudaMemcpy(h, r, sizeof h, cudaMemcpyDeviceToHost); // expect: uninit-padding
    cudaFree(r);
    return finish();
}
