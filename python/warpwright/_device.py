# SPDX-License-Identifier: Apache-2.0
"""Devices, and arrays in their memory.

A Device holds a WwDevice and its WwBlas, and lets one thread at a time in.  Devices stay open as long as arrays of theirs live."""
from __future__ import annotations

import ctypes
import dataclasses
import operator
import sys
import threading
import weakref
from ctypes import byref, c_char_p, c_uint64, c_void_p
from typing import Any, Optional

from . import _arrays
from ._library import SEEN, DeviceOptions, Error, lib

TYPESTR = {"float32": ("f", 4), "int32": ("i", 4), "uint32": ("u", 4), "int64": ("i", 8), "uint64": ("u", 8), "float64": ("f", 8),
           "uint8": ("u", 1), "int8": ("i", 1), "uint16": ("u", 2), "int16": ("i", 2), "float16": ("f", 2)}


def _kind_of(dtype):
    """ "float32", numpy.float32 or a dtype: kind and size."""
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    try:
        return TYPESTR[name]
    except KeyError:
        raise TypeError(f"no arrays of {name}; there are: {', '.join(TYPESTR)}") from None


class Device:
    """Device("emulator") or Device("cuda"); check="" makes the emulator watch every kernel for faults; engine="jit" or "auto" makes native
    code of kernels."""

    def __init__(self, name: str, *, ordinal: int = 0, profile: Optional[str] = None, threads: int = 0, check: Optional[str] = None,
                 engine: Optional[str] = None):
        handle, why, blas = c_void_p(), c_char_p(), c_void_p()
        options = DeviceOptions(ordinal=ordinal, threads=threads, profile=profile.encode() if profile else None,
                                check=check.encode() if check is not None else None, engine=engine.encode() if engine else None)
        status = lib.ww_device_open(name.encode(), byref(options), byref(handle), byref(why))
        if status:
            raise Error(status, (why.value or b"").decode())
        self.kind, self.ordinal, self.handle = name, ordinal, handle
        self.lock = threading.RLock()
        self._streams = {}
        self.blas = blas
        self._findings = []
        self._seen = _collector(self._findings, profile or "sm_90") if check is not None else None
        self._state = [True]
        weakref.finalize(self, _close, handle, blas, self._streams, self._seen, self._state)
        self.check(lib.ww_blas_open(handle, byref(blas)))
        if self._seen is not None:
            lib.ww_device_on_result(handle, self._seen, None)

    @property
    def open(self) -> bool:
        """False once its memory is gone."""
        return self._state[0]

    @property
    def findings(self) -> list:
        """What was found in every launch so far, those of gemm, syrk and copy too; same findings are one, with the sum of their counts.
        Empty unless the device was opened with check=."""
        joined = {}
        for f in list(self._findings):
            key = (f.rule, f.kernel, f.file, f.line, f.col, f.message)
            joined[key] = dataclasses.replace(f, count=f.count + joined[key].count) if key in joined else f
        return list(joined.values())

    def clear(self) -> None:
        """Forgets the findings so far."""
        self._findings.clear()

    def module(self, source: Any, name: Optional[str] = None) -> Any:
        """Kernels of a PTX or CUDA C source: see Module."""
        from ._kernels import Module
        return Module(self, source, name)

    def __repr__(self):
        return f"<warpwright device: {lib.ww_device_name(self.handle).decode()}>"

    def check(self, status):
        """Raises the library's message unless the call succeeded."""
        if status:
            raise Error(status, lib.ww_device_error(self.handle).decode())

    def stream(self, native):
        """The library's stream over a CUstream or cudaStream_t (1: the legacy default stream, 2: the thread's)."""
        if native not in self._streams:
            made = c_void_p()
            self.check(lib.ww_stream_open(self.handle, c_void_p(native), byref(made)))
            self._streams[native] = made
        return self._streams[native]

    def wait(self, native: int) -> None:
        """Returns when everything on that CUDA stream is complete."""
        with self.lock:
            self.check(lib.ww_stream_wait(self.stream(native)))

    def empty(self, shape: Any, dtype: Any = "float32") -> DeviceArray:
        """An array of undefined contents."""
        return DeviceArray(self, shape, dtype)

    def array(self, values: Any) -> DeviceArray:
        """A copy of a host array in device memory."""
        import numpy
        if _arrays.is_masked(values):
            raise TypeError("masked arrays cannot be taken")
        values = numpy.asarray(values)
        values = numpy.asarray(values, values.dtype.newbyteorder("="), order="C")
        made = DeviceArray(self, values.shape, values.dtype)
        if values.nbytes:
            with self.lock:
                self.check(lib.ww_copy_in(self.handle, made.pointer, values.ctypes.data, values.nbytes))
        return made


def _collector(findings, profile: str):
    """The library's callback; it must not refer to the Device, which would never be closed."""
    from ._results import read_findings

    def seen(_user, _kernel, result):
        findings.extend(read_findings(result, profile))

    return SEEN(seen)


