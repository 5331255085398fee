# SPDX-License-Identifier: Apache-2.0
"""What the CUDA implementation of `warpwright run` offers to frameworks (src/cuda/libraries/library.h)."""
import ctypes
import os

FOLDER = os.environ.get("LD_LIBRARY_PATH", "").split(":")[0]


class Span(ctypes.Structure):  # LibrarySpan
    _fields_ = [("at", ctypes.c_void_p), ("pitch", ctypes.c_size_t), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("use", ctypes.c_int),
                ("part", ctypes.c_int), ("element", ctypes.c_size_t), ("factor", ctypes.c_void_p), ("factor_bytes", ctypes.c_size_t)]


READS, WRITES = 1, 2  # LibraryUse


RUNTIME = {"11": "libcudart.so.11.0", "12": "libcudart.so.12"}
COPY_DEFAULT = 4  # cudaMemcpyDefault


class Emulator:
    def __init__(self, cuda="13"):
        """cuda: the version that the framework was made for."""
        file = os.path.join(FOLDER, "libwarpwright-cuda.so")
        lib = ctypes.PyDLL(file)  # keeps the interpreter's lock: the calls are short
        self.settle = ctypes.CDLL(file).ww_cuda_library_settle  # gives it up: it waits for kernels
        self.count = lib.ww_cuda_library_count
        self.count.argtypes = [ctypes.c_char_p] * 3
        self.checked = lib.ww_cuda_library_checked
        self.checked.restype = ctypes.c_bool
        self.uses = lib.ww_cuda_library_uses
        self.uses.argtypes = [ctypes.c_char_p, ctypes.POINTER(Span)]
        self.uses.restype = ctypes.c_bool
        self.wrote = lib.ww_cuda_library_wrote
        self.wrote.argtypes = [ctypes.POINTER(Span)]
        self.collects = lib.ww_cuda_library_collects
        self.runtime = ctypes.CDLL(os.path.join(FOLDER, RUNTIME.get(cuda.split(".")[0], "libcudart.so.13")))
        self.runtime.cudaMemcpyAsync.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
        self.runtime.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]

    def copy(self, to, source, size, stream, wait):
        """Copies in the stream; wait: it is done on return.  A CUDA error, or 0."""
        error = self.runtime.cudaMemcpyAsync(to, source, size, COPY_DEFAULT, stream)
        return error or (self.runtime.cudaStreamSynchronize(stream) if wait else 0)
