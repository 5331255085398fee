# SPDX-License-Identifier: Apache-2.0
"""A context made by hand, asked about its device, and a copy from one allocation to another; an error that is an exception."""
import numpy as np
import pycuda.driver as drv

drv.init()
context = drv.Device(0).make_context()
try:
    a, b = np.arange(10, dtype=np.int64), np.zeros(10, np.int64)
    x, y = drv.mem_alloc(80), drv.mem_alloc(80)
    drv.memcpy_htod(x, a)
    drv.memcpy_dtod(y, x, 80)
    drv.memcpy_dtoh(b, y)
    assert (a == b).all()
    drv.memset_d32(x, 7, 20)
    drv.memcpy_dtoh(b, x)
    assert (b == 7 * (1 + 2**32)).all()
    assert drv.Device(0).get_attribute(drv.device_attribute.WARP_SIZE) == 32
    try:
        drv.module_from_buffer(b"no module")
        raise SystemExit("a module of nothing was loaded")
    except drv.Error:
        pass
finally:
    context.pop()
print("passed")
