# SPDX-License-Identifier: Apache-2.0
"""Prepared calls in streams, with shared memory that the call asks for, timed by events; a second module; a pool of memory."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

sums = SourceModule("""
__global__ void sum(const float *x, float *out, int n)
{
    extern __shared__ float s[];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}
""").get_function("sum")
other = SourceModule('extern "C" __global__ void negate(float *x) { x[threadIdx.x] = -x[threadIdx.x]; }', no_extern_c=True).get_function("negate")
sums.prepare("PPi")
pool, stream = DeviceMemoryPool(), drv.Stream()
a = np.random.default_rng(5).random(3000).astype(np.float32)
x, out = pool.allocate(a.nbytes), pool.allocate(32)
drv.memcpy_htod(int(x), a)
start, end = drv.Event(), drv.Event()
start.record(stream)
sums.prepared_async_call((8, 1), (64, 1, 1), stream, int(x), int(out), 3000, shared_size=256)
other(np.intp(int(out)), block=(8, 1, 1), stream=stream)
end.record(stream)
end.synchronize()
back = np.empty(8, np.float32)
drv.memcpy_dtoh(back, int(out))
assert np.allclose(back.sum(), -a.sum(), rtol=1e-5) and end.time_since(start) >= 0
x.free()
out.free()
pool.stop_holding()
print("passed")
