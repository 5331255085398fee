# SPDX-License-Identifier: Apache-2.0
"""A module that is linked with the device runtime: a kernel launches kernels."""
import os

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import DynamicSourceModule

module = DynamicSourceModule("""
__global__ void child(int *a, int by)
{
    a[threadIdx.x] += by;
}
extern "C" __global__ void parent(int *a)
{
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(a, 1);
        child<<<1, 32>>>(a, 10);
    }
}
""", no_extern_c=True, cuda_libdir=os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64"))
a = gpu = drv.mem_alloc(128)
drv.memset_d32(gpu, 0, 32)
module.get_function("parent")(gpu, block=(32, 1, 1))
out = np.empty(32, np.int32)
drv.memcpy_dtoh(out, gpu)
assert (out == 11).all()
print("passed")
