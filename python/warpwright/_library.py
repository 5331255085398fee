# SPDX-License-Identifier: Apache-2.0
"""libwarpwright.so by ctypes: where it is, the structures of warpwright.h and blas.h, and errors.

The structures repeat the headers by hand; tests/python/layout.c compares sizes and offsets with the compiler's.  Only what the
module uses is here."""
import ctypes
import os
import pathlib
from ctypes import (POINTER, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_uint8,
                    c_void_p)

SONAME = "libwarpwright.so.0"


class DeviceOptions(ctypes.Structure):
    _fields_ = [("profile", c_char_p), ("threads", c_uint), ("seed", c_uint64), ("memory", c_uint64), ("simd", c_char_p),
                ("ordinal", c_uint), ("async_", c_char_p), ("check", c_char_p), ("engine", c_char_p), ("blocks", c_char_p)]


class Scalar(ctypes.Union):
    _fields_ = [("f32", c_float), ("f64", c_double), ("i32", c_int32), ("i64", c_int64)]


class Gemm(ctypes.Structure):
    _fields_ = [("type", c_int), ("layout", c_int), ("trans_a", c_bool), ("trans_b", c_bool), ("m", c_size_t), ("n", c_size_t),
                ("k", c_size_t), ("alpha", Scalar), ("beta", Scalar), ("a", c_uint64), ("b", c_uint64), ("c", c_uint64),
                ("lda", c_size_t), ("ldb", c_size_t), ("ldc", c_size_t), ("batch", c_size_t), ("stride_a", c_size_t),
                ("stride_b", c_size_t), ("stride_c", c_size_t), ("a_array", POINTER(c_uint64)), ("b_array", POINTER(c_uint64)),
                ("c_array", POINTER(c_uint64)), ("rung", c_char_p), ("precision", c_int), ("told", c_uint64), ("workspace", c_uint64),
                ("workspace_bytes", c_size_t), ("scale_a", c_uint64), ("scale_b", c_uint64), ("row_bias", c_uint64),
                ("column_bias", c_uint64), ("activation", c_int)]


class Syrk(ctypes.Structure):
    _fields_ = [("type", c_int), ("layout", c_int), ("fill", c_int), ("trans", c_bool), ("n", c_size_t), ("k", c_size_t),
                ("alpha", Scalar), ("beta", Scalar), ("a", c_uint64), ("c", c_uint64), ("lda", c_size_t), ("ldc", c_size_t),
                ("batch", c_size_t), ("stride_a", c_size_t), ("stride_c", c_size_t), ("a_array", POINTER(c_uint64)),
                ("c_array", POINTER(c_uint64)), ("rung", c_char_p), ("precision", c_int), ("told", c_uint64), ("workspace", c_uint64),
                ("workspace_bytes", c_size_t), ("scale", c_uint64)]


class NewtonSchulz(ctypes.Structure):
    _fields_ = [("type", c_int), ("layout", c_int), ("m", c_size_t), ("n", c_size_t), ("a", c_float), ("b", c_float), ("c", c_float),
                ("steps", c_size_t), ("x", c_uint64), ("y", c_uint64), ("ldx", c_size_t), ("ldy", c_size_t)]


class GridArray(ctypes.Structure):
    _fields_ = [("at", POINTER(c_uint64)), ("block_rows", c_size_t), ("block_columns", c_size_t), ("down", c_size_t),
                ("across", c_size_t), ("ld", c_size_t)]


class GridGemm(ctypes.Structure):
    _fields_ = [("type", c_int), ("layout", c_int), ("trans_a", c_bool), ("trans_b", c_bool), ("m", c_size_t), ("n", c_size_t),
                ("k", c_size_t), ("alpha", Scalar), ("beta", Scalar), ("a", c_void_p), ("b", c_void_p), ("c", c_void_p),
                ("lda", c_size_t), ("ldb", c_size_t), ("ldc", c_size_t), ("on_a", POINTER(GridArray)), ("on_b", POINTER(GridArray)),
                ("on_c", POINTER(GridArray)), ("precision", c_int), ("tile", c_size_t), ("panel", c_size_t),
                ("ranks", c_size_t), ("rank", c_size_t)]


