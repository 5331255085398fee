# SPDX-License-Identifier: Apache-2.0
"""Managed and mapped arrays, which the host reads without a copy."""
import numpy as np
from numba import cuda


@cuda.jit
def fill(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 3 * i
        b[i] += a[i]


managed = cuda.managed_array(64, np.int64)
mapped = cuda.mapped_array(64, np.int64)
mapped[:] = 1
fill[1, 64](managed, mapped)
cuda.synchronize()
assert (managed == 3 * np.arange(64)).all() and (mapped == managed + 1).all()
print("passed")
