#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fragments.py WARPWRIGHT: how often wmma.load and wmma.store access memory, beside what the assembler makes of them (src/emu/matrix/matrix_wmma.c).

Each case is a kernel of one warp that moves one fragment of a matrix whose rows are 64 elements apart.  Where a ptxas is at hand, its machine code
(`warpwright sass`) has the accesses of that line; `warpwright check` is compared with the table always."""
import json
import os
import re
import subprocess
import sys
import tempfile

WARPWRIGHT = os.path.abspath(sys.argv[1])
# fragment, shape, type, layout, space: accesses; passes over the banks (shared) or sectors (global) of all
CASES = {
    ("a", "m16n16k16", "f16", "row", "global"): (4, 32), ("a", "m16n16k16", "f16", "col", "global"): (4, 32),
    ("b", "m16n16k16", "f16", "row", "global"): (4, 32), ("b", "m16n16k16", "f16", "col", "global"): (4, 32),
    ("a", "m16n16k16", "f16", "row", "shared"): (1, 32), ("b", "m16n16k16", "f16", "row", "shared"): (1, 32),
    ("a", "m32n8k16", "f16", "row", "shared"): (2, 64), ("b", "m32n8k16", "f16", "col", "shared"): (1, 16),
    ("a", "m8n32k16", "f16", "col", "global"): (2, 16), ("b", "m8n32k16", "f16", "row", "global"): (8, 64),
    ("a", "m16n16k16", "s8", "row", "global"): (2, 16), ("a", "m16n16k16", "s8", "col", "global"): (8, 32),
    ("a", "m16n16k16", "s8", "row", "shared"): (1, 8), ("b", "m16n16k16", "u8", "row", "shared"): (8, 32),
    ("a", "m16n16k8", "tf32", "row", "global"): (4, 32), ("b", "m16n16k8", "tf32", "row", "global"): (4, 16),
    ("c", "m16n16k16", "f32", "row", "global"): (4, 32), ("c", "m16n16k16", "f32", "col", "global"): (8, 32),
    ("c", "m16n16k16", "f16", "row", "global"): (4, 32), ("c", "m16n16k16", "f16", "col", "global"): (4, 32),
    ("c", "m8n32k16", "f32", "row", "global"): (8, 32), ("c", "m8n32k16", "f32", "col", "global"): (4, 32),
    ("c", "m16n16k16", "s32", "row", "shared"): (4, 32), ("c", "m8n8k4", "f64", "row", "global"): (1, 16),
    ("d", "m16n16k16", "f32", "row", "global"): (4, 32), ("d", "m16n16k16", "f32", "col", "global"): (8, 32),
    ("d", "m16n16k16", "f16", "col", "global"): (4, 32), ("d", "m16n16k16", "f32", "row", "shared"): (4, 32),
}


def registers(fragment, shape, kind):
    m, n, k = (int(x) for x in re.findall(r"\d+", shape))
    if fragment in "ab" and kind in ("f16", "tf32"):
        return 8 if kind == "f16" else 4
    elements = m * k if fragment == "a" else k * n if fragment == "b" else m * n
    return elements // 32 // {"s8": 4, "u8": 4, "f16": 2}.get(kind, 1)


def kernel(fragment, shape, kind, layout, space):
    """Its PTX: the move stands in a line of its own, the registers go to or come from global memory elsewhere."""
    n, wide, real = registers(fragment, shape, kind), kind == "f64", kind in ("f32", "f64")
    reg = [f"%{'e' if wide else 'f' if real else 'r'}{i + 8}" for i in range(n)]
    memory, word = "[%r1]" if space == "shared" else "[%d0]", ("f64" if wide else "f32" if real else "b32")
    fill = "\n".join(f"ld.global.{word} {r}, [%d2+{128 * i + 4096}];" for i, r in enumerate(reg))
    keep = "\n".join(f"st.global.{word} [%d2+{128 * i + 4096}], {r};" for i, r in enumerate(reg))
    operation = "store" if fragment == "d" else "load"
    opcode = f"wmma.{operation}.{fragment}.sync.aligned.{layout}.{shape}.{space}.{kind}"
    move = f"{opcode} {memory}, {{{', '.join(reg)}}}, 64;" if fragment == "d" else f"{opcode} {{{', '.join(reg)}}}, {memory}, 64;"
    body = f"{fill}\n{move}\n" if fragment == "d" else f"{move}\n{keep}\n"
    return f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{{
.reg .b32 %r<32>; .reg .f32 %f<32>; .reg .f64 %e<32>; .reg .b64 %d<8>;
.shared .align 128 .b8 s[16384];
ld.param.u64 %d0, [p];
cvta.to.global.u64 %d0, %d0;
mov.u32 %r0, %tid.x;
mul.wide.u32 %d1, %r0, 8;
add.s64 %d2, %d0, %d1;
mov.u32 %r1, s;
mov.u32 %r2, 0;
st.shared.u32 [%r1+16000], %r2;
bar.sync 0;
{body}bar.sync 0;
ld.shared.u32 %r3, [%r1+64];
st.global.u32 [%d0+16000], %r3;
ret;
}}
"""


def document(folder, *argv):
    out = os.path.join(folder, "out.json")
    r = subprocess.run([WARPWRIGHT, *argv, "--json", out], capture_output=True, text=True, timeout=100, check=False)
    if r.returncode > 1:
        sys.exit(f"{' '.join(argv)}: {r.stderr}")
    with open(out, encoding="utf-8") as f:
        return json.load(f)


def machine(folder, path, line):
    """Accesses of that line; None: there is no assembler."""
    instructions = document(folder, "sass", path)["kernels"][0].get("instructions") or []
    if not instructions:
        return None
    return sum(i["name"].split()[-1].split(".")[0] in ("LDG", "LDS", "LDSM", "STG", "STS") for i in instructions if i["ptx_line"] == line)


def main():
    failed = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        for case, (accesses, cost) in CASES.items():
            fragment, space = case[0], case[4]
            text = kernel(*case)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            line = next(i for i, row in enumerate(text.split("\n"), 1) if row.startswith("wmma."))
            made = machine(folder, path, line)
            compared += made is not None
            lines = document(folder, "check", "-q", path, "-k", "k", "--grid", "1", "--block", "32", "--arg", "p:u8[65536]=zero", "--check=memory")["kernels"][0]["lines"]
            c = next(x for x in lines if x["line"] == line)
            c = c.get("counters", c)
            way = f"{space}_{'st' if fragment == 'd' else 'ld'}"
            got = (c[f"{way}_inst"], c[f"{way}_wavefronts"]) if space == "shared" else (c[f"{way}_requests"], c[f"{way}_sectors"])
            if got != (accesses, cost) or made not in (None, accesses):
                failed += 1
                print(f"{' '.join(case)}: {got}, not {(accesses, cost)}; machine code: {made}")
    print(f"{len(CASES)} moves, {compared} compared with the assembler, {failed} differences")
    return 1 if failed else 0


sys.exit(main())
