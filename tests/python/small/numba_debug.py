# SPDX-License-Identifier: Apache-2.0
"""A kernel that prints, and one with debug=True that raises an exception, which the launch gives to Python."""
from numba import cuda


@cuda.jit
def speak(n):
    if cuda.threadIdx.x == 0:
        print("block", cuda.blockIdx.x, n)


@cuda.jit(debug=True, opt=False)
def refuse(x):
    if x[cuda.threadIdx.x] > 2:
        raise ValueError("too large")


speak[2, 32](7)
cuda.synchronize()
x = cuda.to_device([1, 2, 3])
try:
    refuse[1, 3](x)
    cuda.synchronize()
    raise SystemExit("no exception came")
except ValueError as e:
    assert "too large" in str(e)
print("passed")
