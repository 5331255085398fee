# SPDX-License-Identifier: Apache-2.0
# finds: divergent-barrier at 14
"""A barrier in a branch that only a part of each warp takes."""
import numpy as np
from numba import cuda, int32


@cuda.jit(lineinfo=True)
def partly(x):
    tile = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    tile[t] = x[t]
    if t % 2 == 0:
        cuda.syncthreads()
        x[t] = tile[t]


x = cuda.to_device(np.arange(64, dtype=np.int32))
partly[1, 64](x)
cuda.synchronize()
print("passed")
