# SPDX-License-Identifier: Apache-2.0
"""CUDA kernels on an emulator that finds faults and counts, and matrix products on the arrays that are already there.

    import numpy, warpwright as ww
    c = ww.gemm(a, b)                        # C = A B
    c = ww.gemm(a, b, out=c, alpha=2, beta=1, transpose_b=True)
    s = ww.syrk(a)                           # A A^T, both halves, bit for bit the same
    n = ww.gemm(i, j, dtype="int64")         # int32 operands, exact
    ww.copy(out, a)                          # strided and transposed arrays too
    r = ww.check(cuda_source_or_ptx, "scale", grid=4, block=64, args=[x, 256, 2.0])     # r.findings, r.counters, r.lines
    ww.access("lane * 128", space="shared")  # what one access costs; a picture in a notebook

Operands are float32 or int32 (modulo 2^32) matrices, or stacks of them (three dimensions).  NumPy arrays are copied to a device and
back; arrays in device memory (PyTorch, CuPy, numba, anything with __dlpack__ or __cuda_array_interface__) are used where they are: a
transposed or sliced one becomes a leading dimension and a transposition.  Device("emulator").array(a) puts an array into an
emulated GPU's memory.  A call is complete when it returns, unless stream= names a CUDA stream.  What is wrong is an exception: Error
(with .status) from the library, TypeError or ValueError for arrays it cannot take.  See docs/python.md."""
from ._device import Device, DeviceArray, default_device
from ._grid import Spread
from ._kernels import Module, check
from ._library import Error, version
from ._pictures import Access, access
from ._products import copy, gemm, newton_schulz, rungs, syrk
from ._results import Counters, Finding, Line, Mend, Result, Table

__version__ = version()
__all__ = ["Access", "Counters", "Device", "DeviceArray", "Error", "Finding", "Line", "Mend", "Module", "Result", "Spread", "Table", "access", "check", "copy",
           "default_device", "gemm", "newton_schulz", "rungs", "syrk", "version"]
