# SPDX-License-Identifier: Apache-2.0
"""Random numbers by cuRAND's device functions in a kernel of one's own."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule("""
#include <curand_kernel.h>
extern "C" __global__ void inside(int *out, int tries)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    curandStatePhilox4_32_10_t s;
    curand_init(42, i, 0, &s);
    for (int k = 0; k < tries; k++) {
        float x = curand_uniform(&s), y = curand_uniform(&s);
        n += x * x + y * y <= 1;
    }
    out[i] = n;
}
""", no_extern_c=True)
out = np.zeros(128, np.int32)
module.get_function("inside")(drv.Out(out), np.int32(100), block=(64, 1, 1), grid=(2, 1))
assert abs(4 * out.sum() / 12800 - 3.1416) < 0.05
print("passed")
