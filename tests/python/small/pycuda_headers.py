# SPDX-License-Identifier: Apache-2.0
"""Sources with CUDA's headers: cooperative groups, 16-bit floats, printf; complex arrays and choices of GPUArray, two streams."""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule(r"""
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const float *x, float *out)
{
    auto  t = cg::tiled_partition<32>(cg::this_thread_block());
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 16; i; i /= 2)
        v += t.shfl_down(v, i);
    if (t.thread_rank() == 0)
        atomicAdd(out, v);
}
extern "C" __global__ void twice(const __half *a, __half *b)
{
    b[threadIdx.x] = __hadd(a[threadIdx.x], a[threadIdx.x]);
}
extern "C" __global__ void speak(int n)
{
    printf("block %d says %d\n", blockIdx.x, n);
}
""", no_extern_c=True, options=["-std=c++17"])
out = np.zeros(1, np.float32)
module.get_function("sums")(drv.In(np.ones(256, np.float32)), drv.InOut(out), block=(64, 1, 1), grid=(4, 1))
assert out[0] == 256
a, b = np.arange(8, dtype=np.float16), np.zeros(8, np.float16)
module.get_function("twice")(drv.In(a), drv.Out(b), block=(8, 1, 1))
assert (b == 2 * a).all()
module.get_function("speak")(np.int32(4), block=(1, 1, 1), grid=(2, 1))
pycuda.autoinit.context.synchronize()
c = gpuarray.to_gpu(np.arange(12, dtype=np.complex64).reshape(3, 4))
assert np.allclose((c * c.conj()).get().real, (np.arange(12) ** 2).reshape(3, 4)) and c.reshape(4, 3).shape == (4, 3)
x = gpuarray.to_gpu(np.arange(10, dtype=np.float32))
assert (gpuarray.if_positive(x - 5, x, 2 * x).get() == np.where(np.arange(10) > 5, np.arange(10), 2 * np.arange(10))).all()
streams, event = [drv.Stream() for _ in range(2)], drv.Event(drv.event_flags.DISABLE_TIMING)
parts = [gpuarray.to_gpu_async(np.full(4, k, np.float32), stream=s) for k, s in enumerate(streams)]
event.record(streams[0])
streams[1].wait_for_event(event)
assert (parts[1].get_async(streams[1]) == 1).all()
print("passed")
