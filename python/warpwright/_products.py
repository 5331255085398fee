# SPDX-License-Identifier: Apache-2.0
"""gemm, syrk, newton_schulz, copy: from arrays of any origin to one call of the library.

What is decided here: the device (that of the operands; a host operand goes where the others are, else to default_device()), which
operands are staged (host memory only), the form of a result that the caller has not given (as the first operand's library makes
it), and how strides become layouts.  A result that is stored column by column is computed as its transpose."""
from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any, Optional, Sequence

from . import _arrays
from ._arrays import Matrices, view_of
from ._device import Device, default_device, device_of
from ._library import Copy, Gemm, NewtonSchulz, Scalar, Syrk, lib

F32, I32, I32_I64, F16, BF16, F16_F32, BF16_F32, E4M3_F32, E5M2_F32, E4M3_BF16, E5M2_BF16, F64 = range(12)
HALVES = {"float16": (F16, F16_F32), "bfloat16": (BF16, BF16_F32)}
ACTIVATIONS = (None, "relu", "gelu", "silu")  # in the order of WwActivation
EIGHTS = {"e4m3": {"float32": E4M3_F32, "bfloat16": E4M3_BF16}, "e5m2": {"float32": E5M2_F32, "bfloat16": E5M2_BF16}}
MUON = (3.4445, -4.7750, 2.0315)
PRECISIONS = ("exact", "tensor")
FILLS = {"full": 0, "lower": 1, "upper": 2}
_PLAIN = {type(None), bool, int, float, str}  # values that do not change, and are equal only where they mean the same


_PLANS, MOST_PLANS = {}, 512  # what calls of the same form share: problems but for their addresses


class _Plan:
    """A problem whose addresses are another call's.  fields: of each operand of the call, in their order; shape, name: of a new result."""

    def __init__(self, problem, fields, shape, name):
        self.problem, self.fields, self.shape, self.name = problem, fields, shape, name

    def problem_of(self, call, c):
        problem = type(self.problem).from_buffer_copy(self.problem)  # the rung's name stays with the plan's own
        for field, view in zip(self.fields, call.views):
            setattr(problem, field, view.pointer)
        problem.c = c.pointer
        return problem


class _Call:
    """One call: its device and stream, and the operands as matrices in device memory."""

    def __init__(self, device, stream, operands, out=None):
        if device is not None and not isinstance(device, Device):
            raise TypeError(f"device={device!r} is not a Device")
        self.native = None if stream is None else int(getattr(stream, "cuda_stream", getattr(stream, "ptr", stream)) or _arrays.LEGACY_STREAM)
        self.views = [view_of(x, self.native) for x in operands] + [None if out is None else view_of(out, self.native)]
        self.kept = []
        self.device = device or self._device()
        for v in self.views:
            if v is not None and not v.on_host and not self._has(v, device is not None):
                raise ValueError("the arrays are in the memory of different devices")
        if self.native is not None and any(v is not None and v.on_host for v in self.views):
            raise ValueError("stream= is for arrays in device memory: a host array must be waited for")

    def form(self, *options):
        """What makes two calls the same but for addresses; None: this one has something of its own (arrays on the host, numbers of other types)."""
        if not _PLAIN.issuperset(map(type, options)):
            return None
        form = [*options]
        for v in self.views:
            if v is not None and v.on_host:
                return None
            form.append(v and (v.shape, v.strides, v.kind, v.itemsize, v.writable))
        return tuple(form)

    def _device(self):
        for v in self.views:
            if v is not None and v.owner:
                return v.owner
        for v in self.views:
            if v is not None and v.device[0] == _arrays.CUDA:
                return device_of("cuda", v.device[1] or 0)
            if v is not None and v.device[0] == _arrays.EXTENSION:
                raise ValueError("an array in an emulator's memory that is not a DeviceArray: device= must say which emulator")
        return default_device()

    def _has(self, view, asked):
        """asked: the caller named the device, so memory that does not say where it is counts as its own."""
        mine = self.device
        if view.owner is mine:
            return True
        if mine.kind == "cuda":
            return view.device[0] == _arrays.CUDA and view.device[1] in (None, mine.ordinal)
        return view.owner is None and asked

    def matrices(self, view, what):
        """A host view goes to the device first, without gaps."""
        return Matrices(self.stage(view) if view.on_host else view, what)

    def stage(self, view):
        return self.device.array(_host(view))._warpwright_view()

    def run(self, function, problem):
        device = self.device
        with device.lock:
            for v in self.views:
                if v is not None and v.waits not in (None, self.native):
                    device.wait(int(v.waits))
            device.check(lib.ww_blas_stream(device.blas, None if self.native is None else device.stream(self.native)))
            try:
                device.check(function(device.blas, problem))
            finally:
                lib.ww_blas_leave(device.blas)  # the stream is the caller's, and may be gone at the next call


