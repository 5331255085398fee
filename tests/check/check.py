#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one program of this folder under `warpwright run --check` and compares what is found with what its comments say:

    ... // expect: RULE                    a finding of that rule at this line
    ... // expect: RULE, other end N       and its other end is line N
    ... // expect anywhere: RULE           a finding without a place: the host did it
    // check: OPTIONS                      no program but one kernel, for `warpwright check` with these options
    options: OPTION VALUE.                 in the head comment: of `warpwright run`
    host lines                             in the head comment: the host's code is compiled with -g

Everything found in the categories race and sync, or, in folders of those rules, memory and init, or host, must be expected; a program
named good_* expects nothing."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

FIRST = ("race", "sync")
SECOND = ("memory", "init")
THIRD = ("host",)
ASKED = ("unused-memory", "unread-memory")
CHECK = re.compile(r"^// check: (.*)$", re.MULTILINE)
ANYWHERE = re.compile(r"// expect anywhere: ([a-z-]+)")
OPTIONS = re.compile(r"options: (--\S+ \S+)\.")
EXPECT = re.compile(r"// expect: ([a-z-]+)(?:, other end (\d+))?")


def expected(source):
    want = set()
    with open(source, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            for rule, other in EXPECT.findall(line):
                want.add((number, rule, int(other) if other else None))
            for rule in ANYWHERE.findall(line):
                want.add((None, rule, None))
    return want


def found(warpwright, program, source, categories):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        with open(source, encoding="utf-8") as f:
            text = f.read()
        kernel, options = CHECK.search(text), OPTIONS.search(text)
        command = [warpwright, "check" if kernel else "run", "--check=" + categories, "--quiet", "--json", report]
        command += shlex.split(options.group(1)) if options else []
        command += [source] + shlex.split(kernel.group(1)) if kernel else ["--", program]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        with open(report, encoding="utf-8") as f:
            document = json.load(f)
    got, findings, kernels = set(), document["findings"], {k["name"] for k in document["kernels"]}
    for x in findings:
        other = x.get("other") or {}
        for end in (x, other):
            if end.get("kernel") and end["kernel"] not in kernels:
                print(f"a finding of kernel {end['kernel']}; there are {sorted(kernels)}")
                sys.exit(1)
        here = os.path.basename(x["file"] or "") == os.path.basename(source)
        got.add((x["line"] if here else x["file"], x["rule"], other.get("line") if here else None))
    return got, done, findings


def main():
    warpwright, source, program = sys.argv[1:4]
    want = expected(source)
    rule = os.path.basename(os.path.dirname(source))
    row = subprocess.run([warpwright, "rules", rule], capture_output=True, text=True, check=False).stdout.split()
    categories = list(next((c for c in (SECOND, THIRD) if row and row[1] in c), FIRST))
    if rule in ASKED:
        categories = [*SECOND, "-leak", *ASKED]
    elif rule != "leak" and categories == list(SECOND):
        categories.append("-leak")
    got, done, findings = found(warpwright, program, source, ",".join(categories))
    given = {(line, rule): other for line, rule, other in want}
    shown = {(line, rule, other if given.get((line, rule)) else None) for line, rule, other in got}
    if done.returncode in (120, 122) or shown != want or (os.path.basename(source).startswith("good_") and want):
        print(f"expected {sorted(want, key=str)}\nfound    {sorted(got, key=str)}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
        for x in findings:
            print(f"{x['file']}:{x['line']}: {x['severity']}: {x['message']} [{x['rule']}]")
        return 1
    return 0


sys.exit(main())
