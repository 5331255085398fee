# SPDX-License-Identifier: Apache-2.0
"""tinygrad's CUDA back end, against plain Python: `warpwright run python3 tests/python/trial/tinygrad_steps.py`.

It calls the driver and NVRTC by ctypes, no runtime, and loads PTX; DEV=CUDA:PTX takes the PTX that it writes itself, which needs no NVRTC."""
import math
import os

os.environ.setdefault("DEV", "CUDA")
os.environ.setdefault("CACHELEVEL", "0")  # its cache of kernels would keep them from being compiled
from tinygrad import Device, Tensor, TinyJit, dtypes  # noqa: E402
from steps import close, main, step  # noqa: E402

assert Device.DEFAULT.startswith("CUDA"), Device.DEFAULT


def numbers(n, seed):
    return [math.sin(seed + 1.7 * i) for i in range(n)]


def matrix(rows, columns, seed):
    flat = numbers(rows * columns, seed)
    return [flat[i * columns:(i + 1) * columns] for i in range(rows)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


@step
def elementwise():
    x = numbers(1000, 0)
    close((Tensor(x).exp() * 2 + 1).tolist(), [math.exp(v) * 2 + 1 for v in x])
    close(Tensor(x).relu().tolist(), [max(v, 0) for v in x])


@step
def reductions():
    a = matrix(33, 65, 1)
    close(Tensor(a).sum(axis=1).tolist(), [sum(row) for row in a], 1e-4)
    close(Tensor(a).max(axis=0).tolist(), [max(column) for column in zip(*a)])
    assert Tensor.arange(1000).sum().item() == 499500


@step
def softmax():
    a = matrix(4, 50, 2)
    sums = [sum(math.exp(v) for v in row) for row in a]
    close(Tensor(a).softmax().tolist(), [[math.exp(v) / s for v in row] for row, s in zip(a, sums)])


@step
def products():
    a, b = matrix(64, 96, 3), matrix(96, 32, 4)
    close((Tensor(a) @ Tensor(b)).tolist(), product(a, b), 1e-4)


@step
def tensor_cores():
    a, b = matrix(64, 64, 5), matrix(64, 64, 6)
    half = Tensor(a).cast(dtypes.half).realize() @ Tensor(b).cast(dtypes.half).realize()
    close(half.cast(dtypes.float).tolist(), product(a, b), 2e-2)


@step
def convolution():
    image, kernel = matrix(8, 9, 7), matrix(3, 3, 8)
    want = [[sum(image[i + u][j + v] * kernel[u][v] for u in range(3) for v in range(3)) for j in range(7)] for i in range(6)]
    close(Tensor(image).reshape(1, 1, 8, 9).conv2d(Tensor(kernel).reshape(1, 1, 3, 3)).reshape(6, 7).tolist(), want)


@step
def gradients():
    a, b = matrix(5, 6, 9), matrix(6, 4, 10)
    x, w = Tensor(a), Tensor(b)
    dw = ((x @ w) ** 2).sum().gradient(w)[0]
    close(dw.tolist(), product(list(zip(*a)), [[2 * v for v in row] for row in product(a, b)]), 1e-4)


@step
def jit():
    """From the third call on, a graph of CUDA."""
    @TinyJit
    def f(x):
        return ((x * 2).contiguous() + 1).realize()
    for i in range(5):
        close(f(Tensor([1.0 * i, 2.0, 3.0]).realize()).tolist(), [2.0 * i + 1, 5, 7])


@step
def indices():
    x = numbers(20, 11)
    close(Tensor(x)[Tensor([3, 17, 0])].tolist(), [x[3], x[17], x[0]])
    close(Tensor(x).sort()[0].tolist(), sorted(x))


if __name__ == "__main__":
    main()