class GridSyrk(ctypes.Structure):
    _fields_ = [("type", c_int), ("layout", c_int), ("fill", c_int), ("trans", c_bool), ("n", c_size_t), ("k", c_size_t),
                ("alpha", Scalar), ("beta", Scalar), ("a", c_void_p), ("c", c_void_p), ("lda", c_size_t), ("ldc", c_size_t),
                ("on_a", POINTER(GridArray)), ("on_c", POINTER(GridArray)), ("precision", c_int), ("tile", c_size_t),
                ("panel", c_size_t), ("ranks", c_size_t), ("rank", c_size_t)]


class Copy(ctypes.Structure):
    _fields_ = [("element", c_size_t), ("trans", c_bool), ("rows", c_size_t), ("columns", c_size_t), ("src", c_uint64),
                ("dst", c_uint64), ("ld_src", c_size_t), ("ld_dst", c_size_t)]


class Dim3(ctypes.Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("z", c_uint32)]


PRINT = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)
SEEN = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_void_p)


class Launch(ctypes.Structure):
    _fields_ = [("grid", Dim3), ("block", Dim3), ("shared", c_uint32), ("args", POINTER(c_void_p)), ("arg_count", c_size_t),
                ("arg_bytes", POINTER(c_size_t)), ("observe", c_uint), ("time", c_bool), ("repeats", c_uint), ("max_instructions", c_uint64),
                ("max_seconds", c_double), ("stop", c_void_p), ("on_print", PRINT), ("on_access", c_void_p), ("user", c_void_p),
                ("on_child", c_void_p), ("on_pause", c_void_p), ("pause_after", c_uint64), ("cooperative", c_bool), ("granular", c_bool),
                ("paged", c_bool), ("cluster", Dim3), ("stream", c_void_p), ("programmatic", c_bool)]


class Place(ctypes.Structure):
    _fields_ = [("file", c_char_p), ("line", c_uint32), ("col", c_uint32)]


class FindingEnd(ctypes.Structure):
    _fields_ = [("kernel", c_char_p), ("file", c_char_p), ("line", c_uint32), ("col", c_uint32), ("block", Dim3), ("thread", Dim3),
                ("message", c_char_p), ("inlined", POINTER(Place)), ("ninlined", c_size_t)]


class Picture(ctypes.Structure):
    _fields_ = [("space", c_char_p), ("op", c_char_p), ("bytes", c_uint32), ("mask", c_uint32), ("bad", c_uint32), ("of", c_uint64), ("offset", c_int64 * 32)]


class Mend(ctypes.Structure):
    _fields_ = [("text", c_char_p), ("unit", c_char_p), ("before", c_uint64), ("after", c_uint64), ("shared_bytes", c_int64), ("gain", c_double),
                ("from_", POINTER(Picture)), ("to", POINTER(Picture))]


class Finding(ctypes.Structure):
    _fields_ = [("rule", c_char_p), ("category", c_char_p), ("severity", c_char_p), ("kernel", c_char_p), ("file", c_char_p),
                ("line", c_uint32), ("col", c_uint32), ("block", Dim3), ("thread", Dim3), ("address", c_uint64), ("count", c_uint64),
                ("message", c_char_p), ("other", POINTER(FindingEnd)), ("mend", POINTER(Mend)), ("seed", c_uint64),
                ("inlined", POINTER(Place)), ("ninlined", c_size_t), ("host", c_void_p), ("nhost", c_size_t), ("snippet", c_char_p), ("picture", POINTER(Picture))]


class Pattern(ctypes.Structure):
    _fields_ = [("file", c_char_p), ("line", c_uint32), ("space", c_char_p), ("op", c_char_p), ("bytes", c_uint32), ("mask", c_uint32),
                ("count", c_uint64), ("offset", POINTER(c_uint64)), ("wavefronts", c_uint32), ("conflicts", c_uint32),
                ("sectors", c_uint32), ("ideal", c_uint32)]


COUNTERS = 60  # of counters.def; compared with the library's


class Line(ctypes.Structure):
    _fields_ = [("file", c_char_p), ("line", c_uint32), ("counters", c_uint64 * COUNTERS), ("waiting", c_uint64 * COUNTERS)]


