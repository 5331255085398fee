#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""module.py LAYOUT [cuda]: the Python module against NumPy: arrays of the host, of a device, transposed, sliced and stacked ones, foreign
objects with __cuda_array_interface__ and __dlpack__, results given and made, everything that is refused.  LAYOUT is the program
of layout.c.  With "cuda" the device is a GPU, or the drop-in driver under `warpwright run`; else the emulator, with every check on."""
import contextlib
import ctypes
import gc
import subprocess
import sys
import types
import unittest

SKIP = 77
try:
    import numpy as np
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIP)

import warpwright as ww
from warpwright import _arrays, _device, _library

LAYOUT, KIND = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "emulator"
rng = np.random.default_rng(1)
device = ww.Device(KIND, check="memory,init,race" if KIND == "emulator" else None)


class Interface:
    """A foreign array: memory of `of`, seen through __cuda_array_interface__."""

    def __init__(self, of, shape=None, strides=None, skip=0, read_only=False, typestr=None, stream=None):
        self.of = of
        self.__cuda_array_interface__ = {"shape": shape or of.shape, "strides": strides, "data": (of.pointer + skip, read_only),
                                         "typestr": typestr or f"<{of.kind}{of.itemsize}", "version": 3, "stream": stream}


class Pack:
    """A foreign array that has DLPack only."""

    lanes = 1

    def __init__(self, of):
        self.of = of

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        self.stream = stream
        capsule = self.of.__dlpack__(stream=stream)
        tensor = ctypes.cast(_arrays.capsule_get(capsule, b"dltensor"), ctypes.POINTER(_arrays.DLManagedTensor)).contents.tensor
        tensor.lanes = self.lanes
        return capsule


def floats(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def ints(*shape):
    return rng.integers(-2**31, 2**31, shape, dtype=np.int32)


def close(got, want, k):
    """Within the bound of any order of summation; NaN fails."""
    bound = (k + 2) * 2.0**-24 * k * 20
    return got.shape == want.shape and bool(np.all(np.abs(np.asarray(got, np.float64) - want) <= bound))


def exact(a, b):
    return (a.astype(object) @ b.astype(object)) if a.ndim == 2 else np.stack([exact(x, y) for x, y in zip(a, b)])


def wrap(values, bits):
    half = 1 << bits - 1
    return np.array([(int(v) + half) % (2 * half) - half for v in values.ravel()], dtype=f"int{bits}").reshape(values.shape)


class Layout(unittest.TestCase):
    def test_structures_are_the_headers(self):
        lines = subprocess.run([LAYOUT], capture_output=True, text=True, check=True).stdout.split("\n")
        seen = 0
        for name, field, number in (line.split() for line in lines if line):
            structure = getattr(_library, name)
            own = ctypes.sizeof(structure) if field == "sizeof" else getattr(structure, field).offset
            self.assertEqual(own, int(number), f"{name}.{field}")
            seen += 1
        self.assertGreater(seen, 30)


class Host(unittest.TestCase):
    def test_all_transpositions(self):
        for ta in (False, True):
            for tb in (False, True):
                a, b = floats(*((19, 33) if ta else (33, 19))), floats(*((21, 19) if tb else (19, 21)))
                want = (a.T if ta else a).astype(float) @ (b.T if tb else b).astype(float)
                self.assertTrue(close(ww.gemm(a, b, transpose_a=ta, transpose_b=tb, device=device), want, 19))
                self.assertTrue(close(ww.gemm(a.T, b.T, transpose_a=not ta, transpose_b=not tb, device=device), want, 19))

    def test_out_alpha_beta_and_strides(self):
        a, b, wide = floats(10, 12)[::-2, ::3], floats(4, 9), floats(5, 30)
        out, kept = wide[:, 3:21:2], wide.copy()
        want = 2 * a.astype(float) @ b - 3 * out.astype(float)
        self.assertIs(ww.gemm(a, b, out=out, alpha=2, beta=-3, device=device), out)
        self.assertTrue(close(out, want, 16))
        kept[:, 3:21:2] = out
        np.testing.assert_array_equal(wide, kept)

    def test_integers(self):
        a, b = ints(17, 40), ints(40, 9)
        np.testing.assert_array_equal(ww.gemm(a, b, device=device), wrap(exact(a, b), 32))
        got = ww.gemm(a, b, dtype="int64", alpha=-5, device=device)
        self.assertEqual(got.dtype, np.int64)
        np.testing.assert_array_equal(got, wrap(-5 * exact(a, b), 64))
        u = ww.gemm(a.view(np.uint32), b.view(np.uint32), device=device)
        np.testing.assert_array_equal(u, wrap(exact(a, b), 32).view(np.uint32))

    def test_stacks(self):
        a, b, one = floats(3, 8, 5), floats(3, 5, 7), floats(5, 7)
        self.assertTrue(close(ww.gemm(a, b, device=device), a.astype(float) @ b, 5))
        self.assertTrue(close(ww.gemm(a, one, device=device), a.astype(float) @ one, 5))
        self.assertTrue(close(ww.syrk(a, device=device), a.astype(float) @ a.transpose(0, 2, 1), 5))
        self.assertEqual(ww.gemm(floats(0, 8, 5), one, device=device).shape, (0, 8, 7))

    def test_syrk(self):
        a, i = floats(37, 11), ints(20, 6)
        full = ww.syrk(a, device=device)
        self.assertTrue(close(full, a.astype(float) @ a.T, 11))
        np.testing.assert_array_equal(full.view(np.int32), full.T.view(np.int32))
        self.assertTrue(close(ww.syrk(a, transpose=True, device=device), a.T.astype(float) @ a, 37))
        for fill, keep in (("lower", np.triu_indices(37, 1)), ("upper", np.tril_indices(37, -1))):
            out = np.full((37, 37), np.nan, np.float32)
            ww.syrk(a, out=out, fill=fill, device=device)
            self.assertTrue(np.all(np.isnan(out[keep])))
            out[keep] = full[keep]
            np.testing.assert_array_equal(out, full)
        np.testing.assert_array_equal(ww.syrk(i, dtype="int64", device=device), wrap(exact(i, i.T), 64))

    def test_doubles(self):
        a, b = rng.standard_normal((150, 70)), rng.standard_normal((70, 90))
        near = lambda c, want, k: c.dtype == np.float64 and bool(np.all(np.abs(c - want) <= k * 2.0**-50))
        self.assertTrue(near(ww.gemm(a, b, device=device), a @ b, 70))
        self.assertTrue(near(ww.gemm(a, b, device=device, precision="tensor"), a @ b, 70))
        self.assertTrue(near(ww.gemm(a.T, b.T, transpose_a=True, transpose_b=True, device=device, alpha=1e-3), 1e-3 * (a @ b), 70))
        full = ww.syrk(a, device=device)
        self.assertTrue(near(full, a @ a.T, 70))
        np.testing.assert_array_equal(full, full.T)

    def test_empty(self):
        self.assertEqual(ww.gemm(floats(0, 4), floats(4, 3), device=device).shape, (0, 3))
        np.testing.assert_array_equal(ww.gemm(floats(2, 0), floats(0, 3), device=device), np.zeros((2, 3), np.float32))


class Grid(unittest.TestCase):
    """devices=: the test's own device and another emulated one, and numbers."""

    def setUp(self):
        self.devices = [device, ww.Device("emulator")]

    def test_gemm(self):
        for ta in (False, True):
            a, b = floats(*((19, 133) if ta else (133, 19))), floats(19, 121)
            want = (a.T if ta else a).astype(float) @ b
            self.assertTrue(close(ww.gemm(a, b, transpose_a=ta, devices=self.devices), want, 19))
            self.assertTrue(close(ww.gemm(a.T, b.T.copy(), transpose_a=not ta, transpose_b=True, devices=self.devices), want, 19))
        a, b, wide = floats(10, 12)[::-2, ::3], floats(4, 9), floats(5, 30)
        for out in (wide[:, 3:12], wide[:, 3:21:2], np.asfortranarray(wide[:, 3:12])):
            want = 2 * a.astype(float) @ b - 3 * out.astype(float)
            self.assertIs(ww.gemm(a, b, out=out, alpha=2, beta=-3, devices=self.devices), out)
            self.assertTrue(close(out, want, 16))

    def test_syrk(self):
        a, i = floats(90, 11), ints(70, 6)
        full = ww.syrk(a, devices=self.devices)
        self.assertTrue(close(full, a.astype(float) @ a.T, 11))
        np.testing.assert_array_equal(full.view(np.int32), full.T.view(np.int32))
        out = np.full((90, 90), np.nan, np.float32)
        ww.syrk(a, out=out, fill="upper", devices=self.devices)
        self.assertTrue(np.all(np.isnan(out[np.tril_indices(90, -1)])))
        np.testing.assert_array_equal(ww.syrk(i, dtype="int64", transpose=True, devices=self.devices), wrap(exact(i.T, i), 64))

    def test_spread(self):
        """Operands and results in the devices' own memory: bands, blocks shared out cyclically, the whole on each."""
        three = self.devices + [ww.Device("emulator")]
        for devices in (self.devices, three):
            for how in ({}, {"block": (32, 16)}, {"block": (16, 24), "across": len(devices)}, {"whole": True}):
                a, b = floats(133, 90), floats(90, 70)
                x, y = ww.Spread.of(a, devices, **how), ww.Spread.of(b, devices, whole=True)
                np.testing.assert_array_equal(x.numpy(), a)
                want = a.astype(float) @ b
                c = ww.gemm(x, y, devices=devices)
                self.assertIsInstance(c, ww.Spread)
                self.assertEqual([p.device for p in c.parts], devices)
                self.assertTrue(close(c.numpy(), want, 90))
                out = ww.Spread.of(np.ones((133, 70), np.float32), devices, **how)
                self.assertIs(ww.gemm(x, b, out=out, alpha=2, beta=-1, devices=devices), out)  # b in host memory
                self.assertTrue(close(out.numpy(), 2 * want - 1, 90))
                host = np.full((133, 70), np.nan, np.float32)
                ww.gemm(x, y, out=host, devices=devices)
                self.assertTrue(close(host, want, 90))
        i = ints(70, 50)
        for transpose in (False, True):
            c = ww.syrk(ww.Spread.of(i, three), transpose=transpose, devices=three).numpy()
            np.testing.assert_array_equal(c, wrap(exact(i.T, i) if transpose else exact(i, i.T), 32))
        wide = [d.array(floats(40, 90)) for d in self.devices]  # parts of larger arrays
        x = ww.Spread([w[:, 10:60] for w in wide])
        self.assertTrue(close(ww.gemm(x, b[:50], devices=self.devices).numpy(), x.numpy().astype(float) @ b[:50], 50))

    def test_spread_refused(self):
        one, two = (d.array(floats(4, 4)) for d in self.devices)
        x = ww.Spread([one, two])
        for what, say, call in ((ValueError, "part 1 is 2 x 4", lambda: ww.Spread([one, two[:2], two])), (ValueError, "matrices", lambda: ww.Spread([one[0], two])),
                                (ValueError, "not so many rows", lambda: ww.Spread([one, two], across=3)), (ValueError, "names 1", lambda: ww.gemm(x, floats(4, 4), devices=self.devices[:1])),
                                (ValueError, "not in the memory", lambda: ww.gemm(ww.Spread([two, one]), floats(4, 4), devices=self.devices)),
                                (ValueError, "contiguous rows", lambda: ww.gemm(ww.Spread([one.T, two.T]), floats(4, 4), devices=self.devices)),
                                (ValueError, "out is", lambda: ww.gemm(x, floats(4, 4), out=x, dtype="float32", devices=self.devices) if x.shape == (4, 4) else ww.gemm(x, floats(4, 3), out=x, devices=self.devices)),
                                (ValueError, r"op\(a\)", lambda: ww.gemm(x, floats(5, 4), devices=self.devices))):
            with self.assertRaisesRegex(what, say):
                call()

    def test_refused(self):
        a = floats(4, 4)
        for what, call in ((ValueError, lambda: ww.gemm(a, a, devices=[])), (ValueError, lambda: ww.gemm(a, a, devices=self.devices, rung="wide")),
                           (ValueError, lambda: ww.gemm(a, floats(3, 4), devices=self.devices)), (ww.Error, lambda: ww.gemm(a, a, devices=[device, device])),
                           (TypeError, lambda: ww.gemm(device.array(a), a, devices=self.devices)), (ValueError, lambda: ww.gemm(a[None], a, devices=self.devices)),
                           (ValueError, lambda: ww.gemm(a, a, out=floats(3, 3), devices=self.devices)), (ValueError, lambda: ww.syrk(a, beta=1, devices=self.devices))):
            self.assertRaises(what, call)


