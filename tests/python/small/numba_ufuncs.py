# SPDX-License-Identifier: Apache-2.0
"""vectorize and guvectorize for the CUDA target, with arrays of the host and of the device, and broadcasting."""
import math

import numpy as np
from numba import cuda, guvectorize, vectorize


@vectorize(["float32(float32, float32)", "float64(float64, float64)"], target="cuda")
def distance(a, b):
    return math.sqrt(a * a + b * b)


@guvectorize(["void(float32[:,:], float32[:], float32[:])"], "(m,n),(n)->(m)", target="cuda")
def times(a, x, out):
    for i in range(a.shape[0]):
        total = np.float32(0)
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        out[i] = total


a, b = np.full((4, 8), 3, np.float32), np.full(8, 4, np.float32)
assert (distance(a, b) == 5).all()
assert (distance(cuda.to_device(a[0].astype(np.float64)), cuda.to_device(b.astype(np.float64))).copy_to_host() == 5).all()
m, x = np.arange(60, dtype=np.float32).reshape(5, 4, 3), np.arange(15, dtype=np.float32).reshape(5, 3)
assert np.allclose(times(m, x), np.einsum("bij,bj->bi", m, x))
print("passed")
