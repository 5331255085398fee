# SPDX-License-Identifier: Apache-2.0
# finds: out-of-bounds
"""A kernel with one thread too many for its array, and no granule to hide it."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule("""
__global__ void add(int *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
""", options=["-lineinfo"])
a = drv.mem_alloc(1000)
drv.memset_d8(a, 0, 1000)
try:
    module.get_function("add")(a, block=(64, 1, 1), grid=(5, 1))
    pycuda.autoinit.context.synchronize()
except drv.Error:
    pass
print("passed")
