# SPDX-License-Identifier: Apache-2.0
"""A grid that waits for itself between rows."""
import numpy as np
from numba import cuda


@cuda.jit("void(int32[:,:])")
def rows(m):
    column = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for row in range(1, m.shape[0]):
        m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
        grid.sync()


m = np.zeros((6, 64), np.int32)
rows[2, 32](m)
assert (m == np.arange(6)[:, None]).all()
print("passed")
