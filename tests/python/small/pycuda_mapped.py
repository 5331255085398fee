# SPDX-License-Identifier: Apache-2.0
"""Mapped and managed memory, peeked at by the host after synchronising."""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule("""
__global__ void add(int *a, const int *b)
{
    a[threadIdx.x] += b[threadIdx.x];
}
""")
add = module.get_function("add")
mapped = drv.pagelocked_zeros(64, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
managed = drv.managed_empty(64, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL)
managed[:] = np.arange(64)
add(np.intp(mapped.base.get_device_pointer()), managed, block=(64, 1, 1))
pycuda.autoinit.context.synchronize()
assert (mapped == np.arange(64)).all()
add(managed, np.intp(mapped.base.get_device_pointer()), block=(64, 1, 1))
pycuda.autoinit.context.synchronize()
assert (managed == 2 * np.arange(64)).all()
print("passed")
