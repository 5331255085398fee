#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""small.py WARPWRIGHT numba|pycuda WORK [NAME...]: runs the small programs of one package (small/PACKAGE_*.py, or those that are named), each in a process of
its own under `warpwright run --check`.  Each must end with "passed", and its kernels must be found clean; of one with a line "# finds: RULE" or
"# finds: RULE at LINE" behind the licence just that rule is expected.  Skipped as run.py is."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from debian import Unobtainable
from run import CUDA_BIN, FOLDER, SKIP, prepare

IN_KERNELS = ("memory", "init", "race", "sync")


def expected(program):
    found = re.search(r"^# finds: (\S+)(?: at (\d+))?$", program.read_text(encoding="utf-8"), re.M)
    return {(found.group(1), int(found.group(2)) if found.group(2) else None)} if found else set()


def errors(report, place):
    """Of its kernels: rule and, where one is asked for, line."""
    return {(f["rule"], f["line"] if place else None) for f in report["findings"]
            if f["severity"] == "error" and f["category"] in IN_KERNELS and f["kernel"]}


def one(warpwright, command, program, env):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        ran = subprocess.run([warpwright, "run", "--quiet", "--check", "--json", report, "--", *command, program],
                             env=env, capture_output=True, text=True, timeout=200, check=False)
        document = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
    if ran.returncode != 0 or not ran.stdout.endswith("passed\n") or document is None:
        return f"exit code {ran.returncode}\n{ran.stdout}{ran.stderr}"
    want = expected(program)
    got = errors(document, any(line for _, line in want))
    if got != want:
        return f"found {sorted(got)} where {sorted(want)} was expected\n{ran.stderr}"
    if document["missing"] or any(k["status"] == "unsupported" for k in document["kernels"]):
        return f"not implemented: {document['missing']}"
    return None


def main():
    warpwright, package, work, *names = sys.argv[1:]
    python = os.environ.get("WW_PYTHON", "/usr/bin/python3")
    env = {**os.environ, "PATH": os.environ["PATH"] + os.pathsep + CUDA_BIN}
    try:
        through = prepare(package, python, os.path.join(work, package), env)
    except Unobtainable as e:
        print(f"skipped: {e}")
        return SKIP
    programs = [p for p in sorted(pathlib.Path(FOLDER, "small").glob(f"{package}_*.py")) if not names or p.stem in names]
    failed = 0
    for program in programs:
        wrong = one(warpwright, [python, "-W", "ignore", *through], program, env)
        failed += wrong is not None
        print(f"{'ok  ' if wrong is None else 'FAIL'} {program.stem}" + (f": {wrong}" if wrong else ""), flush=True)
    print(f"{len(programs) - failed} of {len(programs)} programs of {package}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
