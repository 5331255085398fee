# SPDX-License-Identifier: Apache-2.0
"""CuPy's ways to compute, against NumPy: `warpwright run python3 tests/python/trial/cupy_steps.py`."""
import cupy as cp
import numpy as np
from steps import close, main, step


@step
def arrays():
    x = np.arange(12.0).reshape(3, 4)
    a = cp.asarray(x)
    close(cp.asnumpy(a.T * 2 + a[1, 2]), x.T * 2 + x[1, 2])
    a[:, 1] = 0
    close(cp.asnumpy(a[a > 4]), [6, 7, 8, 10, 11])


@step
def reductions():
    assert int(cp.arange(1000).sum()) == 499500
    close(cp.asnumpy(cp.arange(12.0).reshape(3, 4).max(axis=1)), [3, 7, 11])
    assert int(cp.argmax(cp.asarray([1, 9, 3]))) == 1


@step
def elementwise():
    square = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * x", "square")
    close(cp.asnumpy(square(cp.arange(5, dtype=cp.float32))), [0, 1, 4, 9, 16])


@step
def reduction_kernel():
    norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
    close([float(norm(cp.arange(4, dtype=cp.float32)))], [14 ** 0.5])


@step
def raw_kernel():
    twice = cp.RawKernel('extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }', "twice")
    x = cp.arange(32, dtype=cp.float32)
    twice((1,), (32,), (x,))
    close(cp.asnumpy(x), np.arange(32) * 2)


@step
def fusion():
    @cp.fuse(kernel_name="axpy")
    def axpy(a, x, y):
        return a * x + y
    close(cp.asnumpy(axpy(2.0, cp.arange(4.0), cp.ones(4))), [1, 3, 5, 7])


@step
def sort_and_scan():
    x = np.random.default_rng(1).permutation(5000)
    close(cp.asnumpy(cp.sort(cp.asarray(x))), np.sort(x))
    close(cp.asnumpy(cp.argsort(cp.asarray(x))), np.argsort(x))
    close(cp.asnumpy(cp.cumsum(cp.asarray(x))), np.cumsum(x))


@step
def product():
    x = np.random.default_rng(2).random((8, 5))
    close(cp.asnumpy(cp.asarray(x).T @ cp.asarray(x)), x.T @ x)


@step
def random():
    cp.random.seed(3)
    x = cp.random.rand(1000)
    assert 0.4 < float(x.mean()) < 0.6


@step
def fft():
    close(cp.asnumpy(cp.abs(cp.fft.rfft(cp.arange(8.0)))), np.abs(np.fft.rfft(np.arange(8.0))))


main()
