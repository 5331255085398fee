# SPDX-License-Identifier: Apache-2.0
"""What an object is, wherever its elements are: address, shape, strides, type, memory.

A View is made of, in this order: a DeviceArray, PyTorch's attributes, __dlpack__ (PyTorch, CuPy), __cuda_array_interface__ (numba, PyCUDA),
__array_interface__ (NumPy).  DLPack comes first because it tells the device and hands over the stream.  A View keeps what it was made of alive."""
import contextlib
import ctypes
import math
import operator
import sys
import weakref
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object

CPU, CUDA, EXTENSION = 1, 2, 12  # DLDeviceType; EXTENSION: memory of the emulator
PINNED, MANAGED = 3, 13
LEGACY_STREAM = 1

_CODES = {0: "i", 1: "u", 2: "f", 4: "bfloat", 10: "e4m3", 12: "e5m2"}  # DLDataTypeCode


class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code", c_uint8),
                ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class DLManagedTensor(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", DELETER)]

_api = ctypes.pythonapi
capsule_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", _api))
capsule_is = ctypes.PYFUNCTYPE(ctypes.c_int, py_object, c_char_p)(("PyCapsule_IsValid", _api))
capsule_get = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", _api))
_capsule_rename = ctypes.PYFUNCTYPE(ctypes.c_int, py_object, c_char_p)(("PyCapsule_SetName", _api))
USED = b"used_dltensor"  # stays alive: a capsule keeps the pointer


class View:
    """shape, strides (elements), kind ("f", "i", "u"), itemsize, pointer; device: (DLDeviceType, number), number None = not known;
    owner: the Device of a DeviceArray; waits: a stream that must be waited for; library: "torch", "cupy" or None."""

    def __init__(self, keep, pointer, shape, strides, kind, itemsize, device):
        self.keep, self.pointer, self.shape, self.kind, self.itemsize, self.device = keep, pointer, tuple(shape), kind, itemsize, device
        self.strides = tuple(strides) if strides is not None else contiguous_strides(self.shape)
        self.owner = self.waits = self.library = None
        self.writable = True
        self.on_host = device[0] == CPU

    @property
    def size(self):
        return math.prod(self.shape)


def contiguous_strides(shape):
    if len(shape) == 2:  # each call has some
        return (shape[1] or 1, 1)
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def is_masked(x):
    """A numpy.ma.MaskedArray, whose interface does not tell."""
    return any(c.__module__.startswith("numpy.ma") for c in type(x).__mro__)


def _numbers(who, what, values, least):
    """Whole numbers that fit 63 bits, of an object that may be anything."""
    try:
        numbers = tuple(operator.index(n) for n in values)
    except TypeError:
        raise TypeError(f"{who}: its {what} is {values!r}, not whole numbers") from None
    for n in numbers:
        if not least <= n < 1 << 63:
            raise ValueError(f"{who}: its {what} is {numbers}, and {n} is no number that it can have")
    return numbers


def _checked(who, view):
    """Dimensions and strides that belong together, and elements whose addresses are addresses."""
    view.shape = _numbers(who, "shape", view.shape, 0)
    view.strides = _numbers(who, "strides", view.strides, -1 << 63)
    if len(view.strides) != len(view.shape):
        raise ValueError(f"{who}: {len(view.shape)} dimensions and {len(view.strides)} strides")
    reach = [(n - 1) * s * view.itemsize for n, s in zip(view.shape, view.strides)]
    low, high = view.pointer + sum(r for r in reach if r < 0), view.pointer + sum(r for r in reach if r > 0) + view.itemsize
    if view.size and not 0 <= low < high <= 1 << 64:
        raise ValueError(f"{who}: its elements reach beyond all memory (shape {view.shape}, strides {view.strides})")
    return view


def _current(x, device):
    """PyTorch exports what is on its current device only."""
    if device[0] != CUDA or type(x).__module__.split(".")[0] != "torch":
        return contextlib.nullcontext()
    import torch
    return torch.cuda.device(device[1])


_TORCH = {"float32": ("f", 4), "int32": ("i", 4), "float16": ("f", 2), "bfloat16": ("bfloat", 2), "uint8": ("u", 1),
          "float8_e4m3fn": ("e4m3", 1), "float8_e5m2": ("e5m2", 1)}  # PyTorch's names


def _from_torch(x, stream):
    """A CUDA tensor of PyTorch by its attributes, on its current stream, where there is nothing to wait for: DLPack takes some 50 microseconds there.
    None: DLPack must say."""
    torch = sys.modules.get("torch")
    if torch is None or stream is None or type(x) is not torch.Tensor or not x.is_cuda or x.requires_grad or x.layout is not torch.strided:
        return None
    kind, number = _TORCH.get(str(x.dtype).split(".")[-1]), x.get_device()
    if kind is None or x.is_conj() or x.is_neg() or (torch.cuda.current_stream(number).cuda_stream or LEGACY_STREAM) != stream:
        return None
    return View(x, x.data_ptr(), x.shape, x.stride(), *kind, (CUDA, number))


def _from_dlpack(x, stream):
    who = type(x).__name__
    device = _numbers(who, "DLPack device", x.__dlpack_device__(), -1 << 31)
    if len(device) != 2:
        raise TypeError(f"{who}: its DLPack device is {device}, not a type and a number")
    if device[0] in (PINNED, MANAGED):
        device = (CPU if device[0] == PINNED else CUDA, device[1])
    if device[0] not in (CPU, CUDA, EXTENSION):
        raise TypeError(f"{who}: its memory is of DLPack's device type {device[0]}, neither the host's nor a CUDA device's")
    with _current(x, device):
        capsule = x.__dlpack__(stream=LEGACY_STREAM if stream is None else stream) if device[0] == CUDA else x.__dlpack__()
    if not capsule_is(capsule, b"dltensor"):
        raise TypeError(f"{who}.__dlpack__ gave no capsule named dltensor")
    managed = ctypes.cast(capsule_get(capsule, b"dltensor"), POINTER(DLManagedTensor))
    _capsule_rename(capsule, USED)
    t = managed.contents.tensor
    shape = [t.shape[i] for i in range(t.ndim)]
    strides = [t.strides[i] for i in range(t.ndim)] if t.strides else None
    view = View((x, capsule), (t.data or 0) + t.byte_offset, shape, strides, _CODES.get(t.code, "?"), t.bits // 8, device)
    if managed.contents.deleter:
        weakref.finalize(view, managed.contents.deleter, managed)
    if t.lanes != 1:
        raise TypeError(f"{who}: vector elements ({t.lanes} lanes)")
    if not t.bits or t.bits % 8:
        raise TypeError(f"{who}: elements of {t.bits} bits")
    return _checked(who, view)


def _from_interface(x, interface, device):
    who = type(x).__name__
    typestr = interface.get("typestr") if isinstance(interface, dict) else None
    if not isinstance(typestr, str) or len(typestr) < 2:
        raise TypeError(f"{who}: its array interface has no typestr such as '<f4'")
    order, kind, itemsize = typestr[0], typestr[1], typestr[2:]
    if order == ">":
        raise TypeError(f"{who}: its elements have the other byte order")
    if not itemsize.isdecimal() or not 0 < int(itemsize) < 1 << 31:  # "|O", "<M8[ns]"
        raise TypeError(f"{who}: its elements are not numbers ({typestr})")
    if interface.get("mask") is not None or is_masked(x):
        raise TypeError(f"{who}: masked arrays cannot be taken")
    data = interface.get("data")
    if not isinstance(data, tuple) or len(data) != 2:
        raise TypeError(f"{who}: its data is {data!r}, not an address and whether it is read-only")
    pointer, stream = _numbers(who, "address", (data[0] or 0,), 0)[0], interface.get("stream")
    itemsize = int(itemsize)
    strides = interface.get("strides")
    if strides is not None:
        strides = _numbers(who, "strides", strides, -1 << 63)
        if any(s % itemsize for s in strides):
            raise ValueError(f"{who}: its strides {strides} are not whole elements of {itemsize} bytes")
        strides = [s // itemsize for s in strides]
    view = View(x, pointer, _numbers(who, "shape", interface.get("shape"), 0), strides, kind, itemsize, device)
    view.writable = not data[1]
    view.waits = None if stream is None else _numbers(who, "stream", (stream,), 0)[0]
    return _checked(who, view)


def view_of(x, stream=None):
    """The View of an array; stream: the consumer's, as DLPack numbers it."""
    made = getattr(x, "_warpwright_view", None)
    if made is not None:
        return made()
    if hasattr(x, "__array_interface__") and not hasattr(x, "__cuda_array_interface__"):
        view = _from_interface(x, x.__array_interface__, (CPU, 0))
    elif hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        view = _from_torch(x, stream) or _from_dlpack(x, stream)
    elif hasattr(x, "__cuda_array_interface__"):
        view = _from_interface(x, x.__cuda_array_interface__, (CUDA, None))
    else:
        raise TypeError(f"{type(x).__name__} is not an array: it has none of __dlpack__, __cuda_array_interface__, __array_interface__; "
                        "numpy.asarray() makes one of lists")
    root = type(x).__module__.split(".")[0]
    view.library = root if root in ("torch", "cupy") else None
    return view


class Matrices:
    """A View as the library takes it: `batch` matrices of rows x cols, stored row by row (trans: column by column), ld apart."""

    def __init__(self, view, what):
        if len(view.shape) not in (2, 3):
            raise ValueError(f"{what} has {len(view.shape)} dimensions; matrices have 2, stacks of them 3")
        self.view, self.pointer = view, view.pointer
        self.rows, self.cols = view.shape[-2:]
        down, along = view.strides[-2:]
        self.batch = view.shape[0] if len(view.shape) == 3 else None
        self.stride = view.strides[0] if self.batch is not None and self.batch > 1 else 0
        if (self.cols <= 1 or along == 1) and (self.rows <= 1 or down >= max(self.cols, 1)):
            self.trans, self.ld = False, down if self.rows > 1 else max(self.cols, 1)
        elif (self.rows <= 1 or down == 1) and (self.cols <= 1 or along >= max(self.rows, 1)):
            self.trans, self.ld = True, along if self.cols > 1 else max(self.rows, 1)
        else:
            raise ValueError(f"{what}: neither its rows nor its columns are contiguous (strides {view.strides} for shape {view.shape}); "
                             "make it contiguous")
        if self.stride < 0:
            raise ValueError(f"{what}: the stack runs backwards")