class Access(ctypes.Structure):
    _fields_ = [("space", c_char_p), ("op", c_char_p), ("bytes", c_uint32), ("mask", c_uint32), ("address", POINTER(c_uint64)),
                ("block", Dim3), ("warp", c_uint32), ("file", c_char_p), ("line", c_uint32), ("ptx_line", c_uint32),
                ("wavefronts", c_uint32), ("conflicts", c_uint32), ("sectors", c_uint32)]


class AccessCost(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in ("wavefronts", "ideal_wavefronts", "bank_conflicts", "requests", "sectors", "ideal_sectors",
                                              "lines", "transactions", "useful_bytes", "moved_bytes", "banks", "bank_bytes", "part_lanes")]
    _fields_ += [("pass_", c_uint8 * 9 * 32)]


# name: result, arguments
FUNCTIONS = {
    "ww_module_load": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "ww_module_compile": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "ww_module_unload": (None, [c_void_p, c_void_p]),
    "ww_module_kernel_count": (c_size_t, [c_void_p]),
    "ww_module_kernel_name": (c_char_p, [c_void_p, c_size_t]),
    "ww_module_kernel_arg_count": (c_size_t, [c_void_p, c_size_t]),
    "ww_module_kernel_arg_bytes": (c_size_t, [c_void_p, c_size_t, c_size_t]),
    "ww_module_kernel_arg_type": (c_char_p, [c_void_p, c_size_t, c_size_t]),
    "ww_kernel_text": (c_size_t, [c_char_p, c_char_p, c_size_t]),
    "ww_launch": (c_int, [c_void_p, c_void_p, c_char_p, POINTER(Launch), POINTER(c_void_p)]),
    "ww_result_free": (None, [c_void_p]),
    "ww_device_on_result": (None, [c_void_p, SEEN, c_void_p]),
    "ww_device_profile": (c_char_p, [c_void_p]),
    "ww_counter_count": (c_size_t, []),
    "ww_counter_name": (c_char_p, [c_size_t]),
    "ww_counter_text": (c_char_p, [c_size_t]),
    "ww_counter_value": (c_uint64, [c_void_p, c_size_t]),
    "ww_result_counters": (c_void_p, [c_void_p]),
    "ww_result_line_count": (c_size_t, [c_void_p]),
    "ww_result_line": (POINTER(Line), [c_void_p, c_size_t]),
    "ww_result_finding_count": (c_size_t, [c_void_p]),
    "ww_result_finding": (POINTER(Finding), [c_void_p, c_size_t]),
    "ww_result_pattern_count": (c_size_t, [c_void_p]),
    "ww_result_pattern": (POINTER(Pattern), [c_void_p, c_size_t]),
    "ww_access_cost": (c_int, [c_char_p, POINTER(Access), c_int, POINTER(AccessCost), c_char_p, c_size_t]),
    "ww_access_offsets": (c_int, [c_char_p, c_uint32, POINTER(c_uint64), c_char_p, c_size_t]),
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
    "ww_grid_open": (c_int, [POINTER(c_void_p), c_size_t, POINTER(c_void_p), POINTER(c_char_p)]),
    "ww_grid_close": (None, [c_void_p]),
    "ww_grid_error": (c_char_p, [c_void_p]),
    "ww_grid_gemm": (c_int, [c_void_p, POINTER(GridGemm)]),
    "ww_grid_syrk": (c_int, [c_void_p, POINTER(GridSyrk)]),
    "ww_newton_schulz": (c_int, [c_void_p, POINTER(NewtonSchulz)]),
    "ww_blas_copy": (c_int, [c_void_p, c_uint64, c_uint64, c_size_t]),
    "ww_blas_copy_matrix": (c_int, [c_void_p, POINTER(Copy)]),
}

ERR_UNAVAILABLE = 10


def _places():
    """$WARPWRIGHT_LIBRARY; the library directories of a wheel, and of the prefix this file is installed under; what the loader finds."""
    if os.environ.get("WARPWRIGHT_LIBRARY"):
        yield os.environ["WARPWRIGHT_LIBRARY"]
        return
    for folder in list(pathlib.Path(__file__).resolve().parents)[:5]:  # the first: a wheel's own prefix
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


def version() -> str:
    """The version of the library that is loaded."""
    return lib.ww_version().decode()
