# SPDX-License-Identifier: Apache-2.0
"""A module from a text of PTX, with a variable; the kernel's properties; occupancy; a module from a file."""
import os
import tempfile

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv

TEXT = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 more = 5;
.visible .entry add(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [p];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd1, %rd0, %rd1;
    ld.global.u32 %r1, [%rd1];
    ld.global.u32 %r2, [more];
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
module = drv.module_from_buffer(TEXT)
add = module.get_function("add")
a = np.arange(32, dtype=np.int32)
add(drv.InOut(a), block=(32, 1, 1))
assert (a == np.arange(32) + 5).all()
drv.memcpy_htod(module.get_global("more")[0], np.uint32(100))
add(drv.InOut(a), block=(32, 1, 1))
assert (a == np.arange(32) + 105).all() and add.shared_size_bytes == 0 and add.max_threads_per_block >= 32
with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, "add.ptx")
    with open(name, "wb") as f:
        f.write(TEXT)
    drv.module_from_file(name).get_function("add")(drv.InOut(a), block=(16, 1, 1))
assert a[0] == 110 and a[31] == 136
print("passed")
