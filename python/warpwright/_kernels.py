# SPDX-License-Identifier: Apache-2.0
"""Kernels: Module (PTX or CUDA C on a device), launch with arrays, and check(), which does all of it on a device of its own.

What is decided here: how a Python value becomes a kernel's argument.  The kernel's PTX types decide: a 64-bit parameter takes an array (its
address) or an integer, a float parameter a number, a structure its bytes.  NumPy arrays are copied to the device before the launch and, where
they can be written, back after it."""
from __future__ import annotations

import ctypes
import operator
import os
import pathlib
import struct
import weakref
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Optional, Sequence, Union

from . import _arrays
from ._device import Device
from ._library import PRINT, Dim3, Error, Launch, lib
from ._results import Result, kernel_text, read_result

COUNTERS = 1
STATUS_NOT_FOUND, STATUS_LAUNCH = 3, 6
RAN = (0, 7, 8, 9)  # ok, unsupported, fault, limit: there is a result
FLOATS = {"f16": "e", "f32": "f", "f64": "d"}
Dims = Union[int, Sequence[int]]


def _dims(what: str, value: Dims) -> Dim3:
    numbers = [operator.index(n) for n in (value if hasattr(value, "__iter__") else (value,))]
    if not 1 <= len(numbers) <= 3 or not all(0 <= n < 1 << 32 for n in numbers):
        raise ValueError(f"{what} {value!r} is not one to three sizes")
    return Dim3(*(numbers + [1, 1])[:3])


def _source(source: Union[str, os.PathLike], name: Optional[str]) -> tuple:
    """(text, name, whether it is CUDA C) of a path or a text."""
    path = None
    if isinstance(source, os.PathLike) or (isinstance(source, str) and "\n" not in source and source.endswith((".cu", ".ptx"))):
        path = pathlib.Path(source)
        text = path.read_text("utf-8")
        cuda = path.suffix == ".cu"
    else:
        text = source
        cuda = ".entry" not in text and ".version" not in text
    if path is not None and cuda:  # so that what it includes is found beside it
        text = f'#include "{path.resolve()}"\n'
    return text, name or (str(path) if path is not None else "kernel.cu" if cuda else "kernel.ptx"), cuda


class Module:
    """The kernels of a PTX or CUDA C source on a device.  source: a text, or the path of a .ptx or .cu file."""

    def __init__(self, device: Device, source: Union[str, os.PathLike], name: Optional[str] = None):
        text, self.name, cuda = _source(source, name)
        self.device, handle, data = device, c_void_p(), text.encode()
        load = lib.ww_module_compile if cuda else lib.ww_module_load
        with device.lock:
            device.check(load(device.handle, self.name.encode(), data, len(data), byref(handle)))
        self.handle = handle
        self._closer = weakref.finalize(self, _unload, device, handle)
        self._symbols = [lib.ww_module_kernel_name(handle, i).decode() for i in range(lib.ww_module_kernel_count(handle))]

    @property
    def kernels(self) -> list:
        """Their names as people read them."""
        return [kernel_text(s) for s in self._symbols]

    def _find(self, name: Optional[str]) -> int:
        """By symbol, by the name as people read it, or by the function's own name; None: the only one."""
        shown = self.kernels
        own = [s.split("<")[0].split("::")[-1].split(" ")[-1] for s in shown]
        for names in (self._symbols, shown, own):
            hits = [i for i, n in enumerate(names) if name in (None, n)]
            if len(hits) == 1:
                return hits[0]
        why = "kernel= is needed" if name is None else f"several kernels are called {name!r}" if name in own else f"there is no kernel {name!r}"
        raise Error(STATUS_NOT_FOUND, f"{why}; there are: {', '.join(shown) or 'none'}")

    def parameters(self, kernel: Optional[str] = None) -> list:
        """(PTX type, bytes) of each parameter."""
        i = self._find(kernel)
        return [(lib.ww_module_kernel_arg_type(self.handle, i, k).decode(), lib.ww_module_kernel_arg_bytes(self.handle, i, k))
                for k in range(lib.ww_module_kernel_arg_count(self.handle, i))]

    def launch(self, kernel: Optional[str] = None, grid: Dims = 1, block: Dims = 32, args: Sequence[Any] = (), *, shared: int = 0,
               counters: bool = True, max_seconds: float = 0, cooperative: bool = False) -> Result:
        """Runs a kernel to its end.  A kernel that failed is a Result with its findings; a launch that the device refuses raises Error."""
        index, device, printed = self._find(kernel), self.device, []
        types = self.parameters(self._symbols[index])
        if len(args) != len(types):
            wants = ", ".join(t for t, _ in types)
            raise Error(STATUS_LAUNCH, f"{self.kernels[index]} takes {len(types)} arguments ({wants}), {len(args)} were given")
        given = [_Argument(device, i, a, *t) for i, (a, t) in enumerate(zip(args, types))]
        pointers = (c_void_p * max(len(given), 1))(*(ctypes.addressof(g.value) for g in given))
        sizes = (c_size_t * max(len(given), 1))(*(ctypes.sizeof(g.value) for g in given))
        emulated = device.kind == "emulator"
        launch = Launch(grid=_dims("grid", grid), block=_dims("block", block), shared=shared, args=pointers, arg_count=len(given),
                        arg_bytes=sizes, observe=COUNTERS if counters and emulated else 0, max_seconds=max_seconds, cooperative=cooperative,
                        on_print=PRINT(lambda _, text, n: printed.append(ctypes.string_at(text, n))))
        result, name = c_void_p(), self._symbols[index]
        with device.lock:
            status = lib.ww_launch(device.handle, self.handle, name.encode(), byref(launch), byref(result))
            message = lib.ww_device_error(device.handle).decode("utf-8", "replace") if status else ""
            try:
                if status not in RAN:
                    raise Error(status, message)
                profile = lib.ww_device_profile(device.handle).decode()
                made = read_result(name, status, message, result, profile, b"".join(printed).decode("utf-8", "replace"))
            finally:
                lib.ww_result_free(result)
        for g in given:
            g.copy_back()
        return made


