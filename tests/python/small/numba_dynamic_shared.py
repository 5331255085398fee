# SPDX-License-Identifier: Apache-2.0
"""Shared memory of a size that the launch chooses, as two arrays; a launch with keyword geometry; slices of device arrays."""
import numpy as np
from numba import cuda, float32, int32


@cuda.jit
def turn(x, out):
    floats = cuda.shared.array(0, float32)
    ints = cuda.shared.array(0, int32)
    n, t = cuda.blockDim.x, cuda.threadIdx.x
    floats[t] = x[cuda.grid(1)]
    ints[n + t] = n - 1 - t
    cuda.syncthreads()
    out[cuda.grid(1)] = floats[ints[n + t]]


x = np.arange(64, dtype=np.float32)
out = cuda.device_array(80, np.float32)
turn[2, 32, 0, 32 * 8](cuda.to_device(x), out[8:72])
assert (out.copy_to_host()[8:72] == x.reshape(2, 32)[:, ::-1].ravel()).all()
print("passed")
