# SPDX-License-Identifier: Apache-2.0
"""Sums and votes of a warp, also of its upper half alone."""
import numpy as np
from numba import cuda


@cuda.jit
def sums(x, out, ballots):
    i = cuda.grid(1)
    v = x[i]
    ballots[i] = cuda.ballot_sync(0xFFFFFFFF, v > 50)
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_xor_sync(0xFFFFFFFF, v, d)
    if cuda.laneid >= 16:
        n = cuda.shfl_sync(0xFFFF0000, i, 16)
        out[i] = v + n
    else:
        out[i] = v


x = np.random.default_rng(4).integers(0, 100, 96).astype(np.int32)
out, ballots = np.zeros(96, np.int64), np.zeros(96, np.uint32)
sums[3, 32](x, out, ballots)
want = np.repeat(x.reshape(3, 32).sum(1), 32).astype(np.int64)
want += np.where(np.arange(96) % 32 >= 16, np.arange(96) // 32 * 32 + 16, 0)
assert (out == want).all()
assert (ballots == np.repeat([sum(1 << k for k in range(32) if w[k] > 50) for w in x.reshape(3, 32)], 32).astype(np.uint32)).all()
print("passed")
