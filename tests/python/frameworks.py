#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""frameworks.py: the Python module on arrays of PyTorch, CuPy and numba on a GPU: taken where they are, results of their own kind, strides,
stacks, streams.  For a machine with a GPU; a framework that is not there is skipped with the reason."""
import importlib
import sys
import unittest

import numpy as np
import warpwright as ww

rng = np.random.default_rng(3)


def floats(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def close(got, want, k):
    return got.shape == want.shape and bool(np.all(np.abs(np.asarray(got, np.float64) - want) <= (k + 2) * 2.0**-24 * k * 20))


def needs(name):
    try:
        return importlib.import_module(name)
    except Exception as e:
        raise unittest.SkipTest(f"{name}: {e}") from None


class Torch(unittest.TestCase):
    def setUp(self):
        self.torch = needs("torch")
        if not self.torch.cuda.is_available():
            self.skipTest("PyTorch sees no GPU")

    def put(self, values):
        return self.torch.from_numpy(values).cuda()

    def test_products(self):
        a, b = floats(200, 300), floats(300, 100)
        x, y = self.put(a), self.put(b)
        c = ww.gemm(x, y)
        self.assertTrue(c.is_cuda and type(c) is self.torch.Tensor)
        self.assertTrue(close(c.cpu().numpy(), a.astype(float) @ b, 300))
        self.assertTrue(close(ww.gemm(x[10:50:2, 5:105], y.T[:60, 5:105].T).cpu().numpy(), a[10:50:2, 5:105].astype(float) @ b[5:105, :60], 100))
        out = self.torch.full((200, 100), float("nan"), device="cuda")
        before = out.data_ptr()
        self.assertIs(ww.gemm(x, y, out=out), out)
        self.assertEqual(out.data_ptr(), before)
        self.assertTrue(close(out.cpu().numpy(), a.astype(float) @ b, 300))
        s = ww.syrk(x)
        self.assertTrue(self.torch.equal(s, s.T) and close(s.cpu().numpy(), a.astype(float) @ a.T, 300))
        stack = self.put(floats(4, 30, 20))
        self.assertTrue(close(ww.gemm(stack, stack.transpose(1, 2)).cpu().numpy(),
                              stack.double().matmul(stack.double().transpose(1, 2)).cpu().numpy(), 20))

    def test_integers(self):
        a, b = (rng.integers(-2**31, 2**31, s, dtype=np.int32) for s in ((64, 48), (48, 32)))
        want = a.astype(object) @ b.astype(object)
        got = ww.gemm(self.put(a), self.put(b), dtype=self.torch.int64)
        self.assertEqual(got.dtype, self.torch.int64)
        half = 1 << 63
        np.testing.assert_array_equal(got.cpu().numpy(), np.array([(int(v) + half) % (2 * half) - half for v in want.ravel()]).reshape(want.shape))
        low = ww.gemm(self.put(a), self.put(b))
        np.testing.assert_array_equal(low.cpu().numpy(), got.cpu().numpy().astype(np.int32))

    def test_streams(self):
        side = self.torch.cuda.Stream()
        with self.torch.cuda.stream(side):
            x = self.torch.randn(2048, 2048, device="cuda")
            y = self.torch.randn(2048, 2048, device="cuda")
            c = ww.gemm(x, y, stream=side)
            d = c + 1  # ordered by the stream alone
        side.synchronize()
        want = x.double() @ y.double() + 1
        self.assertLess((d.double() - want).abs().max().item(), 2050 * 2.0**-24 * 2048)
        self.assertTrue(self.torch.equal(ww.gemm(x, y), c))

    def test_host_tensors_and_back(self):
        a = self.torch.randn(30, 40)
        self.assertTrue(close(ww.gemm(a, a.T).numpy(), a.double().numpy() @ a.double().numpy().T, 40))
        made = ww.default_device().array(a.numpy())
        for taken in (self.torch.as_tensor(made, device="cuda"), self.torch.from_dlpack(made)):
            self.assertEqual(taken.data_ptr(), made.pointer)
            self.assertTrue(self.torch.equal(taken.cpu(), a))
        with self.assertRaises(TypeError):
            ww.gemm(a.double(), a.double().T)

    def test_copies(self):
        x = self.put(rng.integers(0, 255, (300, 500), dtype=np.uint8))
        y = self.torch.zeros(500, 300, dtype=self.torch.uint8, device="cuda")
        ww.copy(y.T, x)
        self.assertTrue(self.torch.equal(y.T, x))


class Cupy(unittest.TestCase):
    def test_products(self):
        cupy = needs("cupy")
        a, b = floats(90, 70), floats(70, 50)
        c = ww.gemm(cupy.asarray(a), cupy.asarray(b, order="F"))
        self.assertIs(type(c), cupy.ndarray)
        self.assertTrue(close(c.get(), a.astype(float) @ b, 70))
        out = cupy.zeros((90, 50), cupy.float32, order="F")
        ww.gemm(cupy.asarray(a), cupy.asarray(b), out=out)
        self.assertTrue(close(out.get(), a.astype(float) @ b, 70))
        with cupy.cuda.Stream() as s:
            x = cupy.asarray(a)
            d = ww.gemm(x, x.T, stream=s) * 2
        s.synchronize()
        self.assertTrue(close(d.get(), 2 * a.astype(float) @ a.T, 140))


class Numba(unittest.TestCase):
    def test_products(self):
        cuda = needs("numba.cuda")
        a, b = floats(33, 44), floats(44, 55)
        out = cuda.device_array((33, 55), np.float32)
        self.assertIs(ww.gemm(cuda.to_device(a), cuda.to_device(b), out=out), out)
        self.assertTrue(close(out.copy_to_host(), a.astype(float) @ b, 44))
        made = ww.gemm(cuda.to_device(a), cuda.to_device(b))
        self.assertTrue(close(cuda.as_cuda_array(made).copy_to_host(), a.astype(float) @ b, 44))


if __name__ == "__main__":
    unittest.main(verbosity=2)