def _close(handle, blas, streams, _seen, state):
    state[0] = False
    lib.ww_blas_close(blas)
    for s in streams.values():
        lib.ww_stream_close(s)
    lib.ww_device_close(handle)


def _release(device, pointer):
    with device.lock:
        lib.ww_free(device.handle, pointer)


class DeviceArray:
    """Rows without gaps in a device's memory.  Has __dlpack__, and on a GPU __cuda_array_interface__, so that torch.as_tensor,
    cupy.asarray and numba.cuda.as_cuda_array take it where it is."""

    def __init__(self, device, shape, dtype):
        _sweep()
        self.device, self.shape = device, tuple(operator.index(n) for n in (shape if hasattr(shape, "__iter__") else (shape,)))
        self.kind, self.itemsize = _kind_of(dtype)
        self.nbytes, pointer = self.itemsize, c_uint64()
        for n in self.shape:
            if n < 0:
                raise ValueError(f"a dimension of {n}")
            self.nbytes *= n
        if self.nbytes >= 1 << 63:
            raise ValueError(f"an array of {self.nbytes} bytes")
        with device.lock:
            device.check(lib.ww_alloc(device.handle, max(self.nbytes, 1), byref(pointer)))
        self.pointer = pointer.value
        weakref.finalize(self, _release, device, self.pointer)

    @property
    def dtype(self) -> str:
        """The element's name: "float32"."""
        return next(n for n, t in TYPESTR.items() if t == (self.kind, self.itemsize))

    def __repr__(self):
        return f"<{self.dtype} {'x'.join(map(str, self.shape))} on {lib.ww_device_name(self.device.handle).decode()}>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def T(self) -> Part:
        """The transpose, where it is."""
        return Part(self, self.pointer, self.shape[::-1], _arrays.contiguous_strides(self.shape)[::-1])

    def __getitem__(self, key: Any) -> Part:
        """A part, where it is: integers, slices, ..., None as in NumPy."""
        return Part(self, self.pointer, self.shape, _arrays.contiguous_strides(self.shape))[key]

    def __setitem__(self, key: Any, values: Any) -> None:
        self[key].fill(values)

    def __matmul__(self, other: Any) -> Any:
        from ._products import gemm
        return gemm(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from ._products import gemm
        return gemm(self.device.array(other), self)

    def _warpwright_view(self):
        device = (_arrays.CUDA, self.device.ordinal) if self.device.kind == "cuda" else (_arrays.EXTENSION, 0)
        view = _arrays.View(self, self.pointer, self.shape, None, self.kind, self.itemsize, device)
        view.owner = self.device
        return view

    def numpy(self) -> Any:
        """A copy on the host."""
        import numpy
        out = numpy.empty(self.shape, self.dtype)
        if self.nbytes:
            with self.device.lock:
                self.device.check(lib.ww_copy_out(self.device.handle, out.ctypes.data, self.pointer, self.nbytes))
        return out

    def __array__(self, dtype=None, copy=None):
        out = self.numpy()
        return out if dtype is None else out.astype(dtype)

    @property
    def __cuda_array_interface__(self):
        if self.device.kind != "cuda":
            raise AttributeError("memory of the emulator is not a CUDA device's")
        return {"shape": self.shape, "typestr": f"<{self.kind}{self.itemsize}", "data": (self.pointer, False), "strides": None,
                "stream": None, "version": 3}

    def __dlpack_device__(self):
        return self._warpwright_view().device

    def __dlpack__(self, *, stream=None, **_):
        return _exported(self)


class Part:
    """A part of a DeviceArray that stays where it is: shape, strides (in elements).  It keeps the array alive."""

    def __init__(self, of, pointer, shape, strides):
        self.of, self.pointer, self.shape, self.strides = of, pointer, tuple(shape), tuple(strides)
        self.device, self.dtype, self.kind, self.itemsize = of.device, of.dtype, of.kind, of.itemsize

    ndim = property(lambda self: len(self.shape))
    T = property(lambda self: Part(self.of, self.pointer, self.shape[::-1], self.strides[::-1]))

    def __repr__(self):
        return f"<part {'x'.join(map(str, self.shape))} of {self.of!r}>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Part:
        pointer, shape, strides, at = self.pointer, [], [], 0
        for k in _whole_key(key, self.ndim):
            if k is None:
                shape.append(1)
                strides.append(0)
                continue
            n, step = self.shape[at], self.strides[at]
            at += 1
            if isinstance(k, slice):
                start, stop, by = k.indices(n)
                count = len(range(start, stop, by))
                shape.append(count)
                strides.append(step * by)
            else:
                start = operator.index(k)
                if not -n <= start < n:
                    raise IndexError(f"index {start} of a dimension of {n}")
                start += n if start < 0 else 0
            pointer += start * step * self.itemsize if self.shape[at - 1] else 0
        return Part(self.of, pointer, shape, strides)

    def __setitem__(self, key: Any, values: Any) -> None:
        self[key].fill(values)

    def fill(self, values: Any) -> None:
        """Sets the elements: to one number, or to those of an array that can be broadcast."""
        import numpy
        of = self.of
        with self.device.lock:
            whole = of.numpy()
            self._on(whole)[...] = values.numpy() if hasattr(values, "numpy") else numpy.asarray(values)
            if of.nbytes:
                self.device.check(lib.ww_copy_in(self.device.handle, of.pointer, whole.ctypes.data, of.nbytes))

    def _on(self, whole):
        """The same part of a host copy of the array."""
        from numpy.lib.stride_tricks import as_strided
        flat = whole.reshape(-1)[(self.pointer - self.of.pointer) // self.itemsize:]
        return as_strided(flat, self.shape, [s * self.itemsize for s in self.strides])

    def numpy(self) -> Any:
        """A copy on the host."""
        return self._on(self.of.numpy()).copy()

    def __array__(self, dtype=None, copy=None):
        out = self.numpy()
        return out if dtype is None else out.astype(dtype)

    __matmul__ = DeviceArray.__matmul__
    __rmatmul__ = DeviceArray.__rmatmul__

    def _warpwright_view(self):
        of = self.of._warpwright_view()
        view = _arrays.View(self, self.pointer, self.shape, self.strides, self.kind, self.itemsize, of.device)
        view.owner = self.device
        return view

    @property
    def __cuda_array_interface__(self):
        made = self.of.__cuda_array_interface__
        return {**made, "shape": self.shape, "data": (self.pointer, False), "strides": tuple(s * self.itemsize for s in self.strides)}


def _whole_key(key, ndim):
    """One entry for each dimension, besides None for new ones."""
    key = key if isinstance(key, tuple) else (key,)
    if sum(k is Ellipsis for k in key) > 1:
        raise IndexError("more than one ... in an index")
    used = sum(k is not None and k is not Ellipsis for k in key)
    if used > ndim:
        raise IndexError(f"{used} indices for {ndim} dimensions")
    at = next((i for i, k in enumerate(key) if k is Ellipsis), len(key))
    for k in key:
        if k is not None and k is not Ellipsis and not isinstance(k, slice) and not hasattr(k, "__index__"):
            raise TypeError(f"an index is an integer, a slice, ... or None, not {type(k).__name__}")
    return [*key[:at], *[slice(None)] * (ndim - used), *key[at + 1:]]


# ---- DLPack's producing side: a DLManagedTensor that lives in _alive until its consumer calls the deleter -------------------------

_alive = {}


@_arrays.DELETER
def _delete(managed):
    _alive.pop(ctypes.addressof(managed.contents), None)


NAME = b"dltensor"
_offered = []  # capsules that were not taken when they were last looked at
_offered_lock = threading.RLock()


def _sweep():
    """Lets go of what was offered to somebody who did not take it.  A capsule's destructor cannot: written in Python it would swallow the
    exception for which a consumer drops the capsule."""
    gone, kept = [], []
    with _offered_lock:
        while _offered:
            capsule = _offered.pop()
            if not _arrays.capsule_is(capsule, NAME):
                continue  # it was taken; the deleter follows
            if sys.getrefcount(capsule) > 2:
                kept.append(capsule)
            else:
                gone.append(_alive.pop(_arrays.capsule_get(capsule, NAME), None))
        _offered.extend(kept)


def _exported(array):
    _sweep()
    n = len(array.shape)
    view = array._warpwright_view()
    shape, strides = (ctypes.c_int64 * n)(*array.shape), (ctypes.c_int64 * n)(*view.strides)
    code = {"i": 0, "u": 1, "f": 2}[array.kind]
    tensor = _arrays.DLTensor(array.pointer, *view.device, n, code, array.itemsize * 8, 1, shape, strides, 0)
    managed = _arrays.DLManagedTensor(tensor, None, _delete)
    address = ctypes.addressof(managed)
    _alive[address] = (managed, array, shape, strides)
    capsule = _arrays.capsule_new(address, NAME, None)
    with _offered_lock:
        _offered.append(capsule)
    return capsule


# ---- the devices of those who name none ------------------------------------------------------------------------------------------

_defaults = {}
_defaults_lock = threading.Lock()


def device_of(kind, ordinal=0):
    """The process's own Device of that kind."""
    with _defaults_lock:
        if (kind, ordinal) not in _defaults:
            _defaults[kind, ordinal] = Device(kind, ordinal=ordinal)
        return _defaults[kind, ordinal]


def default_device() -> Device:
    """Where host arrays are computed: the first GPU, or the emulator where there is none."""
    from ._library import ERR_UNAVAILABLE
    try:
        return device_of("cuda")
    except Error as e:
        if e.status != ERR_UNAVAILABLE:
            raise
        return device_of("emulator")
