# SPDX-License-Identifier: Apache-2.0
"""A texture reference of a module, bound to an array: interpolation between texels, clamped at the edges; and one bound to plain memory."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import gpuarray

module = drv.module_from_buffer(b"""
.version 7.0
.target sm_70
.address_size 64
.global .texref image;
.global .texref line;
.visible .entry look(.param .u64 out, .param .u32 w)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<8>;
    ld.param.u64 %rd0, [out];
    ld.param.u32 %r0, [w];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    cvt.rn.f32.u32 %f0, %r1;
    cvt.rn.f32.u32 %f1, %r2;
    add.f32 %f0, %f0, 0f3F800000;
    add.f32 %f1, %f1, 0f3F000000;
    tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f0, %f1}];
    tex.1d.v4.f32.s32 {%f6, %f3, %f4, %f5}, [line, {%r1}];
    add.f32 %f2, %f2, %f6;
    mad.lo.u32 %r3, %r2, %r0, %r1;
    mul.wide.u32 %rd1, %r3, 4;
    add.u64 %rd2, %rd0, %rd1;
    st.global.f32 [%rd2], %f2;
    ret;
}
""")
a, b = np.arange(24, dtype=np.float32).reshape(4, 6), 100 * np.arange(5, dtype=np.float32)
image, line = module.get_texref("image"), module.get_texref("line")
drv.matrix_to_texref(a, image, order="C")
image.set_filter_mode(drv.filter_mode.LINEAR)
image.set_address_mode(0, drv.address_mode.CLAMP)
x = gpuarray.to_gpu(b)
x.bind_to_texref_ext(line)
out = np.zeros((4, 5), np.float32)
module.get_function("look")(drv.Out(out), np.int32(5), block=(5, 4, 1), texrefs=[image, line])
assert np.allclose(out, (a[:, :-1] + a[:, 1:]) / 2 + b)
print("passed")