def _host(view):
    import numpy
    kept = view.keep[0] if isinstance(view.keep, tuple) else view.keep
    return numpy.asarray(kept.detach().numpy() if view.library == "torch" else kept)


def _make(call, shape, dtype):
    """View of a new result, and the result, as the first operand's library makes it."""
    first = call.views[0]
    if first.library == "torch" and not first.on_host:
        import torch
        made = torch.empty(shape, dtype=getattr(torch, dtype), device=f"cuda:{first.device[1] or 0}")
    elif first.library == "cupy":
        import cupy
        made = cupy.empty(shape, dtype)
    else:
        made = call.device.empty(shape, dtype)
    return view_of(made, call.native), made


def _finish(call, out, view, made):
    """What the caller gets: the array it gave, or the one that was made, on the host where the first operand is."""
    first = call.views[0]
    if out is not None:
        if call.views[-1].on_host:
            _host(call.views[-1])[...] = view.keep.numpy()
        return out
    if not first.on_host:
        return made
    values = made.numpy()
    if first.library == "torch":
        import torch
        return torch.from_numpy(values)
    return values


def _named(view):
    return {"f": "float", "i": "int", "u": "uint"}.get(view.kind, view.kind) + str(view.itemsize * 8)


def _type_of(views, dtype, names, float8=None):
    if float8 not in (None, *EIGHTS):
        raise ValueError(f"float8 {float8!r} is not one of {', '.join(EIGHTS)}")
    if float8 and any(v.itemsize != 1 for v in views):
        raise TypeError("float8= says what uint8 arrays hold: " + ", ".join(f"{n} is {_named(v)}" for n, v in zip(names, views)))
    kinds = {(float8 if (v.kind, v.itemsize) == ("u", 1) and float8 else v.kind, v.itemsize) for v in views}
    if len(kinds) != 1:
        told = ", ".join(f"{n} {_named(v)}" for n, v in zip(names, views))
        raise TypeError(f"{' and '.join(names)} have different element types: {told}; convert one of them first")
    kind = kinds.pop()
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or dtype and str(dtype).split(".")[-1]
    if kind[0] in EIGHTS:
        if (name or "float32") not in EIGHTS[kind[0]]:
            raise TypeError(f"no products of {kind[0]} with results of {name}")
        return EIGHTS[kind[0]][name or "float32"], name or "float32"
    if kind not in (("f", 8), ("f", 4), ("i", 4), ("u", 4), ("f", 2), ("bfloat", 2)):
        raise TypeError(f"elements of type {kind[0]}{kind[1] * 8}: there are products of float64, float32, float16, bfloat16, int32, and float8 (uint8 with float8=)")
    own = {("f", 8): "float64", ("f", 4): "float32", ("i", 4): "int32", ("u", 4): "uint32", ("f", 2): "float16",
           ("bfloat", 2): "bfloat16"}[kind]
    if own in HALVES and name in (None, own, "float32"):
        return (HALVES[own][1], name) if name == "float32" else (HALVES[own][0], own)
    if name in (None, own):
        return (F64 if own == "float64" else F32 if kind[0] == "f" else I32), own
    if name == "int64" and kind[0] == "i":
        return I32_I64, "int64"
    raise TypeError(f"no products of {own} with results of {name}")


