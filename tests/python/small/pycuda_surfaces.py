# SPDX-License-Identifier: Apache-2.0
"""Pitched memory, copies of two dimensions and arrays of structures."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule("""
struct Point { float x, y; int id; };
__global__ void move(Point *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].y;
        p[i].id = i;
    }
}
__global__ void rows(float *m, size_t pitch, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w)
        ((float *)((char *)m + y * pitch))[x] *= y;
}
""")
point = np.dtype([("x", np.float32), ("y", np.float32), ("id", np.int32)])
p = np.zeros(50, point)
p["y"] = np.arange(50)
module.get_function("move")(drv.InOut(p), np.int32(50), block=(64, 1, 1))
assert (p["x"] == p["y"]).all() and (p["id"] == np.arange(50)).all()
a = np.ones((5, 33), np.float32)
memory, pitch = drv.mem_alloc_pitch(33 * 4, 5, 4)
there = drv.Memcpy2D()
there.set_src_host(a)
there.set_dst_device(memory)
there.src_pitch, there.dst_pitch, there.width_in_bytes, there.height = 33 * 4, pitch, 33 * 4, 5
there(aligned=True)
module.get_function("rows")(memory, np.uintp(pitch), np.int32(33), np.int32(5), block=(64, 1, 1), grid=(5, 1))
back = drv.Memcpy2D()
back.set_src_device(memory)
back.set_dst_host(a)
back.src_pitch, back.dst_pitch, back.width_in_bytes, back.height = pitch, 33 * 4, 33 * 4, 5
back(aligned=True)
assert (a == np.arange(5)[:, None]).all()
print("passed")
