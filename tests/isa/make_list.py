#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/isa_list.txt: the instructions, out of those that the patterns of forms.txt and matrices.py spell out, that NVIDIA's
assembler takes for sm_90a.

    make_list.py [--refused FILE] [--most N] tests/isa/forms.txt tests/isa/head.ptx [ptxas] > tests/data/isa_list.txt

A pattern with more than N (100) spellings gives N of them: each choice at each place at least once, the others at random with a fixed
seed.  --refused FILE keeps what was refused, and why."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

import matrices

WIDTH = {"pred": "p", "b128": "q", "f16x2": "b", "bf16x2": "b", "u16x2": "b", "s16x2": "b", "tf32": "b", "f32x2": "d",
         "e4m3": "h", "e5m2": "h", "e4m3x2": "h", "e5m2x2": "h", "e4m3x4": "b", "e5m2x4": "b", "bf16": "h", "f16": "h"}
KIND = {"8": "h", "16": "h", "32": "b", "64": "d"}
CHUNK, PER_KERNEL = 1000, 20


def width_of(word):
    if word in WIDTH:
        return WIDTH[word]
    plain = re.fullmatch(r"[busf](8|16|32|64)", word)
    return KIND[plain.group(1)] if plain else None


def split(pattern, sets):
    """A pattern as a list of lists of choices."""
    pattern = re.sub(r"(?<=[{|])<(\w+)>", lambda m: sets[m.group(1)], pattern)
    pattern = re.sub(r"<(\w+)>", lambda m: "{" + sets[m.group(1)] + "}", pattern)
    parts = re.split(r"(?<!\\)(\{[^{}]*?(?<!\\)\})", pattern.replace(r"\}", "\x01"))
    out = []
    for p in parts:
        p = p.replace("\x01", r"\}")
        out.append(p[1:-1].split("|") if p.startswith("{") else [p])
    return [[c.replace(r"\{", "{").replace(r"\}", "}") for c in choice] for choice in protect(out)]


def protect(parts):
    """'||' in a choice stands for a '|' of the instruction: {|q} is written {||q}."""
    for choice in parts:
        out, i = [], 0
        while i < len(choice):
            if choice[i] == "" and 0 < i < len(choice) - 1:
                out.append("|" + choice[i + 1])
                i += 2
            else:
                out.append(choice[i])
                i += 1
        yield out


def spellings(parts, most):
    total = 1
    for choice in parts:
        total *= len(choice)
    def nth(n):
        text = []
        for choice in parts:
            n, at = divmod(n, len(choice))
            text.append(choice[at])
        return "".join(text)
    if total <= most:
        return [nth(n) for n in range(total)]
    rng = random.Random(zlib.crc32(repr(parts).encode()))
    rows = max(most, max(map(len, parts)))
    columns = []
    for choice in parts:
        column = [choice[i % len(choice)] for i in range(rows)]
        rng.shuffle(column)
        columns.append(column)
    return list(dict.fromkeys("".join(row) for row in zip(*columns)))


def operands(text):
    """Registers for @0, @1 and @v0."""
    opcode = text.split(" ", 1)[0]
    types = [w for w in (width_of(word) for word in opcode.split(".")[1:]) if w]
    count = [0]
    def register(width):
        count[0] += 1
        return f"%{width}{(count[0] - 1) % 8}"
    def one(m):
        k = int(m.group(2))
        if k >= len(types):
            return "%none"
        vec = re.search(r"\.v([248])\b", opcode) if m.group(1) else None
        if not vec:
            return register(types[k])
        return "{" + ", ".join(register(types[k]) for _ in range(int(vec.group(1)))) + "}"
    return re.sub(r"@(v?)(\d)", one, text)


def candidates(path, most):
    sets = {}
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("set "):
            name, words = line[4:].split(" = ")
            sets[name] = words.replace(" ", "|")
        elif line and not line.startswith("#"):
            for text in spellings(split(line, sets), most):
                yield operands(text)


def module_of(head, lines):
    text, owner = [head], {}
    at = head.count("\n") + 1
    for i in range(0, len(lines), PER_KERNEL):
        text.append(f".visible .entry k{i}(.param .u64 arg)\n{{\n#body\n")
        at += 3
        for k in range(i, min(i + PER_KERNEL, len(lines))):
            owner[at] = k
            text.append(lines[k] + "\n")
            at += 1
        text.append("L: ret;\n}\n")
        at += 2
    return "".join(text), owner


def accepted(ptxas, head, body, lines):
    """(line, None) or (line, why)."""
    result = {}
    left = list(range(len(lines)))
    while left:
        text, owner = module_of(head, [lines[i] for i in left])
        text = text.replace("#body", body)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx", delete=False) as f:
            f.write(text)
        run = subprocess.run([ptxas, "-arch=sm_90a", "-O0", "-o", os.devnull, f.name], capture_output=True, text=True, check=False)
        os.unlink(f.name)
        if run.returncode == 0:
            break
        bad = {}
        for number, why in re.findall(r"line (\d+); (?:fatal|error)\s*: (.*)", run.stderr):
            if int(number) in owner:
                bad.setdefault(left[owner[int(number)]], why)
        if not bad:
            if len(left) == 1:
                bad = {left[0]: run.stderr.strip()[:200]}
            else:  # a failure without a line: halves
                half = len(left) // 2
                for part in (left[:half], left[half:]):
                    for line, why in accepted(ptxas, head, body, [lines[i] for i in part]):
                        if why:
                            result[lines.index(line)] = why
                break
        result.update(bad)
        left = [i for i in left if i not in bad]
    return [(line, result.get(i)) for i, line in enumerate(lines)]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--refused")
    p.add_argument("--most", type=int, default=100)
    p.add_argument("forms")
    p.add_argument("head")
    p.add_argument("ptxas", nargs="?", default="ptxas")
    a = p.parse_args()
    head, body = open(a.head, encoding="utf-8").read().split("// body\n")
    lines = list(dict.fromkeys([*candidates(a.forms, a.most), *matrices.instructions()]))
    parts = [lines[i:i + CHUNK] for i in range(0, len(lines), CHUNK)]
    with ThreadPoolExecutor(2) as pool:
        done = [x for part in pool.map(lambda part: accepted(a.ptxas, head, body.replace("\n", " "), part), parts) for x in part]
    print("# Instructions of tests/isa/forms.txt and matrices.py that ptxas takes for sm_90a; written by tests/isa/make_list.py.")
    for line, why in done:
        if not why:
            print(line)
    if a.refused:
        with open(a.refused, "w", encoding="utf-8") as f:
            f.writelines(f"{line}\t{why}\n" for line, why in done if why)
    print(f"{len(done)} tried, {sum(why is None for _, why in done)} taken", file=sys.stderr)


main()
