#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes instructions of three words that NVIDIA's assembler takes for sm_90, one a line: make_list.py [ptxas] > list.txt
Video instructions: every opcode with its modifiers, operands with random part selectors; fma.oob.  D, A, B, C stand for registers."""
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

SIGN = ["u32", "s32"]
BYTES = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]


def scalar(rng):
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"]:
        shift = op in ("vshl", "vshr")
        for d, a, b, sat in itertools.product(SIGN, SIGN, ["u32"] if shift else SIGN, ["", ".sat"]):
            for mode in [".clamp", ".wrap"] if shift else [""]:
                head = f"{op}.{d}.{a}.{b}{sat}{mode}"
                for _ in range(2):
                    sa, sb = rng.choice(BYTES), rng.choice(BYTES)
                    yield f"{head} D, A{sa}, B{sb}"
                    yield f"{head}.{rng.choice(['add', 'min', 'max'])} D, A{sa}, B{sb}, C"
                    yield f"{head} D{rng.choice(BYTES[1:])}, A{sa}, B{sb}, C"
    for a, b, c in itertools.product(SIGN, SIGN, ["eq", "ne", "lt", "le", "gt", "ge"]):
        head = f"vset.{a}.{b}.{c}"
        yield f"{head} D, A{rng.choice(BYTES)}, B{rng.choice(BYTES)}"
        yield f"{head}.{rng.choice(['add', 'min', 'max'])} D, A{rng.choice(BYTES)}, B{rng.choice(BYTES)}, C"
        yield f"{head} D{rng.choice(BYTES[1:])}, A{rng.choice(BYTES)}, B{rng.choice(BYTES)}, C"
    for d, a, b, po, sat, scale in itertools.product(SIGN, SIGN, SIGN, ["", ".po"], ["", ".sat"], ["", ".shr7", ".shr15"]):
        for _ in range(3):
            na, nb, nc = (("-" if rng.random() < 0.3 and not po else "") for _ in range(3))
            yield f"vmad.{d}.{a}.{b}{po}{sat}{scale} D, {na}A{rng.choice(BYTES)}, {nb}B{rng.choice(BYTES)}, {nc}C"


def packed(rng):
    for op, n in itertools.product(["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"], [2, 4]):
        for d, a, b, tail in itertools.product(SIGN, SIGN, SIGN, ["", ".sat", ".add"]):
            yield f"{op}{n}.{d}.{a}.{b}{tail} " + packed_operands(rng, n, False)
            yield f"{op}{n}.{d}.{a}.{b}{tail} " + packed_operands(rng, n, True)
    for n, a, b, c, tail in itertools.product([2, 4], SIGN, SIGN, ["eq", "ne", "lt", "le", "gt", "ge"], ["", ".add"]):
        yield f"vset{n}.{a}.{b}.{c}{tail} " + packed_operands(rng, n, rng.random() < 0.5)


def packed_operands(rng, n, select):
    if not select:
        return "D, A, B, C"
    letter, places = ("h", 4) if n == 2 else ("b", 8)
    mask = "".join(str(i) for i in reversed(range(n)) if rng.random() < 0.6) or "0"
    parts = ["".join(str(rng.randrange(places)) for _ in range(n)) for _ in range(2)]
    return f"D.{letter}{mask}, A.{letter}{parts[0]}, B.{letter}{parts[1]}, C"


def others():
    for t in ["f16x2", "bf16x2"]:
        yield f"fma.rn.oob.{t} D, A, B, C"
        yield f"fma.rn.oob.relu.{t} D, A, B, C"
    yield "fma.rn.sat.oob.f16x2 D, A, B, C"


def module_of(lines):
    out = [".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<5>;\n"]
    for line in lines:
        out.append(re.sub(r"\b([DABC])\b", lambda m: "%r" + str("DABC".index(m.group(1))), line.split(" ", 1)[1]).join([line.split(" ", 1)[0] + " ", ";\n"]))
    return "".join(out) + "ret;\n}\n"


def main():
    ptxas = sys.argv[1] if len(sys.argv) > 1 else "ptxas"
    rng = random.Random(9)
    lines = list(dict.fromkeys([*scalar(rng), *packed(rng), *others()]))
    while True:
        with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as f:
            f.write(module_of(lines))
        run = subprocess.run([ptxas, "-arch=sm_90", "-o", os.devnull, f.name], capture_output=True, text=True, check=False)
        os.unlink(f.name)
        bad = {int(n) - 7 for n in re.findall(r"line (\d+); (?:fatal|error)", run.stderr)}
        if run.returncode == 0:
            break
        if not bad:
            sys.exit(run.stderr[:2000])
        for i in sorted(bad):
            print(lines[i], re.findall(rf"line {i + 7}; (.*)", run.stderr)[0], file=sys.stderr)
        lines = [x for i, x in enumerate(lines) if i not in bad]
    print("\n".join(lines))


main()
