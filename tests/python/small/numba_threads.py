# SPDX-License-Identifier: Apache-2.0
"""Threads of the host that launch, a stream that asyncio waits for, structures in structures, and tuples as arguments."""
import asyncio
import threading

import numpy as np
from numba import cuda


@cuda.jit("void(int32[:], int32)", fastmath=True, max_registers=32)
def add(a, k):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += k


@cuda.jit
def nested(r):
    i = cuda.grid(1)
    r[i].p.x = i
    r[i].p.y = 2 * i
    for k in range(3):
        r[i].v[k] = k + i


@cuda.jit
def of_tuple(t, out):
    out[0] = t[0][1] + t[1]


results = [None] * 4


def work(t):
    a = cuda.to_device(np.zeros(100, np.int32))
    for _ in range(5):
        add[4, 32](a, t)
    results[t] = a.copy_to_host()


threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert all((r == 5 * t).all() for t, r in enumerate(results))


async def later():
    stream = cuda.stream()
    d = cuda.to_device(np.ones(10, np.int32), stream=stream)
    add[1, 32, stream](d, 2)
    await stream.async_done()
    return d.copy_to_host(stream=stream)


assert (asyncio.run(later()) == 3).all()
r = np.zeros(8, np.dtype([("p", [("x", "f4"), ("y", "f4")]), ("v", "i4", (3,))]))
nested[1, 8](r)
assert (r["p"]["y"] == 2 * np.arange(8)).all() and (r["v"][:, 2] == np.arange(8) + 2).all()
out = np.zeros(1)
of_tuple[1, 1]((np.array([1.0, 2.0]), 3.5), out)
assert out[0] == 5.5
print("passed")
