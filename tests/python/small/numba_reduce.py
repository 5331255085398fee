# SPDX-License-Identifier: Apache-2.0
"""Sums by blocks in shared memory, then by cuda.reduce."""
import numpy as np
from numba import cuda, float64

THREADS = 128


@cuda.jit
def partial(x, sums):
    tile = cuda.shared.array(THREADS, float64)
    t, total = cuda.threadIdx.x, 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    tile[t] = total
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = tile[0]


@cuda.reduce
def largest(a, b):
    return max(a, b)


x = np.random.default_rng(1).random(5000)
sums = cuda.device_array(8, np.float64)
partial[8, THREADS](cuda.to_device(x), sums)
assert abs(sums.copy_to_host().sum() - x.sum()) < 1e-9
assert largest(x) == x.max()
print("passed")