def _scalar(kind, value):
    if kind == F64:
        return Scalar(f64=float(value))
    if kind not in (I32, I32_I64):
        return Scalar(f32=float(value))
    if int(value) != value:
        raise TypeError(f"alpha and beta of an integer product are integers, not {value!r}")
    bits = 64 if kind == I32_I64 else 32
    whole = (int(value) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)
    return Scalar(i64=whole) if bits == 64 else Scalar(i32=whole)


def _name(rung):
    if rung is not None and not isinstance(rung, str):
        raise TypeError(f"rung={rung!r} is not a name")
    return rung.encode() if rung else None


_TURNED = {"a": "b", "b": "a", "scale_a": "scale_b", "scale_b": "scale_a", "row_bias": "column_bias", "column_bias": "row_bias"}


def _keep_plan(form, plan):
    if form is not None:
        if len(_PLANS) >= MOST_PLANS:
            _PLANS.clear()
        _PLANS[form] = plan


def _again(call, plan, out, function):
    """A call of a form that was checked before."""
    view, made = (call.views[-1], None) if out is not None else _make(call, plan.shape, plan.name)
    call.run(function, byref(plan.problem_of(call, view)))
    return _finish(call, out, view, made)


def _batch(parts):
    """The common number of problems, None: single matrices."""
    sizes = {p.batch for _, p in parts if p.batch not in (None, 1)}
    if len(sizes) > 1:
        raise ValueError("stacks of different heights: " + ", ".join(f"{n} has {p.batch}" for n, p in parts if p.batch is not None))
    stacked = any(p.batch is not None for _, p in parts)
    return sizes.pop() if sizes else 1 if stacked else None


def _result(call, out, shape, dtype, read):
    """View of C on the device, and the array that was made for it (None: the caller gave one)."""
    if out is None:
        if read:
            raise ValueError("beta other than 0 needs out=, whose contents it scales")
        return _make(call, shape, dtype)
    given = call.views[-1]
    if given.shape != shape:
        raise ValueError(f"out has shape {given.shape}, the product {shape}")
    if _named(given) != dtype:
        raise TypeError(f"out has elements of {given.kind}{given.itemsize * 8}, the product {dtype}")
    if not given.writable:
        raise ValueError("out is read-only")
    if given.on_host:
        return call.stage(given), None
    return given, None


def _scale(call, view, what, n, batch):
    """The address of the scales of n rows or columns (of each problem of a stack), floats without gaps; they stay with the call."""
    shape = (n,) if batch is None else (batch, n)
    if (view.kind, view.itemsize) != ("f", 4) or view.shape != shape:
        raise TypeError(f"{what} is {_named(view)} of shape {view.shape}, wanted is float32 of {shape}")
    if view.on_host:
        view = call.stage(view)
    elif view.strides != _arrays.contiguous_strides(view.shape):
        raise ValueError(f"{what} has gaps")
    call.kept.append(view)
    return view.pointer


def _bias(call, view, name, m, n):
    """(of rows, of columns): the address of a bias of m or n elements without gaps, which stays with the call."""
    if _named(view) != name or view.shape not in ((n,), (1, n), (m, 1)):
        raise TypeError(f"bias is {_named(view)} of shape {view.shape}, wanted is {name} of {(n,)} or {(m, 1)}")
    if view.on_host:
        view = call.stage(view)
    elif view.strides != _arrays.contiguous_strides(view.shape):
        raise ValueError("bias has gaps")
    call.kept.append(view)
    return (0, view.pointer) if view.shape[-1] == n and view.shape != (m, 1) else (view.pointer, 0)


