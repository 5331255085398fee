# SPDX-License-Identifier: Apache-2.0
"""numba's CUDA kernels against NumPy: `warpwright run python3 tests/python/trial/numba_steps.py`."""
import numpy as np

if not hasattr(np, "row_stack"):  # numba 0.68 asks for it; NumPy 2.5 has dropped it
    np.row_stack = np.vstack
from numba import cuda, float32  # noqa: E402
from steps import close, main, step  # noqa: E402


def scaled(**options):
    @cuda.jit(**options)
    def scale(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] * 2
    x = np.arange(100, dtype=np.float32)
    y = np.zeros_like(x)
    scale[4, 32](x, y)
    close(y, x * 2)


@step
def kernel():
    scaled()


@step
def kernel_with_lines():
    scaled(lineinfo=True)


@step
def shared_memory():
    @cuda.jit
    def turn(x):
        s = cuda.shared.array(64, float32)
        i = cuda.threadIdx.x
        s[i] = x[i]
        cuda.syncthreads()
        x[i] = s[63 - i]
    x = np.arange(64, dtype=np.float32)
    d = cuda.to_device(x)
    turn[1, 64](d)
    close(d.copy_to_host(), x[::-1])


@step
def atomics():
    @cuda.jit
    def count(x, bins):
        cuda.atomic.add(bins, x[cuda.grid(1)] % 4, 1)
    bins = np.zeros(4, dtype=np.int32)
    count[2, 32](np.arange(64, dtype=np.int32), bins)
    close(bins, [16] * 4)


@step
def device_function():
    @cuda.jit(device=True)
    def square(x):
        return x * x

    @cuda.jit
    def apply(x):
        x[cuda.grid(1)] = square(x[cuda.grid(1)])
    x = np.arange(32, dtype=np.float64)
    apply[1, 32](x)
    close(x, np.arange(32.0) ** 2)


@step
def reduction():
    total = cuda.reduce(lambda a, b: a + b)
    assert total(np.arange(1000, dtype=np.float64)) == 499500


main()
