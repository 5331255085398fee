# SPDX-License-Identifier: Apache-2.0
"""gemm and syrk with devices=: NumPy's arrays, in host memory, on several devices at once (docs/grid.md).

A number names a GPU, or the emulated device of that number where there is no GPU.  What a set of devices has opened is kept with the first of them."""
from __future__ import annotations

import contextlib
import weakref
from ctypes import byref, c_char_p, c_void_p
from typing import Any, Sequence

from ._arrays import Matrices, view_of
from ._device import Device, default_device, device_of
from ._library import Error, GridGemm, GridSyrk, lib
from ._products import _scalar, _type_of


class _Grid:
    def __init__(self, devices):
        handle, why = c_void_p(), c_char_p()
        status = lib.ww_grid_open((c_void_p * len(devices))(*(d.handle for d in devices)), len(devices), byref(handle), byref(why))
        if status:
            raise Error(status, (why.value or b"").decode())
        self.devices, self.handle = devices, handle
        weakref.finalize(self, lib.ww_grid_close, handle)

    def run(self, function, problem):
        with contextlib.ExitStack() as held:
            for d in sorted(self.devices, key=id):  # everybody in the same order
                held.enter_context(d.lock)
            status = function(self.handle, byref(problem))
            if status:
                raise Error(status, lib.ww_grid_error(self.handle).decode())


def _grid_of(devices: Sequence) -> _Grid:
    kind = None if all(isinstance(d, Device) for d in devices) else default_device().kind
    found = [d if isinstance(d, Device) else device_of(kind, int(d)) for d in devices]
    if not found:
        raise ValueError("devices= is empty")
    kept = found[0].__dict__.setdefault("_grids", {})
    key = tuple(map(id, found))
    if key not in kept:
        kept[key] = _Grid(found)
    return kept[key]


def _matrix(x: Any, what: str) -> Matrices:
    view = view_of(x, None)
    if not view.on_host or view.library == "torch":
        raise TypeError(f"{what}: devices= takes NumPy arrays")
    if len(view.shape) != 2:
        raise ValueError(f"{what} has {len(view.shape)} dimensions: devices= takes matrices")
    try:
        return Matrices(view, what)
    except ValueError:  # neither its rows nor its columns are contiguous
        import numpy
        return Matrices(view_of(numpy.ascontiguousarray(x), None), what)


def _result(out: Any, shape: tuple, name: str, read: bool) -> Any:
    """The array that is written: out, or where that is full of gaps a copy."""
    import numpy
    if out is None:
        if read:
            raise ValueError("beta other than 0 needs out=, whose contents it scales")
        return numpy.empty(shape, name)
    if not isinstance(out, numpy.ndarray):
        raise TypeError("out: devices= takes NumPy arrays")
    if out.shape != shape or out.dtype != numpy.dtype(name):
        raise ValueError(f"out is {out.dtype} of shape {out.shape}, the product {name} of {shape}")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out if out.strides[-1] == out.itemsize or out.strides[0] == out.itemsize else numpy.array(out, order="C")


def _given(out: Any, made: Any) -> Any:
    if out is None or out is made:
        return made
    out[...] = made
    return out


def gemm(a, b, out, alpha, beta, transpose_a, transpose_b, dtype, precision, devices):
    x, y = _matrix(a, "a"), _matrix(b, "b")
    kind, name = _type_of([x.view, y.view], dtype, ["a", "b"])
    m, k = (x.cols, x.rows) if transpose_a else (x.rows, x.cols)
    k2, n = (y.cols, y.rows) if transpose_b else (y.rows, y.cols)
    if k != k2:
        raise ValueError(f"op(a) is {m} x {k}, op(b) {k2} x {n}")
    made = _result(out, (m, n), name, beta != 0)
    c = _matrix(made, "out")
    ta, tb = x.trans != bool(transpose_a), y.trans != bool(transpose_b)
    if c.trans:  # row by row it is the transpose
        x, y, m, n, ta, tb = y, x, n, m, not tb, not ta
    problem = GridGemm(type=kind, trans_a=ta, trans_b=tb, m=m, n=n, k=k, alpha=_scalar(kind, alpha), beta=_scalar(kind, beta),
                       a=x.pointer, b=y.pointer, c=c.pointer, lda=x.ld, ldb=y.ld, ldc=c.ld, precision=precision)
    _grid_of(devices).run(lib.ww_grid_gemm, problem)
    return _given(out, made)


def syrk(a, out, alpha, beta, transpose, fill, dtype, precision, devices):
    x = _matrix(a, "a")
    kind, name = _type_of([x.view], dtype, ["a"])
    n, k = (x.cols, x.rows) if transpose else (x.rows, x.cols)
    made = _result(out, (n, n), name, beta != 0)
    c = _matrix(made, "out")
    problem = GridSyrk(type=kind, layout=int(c.trans), fill=fill, trans=x.trans ^ bool(transpose) ^ c.trans, n=n, k=k,
                       alpha=_scalar(kind, alpha), beta=_scalar(kind, beta), a=x.pointer, c=c.pointer, lda=x.ld, ldc=c.ld,
                       precision=precision)
    _grid_of(devices).run(lib.ww_grid_syrk, problem)
    return _given(out, made)