def _activation(name):
    if name not in ACTIVATIONS:
        raise ValueError(f"activation {name!r} is not one of {', '.join(ACTIVATIONS[1:])}")
    return ACTIVATIONS.index(name)


def _precision(name):
    if name not in PRECISIONS:
        raise ValueError(f"precision {name!r} is not one of {', '.join(PRECISIONS)}")
    return PRECISIONS.index(name)


def _alone(rung, device, stream):
    if rung is not None or device is not None or stream is not None:
        raise ValueError("devices= goes without rung=, device= and stream=")


def gemm(a: Any, b: Any, out: Any = None, *, alpha: float = 1, beta: float = 0, transpose_a: bool = False, transpose_b: bool = False,
         dtype: Any = None, rung: Optional[str] = None, precision: str = "exact", device: Optional[Device] = None, stream: Any = None,
         devices: Optional[Sequence] = None, scale_a: Any = None, scale_b: Any = None, float8: Optional[str] = None,
         bias: Any = None, activation: Optional[str] = None) -> Any:
    """activation(alpha * op(A) * op(B) + beta * out + bias).  dtype="int64": exact 64-bit results of int32 operands; "float32" of float16 and bfloat16 ones.  rung: a kernel by its
    name (rungs("gemm")).  precision="tensor": float32 and float64 products may be computed on tensor cores, as accurate as in their own arithmetic.  stream: a CUDA stream (its handle, or an object of torch or cupy), on which the work is then only enqueued.
    devices: several Devices or numbers of GPUs, which share out a product of NumPy arrays, also one larger than a device's memory.
    scale_a, scale_b: of float8 operands a float32 for each row of op(A), each column of op(B).  float8: "e4m3" or "e5m2", which uint8 arrays hold; results are
    float32, or bfloat16 by dtype=.
    bias: a number of the result's type for each column, or, of shape (rows, 1), for each row.  activation: "relu", "gelu" (by tanh) or "silu".  Both are
    brought in before the result is rounded; they are not for integers and float64."""
    wanted, ends = _precision(precision), _activation(activation)
    scales = [("scale_a", scale_a), ("scale_b", scale_b)]
    if devices is not None:
        _alone(rung, device, stream)
        if float8 or activation or bias is not None or any(s is not None for _, s in scales):
            raise ValueError("devices= goes without scale_a=, scale_b=, float8=, bias= and activation=")
        from . import _grid  # which takes the types from here
        return _grid.gemm(a, b, out, alpha, beta, transpose_a, transpose_b, dtype, wanted, devices)
    call = _Call(device, stream, [a, b] + [s for s in (scale_a, scale_b, bias) if s is not None], out)
    form = call.form("gemm", alpha, beta, transpose_a, transpose_b, dtype, rung, wanted, float8, ends, *(s is None for _, s in scales), bias is None)
    plan = _PLANS.get(form)
    if plan:
        return _again(call, plan, out, lib.ww_gemm)
    kind, name = _type_of(call.views[:2], dtype, ["a", "b"], float8)
    x, y = call.matrices(call.views[0], "a"), call.matrices(call.views[1], "b")
    m, k = (x.cols, x.rows) if transpose_a else (x.rows, x.cols)
    k2, n = (y.cols, y.rows) if transpose_b else (y.rows, y.cols)
    if k != k2:
        raise ValueError(f"op(a) is {m} x {k}, op(b) {k2} x {n}")
    batch = _batch([("a", x), ("b", y)])
    shape = (m, n) if batch is None else (batch, m, n)
    given = iter(call.views[2:-1])
    sa, sb = [0 if s is None else _scale(call, next(given), w, length, batch) for (w, s), length in zip(scales, (m, n))]
    rows, columns = (0, 0) if bias is None else _bias(call, next(given), name, m, n)
    view, made = _result(call, out, shape, name, beta != 0)
    c = Matrices(view, "out")
    x.op, y.op = x.trans != bool(transpose_a), y.trans != bool(transpose_b)
    fields = ["a", "b"] + [w for w, s in scales if s is not None] + (["row_bias" if rows else "column_bias"] if bias is not None else [])
    if c.trans:  # row by row it is the transpose
        x, y, m, n, sa, sb, rows, columns = y, x, n, m, sb, sa, columns, rows
        x.op, y.op = not x.op, not y.op
        fields = [_TURNED[f] for f in fields]
    problem = Gemm(type=kind, trans_a=x.op, trans_b=y.op, m=m, n=n, k=k, alpha=_scalar(kind, alpha), beta=_scalar(kind, beta), a=x.pointer,
                   b=y.pointer, c=c.pointer, lda=x.ld, ldb=y.ld, ldc=c.ld, batch=1 if batch is None else batch, stride_a=x.stride,
                   stride_b=y.stride, stride_c=c.stride, rung=_name(rung), precision=wanted, scale_a=sa, scale_b=sb, row_bias=rows, column_bias=columns,
                   activation=ends)
    if batch != 0:
        call.run(lib.ww_gemm, byref(problem))
        _keep_plan(form, _Plan(problem, fields, shape, name))
    return _finish(call, out, view, made)


