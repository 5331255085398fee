# SPDX-License-Identifier: Apache-2.0
# finds: out-of-bounds at 12
"""A kernel without the usual condition: the last block writes past the array."""
import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def double(x):
    i = cuda.grid(1)
    #
    x[i] = 2 * x[i]


x = cuda.to_device(np.arange(1000, dtype=np.float32))
double[8, 128](x)
try:
    assert (x.copy_to_host() == 2 * np.arange(1000)).all()
except cuda.CudaAPIError:
    pass
print("passed")
