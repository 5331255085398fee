# SPDX-License-Identifier: Apache-2.0
"""ElementwiseKernel, ReductionKernel and a prefix sum."""
import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

rng = np.random.default_rng(2)
a, b = rng.random(777).astype(np.float32), rng.random(777).astype(np.float32)
x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
out = gpuarray.empty_like(x)
ElementwiseKernel("float *x, float *y, float *out, float f", "out[i] = f * x[i] + y[i]", "axpy")(x, y, out, np.float32(3))
assert np.allclose(out.get(), 3 * a + b)
norm = ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i]", arguments="float *x")
assert np.allclose(norm(x).get(), (a * a).sum(), rtol=1e-5)
n = rng.integers(0, 10, 5000).astype(np.int32)
assert (InclusiveScanKernel(np.int32, "a+b")(gpuarray.to_gpu(n)).get() == np.cumsum(n)).all()
print("passed")
