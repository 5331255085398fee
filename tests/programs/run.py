#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one program of this folder: run.py WARPWRIGHT SOURCE PROGRAM.
It must exit with 0 and print "passed" last.  Lines of the source's head comment may say more:
    * options: --devices 2      options of `warpwright run`
    * fails: N                  N launches end with status failed (default: none)
    * warns: RULE               there is one warning, of this rule (default: no warning)
    * predicts: KERNEL: LIMITER; KERNEL: LIMITER     what bounds each kernel's first launch; JSON's other figures of a
                              launch may follow: KERNEL: LIMITER, host_read_bytes 4096
    * missing: WHAT; WHAT       what the report names as not implemented (default: nothing)
A file NAME.out beside the source is what the program must print, byte for byte."""
import json
import os
import re
import subprocess
import sys
import tempfile


def main():
    warpwright, source, program = sys.argv[1:]
    with open(source, encoding="utf-8") as f:
        head = f.read().split("*/")[0]
    options = re.findall(r"^ \* options: (.*?)(?: \*/)?$", head, re.M)
    fails = re.findall(r"^ \* fails: (\d+)", head, re.M)
    warns = re.findall(r"^ \* warns: (\S+)", head, re.M)
    predicts = re.findall(r"^ \* predicts: (.*?)(?: \*/)?$", head, re.M)
    missing = re.findall(r"^ \* missing: (.*?)(?: \*/)?$", head, re.M)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        run = subprocess.run([warpwright, "run", "--quiet", "--json", report] + (options[0].split() if options else []) + ["--", program],
                             stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
        with open(report, encoding="utf-8") as f:
            document = json.load(f)
    problems = []
    if run.returncode != 0 or not run.stdout.endswith(b"passed\n"):
        problems.append(f"exit code {run.returncode}")
    expected = os.path.splitext(source)[0] + ".out"
    if os.path.exists(expected):
        with open(expected, "rb") as f:
            if f.read() != run.stdout:
                problems.append(f"its output is not {os.path.basename(expected)}")
    failed = sum(k["status"] == "failed" for k in document["kernels"])
    if failed != (int(fails[0]) if fails else 0):
        problems.append(f"{failed} failed launches")
    warned = [f["rule"] for f in document["findings"] if f["severity"] == "warning"]
    if warned != warns:
        problems.append(f"warnings: {', '.join(warned) or 'none'}")
    for predicted in "; ".join(predicts).split("; ") if predicts else []:
        name, limiter, *figures = re.split(r": |, ", predicted)
        told = next((k["predicted"] for k in document["kernels"] if k["name"].split("(")[0] == name), None) or {}
        if told.get("limiter") != limiter or any(str(told.get(key)) != value for key, value in map(str.split, figures)):
            problems.append(f"{name} is predicted with {told}")
    if any(k["status"] == "unsupported" for k in document["kernels"]):
        problems.append("a kernel could not be run")
    problems += [note for note in document["notes"] if "printf was lost" in note]
    if document["missing"] != (missing[0].strip().split("; ") if missing else []):
        problems.append(f"not implemented: {', '.join(document['missing']) or 'nothing'}")
    if document["exit_code"] != run.returncode or document["schema"] != 1:
        problems.append("the report's frame is wrong")
    for problem in problems:
        print(problem)
    if problems:
        sys.stdout.write(run.stdout.decode(errors="replace"))
        sys.stdout.write(run.stderr.decode(errors="replace"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
