# SPDX-License-Identifier: Apache-2.0
# finds: race-shared at 15
"""A barrier is missing between the writes of a tile and its reads."""
import numpy as np
from numba import cuda, int32


@cuda.jit(lineinfo=True)
def reverse(x):
    tile = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    # cuda.syncthreads() is missing
    if t < 64:
        x[t] = tile[63 - t]


x = cuda.to_device(np.arange(64, dtype=np.int32))
reverse[1, 64](x)
cuda.synchronize()
print("passed")
