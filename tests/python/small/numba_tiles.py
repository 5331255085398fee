# SPDX-License-Identifier: Apache-2.0
"""A transposition through a padded tile, in two dimensions, with a stride that is no multiple of the tile."""
import numpy as np
from numba import cuda, float32


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((16, 17), float32)
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


a = np.arange(50 * 37, dtype=np.float32).reshape(50, 37)
out = np.zeros((37, 50), np.float32)
transpose[(3, 4), (16, 16)](a, out)
assert (out == a.T).all()
print("passed")
