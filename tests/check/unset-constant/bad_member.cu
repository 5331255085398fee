/* SPDX-License-Identifier: Apache-2.0 */
/* The copy is shorter than the structure, and the kernel wants its last member. */
#include "../run.h"

#include <cstddef>

struct Parameters {
    float a, b;
    int   rounds;
};

__constant__ Parameters parameters;

__global__ void apply(float *x)
{
    float v = x[threadIdx.x] * parameters.a + parameters.b;
    for (int i = 0; i < parameters.rounds; i++) // expect: unset-constant
        v *= v;
    x[threadIdx.x] = v;
}

int main()
{
    float     *x = device_array<float>(32);
    Parameters p = {2, 3, 4};
    cudaMemcpyToSymbol(parameters, &p, offsetof(Parameters, rounds));
    apply<<<1, 32>>>(x);
    int code = finish();
    cudaFree(x);
    return code;
}
