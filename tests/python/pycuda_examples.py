# SPDX-License-Identifier: Apache-2.0
"""The elementary uses of PyCUDA, each checked against numpy: run under `warpwright run`.  Kernels are compiled to PTX (PyCUDA's own
default is machine code, which only a GPU runs)."""
import numpy as np
import pycuda.autoinit  # noqa: F401  makes the context
import pycuda.driver as drv
from pycuda import compiler

SOURCE = """
extern "C" __global__ void multiply(float *out, const float *a, const float *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] * b[i];
}
__device__ __constant__ int shift;
extern "C" __global__ void add_shift(int *a, int n)
{
    extern __shared__ int tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    if (i < n)
        a[i] = tile[threadIdx.x] + shift;
}
"""


def in_and_out(module, rng):
    a, b = rng.random(512, dtype=np.float32), rng.random(512, dtype=np.float32)
    out = np.zeros_like(a)
    module.get_function("multiply")(drv.Out(out), drv.In(a), drv.In(b), block=(128, 1, 1), grid=(4, 1))
    assert (out == a * b).all()


def memory_and_symbols(module, rng):
    a = rng.integers(0, 1000, 300).astype(np.int32)
    device = drv.mem_alloc(a.nbytes)
    drv.memcpy_htod(device, a)
    address, size = module.get_global("shift")
    assert size == 4
    drv.memcpy_htod(address, np.int32(7))
    module.get_function("add_shift")(device, np.int32(a.size), block=(64, 1, 1), grid=(5, 1), shared=256)
    back = np.empty_like(a)
    drv.memcpy_dtoh(back, device)
    assert (back == a + 7).all()
    device.free()


def streams_and_events(module, rng):
    a = drv.pagelocked_empty(1024, np.float32)
    a[:] = rng.random(1024, dtype=np.float32)
    out = drv.pagelocked_zeros(1024, np.float32)
    stream, start, end = drv.Stream(), drv.Event(), drv.Event()
    da, dout = drv.mem_alloc(a.nbytes), drv.mem_alloc(a.nbytes)
    start.record(stream)
    drv.memcpy_htod_async(da, a, stream)
    module.get_function("multiply")(dout, da, da, block=(256, 1, 1), grid=(4, 1), stream=stream)
    drv.memcpy_dtoh_async(out, dout, stream)
    end.record(stream)
    end.synchronize()
    assert (out == a * a).all() and start.time_till(end) >= 0


def device_facts(module, rng):
    device = drv.Context.get_device()
    assert device.compute_capability() == (9, 0) and device.name()
    free, everything = drv.mem_get_info()
    assert 0 < free <= everything
    assert module.get_function("multiply").max_threads_per_block >= 256


if __name__ == "__main__":
    ptx = compiler.compile(SOURCE, target="ptx", arch="compute_90", options=["-Wno-deprecated-gpu-targets"], no_extern_c=True)
    loaded = drv.module_from_buffer(ptx)
    generator = np.random.default_rng(1)
    for example in (in_and_out, memory_and_symbols, streams_and_events, device_facts):
        example(loaded, generator)
        print(example.__name__, "ok", flush=True)
    print("passed")
