# SPDX-License-Identifier: Apache-2.0
"""The elementary uses of numba's CUDA target, each checked against numpy: run under `warpwright run`."""
import math

import numpy as np
from numba import cuda, float32, int32, vectorize


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + y[i]


@cuda.jit
def scale_rows(a, factor):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        a[y, x] *= factor[y]


@cuda.jit
def product(a, b, c):
    tile_a = cuda.shared.array((16, 16), float32)
    tile_b = cuda.shared.array((16, 16), float32)
    x, y = cuda.grid(2)
    ty, tx = cuda.threadIdx.y, cuda.threadIdx.x
    total = float32(0)
    for k in range(a.shape[1] // 16):
        tile_a[ty, tx] = a[y, k * 16 + tx]
        tile_b[ty, tx] = b[k * 16 + ty, x]
        cuda.syncthreads()
        for i in range(16):
            total += tile_a[ty, i] * tile_b[i, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def histogram(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.jit
def functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.sin(x[i]) + math.exp(-x[i]) + math.sqrt(x[i]) + math.log(x[i] + 1.0)


@cuda.jit
def warp_sums(x, out):
    i = cuda.grid(1)
    v = x[i]
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
    if cuda.laneid == 0:
        out[i // 32] = v


@cuda.jit
def local_reverse(a):
    mine = cuda.local.array(8, int32)
    i = cuda.grid(1)
    for k in range(8):
        mine[k] = a[i, k]
    for k in range(8):
        a[i, k] = mine[7 - k]


@vectorize(["float32(float32, float32)"], target="cuda")
def hypotenuse(a, b):
    return math.sqrt(a * a + b * b)


@cuda.reduce
def total(a, b):
    return a + b


def vectors(rng):
    x, y = rng.random(5000, dtype=np.float32), rng.random(5000, dtype=np.float32)
    out = np.zeros_like(x)
    add[(x.size + 127) // 128, 128](x, y, out)
    assert (out == x + y).all()
    a, factor = np.arange(60.0).reshape(6, 10), np.arange(6.0)
    want = a * factor[:, None]
    scale_rows[(2, 1), (8, 8)](a, factor)
    assert (a == want).all()


def shared_memory(rng):
    a, b = rng.random((64, 32), dtype=np.float32), rng.random((32, 48), dtype=np.float32)
    c = cuda.device_array((64, 48), np.float32)
    product[(3, 4), (16, 16)](cuda.to_device(a), cuda.to_device(b), c)
    assert np.allclose(c.copy_to_host(), a @ b, rtol=1e-5)


def atomics_and_warps(rng):
    values, bins = rng.integers(0, 10, 3000), np.zeros(10, np.int64)
    histogram[24, 128](values, bins)
    assert (bins == np.bincount(values, minlength=10)).all()
    x, out = rng.integers(0, 100, 256).astype(np.int32), np.zeros(8, np.int32)
    warp_sums[2, 128](x, out)
    assert (out == x.reshape(8, 32).sum(axis=1)).all()
    a = np.arange(512, dtype=np.int32).reshape(64, 8)
    want = a[:, ::-1].copy()
    local_reverse[2, 32](a)
    assert (a == want).all()


def mathematics(rng):
    x = rng.random(1000)
    out = np.zeros_like(x)
    functions[8, 128](x, out)
    assert np.allclose(out, np.sin(x) + np.exp(-x) + np.sqrt(x) + np.log(x + 1), rtol=1e-12)
    a, b = rng.random(777, dtype=np.float32), rng.random(777, dtype=np.float32)
    assert np.allclose(hypotenuse(a, b), np.hypot(a, b), rtol=1e-6)
    assert total(np.arange(5000.0)) == 4999 * 2500


def streams_and_events(rng):
    stream, start, end = cuda.stream(), cuda.event(), cuda.event()
    x = rng.random(2048)
    with cuda.pinned(x):
        start.record(stream)
        dx = cuda.to_device(x, stream=stream)
        dout = cuda.device_array_like(dx, stream=stream)
        add[16, 128, stream](dx, dx, dout)
        out = dout.copy_to_host(stream=stream)
        end.record(stream)
        stream.synchronize()
    assert (out == 2 * x).all() and cuda.event_elapsed_time(start, end) >= 0
    managed = cuda.managed_array(100, np.float64)
    managed[:] = 1
    add[1, 128](managed, managed, managed)
    cuda.synchronize()
    assert (managed == 2).all()


if __name__ == "__main__":
    generator = np.random.default_rng(1)
    for example in (vectors, shared_memory, atomics_and_warps, mathematics, streams_and_events):
        example(generator)
        print(example.__name__, "ok", flush=True)
    print("passed")
