# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, reductions, slices and sorting of GPUArray with its kernels made on the fly, but those that would need machine code."""
import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

a = np.random.default_rng(1).random(1000).astype(np.float32)
x = gpuarray.to_gpu(a)
y = 2 * x + x * x - 1
assert np.allclose(y.get(), 2 * a + a * a - 1)
assert np.allclose(gpuarray.sum(x).get(), a.sum(), rtol=1e-5)
assert gpuarray.max(x).get() == a.max()
assert np.allclose(gpuarray.dot(x, y).get(), np.dot(a, 2 * a + a * a - 1), rtol=1e-4)
assert (x[100:200].get() == a[100:200]).all()
z = gpuarray.zeros(64, np.int32)
z.fill(5)
assert (z.get() == 5).all() and (gpuarray.arange(0, 10, 2, dtype=np.int32).get() == np.arange(0, 10, 2)).all()
print("passed")
