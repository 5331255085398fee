/* SPDX-License-Identifier: Apache-2.0
 *
 * Device work before main, from the constructor of a static object, and after it. */
#include "check.h"

__global__ void put(int *p, int v)
{
    *p = v;
}

struct Early {
    int *p;
    Early()
    {
        OK(cudaMalloc(&p, sizeof *p));
        put<<<1, 1>>>(p, 77);
    }
    ~Early()
    {
        cudaFree(p);
    }
};

static Early early;

int main()
{
    int v = 0;
    OK(cudaMemcpy(&v, early.p, sizeof v, cudaMemcpyDeviceToHost));
    CHECK(v == 77);
    return passed();
}
