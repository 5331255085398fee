#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Foreign arrays with wild contents: objects with __cuda_array_interface__, __array_interface__, DLPack or a buffer, whose fields are right,
nearly right or of another kind, as operands and results of every function of the module.

    fuzz_arrays.py ROUNDS [SEED]        exit code 1 and the input when anything but a refusal comes out

What may come out: a result, TypeError, ValueError, or warpwright.Error; OverflowError is what Python says of a number that fits nowhere.
Memory that a DLPack tensor or a host's buffer names is always there, since nobody could tell: addresses of the device may be anything.
The device watches every kernel."""
import ctypes
import random
import sys
import traceback

SKIP = 77
try:
    import numpy as np
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIP)

import warpwright as ww
from warpwright import _arrays

ROUNDS, SEED = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
REFUSALS = (TypeError, ValueError, ww.Error, OverflowError)
rng = random.Random(SEED)
device = ww.Device("emulator", threads=1, check="memory,race")
pools = {name: device.array(np.arange(1024, dtype=np.uint8).view(name) if name != "uint8" else np.arange(1024, dtype=np.uint8))
         for name in ("float32", "int32", "uint8", "int64", "float16")}
WILD = [None, -1, 0, 1, 2, 3, 2**31, 2**32, 2**62, 2**63 - 1, -2**63, 2**64, 1.5, "4", (), (1,), [2, 2], {}, float("nan"), b"x", object()]


def some(*right):
    """Mostly what is right, else anything."""
    return rng.choice(right) if rng.random() < 0.85 else rng.choice(WILD)


def shape():
    return tuple(some(0, 1, 2, 3, 4, 5, 8) for _ in range(rng.choice((1, 2, 2, 2, 2, 3, 3, 4))))


def pointer():
    pool = rng.choice(list(pools.values())).pointer
    return some(pool, pool, pool + 4, pool + 256, pool + 2, 0, pool + 1020)


class Interface:
    """__cuda_array_interface__; on_host: __array_interface__ over bytes that are there."""

    def __init__(self, on_host=False):
        dims = shape()
        strides = some(None, None, tuple(some(4, 8, 16, 32, -4, 0, 2) for _ in dims))
        data = some((pointer(), some(False, True)), (pointer(), False))
        if on_host:
            self.kept = np.zeros(4096, np.uint8)
            good = all(isinstance(n, int) and 0 <= n <= 8 for n in dims)
            dims = dims if good else (2, 2)
            strides, data = None, (self.kept.ctypes.data, some(False, True))
        fields = {"shape": dims, "strides": strides, "data": data, "typestr": some("<f4", "<f4", "<i4", "<u4", "<f8", "|u1", ">f4", "|O", "<f"),
                  "version": some(3, 2), "stream": some(None, None, 1, 2), "mask": some(None, None, None, self)}
        for name in list(fields):
            if rng.random() < 0.03:
                del fields[name]
        setattr(self, "__array_interface__" if on_host else "__cuda_array_interface__", fields if rng.random() > 0.02 else rng.choice(WILD))


class Pack:
    """DLPack: a real tensor of the device's, then changed."""

    def __init__(self):
        self.of = device.array(np.zeros((4, 4), rng.choice(("float32", "int32", "float16", "int64"))))
        self.kind = some((_arrays.EXTENSION, 0), (_arrays.EXTENSION, 0), (1, 0), (2, 0), (99, 0))
        on_host = self.kind == (1, 0)  # the emulator's memory is the host's: what is named must be there
        self.change = rng.choice((None, None, "ndim", "lanes", "name", "bits", "code", "shape", "strides", "offset")[:5 if on_host else None])

    def __dlpack_device__(self):
        return self.kind

    def __dlpack__(self, *, stream=None):
        if self.change == "name":
            return rng.choice(WILD)
        capsule = self.of.__dlpack__(stream=stream)
        managed = ctypes.cast(_arrays.capsule_get(capsule, b"dltensor"), ctypes.POINTER(_arrays.DLManagedTensor)).contents
        t = managed.tensor
        if self.change == "ndim":
            t.ndim = rng.choice((0, 1))
        elif self.change == "lanes":
            t.lanes = rng.choice((0, 2, 65535))
        elif self.change == "bits":
            t.bits = rng.choice((0, 1, 4, 8, 16, 64, 255))
        elif self.change == "code":
            t.code = rng.randrange(256)
        elif self.change == "shape":
            t.shape[rng.randrange(2)] = rng.choice((-1, 0, 1, 2**62, -2**63, 2**63 - 1))
        elif self.change == "strides" and t.strides:
            t.strides[rng.randrange(2)] = rng.choice((-1, 0, 1, 2**62, -2**63, 2**63 - 1, 8))
        elif self.change == "offset":
            t.byte_offset = rng.choice((1, 4, 2**32, 2**63, 2**64 - 1))
        return capsule


def host():
    a = np.zeros(tuple(rng.choice((0, 1, 2, 4)) for _ in range(rng.choice((1, 2, 2, 3)))), rng.choice(("f4", "i4", "u4", "f8", ">f4", "c8", "O", "S3", "?")))
    return rng.choice((a, a.T, a[::-1], np.ma.masked_array(a), np.broadcast_to(a, (2,) + a.shape)))


def array():
    return rng.choice((Interface, Interface, lambda: Interface(True), Pack, host, lambda: memoryview(bytes(64)), lambda: rng.choice(WILD),
                       lambda: device.empty((4, 4), rng.choice(("float32", "int32")))))()


def call():
    out = some(None, None, None, array())
    scale = {"alpha": some(1, 2, -1, 0.5), "beta": some(0, 0, 1)}
    common = {"device": some(device, device, device, None), "stream": some(None, None, None, None, 1)}
    what = rng.randrange(5)
    if what == 0:
        return ww.gemm(array(), array(), out, **scale, **common, transpose_a=some(False, True), transpose_b=some(False, True),
                       dtype=some(None, None, "float32", "int64", np.float32), rung=some(None, None, None, "naive"))
    if what == 1:
        return ww.syrk(array(), out, **scale, **common, transpose=some(False, True), fill=some("full", "lower", "upper"), dtype=some(None, "int64"))
    if what == 2:
        return ww.copy(array(), array(), **common)
    if what == 3:
        dims = tuple(rng.choice((0, 1, 3, 2**31, 2**62, 2**64, -1)) for _ in range(rng.choice((1, 2, 3))))
        made = device.empty(some(dims, dims, 7), some("float32", "int8", "complex64"))
        return made.numpy() if made.nbytes < 1 << 20 else made
    return _arrays.view_of(array())


def main():
    refused = 0
    for i in range(ROUNDS):
        try:
            call()
        except REFUSALS:
            refused += 1
        except BaseException: # pylint: disable=broad-except
            print(f"round {i} of seed {SEED}: not a refusal\n{traceback.format_exc()}", file=sys.stderr)
            return 1
    print(f"stat::number_of_executed_units: {ROUNDS}\n{refused} refused", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
