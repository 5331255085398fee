#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels as Triton compiles them, without Triton: triton_kernels.py WARPWRIGHT FOLDER.  FOLDER (tests/data/triton) holds the PTX that Triton 3.6 made for
sm_90 from tests/python/trial/triton_steps.py; `tools/frameworks` with TRITON_CACHE_DIR set leaves such files there.  Paths in them were shortened.
Beside its own parameters a kernel has two pointers: scratch memory of the grid, and the profiler's."""
import array
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from expect import expect, result  # noqa: E402

WARPWRIGHT, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def launch(kernel, grid, args, out, kind, shared=0, findings=()):
    """The numbers of one buffer afterwards.  findings: (rule, line of triton_steps.py) of errors that must be there, and no other errors."""
    with tempfile.TemporaryDirectory() as folder:
        report, result = os.path.join(folder, "report.json"), os.path.join(folder, "out.raw")
        text = []
        for name, value in args:
            if isinstance(value, bytes):
                file = os.path.join(folder, name + ".raw")
                with open(file, "wb") as f:
                    f.write(value)
                value = file
            text += ["--arg", name if value is None else f"{name}={value}"]
        r = subprocess.run([WARPWRIGHT, "check", os.path.join(FOLDER, kernel + ".ptx"), "--kernel", kernel, "--grid", grid, "--block", "128", "--shared", str(shared),
                            *text, "--arg", "scratch:u8[65536]", "--arg", "profile:u64=0", "--out", f"{out}={result}", "--json", report, "--check=memory,init,race", "-q"],
                           capture_output=True, text=True, check=False)
        with open(report, encoding="utf-8") as f:
            found = [(x["rule"], x["line"]) for x in json.load(f)["findings"] if x["severity"] == "error"]
        expect(f"{kernel}: findings", sorted(set(found)) == sorted(findings), f"{found}\n{r.stderr}{r.stdout}")
        if not os.path.exists(result):
            return []
        values = array.array("f")
        with open(result, "rb") as f:
            data = f.read()
        return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)) if kind == "e" else (values.frombytes(data), values.tolist())[1]


def close(what, got, want, tolerance):
    expect(what, len(got) == len(want) and all(abs(a - b) <= tolerance * max(1, abs(b)) for a, b in zip(got, want)), f"{got[:4]} {want[:4]}")


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def add():
    n = 1000
    arguments = [("x:f32[1000]", floats(range(n))), ("y:f32[1000]", floats([2 * i for i in range(n)])), ("out:f32[1000]", None)]
    close("the sums", launch("add_kernel", "4", arguments + [("n:i32", n)], "out", "f"), [3 * i for i in range(n)], 0)
    launch("add_kernel", "4", arguments + [("n:i32", n + 1)], "out", "f", findings=[("out-of-bounds", 16)])


def softmax():
    random.seed(1)
    rows, n = 3, 781
    x = [random.uniform(-4, 4) for _ in range(rows * n)]
    got = launch("softmax_kernel", str(rows), [(f"out:f32[{rows * n}]", None), (f"x:f32[{rows * n}]", floats(x)), ("stride:i32", n), ("n:i32", n)], "out", "f", 4096)
    want = []
    for r in range(rows):
        e = [math.exp(v) for v in x[r * n:(r + 1) * n]]
        want += [v / sum(e) for v in e]
    close("the softmax of rows", got, want, 1e-6)


def products():
    """Persistent, with tensor maps that the kernel makes itself, TMA copies and wgmma."""
    random.seed(2)
    m, n, k = 128, 64, 64
    a, b = ([random.choice((-1.0, 0.5, 2.0)) for _ in range(size)] for size in (m * k, n * k))
    half = lambda v: struct.pack(f"<{len(v)}e", *v)  # noqa: E731
    got = launch("persistent_kernel", "2", [(f"a:f16[{m * k}]", half(a)), (f"b:f16[{n * k}]", half(b)), (f"c:f16[{m * n}]", None), ("m:i32", m), ("n:i32", n), ("k:i32", k)],
                 "c", "e", 65536)
    close("A B^T", got, [sum(a[i * k + p] * b[j * k + p] for p in range(k)) for i in range(m) for j in range(n)], 0)


for test in (add, softmax, products):
    test()
sys.exit(result())
