#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""apart.py WARPWRIGHT: shuffles behind branches stand twice in machine code, once for warps whose lanes are apart, out of the way (BRA.DIV).  A warp
whose lanes are together goes from the beginning to the end and executes nothing of that: as many machine instructions are predicted as stand before
the end.  Without a ptxas at hand there is nothing to compare."""
import json
import os
import subprocess
import sys
import tempfile

WARPWRIGHT = os.path.abspath(sys.argv[1])
STEP = """
  shfl.sync.bfly.b32 %r3|%p1, %r1, {mask}, 31, -1;
  shfl.sync.bfly.b32 %r4|%p1, %r2, {mask}, 31, -1;
  mov.u32 %r5, 1;
  mov.b32 %f1, %r1;
  mov.b32 %f2, %r3;
  setp.gt.f32 %p2, %f1, %f2;
  @%p2 bra L{n};
  mov.u32 %r5, 0;
  setp.neu.f32 %p3, %f1, %f2;
  @%p3 bra L{n};
  setp.gt.s32 %p4, %r2, %r4;
  selp.u32 %r5, 1, 0, %p4;
L{n}:
  and.b32 %r6, %r0, {mask};
  setp.eq.s32 %p5, %r5, %r6;
  selp.b32 %r1, %r3, %r1, %p5;
  selp.b32 %r2, %r4, %r2, %p5;
"""
KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{{
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .f32 %f<8>; .reg .b64 %d<8>;
  ld.param.u64 %d0, [p];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 4;
  add.s64 %d0, %d0, %d1;
  ld.global.u32 %r1, [%d0];
  mov.u32 %r2, %r1;
  ld.param.u32 %r7, [n];
  setp.ge.u32 %p6, %r0, %r7;
  @%p6 bra END;
{steps}
  st.global.u32 [%d0], %r1;
END:
  st.global.u32 [%d0+128], %r2;
  bar.warp.sync -1;
  st.global.u32 [%d0+256], %r0;
  ret;
}}
"""


def document(folder, *arguments):
    out = os.path.join(folder, "r.json")
    done = subprocess.run([WARPWRIGHT, *arguments, "--json", out], capture_output=True, text=True, check=False)
    if done.returncode or not os.path.exists(out):
        sys.exit(f"{arguments[0]}: {done.returncode} {done.stderr}")
    with open(out, encoding="utf-8") as f:
        text = json.load(f)
    os.remove(out)
    return text


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        with open(path, "w", encoding="utf-8") as f:
            f.write(KERNEL.format(steps="".join(STEP.format(mask=1 << n % 5, n=n) for n in range(6))))
        code = document(folder, "sass", path)["kernels"][0]
        if code["source"] == "ptx":
            print("no ptxas at hand")
            return 77
        names = [i["name"] for i in code["instructions"]]
        if "BRA.DIV" not in names or "WARPSYNC" not in names[names.index("EXIT"):]:
            print("this assembler puts nothing out of the way")
            return 77
        launch = document(folder, "check", "-q", "--time", path, "-k", "k", "--grid", "1", "--block", "32", "--arg", "p:u32[128]=zero", "--arg", "n:u32=32")["kernels"][0]
        got, want = launch["predicted"]["instructions"], names.index("EXIT") + 1
        print(f"{got} machine instructions predicted, {want} stand before the end, {len(names)} in all")
        return got != want


sys.exit(main())
