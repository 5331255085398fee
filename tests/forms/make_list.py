#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/forms_list.txt: the opcodes, out of all that the forms of isa.def spell out, that NVIDIA's assembler
accepts for sm_90.

    make_list.py forms_sweep [ptxas] > tests/data/forms_list.txt

Every candidate becomes a kernel; the assembler names the lines it refuses; what is refused is taken out and the rest is tried
again until nothing is refused.  With --refused FILE the refused opcodes are written there, each with the reason."""
import os
import re
import subprocess
import sys
import tempfile

CHUNK = 4000


def module_of(sweep, opcodes):
    """The module of these opcodes, and for each of its lines the index of the opcode it belongs to."""
    text = subprocess.run([sweep, "--ptx"], input="\n".join(opcodes) + "\n", capture_output=True, text=True, check=True).stdout
    index, owner = -1, []
    for line in text.split("\n"):
        found = re.match(r"// case (\d+)", line)
        index = int(found.group(1)) if found else index
        owner.append(index)
    return text, owner


def accepted(sweep, ptxas, opcodes, refused):
    while opcodes:
        text, owner = module_of(sweep, opcodes)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as f:
            f.write(text)
        run = subprocess.run([ptxas, "-arch=sm_90", "-o", os.devnull, f.name], capture_output=True, text=True, check=False)
        os.unlink(f.name)
        bad = {}
        for line, why in re.findall(r"line (\d+); (?:fatal|error)\s*: (.*)", run.stderr):
            bad.setdefault(owner[int(line) - 1], why)
        if run.returncode == 0:
            return opcodes
        if not bad:
            sys.exit(f"{ptxas} failed without naming a line:\n{run.stderr[:2000]}")
        refused.extend((opcodes[i], why) for i, why in sorted(bad.items()))
        opcodes = [o for i, o in enumerate(opcodes) if i not in bad]
    return []


def main():
    args = sys.argv[1:]
    report = args.pop(args.index("--refused") + 1) if "--refused" in args else None
    args = [a for a in args if a != "--refused"]
    sweep, ptxas = args[0], args[1] if len(args) > 1 else "ptxas"
    candidates = subprocess.run([sweep, "--candidates"], capture_output=True, text=True, check=True).stdout.split("\n")
    candidates = list(dict.fromkeys(filter(None, candidates)))
    refused = []
    print("# Opcodes of the lane-computing forms that ptxas accepts for sm_90; written by tests/forms/make_list.py.")
    for at in range(0, len(candidates), CHUNK):
        for opcode in accepted(sweep, ptxas, candidates[at:at + CHUNK], refused):
            print(opcode)
    if report:
        with open(report, "w", encoding="utf-8") as f:
            f.writelines(f"{opcode}\t{why}\n" for opcode, why in refused)


main()
