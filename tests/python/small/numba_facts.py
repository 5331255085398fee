# SPDX-License-Identifier: Apache-2.0
"""What numba says of a kernel and the device; several signatures of one kernel; arrays that come back by themselves; a deferred clean-up."""
import numpy as np
from numba import cuda


@cuda.jit
def scale(a, f):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        a[i] *= f


with cuda.defer_cleanup():
    for kind in (np.float32, np.float64, np.int32):
        a = np.arange(70).astype(kind)
        scale[1, 32](a, kind(3))
        assert (a == 3 * np.arange(70)).all()
assert len(scale.signatures) == 3
assert all(n > 0 for n in scale.get_regs_per_thread().values()) and all(".entry" in t for t in scale.inspect_asm().values())
device = cuda.get_current_device()
assert device.WARP_SIZE == 32 and device.compute_capability >= (5, 0) and len(cuda.gpus) >= 1 and cuda.is_available()
free, total = cuda.current_context().get_memory_info()
assert 0 < free <= total
with cuda.pinned(a):
    d = cuda.to_device(a)
    d.copy_to_device(d.copy_to_host() + 1)
assert (d.copy_to_host() == 3 * np.arange(70) + 1).all()
print("passed")
