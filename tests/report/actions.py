#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of examples/ci's workflow: actions.py EXAMPLE WARPWRIGHT.

Each `run:` of the workflow is executed as GitHub does it (bash -e), in a copy of the example, in order.  Only the
release that it fetches is a tarball of the build under test.  Then the bound is taken out of the kernel: the same commands must fail,
with the finding in the SARIF file at the line of the store."""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

EXAMPLE, WARPWRIGHT = sys.argv[1:3]


def commands(path):
    """The run: texts of a workflow, in order."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    out = []
    for i, line in enumerate(lines):
        found = re.match(r"( *)(?:- )?run: (.*)$", line)
        if not found:
            continue
        if found.group(2) != "|":
            out.append(found.group(2))
            continue
        indent, text = len(found.group(1)), []
        for more in lines[i + 1:]:
            if more.strip() and len(more) - len(more.lstrip()) <= indent:
                break
            text.append(more.strip())
        out.append("\n".join(text))
    return out


def checkout(folder, release):
    """What actions/checkout leaves: the example.  And a release to fetch: a tarball whose program is the build under test."""
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    version = subprocess.run([WARPWRIGHT, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    with tarfile.open(os.path.join(release, f"warpwright-{version}-linux-x86_64.tar.gz"), "w:gz") as out:
        link = tarfile.TarInfo(f"warpwright-{version}-linux-x86_64/bin")
        link.type, link.linkname = tarfile.SYMTYPE, os.path.dirname(WARPWRIGHT)
        out.addfile(link)
    return {**os.environ, "VERSION": version, "RELEASE": f"file://{release}"}


def run(folder, env):
    """Exit code of the first step that fails, or 0; and what was said."""
    for command in commands(os.path.join(folder, ".github/workflows/warpwright.yml")):
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command], cwd=folder, env=env, capture_output=True, text=True,
                              timeout=100, check=False)
        if done.returncode:
            return done.returncode, done.stdout + done.stderr
    return 0, ""


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as release:
        env = checkout(folder, release)
        with open(os.path.join(folder, ".github/workflows/warpwright.yml"), encoding="utf-8") as f:
            if f"VERSION: {env['VERSION']}\n" not in f.read():
                problems.append(f"the workflow takes another version than {env['VERSION']}")
        steps = commands(os.path.join(folder, ".github/workflows/warpwright.yml"))
        if len(steps) != 3:
            problems.append(f"three commands expected, found {steps}")
        code, said = run(folder, env)
        if code:
            problems.append(f"the example fails: {code}\n{said}")
        for name in ("warpwright.json", "warpwright.sarif", "warpwright.html"):
            if not os.path.exists(os.path.join(folder, name)):
                problems.append(f"{name} was not written")
        kernel = os.path.join(folder, "scale.cu")
        with open(kernel, encoding="utf-8") as f:
            text = f.read()
        with open(kernel, "w", encoding="utf-8") as f:
            f.write(text.replace("    if (i < n)\n", "\n"))
        os.rename(os.path.join(folder, "warpwright.json"), os.path.join(folder, "accepted.json"))
        code, said = run(folder, env)
        if code != 121:
            problems.append(f"without the bound the check must fail with 121: {code}\n{said}")
        with open(os.path.join(folder, "warpwright.sarif"), encoding="utf-8") as f:
            results = json.load(f)["runs"][0]["results"]
        places = [(r["ruleId"], r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r["locations"][0]["physicalLocation"]["region"]["startLine"])
                  for r in results if r["level"] == "error"]
        line = text.split("\n").index("        y[i] = a * x[i];") + 1
        if ("out-of-bounds", "scale.cu", line) not in places:
            problems.append(f"the SARIF file has {places}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