def syrk(a: Any, out: Any = None, *, alpha: float = 1, beta: float = 0, transpose: bool = False, fill: str = "full", dtype: Any = None,
         rung: Optional[str] = None, precision: str = "exact", device: Optional[Device] = None, stream: Any = None,
         devices: Optional[Sequence] = None, scale: Any = None, float8: Optional[str] = None) -> Any:
    """alpha * A * A^T + beta * out (transpose: A^T * A).  fill="full" writes both halves, bit for bit the same, and reads the lower
    triangle of out only; "lower" and "upper" read and write that triangle, and need out= (the other one is left as it is).  precision, devices, float8: as
    in gemm; scale: of each row of A."""
    wanted = _precision(precision)
    if devices is not None and (float8 or scale is not None):
        raise ValueError("devices= goes without scale= and float8=")
    if fill not in FILLS:
        raise ValueError(f"fill {fill!r} is not one of {', '.join(FILLS)}")
    if fill != "full" and out is None:
        raise ValueError(f'fill="{fill}" needs out=, of which the other triangle is left alone')
    if devices is not None:
        _alone(rung, device, stream)
        from . import _grid
        return _grid.syrk(a, out, alpha, beta, transpose, FILLS[fill], dtype, wanted, devices)
    call = _Call(device, stream, [a] if scale is None else [a, scale], out)
    form = call.form("syrk", alpha, beta, transpose, fill, dtype, rung, wanted, float8, scale is None)
    plan = _PLANS.get(form)
    if plan:
        return _again(call, plan, out, lib.ww_syrk)
    kind, name = _type_of(call.views[:1], dtype, ["a"], float8)
    x = call.matrices(call.views[0], "a")
    n, k = (x.cols, x.rows) if transpose else (x.rows, x.cols)
    shape = (n, n) if x.batch is None else (x.batch, n, n)
    view, made = _result(call, out, shape, name, beta != 0)
    c = Matrices(view, "out")
    factors = 0 if scale is None else _scale(call, call.views[1], "scale", n, x.batch)
    problem = Syrk(type=kind, layout=int(c.trans), fill=FILLS[fill], trans=x.trans ^ bool(transpose) ^ c.trans, n=n, k=k,
                   alpha=_scalar(kind, alpha), beta=_scalar(kind, beta), a=x.pointer, c=c.pointer, lda=x.ld, ldc=c.ld,
                   batch=1 if x.batch is None else x.batch, stride_a=x.stride, stride_c=c.stride, rung=_name(rung),
                   precision=wanted, scale=factors)
    if x.batch != 0:
        call.run(lib.ww_syrk, byref(problem))
        _keep_plan(form, _Plan(problem, ["a"] if scale is None else ["a", "scale"], shape, name))
    return _finish(call, out, view, made)


