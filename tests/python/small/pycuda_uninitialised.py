# SPDX-License-Identifier: Apache-2.0
# finds: uninit-global
"""A kernel adds to memory that nobody cleared."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule("""
__global__ void count(int *bins, const int *values)
{
    atomicAdd(&bins[values[threadIdx.x] & 7], 1);
}
""", options=["-lineinfo"])
bins = drv.mem_alloc(32)
module.get_function("count")(bins, drv.In(np.arange(64, dtype=np.int32)), block=(64, 1, 1))
pycuda.autoinit.context.synchronize()
print("passed")
