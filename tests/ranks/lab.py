#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lab.py WARPWRIGHT MPIRUN: the lab's grids spread over ranks.  Rows and table have to be those of one process; what needs all blocks in one process is refused
with a reason.  MPIRUN: none where there is no MPI."""
import difflib
import json
import subprocess
import sys

import launch
from launch import expect

warpwright, mpirun = sys.argv[1:3]
CASES = [
    ["aat", "--m", "96", "--k", "32"],
    ["matmul", "--m", "80", "--n", "64", "--k", "48"],
    ["copy", "--blocks", "5", "--profile", "sm_20"],
    ["banks", "--blocks", "3"],
    ["banks", "--blocks", "5", "--log"],
    ["intmatmul", "--m", "40", "--n", "40", "--k", "33"],
    ["aat", "copy", "--m", "64", "--blocks", "2", "--profile", "sm_10"],
]


def rows(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return json.loads(text) if text else None


def same(what, folder, one, out):
    a, b = rows(folder + "/one.json"), rows(folder + "/many.json")
    changes = difflib.unified_diff(json.dumps(a, indent=1).split("\n"), json.dumps(b, indent=1).split("\n"), lineterm="")
    expect(what + ": the rows are the same", a == b, "\n".join(list(changes)[:40]))
    expect(what + ": so is the table", one == out, one + "----\n" + out)


for case in CASES:
    for ranks in (2, 3) if case[0] == "matmul" else (3,):
        what = " ".join(case) + f", {ranks} ranks"
        command = [warpwright, "lab", "--device", "emulator", "--seed", "7"] + case
        with launch.folder() as d:
            one = subprocess.run(command + ["--json", "one.json"], cwd=d, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)
            ends = launch.wait(launch.start(ranks, lambda i: command + ["--json", "many.json"], d, "l"))
            expect(what + ": all end well", one.returncode == 0 and all(e[0] == 0 for e in ends), (one, ends))
            expect(what + ": only rank 0 speaks", not any(e[1] or e[2] for e in ends[1:]), ends[1:])
            same(what, d, one.stdout, ends[0][1])
            expect("nothing is left", not launch.left(d), launch.left(d))
with launch.folder() as d:
    ends = launch.wait(launch.start(2, lambda i: [warpwright, "lab", "matmul", "--m", "40", "--n", "40", "--k", "20"], d, "l"))
    expect("without --seed all ranks have the same inputs", all(e[0] == 0 for e in ends) and "matmul" in ends[0][1], ends)
with launch.folder() as d:
    ends = launch.wait(launch.start(2, lambda i: [warpwright, "lab", "banks", "--blocks", "2", "--regression", "r"], d, "l"))
    expect("--regression is refused", all(e[0] == 122 and "--regression is a file of one process" in e[2] for e in ends), ends)
with launch.folder() as d:
    ends = launch.wait(launch.start(2, lambda i: [warpwright, "lab", "aat", "--m", "64", "--k", "32", "--ranks=off"], d, "l"))
    expect("--ranks=off: each has all rows", all(e[0] == 0 and "aat_simple" in e[1] for e in ends), ends)
if mpirun != "none":
    with launch.folder() as d:
        command = [warpwright, "lab", "--device", "emulator", "--seed", "7"] + CASES[1]
        one = subprocess.run(command + ["--json", "one.json"], cwd=d, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200)
        code, out, err, _ = launch.mpirun(mpirun, 4, command + ["--json", "many.json"], d)
        expect("mpirun -n 4 ends well", code == 0, (code, out, err))
        same("mpirun -n 4", d, one.stdout, out)
launch.finish()
