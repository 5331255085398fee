# SPDX-License-Identifier: Apache-2.0
"""gemm and syrk with devices=: NumPy's arrays, in host memory, or matrices that lie spread in the devices' own (Spread), on several devices at once
(docs/grid.md).

A number names a GPU, or the emulated device of that number where there is no GPU.  What a set of devices has opened is kept with the first of them."""
from __future__ import annotations

import contextlib
import weakref
from ctypes import byref, c_char_p, c_uint64, c_void_p, pointer
from typing import Any, Sequence

from ._arrays import Matrices, view_of
from ._device import Device, default_device, device_of
from ._library import Error, GridArray, GridGemm, GridSyrk, lib
from ._products import _named, _scalar, _type_of


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
    found = _devices(devices)
    if not found:
        raise ValueError("devices= is empty")
    kept = found[0].__dict__.setdefault("_grids", {})
    key = tuple(map(id, found))
    if key not in kept:
        kept[key] = _Grid(found)
    return kept[key]


def _share(count: int, block: int, places: int, place: int) -> list:
    """Which of `count` rows that place has, in blocks shared out cyclically."""
    return [i for i in range(count) if i // block % places == place]


def _on_host(part: Any) -> Any:
    """What NumPy takes of an array of ours, PyTorch's or CuPy's; bfloat16, which it has not, as float32."""
    if hasattr(part, "detach"):
        part = part.detach().cpu()
        return part.float().numpy() if str(part.dtype) == "torch.bfloat16" else part.numpy()
    return part.get() if hasattr(part, "get") else part.numpy() if hasattr(part, "numpy") else part


class Spread:
    """A matrix in the memory of several devices: parts, an array for each device of devices=, in their order, all with contiguous rows equally far apart.

    Without more they are bands of rows, one below the other, all as high as the first but the last ones.  block=(rows, columns) and across=q: blocks that are
    shared out cyclically over len(parts) / q by q devices, each of which has its own side by side, as ScaLAPACK has them.  whole=True: every device
    has all of it."""

    def __init__(self, parts: Sequence, *, block: Any = None, across: int = 1, whole: bool = False):
        self.parts, self.whole = list(parts), whole
        shapes = [tuple(p.shape) for p in self.parts]
        if not shapes or any(len(s) != 2 for s in shapes):
            raise ValueError("Spread takes matrices, one for each device")
        if across < 1 or len(shapes) % across:
            raise ValueError(f"{len(shapes)} devices are not so many rows of {across}")
        self.across, self.down = across, len(shapes) // across
        self.shape = shapes[0] if whole else (sum(s[0] for s in shapes[::across]), sum(s[1] for s in shapes[:across]))
        self.block = tuple(block) if block is not None else (max(shapes[0][0], 1), max(shapes[0][1], 1))
        if len(self.block) != 2 or min(self.block) < 1:
            raise ValueError(f"blocks of {self.block}")
        for i, s in enumerate(shapes):
            if s != self._part(i):
                raise ValueError(f"part {i} is {s[0]} x {s[1]}; of a matrix of {self.shape[0]} x {self.shape[1]} it is {self._part(i)}")

    def _part(self, i: int) -> tuple:
        return self.shape if self.whole else tuple(map(len, self._places(i)))

    def _places(self, i: int) -> tuple:
        if self.whole:
            return list(range(self.shape[0])), list(range(self.shape[1]))
        return (_share(self.shape[0], self.block[0], self.down, i // self.across), _share(self.shape[1], self.block[1], self.across, i % self.across))

    @classmethod
    def of(cls, values: Any, devices: Sequence, *, block: Any = None, across: int = 1, whole: bool = False) -> Spread:
        """Copies a host array to the devices."""
        import numpy
        values, found = numpy.asarray(values), _devices(devices)
        if values.ndim != 2 or across < 1 or len(found) % across:
            raise ValueError("a matrix is spread, over as many devices as across= divides")
        down = len(found) // across
        size = tuple(block) if block is not None else (max(-(-values.shape[0] // down), 1), max(-(-values.shape[1] // across), 1))
        parts, width = [], values.shape[1] if whole else len(_share(values.shape[1], size[1], across, 0))
        for i, d in enumerate(found):
            rows = range(values.shape[0]) if whole else _share(values.shape[0], size[0], down, i // across)
            cols = range(values.shape[1]) if whole else _share(values.shape[1], size[1], across, i % across)
            part = numpy.zeros((len(rows), width), values.dtype)  # rows are equally far apart on all devices
            part[:, :len(cols)] = values[numpy.ix_(rows, cols)]
            parts.append(d.array(part)[:, :len(cols)])
        return cls(parts, block=None if whole else size, across=across, whole=whole)

    def numpy(self) -> Any:
        """The whole matrix in host memory."""
        import numpy
        parts = [numpy.asarray(_on_host(p)) for p in self.parts]
        out = numpy.empty(self.shape, parts[0].dtype)
        for i, p in enumerate(parts[:1] if self.whole else parts):
            out[numpy.ix_(*self._places(i))] = p
        return out

    def __repr__(self) -> str:
        return f"<{self.shape[0]}x{self.shape[1]} {'on each' if self.whole else 'spread'} of {len(self.parts)} devices>"


class _OnDevices:
    """A Spread as an operand; what Matrices is of a host array."""
    trans, pointer, ld = False, None, 0

    def __init__(self, spread, what, devices):
        if len(spread.parts) != len(devices):
            raise ValueError(f"{what} is spread over {len(spread.parts)} devices, devices= names {len(devices)}")
        views = [view_of(p, None) for p in spread.parts]
        for i, (v, d) in enumerate(zip(views, devices)):
            if v.on_host or (v.owner is not None and v.owner is not d):
                raise ValueError(f"{what}: part {i} is not in the memory of its device")
            if (v.kind, v.itemsize) != (views[0].kind, views[0].itemsize):
                raise TypeError(f"{what}: part {i} has other elements than the first")
            if v.library is not None:  # its own work may not have ended
                __import__(v.library).cuda.Device(v.device[1]).synchronize() if v.library == "cupy" else __import__("torch").cuda.synchronize(v.device[1])
            elif v.owner is None:
                raise TypeError(f"{what}: Spread takes arrays of Device, torch and cupy")
        parts = [Matrices(v, f"{what}: part {i}") for i, v in enumerate(views)]
        used = [p.ld for p in parts if p.rows > 1] or [max(spread.block[1], max(p.cols for p in parts), 1)]
        if any(p.trans for p in parts) or len(set(used)) > 1:
            raise ValueError(f"{what}: the parts have to have contiguous rows, equally far apart on all devices")
        self.view, self.keep, (self.rows, self.cols) = views[0], spread, spread.shape
        self.at = (c_uint64 * len(parts))(*(p.pointer or 0 for p in parts))
        self.on = pointer(GridArray(at=self.at, block_rows=spread.block[0], block_columns=spread.block[1],
                                    down=0 if spread.whole else spread.down, across=0 if spread.whole else spread.across, ld=used[0]))


def _devices(devices: Sequence) -> list:
    kind = None if all(isinstance(d, Device) for d in devices) else default_device().kind
    return [d if isinstance(d, Device) else device_of(kind, int(d)) for d in devices]


def _operand(x: Any, what: str, devices: Sequence) -> Any:
    return _OnDevices(x, what, _devices(devices)) if isinstance(x, Spread) else _matrix(x, what)


def _on(x: Any) -> Any:
    return getattr(x, "on", None)


def _matrix(x: Any, what: str) -> Matrices:
    view = view_of(x, None)
    if not view.on_host or view.library == "torch":
        raise TypeError(f"{what}: devices= takes NumPy arrays, and Spread of what lies on devices")
    if len(view.shape) != 2:
        raise ValueError(f"{what} has {len(view.shape)} dimensions: devices= takes matrices")
    try:
        return Matrices(view, what)
    except ValueError:  # neither its rows nor its columns are contiguous
        import numpy
        return Matrices(view_of(numpy.ascontiguousarray(x), None), what)


def _empty(like: Any, device: Device, shape: tuple, name: str) -> Any:
    """A new array on that device, of the library that made `like`."""
    library = view_of(like, None).library
    if library == "torch":
        import torch
        return torch.empty(shape, dtype=getattr(torch, name), device=like.device)
    if library == "cupy":
        import cupy
        with cupy.cuda.Device(like.device.id):
            return cupy.empty(shape, name)
    return device.empty(shape, name)


def _result(out: Any, shape: tuple, name: str, read: bool, devices: Sequence, spread: Any) -> Any:
    """The array that is written: out, or where that is full of gaps a copy.  spread: an operand that is one; then none given is one in bands of rows on the
    devices."""
    import numpy
    if out is None:
        if read:
            raise ValueError("beta other than 0 needs out=, whose contents it scales")
        if spread is None:
            return numpy.empty(shape, name)
        found = _devices(devices)
        band = max(-(-shape[0] // max(len(found), 1)), 1)
        return Spread([_empty(spread.parts[i], d, (len(_share(shape[0], band, len(found), i)), shape[1]), name) for i, d in enumerate(found)],
                      block=(band, max(shape[1], 1)))
    if isinstance(out, Spread):
        view = view_of(out.parts[0], None)
        if out.shape != shape or _named(view) != name:
            raise ValueError(f"out is {view.kind}{view.itemsize * 8} of shape {out.shape}, the product {name} of {shape}")
        return out
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
    x, y = _operand(a, "a", devices), _operand(b, "b", devices)
    kind, name = _type_of([x.view, y.view], dtype, ["a", "b"])
    m, k = (x.cols, x.rows) if transpose_a else (x.rows, x.cols)
    k2, n = (y.cols, y.rows) if transpose_b else (y.rows, y.cols)
    if k != k2:
        raise ValueError(f"op(a) is {m} x {k}, op(b) {k2} x {n}")
    made = _result(out, (m, n), name, beta != 0, devices, next((x for x in (a, b) if isinstance(x, Spread)), None))
    c = _operand(made, "out", devices)
    ta, tb = x.trans != bool(transpose_a), y.trans != bool(transpose_b)
    if c.trans:  # row by row it is the transpose
        x, y, m, n, ta, tb = y, x, n, m, not tb, not ta
    problem = GridGemm(type=kind, trans_a=ta, trans_b=tb, m=m, n=n, k=k, alpha=_scalar(kind, alpha), beta=_scalar(kind, beta),
                       a=x.pointer, b=y.pointer, c=c.pointer, lda=x.ld, ldb=y.ld, ldc=c.ld, on_a=_on(x), on_b=_on(y), on_c=_on(c), precision=precision)
    _grid_of(devices).run(lib.ww_grid_gemm, problem)
    return _given(out, made)


def syrk(a, out, alpha, beta, transpose, fill, dtype, precision, devices):
    x = _operand(a, "a", devices)
    kind, name = _type_of([x.view], dtype, ["a"])
    n, k = (x.cols, x.rows) if transpose else (x.rows, x.cols)
    made = _result(out, (n, n), name, beta != 0, devices, a if isinstance(a, Spread) else None)
    c = _operand(made, "out", devices)
    problem = GridSyrk(type=kind, layout=int(c.trans), fill=fill, trans=x.trans ^ bool(transpose) ^ c.trans, n=n, k=k,
                       alpha=_scalar(kind, alpha), beta=_scalar(kind, beta), a=x.pointer, c=c.pointer, lda=x.ld, ldc=c.ld, on_a=_on(x), on_c=_on(c),
                       precision=precision)
    _grid_of(devices).run(lib.ww_grid_syrk, problem)
    return _given(out, made)