class OnDevice(unittest.TestCase):
    def test_made_results_stay_there(self):
        a, b = floats(30, 20), floats(20, 10)
        got = ww.gemm(device.array(a), device.array(b))
        self.assertIsInstance(got, ww.DeviceArray)
        self.assertIs(got.device, device)
        self.assertTrue(close(got.numpy(), a.astype(float) @ b, 20))
        again = floats(10, 4)
        self.assertTrue(close(np.asarray(ww.gemm(got, device.array(again))), np.asarray(got).astype(float) @ again, 10 * 20))

    def test_interface_views(self):
        """Sub-matrices, transposes and stacks of one buffer, as leading dimensions and flags."""
        base = floats(3, 16, 24)
        d = device.array(base)
        row, item = 24 * 4, 4
        views = [
            (Interface(d, (16, 24)), base[0]),
            (Interface(d, (10, 7), (row, item), skip=2 * row + 3 * item), base[0][2:12, 3:10]),
            (Interface(d, (24, 16), (item, row)), base[0].T),
            (Interface(d, (3, 5, 8), (16 * row, row, item)), base[:, :5, :8]),
            (Interface(d, (3, 8, 5), (16 * row, item, row)), base[:, :5, :8].transpose(0, 2, 1)),
            (Interface(d, (16, 1), (row, item), skip=5 * item), base[0][:, 5:6]),
            (Interface(d, (1, 24), (row, item), skip=row), base[0][1:2]),
            (Interface(d, (4, 6), (3 * row, item)), base[0][:12:3, :6]),
        ]
        for view, values in views:
            k = values.shape[-1]
            b = floats(k, 6)
            for out_columns in (False, True):
                m = values.shape[-2]
                if values.ndim == 2:
                    room = device.array(np.full((6, m) if out_columns else (m, 6), np.nan, np.float32))
                    out = Interface(room, (m, 6), (4, 4 * m)) if out_columns else room
                    self.assertIs(ww.gemm(view, device.array(b), out=out, device=device), out)
                    got = room.numpy().T if out_columns else room.numpy()
                else:
                    got = ww.gemm(view, device.array(b), device=device).numpy()
                self.assertTrue(close(got, values.astype(float) @ b, k), f"{values.shape} {out_columns}")
            for out_columns in (False, True):
                if values.ndim == 2:
                    room = device.array(np.full((m, m), np.nan, np.float32))
                    out = Interface(room, (m, m), (4, 4 * m)) if out_columns else room
                    ww.syrk(view, out=out, device=device)
                    self.assertTrue(close(room.numpy(), values.astype(float) @ values.T, k))
                    ww.syrk(view, out=out, alpha=0, beta=2, fill="lower", device=device)
                    got = room.numpy().T if out_columns else room.numpy()
                    self.assertTrue(close(np.tril(got), 2 * np.tril(values.astype(float) @ values.T), k))
                    self.assertTrue(close(np.triu(got, 1), np.triu(values.astype(float) @ values.T, 1), k))

    def test_dlpack_both_ways(self):
        a, b = floats(6, 7), floats(7, 8)
        alive = len(_device._alive)
        x, y = Pack(device.array(a)), Pack(device.array(b))
        self.assertTrue(close(ww.gemm(x, y, device=device).numpy(), a.astype(float) @ b, 7))
        self.assertEqual(x.stream, 1 if KIND == "cuda" else None)
        gc.collect()
        self.assertEqual(len(_device._alive), alive)  # the deleters have been called
        capsule = y.of.__dlpack__()
        self.assertEqual(len(_device._alive), alive + 1)
        del capsule  # nobody took it
        with self.assertRaises(ZeroDivisionError):  # the exception for which a capsule is dropped stays
            _ = (y.of.__dlpack__(), 1 // 0)
        if KIND == "emulator":
            with self.assertRaises((RuntimeError, BufferError, TypeError)) as refused:
                np.from_dlpack(y.of)
            self.assertNotIsInstance(refused.exception, SystemError)
        device.empty(1)  # what nobody took is let go of
        self.assertEqual(len(_device._alive), alive)
        y.lanes = 2
        with self.assertRaises(TypeError):
            ww.gemm(x, y, device=device)
        gc.collect()
        self.assertEqual(len(_device._alive), alive)

    def test_copies(self):
        base = rng.integers(0, 255, (40, 50), dtype=np.uint8)
        d = device.array(base)
        whole = device.empty((40, 50), "uint8")
        self.assertIs(ww.copy(whole, d), whole)
        np.testing.assert_array_equal(whole.numpy(), base)
        ww.copy(Interface(whole, (20, 30), (50, 1), skip=7), Interface(d, (20, 30), (50, 1), skip=203), device=device)
        want = base.copy()
        want[:20, 7:37] = base[4:24, 3:33]
        np.testing.assert_array_equal(whole.numpy(), want)
        turned = device.empty((50, 40), "uint8")
        ww.copy(Interface(turned, (40, 50), (1, 40)), d, device=device)
        np.testing.assert_array_equal(turned.numpy(), base.T)
        column = device.empty((40,), "uint8")
        ww.copy(column, Interface(d, (40,), (50,), skip=9), device=device)
        np.testing.assert_array_equal(column.numpy(), base[:, 9])
        host = np.zeros((40, 50), np.uint8)
        ww.copy(host, d)
        np.testing.assert_array_equal(host, base)
        ww.copy(whole, np.ascontiguousarray(base[::-1]))
        np.testing.assert_array_equal(whole.numpy(), base[::-1])

    def test_streams(self):
        if KIND != "cuda":
            self.skipTest("the emulator knows no native streams")
        a, b = floats(64, 64), floats(64, 64)
        x, y, out = device.array(a), device.array(b), device.empty((64, 64))
        ww.gemm(x, y, out=out, stream=2)
        ww.gemm(x, y, out=out, beta=1, stream=2)
        device.wait(2)
        self.assertTrue(close(out.numpy(), 2 * a.astype(float) @ b, 128))
        self.assertTrue(close(ww.gemm(Interface(x, stream=2), y).numpy(), a.astype(float) @ b, 64))
        driver = ctypes.CDLL("libcuda.so.1")
        native = ctypes.c_void_p()
        self.assertEqual(driver.cuStreamCreate(ctypes.byref(native), 1), 0)
        ww.gemm(x, y, out=out, stream=native.value)
        self.assertEqual(driver.cuStreamDestroy_v2(native), 0)
        ww.gemm(x, y, out=out, beta=1)  # after what was left on a stream that is gone
        self.assertTrue(close(out.numpy(), 2 * a.astype(float) @ b, 128))


class Refused(unittest.TestCase):
    def refuse(self, kind, part, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(part, str(caught.exception))

    def test_arrays(self):
        a, b = floats(4, 5), floats(5, 6)
        d = device.array(a)
        gemm = lambda *x, **y: (lambda: ww.gemm(*x, device=device, **y))
        self.refuse(ValueError, "op(a) is 4 x 5, op(b) 4 x 5", gemm(a, a))
        self.refuse(ValueError, "1 dimensions", gemm(a[0], b))
        self.refuse(TypeError, "different element types: a float32, b int32", gemm(a, b.astype(np.int32)))
        self.refuse(TypeError, "c128", gemm(a.astype(complex), b.astype(complex)))
        self.refuse(ww.Error, "not for double", gemm(a.astype(float), b.astype(float), activation="relu"))
        self.refuse(TypeError, "results of int64", gemm(a, b, dtype="int64"))
        self.refuse(TypeError, "is not an array", gemm(a, 5))
        self.refuse(ValueError, "beta other than 0", gemm(a, b, beta=1))
        self.refuse(ValueError, "out has shape", gemm(a, b, out=floats(4, 5)))
        self.refuse(TypeError, "out has elements of f64", gemm(a, b, out=np.zeros((4, 6))))
        self.refuse(TypeError, "integers, not 0.5", gemm(ints(2, 2), ints(2, 2), alpha=0.5))
        self.refuse(ValueError, "different heights", gemm(floats(2, 4, 5), floats(3, 5, 6)))
        self.refuse(ValueError, "neither its rows nor its columns", gemm(Interface(d, (2, 2), (40, 8)), b[:2]))
        self.refuse(ValueError, "neither its rows nor its columns", gemm(Interface(d, (2, 5), (0, 4)), b))
        self.refuse(ValueError, "read-only", gemm(d, device.array(b), out=Interface(device.empty((4, 6)), read_only=True)))
        self.refuse(TypeError, "byte order", gemm(Interface(d, typestr=">f4"), b))
        self.refuse(ValueError, 'fill="lower" needs out=', lambda: ww.syrk(a, fill="lower", device=device))
        self.refuse(ValueError, "fill 'half'", lambda: ww.syrk(a, fill="half", device=device))
        self.refuse(ValueError, "waited for", gemm(a, b, stream=1))
        self.refuse(TypeError, "both arrays are on the host", lambda: ww.copy(a, a, device=device))
        self.refuse(ValueError, "shapes", lambda: ww.copy(d, b, device=device))
        self.refuse(TypeError, "no arrays of complex64", lambda: device.empty(3, "complex64"))
        self.refuse(TypeError, "is not an array", gemm(None, b))
        self.refuse(TypeError, "masked", gemm(np.ma.array(a, mask=a > 0), b))
        self.refuse(TypeError, "masked", lambda: device.array(np.ma.array(a)))
        self.refuse(TypeError, "not numbers (|O)", gemm(a.astype(object), b))
        self.refuse(TypeError, "not numbers (<M8[ns])", gemm(a.astype("M8[ns]"), b))
        self.refuse(ValueError, "0 dimensions", gemm(np.float32(3), b))
        self.refuse(TypeError, "rung=5", gemm(a, b, rung=5))
        self.refuse(TypeError, "device='emulator'", lambda: ww.gemm(a, b, device="emulator"))
        self.refuse(TypeError, "float", lambda: device.empty((2.5, 2)))
        self.refuse(ValueError, "bytes", lambda: device.empty((1 << 62, 4)))  # 2^66: no 0 bytes

    def test_device_arrays(self):
        """Whatever form a host array has, its values arrive."""
        a = floats(4, 5)
        for given in (a.astype(">f4"), a[::-1, ::2], a.T, np.asfortranarray(a), np.float32(3), np.broadcast_to(a[0], (3, 5))):
            got = device.array(given)
            self.assertEqual(got.shape, given.shape)
            self.assertTrue((got.numpy() == given).all())
        self.assertEqual(device.empty(np.int64(3)).shape, (3,))

    def test_bias_and_activation(self):
        """Of rows and of columns, before the result is rounded, in either order of the result's lines."""
        a, b, of_row, of_column = floats(20, 48), floats(48, 31), floats(20, 1), floats(31)
        plain = a.astype(np.float64) @ b
        acts = {"relu": lambda v: np.maximum(v, 0), "silu": lambda v: v / (1 + np.exp(-v)),
                "gelu": lambda v: v / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v ** 3))), None: lambda v: v}
        for name, f in acts.items():
            near = lambda got, bias, unit: bool((np.abs(got - f(plain + bias)) <= unit * (np.abs(a) @ np.abs(b) + 1)).all())
            self.assertTrue(near(ww.gemm(a, b, bias=of_row, activation=name, device=device), of_row, 2 ** -16))
            out = np.zeros((20, 31), np.float32, order="F")
            self.assertTrue(near(ww.gemm(a, b, out, bias=device.array(of_column), activation=name, device=device), of_column, 2 ** -16))
            half = ww.gemm(a.astype(np.float16), b.astype(np.float16), bias=of_column.astype(np.float16), activation=name, device=device)
            self.assertTrue(near(half, of_column, 2 ** -9))
        self.refuse(TypeError, "wanted is float32 of (31,) or (20, 1)", lambda: ww.gemm(a, b, bias=floats(20), device=device))
        self.refuse(ValueError, "relu, gelu, silu", lambda: ww.gemm(a, b, activation="tanh", device=device))
        self.refuse(ValueError, "goes without", lambda: ww.gemm(a, b, activation="relu", devices=[device]))
        whole = np.ones((4, 4), np.int32)
        self.refuse(ww.Error, "for floating point of up to 32 bits", lambda: ww.gemm(whole, whole, activation="relu", device=device))

    def test_calls_of_one_form(self):
        """The second is not checked again: it has other addresses, and what is wrong with another form is still said."""
        device = ww.Device("emulator")
        for turned in (False, True):
            for _ in range(3):
                a, b, bias, scale = floats(20, 9), floats(9, 31), floats(31), floats(20)
                out = device.empty((31, 20)).T if turned else device.empty((20, 31))
                da, db, dbias = device.array(a), device.array(b), device.array(bias)
                ww.gemm(da, db, out, alpha=2, bias=dbias, activation="relu")
                want = np.maximum(2 * a.astype(np.float64) @ b + bias, 0)
                self.assertTrue(close(np.asarray(out), want, 9))
                self.assertTrue(close(np.asarray(ww.gemm(da, db)), a.astype(np.float64) @ b, 9))
                self.assertTrue(close(np.asarray(ww.gemm(da, db, rung="tile")), a.astype(np.float64) @ b, 9))
                self.assertTrue(close(np.asarray(ww.syrk(da, alpha=3)), 3 * a.astype(np.float64) @ a.T, 9))
                e, f = (np.arange(20 * 9) % 5).astype(np.uint8).reshape(20, 9) + 56, (np.arange(9 * 31) % 3).astype(np.uint8).reshape(9, 31) + 56
                plain = np.asarray(ww.gemm(device.array(e), device.array(f), float8="e4m3"))
                scaled = np.asarray(ww.gemm(device.array(e), device.array(f), float8="e4m3", scale_a=device.array(scale)))
                self.assertTrue(close(scaled, scale[:, None].astype(np.float64) * plain, 9))
        self.refuse(ValueError, "op(a) is 20 x 9, op(b) 31 x 9", lambda: ww.gemm(da, db.T))
        self.refuse(TypeError, "rung=3 is not a name", lambda: ww.gemm(da, db, rung=3))
        self.refuse(ValueError, "different devices", lambda: ww.gemm(da, ww.Device("emulator").array(b)))

    def test_tensors_by_their_attributes(self):
        """A stand-in for PyTorch: a CUDA tensor on the current stream is taken without DLPack, any other by it."""
        class Tensor:
            is_cuda, requires_grad, layout, dtype, shape, asked = True, False, "strided", "torch.bfloat16", (3, 5), 0
            get_device, data_ptr, stride = lambda self: 1, lambda self: 4096, lambda self: (8, 1)
            is_conj = is_neg = lambda self: False
            __dlpack_device__ = lambda self: (2, 1)

            def __dlpack__(self, stream=None):
                self.asked += 1
                raise BufferError("by DLPack")
        Tensor.__module__ = "torch"
        cuda = types.SimpleNamespace(current_stream=lambda number: types.SimpleNamespace(cuda_stream=0), device=lambda number: contextlib.nullcontext())
        real = sys.modules.get("torch")
        sys.modules["torch"] = types.SimpleNamespace(Tensor=Tensor, strided="strided", cuda=cuda)
        try:
            x = Tensor()
            view = _arrays.view_of(x, 1)
            self.assertEqual((view.pointer, view.shape, view.strides, view.kind, view.itemsize, view.device, view.library, x.asked),
                             (4096, (3, 5), (8, 1), "bfloat", 2, (2, 1), "torch", 0))
            self.refuse(BufferError, "by DLPack", lambda: _arrays.view_of(x, 77))
            self.refuse(BufferError, "by DLPack", lambda: _arrays.view_of(x))
            x.requires_grad = True
            self.refuse(BufferError, "by DLPack", lambda: _arrays.view_of(x, 1))
            self.assertEqual(x.asked, 3)
        finally:
            del sys.modules["torch"]
            if real:
                sys.modules["torch"] = real

    def test_float8(self):
        """Against every number's value, with scales of rows and columns, in every layout."""
        for name, exponent, fraction in (("e4m3", 4, 3), ("e5m2", 5, 2)):
            bits = np.arange(256)
            e, m = bits >> fraction & (1 << exponent) - 1, bits & (1 << fraction) - 1
            value = np.ldexp(np.where(e > 0, m + (1 << fraction), m), np.maximum(e, 1) - (1 << exponent - 1) + 1 - fraction)
            value = np.where(bits > 127, -value, value)
            small = bits[(np.abs(value) <= 2) & (np.abs(value) >= 2 ** -5)].astype(np.uint8)
            a, b = (small[rng.integers(0, len(small), shape)] for shape in ((20, 48), (48, 31)))
            sa, sb = (rng.uniform(0.5, 2, n).astype(np.float32) for n in (20, 31))
            want, size = sa[:, None] * (value[a] @ value[b]) * sb, np.abs(value[a]) @ np.abs(value[b]) * 4
            right = lambda got: bool((np.abs(got - want) <= size * 2 ** -10).all())
            self.assertTrue(right(ww.gemm(a, b, float8=name, scale_a=sa, scale_b=sb, device=device)))
            self.assertTrue(right(ww.gemm(np.asfortranarray(a), b.T.copy(), transpose_b=True, float8=name, scale_a=sa, scale_b=device.array(sb), device=device)))
            out = np.zeros((20, 31), np.float32, order="F")
            self.assertTrue(right(ww.gemm(a, b, out, float8=name, scale_a=sa, scale_b=sb, device=device)))
            plain = value[a] @ value[a].T
            got = ww.syrk(a, float8=name, scale=sa, device=device)
            self.assertTrue((np.abs(got - sa[:, None] * plain * sa) <= np.abs(plain).max() * 4 * 2 ** -9).all() and (got == got.T).all())
            two = ww.gemm(np.stack([a, a]), np.stack([b, b]), float8=name, scale_a=np.stack([sa, sa]), device=device)
            self.assertTrue((two[0] == two[1]).all() and (np.abs(two[0] * sb - want) <= size * 2 ** -10).all())
        self.refuse(TypeError, "wanted is float32 of (20,)", lambda: ww.gemm(a, b, float8="e4m3", scale_a=sb, device=device))
        self.refuse(TypeError, "a is float32", lambda: ww.gemm(a.astype(np.float32), b, float8="e4m3", device=device))
        self.refuse(ValueError, "e4m3, e5m2", lambda: ww.gemm(a, b, float8="e3m4", device=device))
        self.refuse(TypeError, "results of int32", lambda: ww.gemm(a, b, float8="e4m3", dtype="int32", device=device))
        self.refuse(ww.Error, "for operands of 8 bits", lambda: ww.gemm(floats(20, 48), floats(48, 31), scale_a=sa, device=device))
        self.refuse(TypeError, "uint8 with float8=", lambda: ww.gemm(a, b, device=device))
        self.refuse(ValueError, "goes without", lambda: ww.gemm(a, b, float8="e4m3", devices=[device]))

    def test_library(self):
        a, b = floats(4, 5), floats(5, 6)
        with self.assertRaises(ww.Error) as caught:
            ww.gemm(a, b, rung="widest", device=device)
        self.assertIn("there are: naive", str(caught.exception))
        self.assertEqual(caught.exception.status, 3)
        with self.assertRaises(ww.Error):
            ww.Device("abacus")
        d = device.array(a)
        with self.assertRaises(ww.Error) as caught:  # two bytes off
            ww.gemm(Interface(d, (3, 5), (20, 4), skip=2), device.array(b), device=device)
        self.assertIn("not aligned", str(caught.exception))
        square = device.array(floats(5, 5))
        self.refuse(ww.Error, "c begins where a does", lambda: ww.gemm(square, device.array(floats(5, 5)), out=square))
        halves = [x.astype(np.float16) for x in (a, b)]
        want = halves[0].astype(float) @ halves[1]
        self.assertEqual(ww.gemm(*halves, device=device).dtype, np.float16)
        self.assertTrue(close(ww.gemm(*halves, dtype="float32", device=device), want, 5))
        self.assertTrue(close(ww.gemm(a, b, precision="tensor", device=device), a.astype(float) @ b, 5))
        self.refuse(ValueError, "exact, tensor", lambda: ww.gemm(a, b, precision="half", device=device))
        self.assertTrue(close(ww.syrk(a, precision="tensor", device=device), a.astype(float) @ a.T, 5))
        self.refuse(ValueError, "exact, tensor", lambda: ww.syrk(a, precision="half", device=device))
        x = (floats(5, 7) / 8).astype(np.float16)
        got, w = ww.newton_schulz(x, (1.5, -0.5, 0), device=device), x.astype(float)
        self.assertTrue(np.abs(got - (1.5 * w - 0.5 * w @ w.T @ w)).max() < 2e-3)
        self.refuse(TypeError, "float16 or bfloat16", lambda: ww.newton_schulz(a, device=device))
        self.refuse(ValueError, "one or more", lambda: ww.newton_schulz(x, steps=0, device=device))
        self.assertIn("wide", ww.rungs("gemm"))
        self.assertTrue(close(ww.gemm(a, b, rung="wide", device=device), a.astype(float) @ b, 5))
        if KIND == "emulator":
            other = ww.Device("emulator")
            self.refuse(ValueError, "different devices", lambda: ww.gemm(d, other.array(b)))
            self.refuse(ValueError, "device= must say", lambda: ww.gemm(Pack(d), b))
            with self.assertRaises(AttributeError):
                d.__cuda_array_interface__


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
