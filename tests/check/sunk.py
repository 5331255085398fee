#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sunk.py WARPWRIGHT: loads that the assembler moves into the branch that uses them (src/ptx/sinks.h), counted, beside what it made.

Each case is a kernel of two warps, of which the second skips the last branch: its PTX, and whether the load of %r10 moves there, so that one warp loads instead of
two.  Where a ptxas is at hand, its machine code (`warpwright sass`) says whether the load stands behind the branch.  What `warpwright check` counts is
compared always, by the interpreter and natively, and the checks must still see the load where it stands."""
import json
import os
import subprocess
import sys
import tempfile

WARPWRIGHT = os.path.abspath(sys.argv[1])
HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{{
  .reg .pred %p<8>; .reg .b32 %r<80>; .reg .f32 %f<8>; .reg .b64 %d<40>;
  .shared .align 16 .b8 s[2048];
  ld.param.u64 %d0, [p];
  ld.param.u64 %d1, [q];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.s64 %d3, %d1, %d2;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, s;
  add.s32 %r2, %r2, %r1;
  st.shared.u32 [%r2], %r0;
  bar.sync 0;
  setp.gt.u32 %p1, %r0, 31;
{body}
DONE:
  ret;
}}
"""
GLOBAL, NC, SHARED = "ld.global.u32 %r10, [%d3];", "ld.global.nc.u32 %r10, [%d3];", "ld.shared.u32 %r10, [%r2];"
ENDS = "LAST: st.global.u32 [%d0+8], %r0;"  # so that the branch does not lead to the end


def branch(load, between="", used="%r10", label="LAST", behind=ENDS, inside=""):
    """The load, what stands between it and the branch, and a side of it that stays one."""
    return f"{load}\n{between}\nBRANCH: @%p1 bra {label};\n{inside}\nred.global.add.u32 [%d0], {used};\n{behind}"


LITTLE = "setp.eq.u32 %p2, %r0, 0; mov.u32 %r11, 7;\n@%p2 bra L;\n{} add.u32 %r11, %r0, 3;\nL: add.u32 %r12, %r11, 1;"
TWICE, MANY = "mul.lo.u32 %r12, %r10, %r10; red.global.add.u32 [%d0], %r12; ", "mad.lo.u32 %r0, %r0, %r0, 77; " * 14
IN_TWO = ("setp.lt.u32 %p3, %r12, 90; @%p3 bra L; bar.warp.sync -1; red.global.add.u32 [%d0+64], %r0; " + MANY + "red.global.add.u32 [%d0+72], %r0;\n"
          "L: red.global.add.u32 [%d0+96], %r10;")
# name, body, whether it moves
CASES = [
    ("global", branch(GLOBAL), True),
    ("of constants", branch(NC), True),
    ("shared", branch(SHARED), True),
    ("over computation", branch(SHARED, "mul.lo.u32 %r11, %r0, %r0; mad.lo.u32 %r11, %r11, %r0, 5; st.global.u32 [%d0+16], %r11;"), True),
    ("with what is computed of it", branch(GLOBAL, "mul.lo.u32 %r11, %r10, 77; add.u32 %r12, %r11, %r0;", "%r12"), True),
    ("squared", branch(GLOBAL, "mul.lo.u32 %r12, %r10, %r10;", "%r12"), False),
    ("squared and used", branch(GLOBAL, "mul.lo.u32 %r12, %r10, %r10;", "%r12", inside="st.global.u32 [%d0+64], %r10;"), True),
    ("added to what is needed no more", branch(SHARED, "add.u32 %r12, %r10, %r1;", "%r12"), False),
    ("added to what is needed there", branch(SHARED, "add.u32 %r12, %r10, %r1;", "%r12", inside="st.global.u32 [%d0+64], %r1;"), True),
    ("added to another load", branch(GLOBAL, "ld.global.u32 %r13, [%d0+1024]; add.u32 %r12, %r10, %r13;", "%r12"), None),
    ("added to an argument", branch(SHARED, "ld.param.u32 %r13, [q]; add.u32 %r12, %r10, %r13;", "%r12"), False),
    ("shuffled", branch(SHARED, "shfl.sync.bfly.b32 %r12, %r10, 1, 31, -1;", "%r12"), False),
    ("shared, over a store to global memory", branch(SHARED, "st.global.u32 [%d0+16], %r0;"), True),
    ("global, over a store to it", branch(GLOBAL, "st.global.u32 [%d0+16], %r0;"), False),
    ("shared, over a store to it", branch(SHARED, "st.shared.u32 [%r2+512], %r0;"), False),
    ("over a barrier", branch(SHARED, "bar.sync 0;"), False),
    ("over a fence", branch(GLOBAL, "membar.gl;"), False),
    ("of constants, over a store", branch(NC, "st.global.u32 [%d0+16], %r0;"), True),
    ("of constants, over a barrier", branch(NC, "bar.sync 0;"), True),
    ("of constants, over a fence", branch(NC, "membar.gl;"), False),
    ("over an atomic", branch(GLOBAL, "red.global.add.u32 [%d0+16], %r0;"), False),
    ("volatile", branch(GLOBAL.replace("ld.", "ld.volatile.")), False),
    ("used on both sides", branch(GLOBAL, behind="LAST: st.global.u32 [%d0+8], %r10;"), False),
    ("used before the branch", branch(GLOBAL, "st.global.u32 [%d1+4096], %r10;"), False),
    ("into the last lines", branch(SHARED, label="DONE", behind="").replace("red.global.add.u32", "st.global.u32"), True),
    ("into little lines", branch(SHARED).replace("red.global.add.u32", "st.global.u32"), False),
    *((f"into the side {how}, used {where}, {what}", f"{SHARED}\nBRANCH: {jumps}\n{sides.format(use=use, other=other)}\n{ENDS}", True if how == "behind" else False if use and not moves else None)
      for how, jumps, sides in (("jumped to", "@!%p1 bra SIDE;\nbra.uni OTHER;", "OTHER: {other}\nbra.uni LAST;\nSIDE: " + TWICE + "{use}"), ("behind", "@%p1 bra OTHER;", "SIDE: " + TWICE + "{use}\nbra.uni LAST;\nOTHER: {other}"))
      for where, use in (("at once", ""), ("in two blocks", IN_TWO))
      for what, other, moves in (("the other one as large", "red.global.add.u32 [%d0+128], %r0; " + MANY + "red.global.add.u32 [%d0+136], %r0;", False), ("the other one little", "add.u32 %r0, %r0, 7;", True))),
    ("over a little branch", branch(SHARED, LITTLE.format(""), inside="st.global.u32 [%d0+32], %r12;"), True),
    ("over a little branch with a store", branch(SHARED, LITTLE.format("st.shared.u32 [%r2+512], %r0;"), inside="st.global.u32 [%d0+32], %r12;"), False),
    ("over a division", branch(GLOBAL, "cvt.rn.f32.u32 %f1, %r10; cvt.rn.f32.u32 %f2, %r0; div.rn.f32 %f3, %f1, %f2; cvt.rzi.u32.f32 %r11, %f3;", "%r11"), False),
    ("by a base that changes", branch("ld.global.u32 %r10, [%d3];", "add.s64 %d3, %d3, 4;", inside="ld.global.u32 %r13, [%d3]; st.global.u32 [%d0+64], %r13;"), None),
]


