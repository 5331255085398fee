# SPDX-License-Identifier: Apache-2.0
"""Histogram, maximum, compare-and-swap as a lock, and counts of a block's votes."""
import numpy as np
from numba import cuda, int32


@cuda.jit
def histogram(values, bins, most):
    local = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if t < 16:
        local[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(local, values[i] % 16, 1)
        cuda.atomic.max(most, 0, values[i])
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(bins, t, local[t])


@cuda.jit
def guarded(lock, total):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.compare_and_swap(lock, 0, 1) != 0:
            pass
        cuda.threadfence()
        total[0] = total[0] + cuda.blockIdx.x
        cuda.threadfence()
        cuda.atomic.exch(lock, 0, 0)


@cuda.jit
def votes(x, counts):
    n = cuda.syncthreads_count(x[cuda.grid(1)] > 0)
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = n


values = np.random.default_rng(2).integers(0, 1000, 777).astype(np.int32)
bins, most = np.zeros(16, np.int32), np.zeros(1, np.int32)
histogram[7, 128](values, bins, most)
assert (bins == np.bincount(values % 16, minlength=16)).all() and most[0] == values.max()
total = np.zeros(1, np.int32)
guarded[10, 32](np.zeros(1, np.int32), total)
assert total[0] == 45
x, counts = np.random.default_rng(3).integers(-1, 2, 256).astype(np.int32), np.zeros(4, np.int32)
votes[4, 64](x, counts)
assert (counts == (x.reshape(4, 64) > 0).sum(1)).all()
print("passed")
