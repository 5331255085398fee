#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""flops.py WARPWRIGHT: floating-point operations that are counted (src/ptx/flops.def), beside the machine code that the assembler makes.

Each case is a kernel of one warp that does one thing: its PTX and what its 32 lanes do of it.  Where a ptxas is at hand, its instructions of the way that
ordinary operands go are compared: those before the first end, without a guard."""
import json
import os
import subprocess
import sys
import tempfile

WARPWRIGHT = os.path.abspath(sys.argv[1])
TEXT = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{{
  .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .f64 %e<8>;
  ld.param.u64 %d0, [p];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r0, %tid.x;
  ld.global.f32 %f1, [%d0]; ld.global.f32 %f2, [%d0+64]; ld.global.f64 %e1, [%d0+128]; ld.global.f64 %e2, [%d0+192];
  ld.global.b32 %r1, [%d0+256]; ld.global.b32 %r2, [%d0+320]; ld.global.b16 %h1, [%d0+384]; ld.global.b16 %h2, [%d0+448];
{body}
  st.global.f32 [%d0+512], %f3; st.global.f64 [%d0+520], %e3; st.global.b32 [%d0+528], %r3; st.global.b16 [%d0+532], %h3;
  ret;
}}
"""
NAMES = ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")
# body, what each lane does (NAMES), operations in half precision; None: the assembler writes it in another way, which the case is not compared with
CASES = [
    ("add.f32 %f3, %f1, %f2;", (1, 0, 0, 0, 0, 0), 0),
    ("sub.rn.f32 %f3, %f1, %f2;", (1, 0, 0, 0, 0, 0), 0),
    ("mul.rz.f32 %f3, %f1, %f2;", (0, 1, 0, 0, 0, 0), 0),
    ("fma.rn.f32 %f3, %f1, %f2, %f1;", (0, 0, 1, 0, 0, 0), 0),
    ("mul.f32 %f4, %f1, %f2; add.f32 %f3, %f4, %f1;", (0, 0, 1, 0, 0, 0), 0),
    ("mul.rn.f32 %f4, %f1, %f2; add.rn.f32 %f3, %f4, %f1;", (1, 1, 0, 0, 0, 0), 0),
    ("mul.f64 %e4, %e1, %e2; sub.f64 %e3, %e1, %e4;", (0, 0, 0, 0, 0, 1), 0),
    ("add.f64 %e3, %e1, %e2;", (0, 0, 0, 1, 0, 0), 0),
    ("mul.f64 %e3, %e1, %e2;", (0, 0, 0, 0, 1, 0), 0),
    ("fma.rn.f64 %e3, %e1, %e2, %e1;", (0, 0, 0, 0, 0, 1), 0),
    ("div.rn.f32 %f3, %f1, %f2;", (0, 0, 5, 0, 0, 0), 0),
    ("div.approx.f32 %f3, %f1, %f2;", (0, 1, 0, 0, 0, 0), 0),
    ("div.full.f32 %f3, %f1, %f2;", (0, 1, 0, 0, 0, 0), 0),
    ("rcp.rn.f32 %f3, %f1;", (1, 0, 2, 0, 0, 0), 0),
    ("rcp.approx.ftz.f32 %f3, %f1;", (0, 0, 0, 0, 0, 0), 0),
    ("rcp.approx.f32 %f3, %f1;", (0, 2, 0, 0, 0, 0), 0),
    ("sqrt.rn.f32 %f3, %f1;", (0, 2, 2, 0, 0, 0), 0),
    ("sqrt.approx.f32 %f3, %f1;", (0, 0, 0, 0, 0, 0), 0),
    ("sin.approx.f32 %f3, %f1;", (0, 1, 0, 0, 0, 0), 0),
    ("ex2.approx.f32 %f3, %f1;", (0, 0, 0, 0, 0, 0), 0),
    ("div.rn.f64 %e3, %e1, %e2;", (0, 0, None, 0, 1, 7), 0),
    ("rcp.rn.f64 %e3, %e1;", (0, 0, 0, 0, 0, 5), 0),
    ("sqrt.rn.f64 %e3, %e1;", (0, 0, 0, 0, 3, 5), 0),
    ("rsqrt.approx.f64 %e3, %e1;", (0, 0, 0, 0, 2, 3), 0),
    ("max.f32 %f3, %f1, %f2;", (0, 0, 0, 0, 0, 0), 0),
    ("mad.lo.s32 %r3, %r1, %r2, %r1;", (0, 0, 0, 0, 0, 0), 0),
    ("add.f16 %h3, %h1, %h2;", (0, 0, 0, 0, 0, 0), 1),
    ("fma.rn.f16x2 %r3, %r1, %r2, %r1;", (0, 0, 0, 0, 0, 0), 4),
    ("mul.rn.bf16x2 %r3, %r1, %r2;", (0, 0, 0, 0, 0, 0), 2),
    ("setp.lt.u32 %p1, %r0, 5; @!%p1 bra L; add.f32 %f3, %f1, %f2; L:", (None, 0, 0, 0, 0, 0), 0),
]


def document(folder, verb, *arguments):
    out = os.path.join(folder, "r.json")
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([WARPWRIGHT, verb, *arguments, "--json", out], capture_output=True, text=True, timeout=120, check=False)
    if not os.path.exists(out):
        sys.exit(f"{verb} wrote no document: {done.stderr}")
    with open(out, encoding="utf-8") as f:
        return next(k for k in json.load(f)["kernels"] if k["name"] == "k")


def made(code):
    """Operations of the machine code up to its first end, by NAMES; None: it is not there."""
    if code["source"] == "ptx" or not code.get("instructions"):
        return None
    names = [i["name"] for i in code["instructions"]]
    names = names[:next(i for i, n in enumerate(names) if n.split()[-1] == "EXIT")]
    return tuple(names.count(n.upper()) for n in NAMES)


def main():
    failed = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        for body, lane, half in CASES:
            with open(path, "w", encoding="utf-8") as f:
                f.write(TEXT.format(body="  " + body))
            c = document(folder, "check", "-q", path, "-k", "k", "--grid", "1", "--block", "32", "--arg", "p:f32[1024]=iota")["counters"]
            counted = tuple(c[f"sm__sass_thread_inst_executed_op_{n}_pred_on"] for n in NAMES)
            want = tuple((5 if "bra" in body else 0) if n is None else 32 * n for n in lane)
            if (counted, c["flops_half"]) != (want, 32 * half):
                failed += 1
                print(f"{body}: counted {counted} and {c['flops_half']}, not {want} and {32 * half}")
            code = made(document(folder, "sass", path))
            if code and any(n is not None and n != m for n, m in zip(lane, code)):
                failed += 1
                print(f"{body}: the assembler makes {code}, not {lane}")
            compared += code is not None
    print(f"{len(CASES)} kernels, {compared} compared with the assembler, {failed} differences")
    return 1 if failed else 0


sys.exit(main())
