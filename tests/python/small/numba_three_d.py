# SPDX-License-Identifier: Apache-2.0
"""A stencil in three dimensions, bits and conversions by cuda's own functions, and a kernel that was compiled for one signature."""
import numpy as np
from numba import cuda, float64, int32, void


@cuda.jit(void(float64[:, :, :], float64[:, :, :]))
def smooth(a, out):
    x, y, z = cuda.grid(3)
    if 0 < x < a.shape[0] - 1 and 0 < y < a.shape[1] - 1 and 0 < z < a.shape[2] - 1:
        out[x, y, z] = (a[x - 1, y, z] + a[x + 1, y, z] + a[x, y - 1, z] + a[x, y + 1, z] + a[x, y, z - 1] + a[x, y, z + 1]) / 6


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    v = int32(x[i])
    out[i, 0] = cuda.popc(v)
    out[i, 1] = cuda.clz(v)
    out[i, 2] = cuda.brev(v)
    out[i, 3] = cuda.selp(v > 7, 1, -1)
    out[i, 4] = int(cuda.fma(float(v), 2.0, 1.0))


a = np.random.default_rng(6).random((9, 7, 11))
out = np.zeros_like(a)
smooth[(3, 2, 3), (4, 4, 4)](a, out)
want = np.zeros_like(a)
i = slice(1, -1)
want[i, i, i] = (a[:-2, i, i] + a[2:, i, i] + a[i, :-2, i] + a[i, 2:, i] + a[i, i, :-2] + a[i, i, 2:]) / 6
assert np.allclose(out, want)
x, b = np.arange(32, dtype=np.int32), np.zeros((32, 5), np.int64)
bits[1, 32](x, b)
assert (b[:, 0] == [bin(v).count("1") for v in x]).all() and b[1, 1] == 31 and (b[:, 3] == np.where(x > 7, 1, -1)).all()
assert (b[:, 4] == 2 * x + 1).all() and (b[:, 2].astype(np.uint32) == [int(f"{v:032b}"[::-1], 2) for v in x]).all()
print("passed")
