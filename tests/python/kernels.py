#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernels.py DATA: kernels from Python: check, launch, findings of library calls, what an access costs, parts of arrays, and what is refused."""
import os
import pathlib
import sys
import tempfile
import unittest

SKIP = 77
try:
    import numpy as np
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIP)

import warpwright as ww

DATA = pathlib.Path(sys.argv[1])
PTX = (DATA / "check/scale.ptx").read_text()
CUDA = """\
__global__ void fill(float *out, float what, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = what;
}
__global__ void columns(float *out)
{
    __shared__ float tile[32 * 32];
    for (int i = 0; i < 100; i++) {
        tile[threadIdx.x * 32 + i % 32] = (float)i;
        __syncthreads();
    }
    out[threadIdx.x] = tile[threadIdx.x * 32];
}
"""


class Check(unittest.TestCase):
    def test_arrays_in_and_out(self):
        x = np.arange(64, dtype=np.float32)
        r = ww.check(PTX, "scale", grid=2, block=32, args=[x, 64, 3.0])
        np.testing.assert_array_equal(x, np.arange(64, dtype=np.float32) * 3)
        self.assertTrue(r.ok)
        self.assertEqual((r.kernel, r.findings), ("scale", []))
        self.assertEqual(r.counters.global_ld_sectors, 8)
        self.assertEqual(r.counters["global_st_requests"], 2)
        self.assertIs(r.raise_for_findings(), r)
        self.assertEqual(sum(x.counters.global_ld_sectors for x in r.lines), 8)

    def test_findings(self):
        x = np.ones(24, np.float32)
        r = ww.check(DATA / "check/scale.ptx", "scale", 1, 32, [x, 32, 2.0])
        self.assertFalse(r.ok)
        rules = {f.rule for f in r.findings}
        self.assertEqual(rules, {"out-of-bounds"})
        f = r.findings[0]
        self.assertEqual((f.category, f.severity, f.kernel, f.thread), ("memory", "error", "scale", (24, 0, 0)))
        self.assertIn("[out-of-bounds]", str(f))
        self.assertIn("2 errors", repr(r))
        with self.assertRaises(ww.Error) as caught:
            r.raise_for_findings()
        self.assertIn("out-of-bounds", str(caught.exception))
        self.assertIn("out-of-bounds", r._repr_html_())

    def test_read_only_arrays_stay(self):
        x = np.ones(32, np.float32)
        x.flags.writeable = False
        ww.check(PTX, "scale", 1, 32, [x, 32, 2.0])
        np.testing.assert_array_equal(x, np.ones(32, np.float32))

    def test_cuda_source(self):
        out = np.zeros(40, np.float32)
        r = ww.check(CUDA, "fill", grid=2, block=32, args=[out, 5, 39])
        self.assertTrue(r.ok, r.findings)
        np.testing.assert_array_equal(out, np.full(40, 5, np.float32))
        r = ww.check(CUDA, "fill", 2, 32, [out, 7.5, 40])
        self.assertEqual([(f.rule, f.file, f.line) for f in r.findings], [("out-of-bounds", "kernel.cu", 5)])
        r = ww.check(CUDA, "columns", 1, 32, [out])
        mend = next(f.mend for f in r.findings if f.rule == "bank-conflicts")
        self.assertLess(mend.after, mend.before)
        self.assertEqual([a.bank_conflicts for a in mend.shown], [31, 0])
        place = {(p.file, p.line): p for p in r.patterns}
        self.assertEqual(place["kernel.cu", 11].bank_conflicts, 31)
        self.assertIn("pass 32", r._repr_html_())
        table = r.table("shared_ld_bank_conflicts", "shared_st_bank_conflicts")
        self.assertEqual(sum(table["shared_st_bank_conflicts"]), 3100)
        self.assertEqual(set(table.columns), set(table.names))
        self.assertIn("shared_st_bank_conflicts", str(table))

    def test_cuda_file_with_what_it_includes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "twice.cu"
            path.with_name("factor.h").write_text("#define FACTOR 2\n")
            path.write_text('#include "factor.h"\n__global__ void twice(int *x) { x[threadIdx.x] *= FACTOR; }\n')
            x = np.arange(32, dtype=np.int32)
            self.assertTrue(ww.check(path, args=[x]).ok)
            np.testing.assert_array_equal(x, np.arange(32) * 2)

    def test_output(self):
        m = ww.Module(ww.Device("emulator"), CUDA)
        self.assertEqual(sorted(m.kernels), ["columns", "fill"])
        self.assertEqual(m.parameters("fill"), [("u64", 8), ("f32", 4), ("u32", 4)])

    def refuse(self, kind, part, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(part, str(caught.exception))

    def test_refused(self):
        x = np.ones(32, np.float32)
        self.refuse(ww.Error, "there is no kernel 'scala'; there are: ", lambda: ww.check(PTX, "scala"))
        self.refuse(ww.Error, "kernel= is needed", lambda: ww.check(CUDA))
        self.refuse(ww.Error, "takes 3 arguments (u64, u32, f32), 1 were given", lambda: ww.check(PTX, "scale", args=[x]))
        self.refuse(TypeError, "argument 0: float 1.5", lambda: ww.check(PTX, "scale", args=[1.5, 2, 3]))
        self.refuse(TypeError, "argument 1", lambda: ww.check(PTX, "scale", args=[x, 1 << 40, 3]))
        self.refuse(TypeError, "argument 1", lambda: ww.check(PTX, "scale", args=[x, "two", 3]))
        self.refuse(ValueError, "block (1, 2, 3, 4)", lambda: ww.check(PTX, "scale", 1, (1, 2, 3, 4), [x, 32, 1]))
        self.refuse(ww.Error, "every dimension must be at least 1", lambda: ww.check(PTX, "scale", 0, 32, [x, 32, 1]))
        self.refuse(ww.Error, "kernel.cu could not be compiled", lambda: ww.check("__global__ void k() { x; }"))
        self.refuse(ww.Error, "there is no rule", lambda: ww.check(PTX, "scale", args=[x, 32, 1], check="memry"))
        self.refuse(FileNotFoundError, "nothing.cu", lambda: ww.check("nothing.cu"))
        other = ww.Device("emulator").array(x)
        self.refuse(ValueError, "another device", lambda: ww.check(PTX, "scale", args=[other, 32, 1]))
        r = ww.check(PTX, "scale", 1, 32, [x, 32, 1])
        self.refuse(AttributeError, "no counter 'sectors'; there are: global_ld_requests", lambda: r.counters.sectors)
        self.refuse(KeyError, "there is no counter", lambda: r.counters["sectors"])


class OnDevice(unittest.TestCase):
    def test_findings_of_library_calls(self):
        device = ww.Device("emulator", check="memory,init")
        a, b = device.array(np.ones((4, 5), np.float32)), device.empty((5, 3))
        ww.gemm(a, b)
        found = device.findings
        self.assertEqual({f.rule for f in found}, {"uninit-global"})
        counts = sum(f.count for f in found)
        ww.gemm(a, b)
        self.assertEqual(sum(f.count for f in device.findings), 2 * counts)
        self.assertEqual(len(device.findings), len(found))
        device.clear()
        self.assertEqual(device.findings, [])
        plain = ww.Device("emulator")
        ww.gemm(plain.array(np.ones((4, 5), np.float32)), plain.empty((5, 3)))
        self.assertEqual(plain.findings, [])

    def test_parts(self):
        device = ww.Device("emulator", check="memory,init,race")
        base = np.arange(120, dtype=np.float32).reshape(6, 20)
        d = device.array(base)
        for key in ((1,), (slice(1, 4),), (slice(None), slice(2, 9)), (slice(None, None, 2), slice(None)), (Ellipsis, 3), (None, 2, slice(4, 5)),
                    (-1, -1), (slice(4, 1, -1),), (slice(3, 3),)):
            np.testing.assert_array_equal(d[key].numpy(), base[key], str(key))
            self.assertEqual(d[key].shape, base[key].shape)
        np.testing.assert_array_equal(d.T.numpy(), base.T)
        np.testing.assert_array_equal(d[1:4].T[2].numpy(), base[1:4].T[2])
        np.testing.assert_array_equal((d[1:4, 2:9] @ d.T[2:9, :5]).numpy(), base[1:4, 2:9] @ base.T[2:9, :5])
        np.testing.assert_array_equal((base @ d.T).numpy() if hasattr(base @ d.T, "numpy") else base @ d.T, base @ base.T)
        d[2:4, 5] = -1
        base[2:4, 5] = -1
        d[0] = np.arange(20)
        base[0] = np.arange(20)
        np.testing.assert_array_equal(d.numpy(), base)
        self.assertEqual((len(d), d.ndim), (6, 2))
        for wrong in (6, (0, 0, 0), (Ellipsis, Ellipsis)):
            with self.assertRaises(IndexError):
                d[wrong]
        with self.assertRaises(TypeError):
            d[1.5]

    def test_launch_on_parts_and_results(self):
        device = ww.Device("emulator", check="")
        d = device.array(np.ones((4, 32), np.float32))
        module = device.module(PTX)
        self.assertEqual(module.launch("scale", 1, 32, [d[2], 32, 4.0]).counters.global_ld_sectors, 4)
        self.assertEqual(d.numpy().sum(axis=1).tolist(), [32, 32, 128, 32])


class Accesses(unittest.TestCase):
    def test_costs(self):
        self.assertEqual(ww.access("lane * 128").bank_conflicts, 31)
        self.assertEqual(ww.access(lambda lane: lane * 132).bank_conflicts, 0)
        self.assertEqual(ww.access([8 * i for i in range(32)], space="global").sectors, 8)
        self.assertEqual(ww.access("lane * 8", space="global", mask=0xFFFF).sectors, 4)
        self.assertEqual(ww.access("lane * 4", space="global", profile="sm_20", l1=False).transactions, 4)
        a = ww.access("(lane % 2) * 128")
        self.assertEqual((a.wavefronts, [a.passes[0], a.passes[1]]), (2, [(1,), (2,)]))
        self.assertEqual(a.figures, {"wavefronts": 2, "ideal_wavefronts": 1, "bank_conflicts": 1})
        self.assertIn("bank conflicts <b>1</b>", a._repr_html_())
        self.assertIn("moved, not asked for", ww.access("lane * 8", space="global")._repr_html_())

    def test_refused(self):
        for part, call in (("31 offsets", lambda: ww.access(range(31))), ("lane 1, offset 2", lambda: ww.access("lane * 2")),
                           ("none of global", lambda: ww.access("0", space="texture")), ("none of ld", lambda: ww.access("0", op="load")),
                           ("bytes are none of", lambda: ww.access("0", bytes=3)), ("character 7", lambda: ww.access("lane *")),
                           ("not negative", lambda: ww.access("lane - 4")), ("not negative", lambda: ww.access(lambda lane: -lane))):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(part, str(caught.exception))
        with self.assertRaises(TypeError):
            ww.access(lambda lane: lane / 2)
        with self.assertRaises(ww.Error):
            ww.access("lane", profile="sm_1")


class Package(unittest.TestCase):
    def test_names(self):
        self.assertEqual(ww.__version__, ww.version())
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(ww.__file__), "py.typed")))
        for name in ww.__all__:
            self.assertTrue(hasattr(ww, name), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
