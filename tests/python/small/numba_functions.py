# SPDX-License-Identifier: Apache-2.0
"""Functions of math, cmath and libdevice, every kind of atomic, masks of lanes, and an array that comes by its interface."""
import cmath
import math

import numpy as np
from numba import cuda
from numba.cuda import libdevice


@cuda.jit
def functions(x, out):
    i = cuda.grid(1)
    v = x[i]
    out[i, 0], out[i, 1], out[i, 2] = math.erf(v), math.gamma(v + 1), math.lgamma(v + 1)
    out[i, 3], out[i, 4], out[i, 5] = libdevice.cbrt(v), math.atan2(v, 2.0), math.fmod(v, 0.3)
    out[i, 6], out[i, 7], out[i, 8] = math.log1p(v), math.expm1(v), math.hypot(v, 1.0)
    out[i, 9], out[i, 10], out[i, 11] = v**2.5, math.tanh(v), math.copysign(v, -1.0)
    out[i, 12], out[i, 13], out[i, 14] = math.ldexp(v, 3), round(v * 10), cmath.exp(complex(0, v)).real


def on_host(v):
    return [math.erf(v), math.gamma(v + 1), math.lgamma(v + 1), v ** (1 / 3), math.atan2(v, 2), math.fmod(v, 0.3), math.log1p(v), math.expm1(v),
            math.hypot(v, 1), v**2.5, math.tanh(v), -v, math.ldexp(v, 3), round(v * 10), math.cos(v)]


@cuda.jit
def atomics(a, m, c):
    i = cuda.grid(1)
    cuda.atomic.max(m, 0, a[i])
    cuda.atomic.min(m, 1, a[i])
    cuda.atomic.add(m, 2, a[i])
    cuda.atomic.nanmax(m, 3, a[i])
    cuda.atomic.sub(c, 0, 1)
    cuda.atomic.inc(c, 1, 5)
    cuda.atomic.and_(c, 2, i)
    cuda.atomic.or_(c, 3, i)
    cuda.atomic.xor(c, 4, i)


@cuda.jit
def lanes(out):
    i = cuda.grid(1)
    if i % 2:
        out[i] = cuda.activemask()
    else:
        out[i] = cuda.lanemask_lt() + cuda.ffs(i)
    cuda.nanosleep(10)


x, out = np.linspace(0.1, 3, 64), np.zeros((64, 15))
functions[2, 32](x, out)
assert np.allclose(out, [on_host(v) for v in x], rtol=1e-10)
a, m, c = np.random.default_rng(7).random(64), np.array([0, 9, 0, 0.0]), np.array([100, 0, 255, 0, 0], np.uint32)
atomics[2, 32](a, m, c)
assert m[0] == a.max() == m[3] and m[1] == a.min() and abs(m[2] - a.sum()) < 1e-9 and list(c) == [36, 64 % 6, 0, 63, 0]
o = np.zeros(32, np.uint64)
lanes[1, 32](o)
assert o[1] == 0xAAAAAAAA and o[4] == 15 + 3


class Borrowed:
    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


assert (cuda.as_cuda_array(Borrowed(cuda.to_device(np.arange(10)))).copy_to_host() == np.arange(10)).all()
print("passed")
