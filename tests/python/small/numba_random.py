# SPDX-License-Identifier: Apache-2.0
"""Random numbers of numba's own generator: pi by counting."""
import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


@cuda.jit
def inside(states, tries, out):
    i, n = cuda.grid(1), 0
    for _ in range(tries):
        x, y = xoroshiro128p_uniform_float32(states, i), xoroshiro128p_uniform_float32(states, i)
        if x * x + y * y <= 1:
            n += 1
    out[i] = n


states = create_xoroshiro128p_states(128, seed=7)
out = np.zeros(128, np.int32)
inside[2, 64](states, 100, out)
assert abs(4 * out.sum() / (128 * 100) - 3.1416) < 0.05
print("passed")
