# SPDX-License-Identifier: Apache-2.0
"""libwarpwright.so by ctypes: where it is, the structures of warpwright.h and blas.h, and errors.

The structures repeat the headers by hand; tests/python/layout.c compares sizes and offsets with the compiler's.  Only what the
module uses is here."""
import ctypes
import os
import pathlib
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint64, c_uint8, c_void_p

SONAME = "libwarpwright.so.0"


class DeviceOptions(ctypes.Structure):
    _fields_ = [("profile", c_char_p), ("threads", c_uint), ("seed", c_uint64), ("memory", c_uint64), ("simd", c_char_p),
                ("ordinal", c_uint), ("async_", c_char_p), ("check", c_char_p), ("engine", c_char_p)]


class Scalar(ctypes.Union):
    _fields_ = [("f32", c_float), ("i32", c_int32), ("i64", c_int64)]


class Gemm(ctypes.Structure):
    _fields_ = [("type", c_int), ("layout", c_int), ("trans_a", c_bool), ("trans_b", c_bool), ("m", c_size_t), ("n", c_size_t),
                ("k", c_size_t), ("alpha", Scalar), ("beta", Scalar), ("a", c_uint64), ("b", c_uint64), ("c", c_uint64),
                ("lda", c_size_t), ("ldb", c_size_t), ("ldc", c_size_t), ("batch", c_size_t), ("stride_a", c_size_t),
                ("stride_b", c_size_t), ("stride_c", c_size_t), ("a_array", POINTER(c_uint64)), ("b_array", POINTER(c_uint64)),
                ("c_array", POINTER(c_uint64)), ("rung", c_char_p), ("precision", c_int), ("told", c_uint64), ("workspace", c_uint64),
                ("workspace_bytes", c_size_t)]


class Syrk(ctypes.Structure):
    _fields_ = [("type", c_int), ("layout", c_int), ("fill", c_int), ("trans", c_bool), ("n", c_size_t), ("k", c_size_t),
                ("alpha", Scalar), ("beta", Scalar), ("a", c_uint64), ("c", c_uint64), ("lda", c_size_t), ("ldc", c_size_t),
                ("batch", c_size_t), ("stride_a", c_size_t), ("stride_c", c_size_t), ("a_array", POINTER(c_uint64)),
                ("c_array", POINTER(c_uint64)), ("rung", c_char_p), ("workspace", c_uint64), ("workspace_bytes", c_size_t)]


class Copy(ctypes.Structure):
    _fields_ = [("element", c_size_t), ("trans", c_bool), ("rows", c_size_t), ("columns", c_size_t), ("src", c_uint64),
                ("dst", c_uint64), ("ld_src", c_size_t), ("ld_dst", c_size_t)]


# name: result, arguments
FUNCTIONS = {
    "ww_version": (c_char_p, []),
    "ww_status_text": (c_char_p, [c_int]),
    "ww_device_open": (c_int, [c_char_p, POINTER(DeviceOptions), POINTER(c_void_p), POINTER(c_char_p)]),
    "ww_device_close": (None, [c_void_p]),
    "ww_device_name": (c_char_p, [c_void_p]),
    "ww_device_error": (c_char_p, [c_void_p]),
    "ww_alloc": (c_int, [c_void_p, c_size_t, POINTER(c_uint64)]),
    "ww_free": (c_int, [c_void_p, c_uint64]),
    "ww_copy_in": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t]),
    "ww_copy_out": (c_int, [c_void_p, c_void_p, c_uint64, c_size_t]),
    "ww_fill": (c_int, [c_void_p, c_uint64, c_uint8, c_size_t]),
    "ww_stream_open": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "ww_stream_wait": (c_int, [c_void_p]),
    "ww_stream_close": (None, [c_void_p]),
    "ww_blas_open": (c_int, [c_void_p, POINTER(c_void_p)]),
    "ww_blas_close": (None, [c_void_p]),
    "ww_blas_stream": (c_int, [c_void_p, c_void_p]),
    "ww_blas_leave": (c_int, [c_void_p]),
    "ww_blas_rung": (c_char_p, [c_char_p, c_size_t]),
    "ww_gemm": (c_int, [c_void_p, POINTER(Gemm)]),
    "ww_syrk": (c_int, [c_void_p, POINTER(Syrk)]),
    "ww_blas_copy": (c_int, [c_void_p, c_uint64, c_uint64, c_size_t]),
    "ww_blas_copy_matrix": (c_int, [c_void_p, POINTER(Copy)]),
}

ERR_UNAVAILABLE = 10


def _places():
    """$WARPWRIGHT_LIBRARY; the library directories of the prefix this file is installed under; what the loader finds."""
    if os.environ.get("WARPWRIGHT_LIBRARY"):
        yield os.environ["WARPWRIGHT_LIBRARY"]
        return
    for folder in pathlib.Path(__file__).resolve().parents[1:5]:
        for pattern in (SONAME, f"lib*/{SONAME}", f"lib/*/{SONAME}"):
            yield from map(str, sorted(folder.glob(pattern)))
    yield SONAME


def _load():
    reason = ""
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError as e:
            reason = str(e)
            continue
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return library
    raise ImportError(f"{SONAME} was not found ({reason}); WARPWRIGHT_LIBRARY may name it")


lib = _load()


class Error(RuntimeError):
    """A refusal or failure of the library: its message, and .status, the number of the WwStatus."""

    def __init__(self, status, message):
        super().__init__(message or lib.ww_status_text(status).decode())
        self.status = status


def version():
    """The version of the library that is loaded."""
    return lib.ww_version().decode()