def _unload(device, handle):
    with device.lock:
        if device.open:
            lib.ww_module_unload(device.handle, handle)


class _Argument:
    """value: a ctypes object with the parameter's bytes."""

    def __init__(self, device: Device, i: int, given: Any, kind: str, size: int):
        self.made = self.host = None
        if isinstance(given, (bytes, bytearray, ctypes.Structure, ctypes.Union, ctypes.Array)):
            data = bytes(given)
        elif hasattr(given, "__array_interface__") and getattr(given, "ndim", 1) == 0:
            data = self._number(i, given.item(), kind, size)
        elif any(hasattr(given, a) for a in ("_warpwright_view", "__array_interface__", "__dlpack__", "__cuda_array_interface__")):
            data = struct.pack("<Q", self._address(device, i, given))
        else:
            data = self._number(i, given, kind, size)
        if len(data) != size:
            raise TypeError(f"argument {i}: {len(data)} bytes for a parameter of type {kind} with {size}")
        self.value = (ctypes.c_uint8 * size)(*data)

    def _address(self, device, i, given):
        view = _arrays.view_of(given)
        if view.owner not in (None, device):
            raise ValueError(f"argument {i}: the array is in another device's memory")
        if not view.on_host:
            return view.pointer
        self.made, self.host = device.array(given), given if view.writable else None
        return self.made.pointer

    @staticmethod
    def _number(i, given, kind, size):
        try:
            if kind in FLOATS:
                return struct.pack("<" + FLOATS[kind], float(given))
            whole = operator.index(given)
            return (whole & (1 << 8 * size) - 1).to_bytes(size, "little") if -1 << 8 * size - 1 <= whole < 1 << 8 * size else b""
        except (TypeError, ValueError, OverflowError) as e:
            raise TypeError(f"argument {i}: {type(given).__name__} {given!r} for a parameter of type {kind}, {size} bytes: {e}") from None

    def copy_back(self):
        if self.host is not None:
            self.host[...] = self.made.numpy()


def check(source: Union[str, os.PathLike], kernel: Optional[str] = None, grid: Dims = 1, block: Dims = 32, args: Sequence[Any] = (), *,
          shared: int = 0, check: str = "", profile: Optional[str] = None, threads: int = 0, name: Optional[str] = None, max_seconds: float = 0,
          device: Optional[Device] = None) -> Result:
    """Runs one kernel on an emulator with every check on (check= selects rules, as --check does), and gives its counters and findings.

    source: CUDA C or PTX, as a text or the path of a .cu or .ptx file.  NumPy arrays among args are the kernel's inputs and outputs."""
    on = device or Device("emulator", check=check, profile=profile, threads=threads)
    return Module(on, source, name).launch(kernel, grid, block, args, shared=shared, max_seconds=max_seconds)
