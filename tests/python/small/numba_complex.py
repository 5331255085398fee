# SPDX-License-Identifier: Apache-2.0
"""The Mandelbrot set with complex numbers, 64-bit integers, and arrays that are not contiguous."""
import numpy as np
from numba import cuda


@cuda.jit
def mandel(left, top, step, image):
    x, y = cuda.grid(2)
    if x < image.shape[1] and y < image.shape[0]:
        c, z, n = complex(left + x * step, top - y * step), 0j, 0
        while n < 30 and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            n += 1
        image[y, x] = n


def on_host(left, top, step, shape):
    out = np.zeros(shape, np.int64)
    for y in range(shape[0]):
        for x in range(shape[1]):
            c, z, n = complex(left + x * step, top - y * step), 0j, 0
            while n < 30 and z.real * z.real + z.imag * z.imag < 4:
                z, n = z * z + c, n + 1
            out[y, x] = n
    return out


device = cuda.to_device(np.zeros((24, 32), np.int64).T.copy().T)
mandel[(4, 3), (8, 8)](-2.0, 1.25, 0.1, device)
image = device.copy_to_host()
assert (image != on_host(-2.0, 1.25, 0.1, (24, 32))).sum() <= 2
print("passed")
