# SPDX-License-Identifier: Apache-2.0
"""What an object is, wherever its elements are: address, shape, strides, type, memory.

A View is made of, in this order: a DeviceArray, __dlpack__ (PyTorch, CuPy), __cuda_array_interface__ (numba, PyCUDA),
__array_interface__ (NumPy).  DLPack comes first because it tells the device and hands over the stream.  A View keeps what it was made of alive."""
import ctypes
import math
import weakref
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object

CPU, CUDA, EXTENSION = 1, 2, 12  # DLDeviceType; EXTENSION: memory of the emulator
PINNED, MANAGED = 3, 13
LEGACY_STREAM = 1

_CODES = {0: "i", 1: "u", 2: "f"}  # DLDataTypeCode


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

    @property
    def on_host(self):
        return self.device[0] == CPU

    @property
    def size(self):
        return math.prod(self.shape)


def contiguous_strides(shape):
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def is_masked(x):
    """A numpy.ma.MaskedArray, whose interface does not tell."""
    return any(c.__module__.startswith("numpy.ma") for c in type(x).__mro__)


def _from_dlpack(x, stream):
    device = tuple(int(n) for n in x.__dlpack_device__())
    if device[0] in (PINNED, MANAGED):
        device = (CPU if device[0] == PINNED else CUDA, device[1])
    if device[0] not in (CPU, CUDA, EXTENSION):
        raise TypeError(f"{type(x).__name__}: its memory is of DLPack's device type {device[0]}, neither the host's nor a CUDA device's")
    capsule = x.__dlpack__(stream=LEGACY_STREAM if stream is None else stream) if device[0] == CUDA else x.__dlpack__()
    if not capsule_is(capsule, b"dltensor"):
        raise TypeError(f"{type(x).__name__}.__dlpack__ gave no capsule named dltensor")
    managed = ctypes.cast(capsule_get(capsule, b"dltensor"), POINTER(DLManagedTensor))
    _capsule_rename(capsule, USED)
    t = managed.contents.tensor
    shape = [t.shape[i] for i in range(t.ndim)]
    strides = [t.strides[i] for i in range(t.ndim)] if t.strides else None
    view = View((x, capsule), (t.data or 0) + t.byte_offset, shape, strides, _CODES.get(t.code, "?"), t.bits // 8, device)
    if managed.contents.deleter:
        weakref.finalize(view, managed.contents.deleter, managed)
    if t.lanes != 1:
        raise TypeError(f"{type(x).__name__}: vector elements ({t.lanes} lanes)")
    return view


def _from_interface(x, interface, device):
    order, kind, itemsize = interface["typestr"][0], interface["typestr"][1], interface["typestr"][2:]
    if order == ">":
        raise TypeError(f"{type(x).__name__}: its elements have the other byte order")
    if not itemsize.isdigit():  # "|O", "<M8[ns]"
        raise TypeError(f"{type(x).__name__}: its elements are not numbers ({interface['typestr']})")
    if interface.get("mask") is not None or is_masked(x):
        raise TypeError(f"{type(x).__name__}: masked arrays cannot be taken")
    itemsize = int(itemsize)
    strides = interface.get("strides")
    if strides is not None:
        if any(s % itemsize for s in strides):
            raise ValueError(f"{type(x).__name__}: its strides {strides} are not whole elements of {itemsize} bytes")
        strides = [s // itemsize for s in strides]
    pointer, read_only = interface["data"]
    view = View(x, pointer or 0, interface["shape"], strides, kind, itemsize, device)
    view.writable = not read_only
    view.waits = interface.get("stream")
    return view


def view_of(x, stream=None):
    """The View of an array; stream: the consumer's, as DLPack numbers it."""
    made = getattr(x, "_warpwright_view", None)
    if made is not None:
        return made()
    if hasattr(x, "__array_interface__") and not hasattr(x, "__cuda_array_interface__"):
        view = _from_interface(x, x.__array_interface__, (CPU, 0))
    elif hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        view = _from_dlpack(x, stream)
    elif hasattr(x, "__cuda_array_interface__"):
        view = _from_interface(x, x.__cuda_array_interface__, (CUDA, None))
    else:
        raise TypeError(f"{type(x).__name__} is not an array: it has none of __dlpack__, __cuda_array_interface__, __array_interface__")
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