def run(*arguments):
    return subprocess.run([WARPWRIGHT, *arguments], capture_output=True, text=True, timeout=120, check=False)


def document(folder, *arguments):
    out = os.path.join(folder, "r.json")
    if os.path.exists(out):
        os.remove(out)
    done = run(*arguments, "--json", out)
    if not os.path.exists(out):
        sys.exit(f"{arguments[0]} wrote no document: {done.stderr}")
    with open(out, encoding="utf-8") as f:
        return json.load(f)


def line_of(text, what):
    return next(i for i, line in enumerate(text.split("\n"), 1) if what in line)


def stands_behind(code, load, branch_line):
    """Is the load behind the branch in machine code?  None: there is none, or the load is not one instruction."""
    if code["source"] == "ptx" or not code.get("instructions"):
        return None
    at = [i["address"] for i in code["instructions"] if i["ptx_line"] == load and i["name"].split()[-1].split(".")[0] in ("LDG", "LDS")]
    jumps = [i["address"] for i in code["instructions"] if i["ptx_line"] == branch_line and i["name"].split()[-1].split(".")[0] in ("BRA", "EXIT")]
    return bool(jumps) and at[0] > jumps[0] if len(at) == 1 else None


def main():
    failed = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")

        def expect(name, what, got, want):
            nonlocal failed
            if got != want:
                failed += 1
                print(f"{name}: {what}: {got}, not {want}")

        for name, body, moves in CASES:
            text = HEAD.format(body=body)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            made = stands_behind(document(folder, "sass", path)["kernels"][0], line_of(text, "%r10, ["), line_of(text, "BRANCH:"))
            compared += made is not None
            if made is not None and moves is not None:
                expect(name, "moved by the assembler", made, moves)
            launch = ["check", "-q", path, "-k", "k", "--grid", "1", "--block", "64", "--arg", "p:u32[4096]=zero"]
            shared = "ld.shared" in body
            for engine in ("interpreter", "jit"):
                c = document(folder, *launch, "--arg", "q:u32[4096]=zero", "--engine", engine)["kernels"][0]["counters"]
                if moves is None:
                    continue
                expect(name, f"loads, {engine}", c["shared_ld_inst" if shared else "global_ld_requests"], 1 if moves else 2)
                expect(name, f"loads as PTX has them, {engine}", c["shared_ld_inst_ptx" if shared else "global_ld_requests_ptx"], 2)
                if shared:
                    expect(name, f"wavefronts, {engine}", c["shared_ld_wavefronts"], 1 if moves else 2)
                else:
                    expect(name, f"sectors, {engine}", c["global_ld_sectors"], 4 if moves else 8)
            if not shared:  # the second warp reads behind the end, though the card would not
                found = document(folder, *launch, "--arg", "q:u32[32]=zero", "--check=memory")["findings"]
                expect(name, "reads out of bounds", {x["rule"] for x in found}, {"out-of-bounds"})
    print(f"{len(CASES)} kernels, {compared} compared with the assembler, {failed} differences")
    return 1 if failed else 0


sys.exit(main())