def newton_schulz(x: Any, coefficients: Sequence[float] = MUON, steps: int = 1, out: Any = None, *, device: Optional[Device] = None,
                  stream: Any = None) -> Any:
    """Newton-Schulz steps X' = a X + (b A + c A^2) X with A = X X^T (of a tall X on the other side, with A = X^T X), as the Muon optimiser takes
    them: float16 or bfloat16 matrices, float sums.  x is to be scaled so that its largest singular value is at most about 1."""
    if steps < 1:
        raise ValueError(f"steps={steps}: one or more")
    a, b, c = map(float, coefficients)
    call = _Call(device, stream, [x], out)
    kind, name = _type_of(call.views[:1], None, ["x"])
    if name not in HALVES or len(call.views[0].shape) != 2:
        raise TypeError(f"x is {name} of {len(call.views[0].shape)} dimensions: a matrix of float16 or bfloat16 is wanted")
    given = call.matrices(call.views[0], "x")
    view, made = _result(call, out, (given.rows, given.cols), name, False)
    y = Matrices(view, "out")
    if y.trans != given.trans:
        raise ValueError("x and out are stored differently, one by rows and one by columns")
    problem = NewtonSchulz(type=kind, layout=int(y.trans), m=given.rows, n=given.cols, a=a, b=b, c=c, steps=steps, x=given.pointer, y=y.pointer,
                           ldx=given.ld, ldy=y.ld)
    call.run(lib.ww_newton_schulz, byref(problem))
    return _finish(call, out, view, made)


def copy(dst: Any, src: Any, *, device: Optional[Device] = None, stream: Any = None) -> Any:
    """Copies src to dst: the same shape and element size, any strides of one or two dimensions whose rows or columns are contiguous,
    elements of 1 to 16 bytes; one of the two may be transposed against the other.  Between host and device both are without gaps."""
    call = _Call(device, stream, [dst, src])
    to, of, _ = call.views
    if to.shape != of.shape or to.itemsize != of.itemsize:
        raise ValueError(f"shapes {of.shape} to {to.shape}, elements of {of.itemsize} to {to.itemsize} bytes")
    if not to.writable:
        raise ValueError("dst is read-only")
    gaps = [v for v in (to, of) if v.strides != _arrays.contiguous_strides(v.shape) and v.size > 1]
    size = to.size * to.itemsize
    if to.on_host or of.on_host:
        if to.on_host and of.on_host:
            raise TypeError("both arrays are on the host: one of them has to be a device's")
        if gaps:
            raise ValueError("between host and device arrays are copied without gaps only")
        with call.device.lock:
            call.device.check(lib.ww_copy_out(call.device.handle, to.pointer, of.pointer, size) if to.on_host else
                              lib.ww_copy_in(call.device.handle, to.pointer, of.pointer, size))
        return dst
    if not gaps:
        call.run(lambda blas, _: lib.ww_blas_copy(blas, to.pointer, of.pointer, size), None)
        return dst
    for v in (to, of):
        if len(v.shape) == 1:
            v.shape, v.strides = (v.shape[0], 1), (v.strides[0], 1)
        if len(v.shape) != 2:
            raise ValueError("arrays with gaps have one or two dimensions")
    d, s = Matrices(to, "dst"), Matrices(of, "src")
    rows, cols = (s.cols, s.rows) if s.trans else (s.rows, s.cols)
    problem = Copy(element=to.itemsize, trans=s.trans != d.trans, rows=rows, columns=cols, src=s.pointer, dst=d.pointer, ld_src=s.ld,
                   ld_dst=d.ld)
    call.run(lib.ww_blas_copy_matrix, byref(problem))
    return dst


def rungs(ladder: str) -> list:
    """The kernels of "gemm" or "aat", from the first to the best."""
    names, i = [], 0
    while (name := lib.ww_blas_rung(ladder.encode(), ctypes.c_size_t(i))) is not None:
        names.append(name.decode())
        i += 1
    return names
