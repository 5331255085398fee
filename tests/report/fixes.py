#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fixes of SARIF: fixes.py WARPWRIGHT.  Each is applied to the source as an editor would do it, and the conflicts must be gone; what is no edit of
one line, or would be a guess, has none."""
import json
import os
import subprocess
import sys
import tempfile

WARPWRIGHT = os.path.abspath(sys.argv[1])
KERNEL = """{before}
__global__ void turn(float *out, const float *in)
{{
    {declared}
    {name}[{first}] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = {name}[{second}];
}}
"""
ROWS = {"first": "threadIdx.x][threadIdx.y", "second": "threadIdx.y][threadIdx.x", "name": "tile"}
FLAT = {"first": "threadIdx.x * 32 + threadIdx.y", "second": "threadIdx.y * 32 + threadIdx.x", "name": "tile"}
FIXED = {  # what is declared, and what stands there afterwards
    "a number": ({"before": "", "declared": "__shared__ float tile[32][32];"}, "tile[32][33]"),
    "a macro": ({"before": "#define SIDE 32", "declared": "__shared__ float tile[SIDE][ SIDE ];"}, "tile[SIDE][SIDE + 1]"),
    "a constant": ({"before": "constexpr int side = 32;", "declared": "__shared__ float other[7], tile[side][side];"}, "tile[side][side + 1]"),
}
LEFT = {
    "a name of another value": dict(ROWS, before="#define TWICE (2 * 16)", declared="__shared__ float tile[32][TWICE];"),
    "one dimension": dict(FLAT, before="", declared="__shared__ float tile[1024];"),
    "two lines": dict(ROWS, before="", declared="__shared__ float\n        tile[32][32];"),
}


def check(folder, text):
    source, sarif = os.path.join(folder, "turn.cu"), os.path.join(folder, "turn.sarif")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([WARPWRIGHT, "check", "-q", "turn.cu", "--grid", "4", "--block", "32,32", "--arg", "o:f32[1024]=zero", "--arg", "i:f32[1024]=iota", "--check=bank-conflicts",
                    "--sarif", sarif], cwd=folder, check=True, capture_output=True, timeout=100)
    with open(sarif, encoding="utf-8") as f:
        return json.load(f)["runs"][0]["results"]


def applied(text, fix):
    change = fix["artifactChanges"][0]
    if change["artifactLocation"]["uri"] != "turn.cu":
        sys.exit(f"a fix of another file: {change}")
    lines = text.split("\n")
    for r in change["replacements"]:
        region = r["deletedRegion"]
        line = lines[region["startLine"] - 1]
        lines[region["startLine"] - 1] = line[: region["startColumn"] - 1] + r["insertedContent"]["text"] + line[region["endColumn"] - 1:]
    return "\n".join(lines)


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for what, (parts, then) in FIXED.items():
            text = KERNEL.format(**dict(ROWS, **parts))
            found = check(folder, text)
            fixes = [r["fixes"][0] for r in found if "fixes" in r]
            mended = applied(text, fixes[0]) if fixes else ""
            if not fixes or then not in mended or check(folder, mended):
                wrong.append(f"{what}: {mended or found}")
        for what, parts in LEFT.items():
            found = check(folder, KERNEL.format(**parts))
            if not found or any("fixes" in r for r in found):
                wrong.append(f"{what}: {found}")
    print("\n".join(wrong) or "every fix mends, and nothing is guessed")
    return bool(wrong)


sys.exit(main())
