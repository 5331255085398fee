# SPDX-License-Identifier: Apache-2.0
"""Arrays of structures, a constant array, a local array and device functions."""
import numpy as np
from numba import cuda, float32

WEIGHTS = np.array([0.25, 0.5, 0.25], np.float32)
PARTICLE = np.dtype([("x", np.float32), ("v", np.float32), ("id", np.int32)], align=True)


@cuda.jit(device=True)
def weigh(a, weights):
    total = float32(0)
    for k in range(3):
        total += a[k] * weights[k]
    return total


@cuda.jit
def move(particles, seconds):
    i = cuda.grid(1)
    if i < particles.size:
        weights = cuda.const.array_like(WEIGHTS)
        around = cuda.local.array(3, float32)
        for k in range(3):
            around[k] = particles[i].v * (k + 1)
        particles[i].x += weigh(around, weights) * seconds
        particles[i].id = i


p = np.zeros(100, PARTICLE)
p["v"] = np.arange(100)
move[2, 64](p, np.float32(0.5))
assert (p["x"] == p["v"]).all() and (p["id"] == np.arange(100)).all()
print("passed")
