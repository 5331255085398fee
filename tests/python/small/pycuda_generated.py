# SPDX-License-Identifier: Apache-2.0
"""Random arrays of pycuda.curandom, functions of pycuda.cumath, what a kernel says of the compiler's sizes, and occupancy."""
import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, curandom, gpuarray
from pycuda.characterize import sizeof
from pycuda.tools import DeviceData, OccupancyRecord

x = curandom.rand((500,), np.float32)
assert 0 <= x.get().min() and x.get().max() <= 1 and abs(x.get().mean() - 0.5) < 0.1
normal = curandom.XORWOWRandomNumberGenerator().gen_normal(400, np.float32).get()
assert abs(normal.mean()) < 0.3 and 0.7 < normal.std() < 1.3
a = np.linspace(0.1, 2, 300).astype(np.float32)
for ours, theirs in ((cumath.exp, np.exp), (cumath.sin, np.sin), (cumath.sqrt, np.sqrt), (cumath.log, np.log)):
    assert np.allclose(ours(gpuarray.to_gpu(a)).get(), theirs(a), rtol=1e-5, atol=1e-6)
assert sizeof("long long") == 8 and DeviceData().warp_size == 32
assert OccupancyRecord(DeviceData(), 256).occupancy > 0
print("passed")
