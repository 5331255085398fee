# SPDX-License-Identifier: Apache-2.0
# finds: uninit-global at 12
"""Sums go into an array of the device that nobody cleared."""
import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def gather(x, sums):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(sums, i % 8, x[i])


sums = cuda.device_array(8, np.float32)
gather[2, 64](cuda.to_device(np.ones(100, np.float32)), sums)
cuda.synchronize()
print("passed")
